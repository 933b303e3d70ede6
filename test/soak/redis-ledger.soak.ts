/** A ledger on a real server that fails for longer than processes count as alive without it. */
import type { ProcessPool } from '../support/process-pool.js';
import { seeded } from '../support/seeded.js';
import { startRedis, type RedisProcess } from '../support/redis-process.js';
import { describeWith } from '../support/requirements.js';
import { expectLimitsKept } from '../support/server-pool.js';
import { startTcpProxy } from '../support/tcp-proxy.js';

describeWith('a ledger on a server', { programs: ['redis-server'] }, () => {
  let redis: RedisProcess;
  beforeEach(async () => {
    redis = await startRedis();
  });
  afterEach(() => redis.stop());

  test('paused for 20 s, killed, and a machine cut off for 25 s while processes are killed: no limit is broken', async () => {
    const proxy = await startTcpProxy(redis.port);
    const random = seeded(7);
    const done: string[] = [];
    const after = (ms: number, name: string, act: () => unknown): void => {
      setTimeout(() => {
        act();
        done.push(name);
      }, ms);
    };
    const kill = (pool: ProcessPool): void => {
      if (pool.killOne(random)) void pool.startOne();
    };
    const times = await expectLimitsKept(redis, {
      requests: 700,
      kills: 4,
      proxy,
      incidents: [
        {
          at: 60,
          act: () => {
            redis.signal('SIGSTOP');
            after(20_000, 'resumed', () => {
              redis.signal('SIGCONT');
            });
          },
        },
        { at: 150, act: kill },
        {
          at: 200,
          act: () => {
            proxy.cut();
            after(25_000, 'mended', () => {
              proxy.mend();
            });
          },
        },
        { at: 260, act: kill },
        {
          at: 320,
          act: () => void redis.kill().then(() => redis.start().then(() => done.push('restarted'))),
        },
        { at: 400, act: kill },
        { at: 500, act: kill },
      ],
    });
    const longestGapMs = Math.max(...times.slice(1).map((ms, at) => ms - (times[at] ?? ms)));
    process.stderr.write(
      `    ${times.length} requests, longest gap ${Math.round(longestGapMs)} ms\n`,
    );
    expect(done.sort()).toEqual(['mended', 'restarted', 'resumed']);
    await proxy.stop();
  });
});
