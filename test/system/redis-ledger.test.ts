/** One ledger on a real server, used by the processes of several machines. Longer failures are in the long runs. */
import { seeded } from '../support/seeded.js';
import type { ProcessPool } from '../support/process-pool.js';
import { startRedis, type RedisProcess } from '../support/redis-process.js';
import { describeLedgerRules } from '../support/ledger-suite.js';
import { redisLedger } from '../support/redis-ledger-under-test.js';
import { describeWith } from '../support/requirements.js';
import { expectLimitsKept } from '../support/server-pool.js';
import { startTcpProxy } from '../support/tcp-proxy.js';

describeWith('one server', { programs: ['redis-server'] }, () => {
  describeLedgerRules('on a server', async (clock) => redisLedger(clock, await startRedis()));
});

describeWith('a ledger on a server', { programs: ['redis-server'] }, () => {
  let redis: RedisProcess;
  beforeEach(async () => {
    redis = await startRedis();
  });
  afterEach(() => redis.stop());

  test('four machines with two processes each exceed no limit, also when some are killed', async () => {
    const random = seeded(4);
    let kills = 0;
    const incidents = [20, 40].map((at) => ({
      at,
      act: (pool: ProcessPool) => {
        if (pool.killOne(random)) kills += 1;
      },
    }));
    await expectLimitsKept(redis, { requests: 80, kills: 2, incidents });
    expect(kills).toBe(2);
  });

  test('a server that is killed and started without its data costs one period, and exceeds no limit', async () => {
    let restarts = 0;
    const restart = async (): Promise<void> => {
      await redis.kill();
      await redis.start();
      restarts += 1;
    };
    const incidents = [15, 40].map((at) => ({ at, act: () => void restart() }));
    await expectLimitsKept(redis, { requests: 60, incidents });
    expect(restarts).toBe(2);
  });

  test('a server that is paused, and a machine that is cut off, stop what depends on them', async () => {
    const proxy = await startTcpProxy(redis.port);
    let pauses = 0;
    const pause = (): void => {
      redis.signal('SIGSTOP');
      setTimeout(() => {
        redis.signal('SIGCONT');
        pauses += 1;
      }, 2_000);
    };
    const cut = (): void => {
      proxy.cut();
      setTimeout(() => {
        proxy.mend();
      }, 3_000);
    };
    const incidents = [
      { at: 15, act: cut },
      { at: 40, act: pause },
    ];
    await expectLimitsKept(redis, { requests: 80, incidents, proxy });
    expect(pauses).toBe(1);
    await proxy.stop();
  });
});
