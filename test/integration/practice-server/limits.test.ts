/** The limits (spec 8) and the consequences of exceeding them (spec 7). */
import {
  Limiter,
  type LimiterOptions,
  type LimiterDecision,
} from '../../../src/practice-server/limiter.js';
import { LIMIT_TABLE, limitRowOf } from '../../../src/practice-server/limit-table.js';
import type { Role } from '../../../src/practice-server/request-log.js';
import {
  startPracticeService,
  type PracticeOptions,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { fakeClock } from '../../support/fake-clock.js';
import { atHome, atHomeUrl, pageUrl, send, LIBRARY } from '../../support/plain-client.js';

describe('the table', () => {
  test('has the 32 rows of the specification, some of which share a quota', () => {
    expect(LIMIT_TABLE).toHaveLength(32);
    expect(new Set(LIMIT_TABLE.map(({ quota }) => quota)).size).toBe(29);
    const sum = LIMIT_TABLE.reduce((total, { requests }) => total + requests, 0);
    expect(sum).toBe(1_720);
  });

  test.each([
    ['GET', '/at-home/server/a', 'GET /at-home/server/{id}'],
    ['GET', '/manga/random', 'GET /manga/random'],
    ['POST', '/upload/begin', 'upload begin'],
    ['POST', '/upload/begin/a', 'upload begin'],
    ['POST', '/upload/a', 'upload files'],
    ['POST', '/upload/a/commit', 'POST /upload/{id}/commit'],
    ['DELETE', '/upload/a', 'DELETE /upload/{id}'],
    ['DELETE', '/upload/a/b', 'upload files'],
    ['DELETE', '/upload/a/batch', 'upload files'],
    ['GET', '/manga/a', undefined],
    ['POST', '/at-home/server/a', undefined],
    ['GET', '/at-home/server/', undefined],
    ['GET', '/at-home/server/a/b', undefined],
  ])('%s %s counts against %s', (method, path, quota) => {
    expect(limitRowOf(method, path)?.quota).toBe(quota);
  });
});

describe('the limiter', () => {
  const AT_HOME = { role: 'api' as Role, method: 'GET', path: '/at-home/server/a' };
  const NO_GENERAL: LimiterOptions = { general: { requests: 1_000, periodMs: 1_000 } };
  const statusOf = (decision: LimiterDecision): number => decision.refusal?.status ?? 200;
  const statuses = (limiter: Limiter, times: readonly number[], line = AT_HOME): number[] =>
    times.map((at) => statusOf(limiter.check(line, at)));

  test('a sliding window allows five requests in any stretch of a second', () => {
    const limiter = new Limiter({}, 0);
    expect(statuses(limiter, [100, 700, 800, 850, 900])).toEqual([200, 200, 200, 200, 200]);
    expect(statuses(limiter, [1_099])).toEqual([429]);
    expect(limiter.peaks().get('general')).toEqual({ limit: 5, peak: 6 });
  });

  test('a request leaves the sliding window after one period', () => {
    const limiter = new Limiter({}, 0);
    expect(statuses(limiter, [0, 1, 2, 3, 4, 1_000])).toEqual([200, 200, 200, 200, 200, 200]);
  });

  test('a fixed window restarts at each multiple of the period', () => {
    const limiter = new Limiter({ counting: 'fixed' }, 0);
    expect(statuses(limiter, [900, 910, 920, 930, 940])).toEqual([200, 200, 200, 200, 200]);
    expect(statuses(limiter, [1_000, 1_010])).toEqual([200, 200]);
    expect(limiter.peaks().get('general')?.peak).toBe(7);
  });

  test('the headers contain the limit, the remaining requests and the end of the period in UNIX seconds', () => {
    const limiter = new Limiter(NO_GENERAL, 0);
    expect(limiter.check(AT_HOME, 1_000_000_500).headers).toEqual({
      'X-RateLimit-Limit': '40',
      'X-RateLimit-Remaining': '39',
      'X-RateLimit-Retry-After': '1000061',
    });
    const fixed = new Limiter({ ...NO_GENERAL, counting: 'fixed' }, -3_600_000);
    expect(fixed.check(AT_HOME, 1_000_000_500).headers?.['X-RateLimit-Retry-After']).toBe(
      String(1_000_020 - 3_600),
    );
    const plain = { ...AT_HOME, path: '/chapter/a' };
    expect(limiter.check(plain, 1_000_000_600).headers).toEqual({});
    const silent = new Limiter({ ...NO_GENERAL, rateHeaders: false }, 0);
    expect(silent.check(AT_HOME, 0).headers).toEqual({});
  });

  test('the 41st at-home request of a minute exceeds the quota, until the time in the headers', () => {
    const limiter = new Limiter(NO_GENERAL, 0);
    for (let n = 0; n < 40; n += 1) expect(statuses(limiter, [n * 1_000])).toEqual([200]);
    const over = limiter.check(AT_HOME, 40_000);
    expect(over.finding).toBe('quota-exceeded');
    expect(over.refusal?.headers).toMatchObject({
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Retry-After': '61',
    });
    expect(statuses(limiter, [61_000])).toEqual([200]);
  });

  test('rows of one quota share one count, and periods can be scaled', () => {
    const limiter = new Limiter({ ...NO_GENERAL, periodScale: 0.1 }, 0);
    const begin = { role: 'api' as Role, method: 'POST', path: '/upload/begin' };
    const beginOf = { ...begin, path: '/upload/begin/a' };
    for (let n = 0; n < 10; n += 1) {
      expect(statuses(limiter, [n], begin)).toEqual([200]);
      expect(statuses(limiter, [n], beginOf)).toEqual([200]);
    }
    expect(statuses(limiter, [20], beginOf)).toEqual([429]);
    expect(statuses(limiter, [6_010], begin)).toEqual([200]);
  });

  test('429 applies to all hosts until the rate is within the limit', () => {
    const limiter = new Limiter({}, 0);
    statuses(limiter, [0, 10, 20, 30, 40, 50]);
    const elsewhere = { role: 'network' as Role, method: 'POST', path: '/report' };
    expect(limiter.state(60)).toBe('limited');
    expect(statuses(limiter, [60], elsewhere)).toEqual([429]);
    expect(limiter.state(1_000)).toBe('open');
    expect(statuses(limiter, [1_000], elsewhere)).toEqual([200]);
  });

  test('requests during 429 lead to a ban, then to silence, and each request extends it', () => {
    const limiter = new Limiter({ banAfter: 3, silenceAfter: 2, banMs: 60_000 }, 0);
    statuses(limiter, [0, 0, 0, 0, 0]);
    expect(statuses(limiter, [1, 2, 3])).toEqual([429, 429, 429]);
    const ban = limiter.check(AT_HOME, 4);
    expect(ban.finding).toBe('request-while-limited');
    expect(ban.refusal?.status).toBe(403);
    expect(ban.refusal?.headers?.['Content-Type']).toMatch(/^text\/html/);
    expect(statuses(limiter, [5, 50_000])).toEqual([403, 403]);
    expect(limiter.state(100_000)).toBe('silent');
    const silence = limiter.check(AT_HOME, 100_000);
    expect(silence.refusal?.delivery).toEqual({ how: 'silence' });
    expect(silence.finding).toBe('request-while-banned');
    expect(limiter.state(159_999)).toBe('silent');
    expect(limiter.state(160_000)).toBe('open');
    expect(statuses(limiter, [160_000])).toEqual([200]);
  });
});

describe('over sockets', () => {
  let service: PracticeService;
  afterEach(() => service.stop());
  const start = async (options: PracticeOptions): Promise<void> => {
    service = await startPracticeService({ library: LIBRARY, ...options });
  };

  test('the sixth request within a second gets 429, as do requests to every other host except the nodes', async () => {
    await start({ clock: fakeClock() });
    const issued = await atHome(service);
    for (let n = 0; n < 4; n += 1) expect((await send(atHomeUrl(service))).status).toBe(200);
    const over = await send(atHomeUrl(service));
    expect(over.status).toBe(429);
    expect(over.headers).not.toHaveProperty('x-ratelimit-limit');
    const { authUrl, networkUrl } = service.addresses;
    for (const url of [authUrl, `${networkUrl}/report`, service.imagesUrl]) {
      expect((await send(url)).status).toBe(429);
    }
    expect((await send(pageUrl(issued))).status).toBe(200);
    expect(service.violations().map(({ finding }) => finding)).toEqual([
      'general-rate',
      'request-while-limited',
      'request-while-limited',
      'request-while-limited',
    ]);
    expect(service.limiterState()).toBe('limited');
  });

  test('a ban is a 403 in HTML, then silence, on all hosts of the service', async () => {
    await start({ clock: fakeClock(), limits: { silenceAfter: 1 } });
    service.ban();
    const banned = await send(atHomeUrl(service));
    expect(banned.status).toBe(403);
    expect(banned.headers['content-type']).toMatch(/^text\/html/);
    const silent = await send(`${service.addresses.authUrl}/`, { idleMs: 100 });
    expect(silent).toMatchObject({ status: 0, error: 'idle' });
    service.liftBan();
    expect((await send(atHomeUrl(service))).status).toBe(200);
  });

  test('external use from the same address counts and shows in the headers', async () => {
    await start({ clock: fakeClock(), limits: { general: { requests: 99, periodMs: 1_000 } } });
    service.simulateExternalUse({ method: 'GET', path: '/at-home/server/x' }, 30);
    const { headers } = await send(atHomeUrl(service));
    expect(headers['x-ratelimit-remaining']).toBe('9');
    expect(service.log).toHaveLength(1);
  });

  test("the service's time stamps can be wrong", async () => {
    const clock = fakeClock();
    await start({ clock, dateSkewMs: -7_200_000 });
    const { headers } = await send(atHomeUrl(service));
    const date = Date.parse(headers.date ?? '');
    expect(date).toBe(clock.wallMs() - 7_200_000);
    expect(Number(headers['x-ratelimit-retry-after']) * 1_000 - date).toBe(60_000);
  });

  test('pages from the API host count against its general limit', async () => {
    await start({ clock: fakeClock(), imagesFrom: 'api' });
    const issued = await atHome(service);
    for (const page of [1, 2, 3, 4]) expect((await send(pageUrl(issued, page))).status).toBe(200);
    expect((await send(pageUrl(issued, 1))).status).toBe(429);
  });
});
