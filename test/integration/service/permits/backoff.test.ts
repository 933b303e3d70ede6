import { rmSync } from 'node:fs';
import { TankobonError } from '../../../../src/core/errors.js';
import type { ApiRequest } from '../../../../src/service/client.js';
import { viewLedgerAt } from '../../../../src/service/ledger.js';
import {
  ledgerFolder,
  createTestClient,
  type TestClient,
  type TestClientOptions,
} from '../../../support/test-client.js';
import { adjustableClock, skippingClock, type FakeClock } from '../../../support/fake-clock.js';
import { startStubServer, type StubServer } from '../../../support/stub-server.js';

let service: StubServer;
let clock: FakeClock;
let folder: string;
const made: TestClient[] = [];
beforeEach(async () => {
  service = await startStubServer();
  clock = adjustableClock();
  folder = ledgerFolder();
});
afterEach(async () => {
  for (const one of made.splice(0)) await one.close();
  await service.stop();
  rmSync(folder, { recursive: true });
});

/** Stands for one process. */
const make = async (options?: TestClientOptions): Promise<TestClient> => {
  const one = await createTestClient(service, { folder, clock, ...options });
  made.push(one);
  return one;
};

const REQUEST: ApiRequest<unknown> = {
  method: 'GET',
  path: '/manga/x',
  parser: () => (value) => value,
};
const MINUTE_MS = 60_000;
const BAN = { status: 403, raw: '<html><h1>403 Forbidden</h1></html>' } as const;

const thrown = async (promise: Promise<unknown>): Promise<TankobonError> => {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  if (error instanceof TankobonError) return error;
  throw new Error(`Not one of our errors: ${String(error)}`);
};
const view = () => viewLedgerAt({ location: { folder }, clock });
const untilBackoff = async (): Promise<void> => {
  while ((await view()).cooldown === undefined) await clock.sleep(5);
};
/** From here on, time passes only by sleeps, which end at once. */
const useSkippingClock = async (): Promise<void> => {
  await service.stop();
  clock = skippingClock();
  service = await startStubServer({ clock });
};
/** A sleep that only moves the clock. */
const passAtOnce = async (ms: number): Promise<void> => {
  clock.advance(ms);
  await new Promise((resolve) => setImmediate(resolve));
};
const banMinutes = async (): Promise<number> => {
  const until = (await view()).cooldown?.untilMs;
  return until === undefined ? 0 : Math.round((until - clock.wallMs()) / MINUTE_MS);
};

describe('429', () => {
  const answerOnce = (headers: Record<string, string>): void => {
    service.behave((_, number) => (number === 1 ? { status: 429, headers } : {}));
  };

  test('delays all requests to all hosts of the service, in all processes, until the given time', async () => {
    await useSkippingClock();
    const [one, other] = [await make(), await make()];
    answerOnce({ 'retry-after': '1' });
    const first = one.client.api(REQUEST);
    await untilBackoff();
    const page = other.client.reserve({ method: 'GET', url: new URL('/x.png', service.url) });
    await Promise.all([
      first,
      other.client.api(REQUEST),
      other.client.postTokenForm(new URLSearchParams()),
    ]);
    const permit = await page;
    await permit?.settle({ status: 200, headers: {} });
    const [limited, ...later] = service.requests.map(({ atMs }) => atMs);
    expect(later).toHaveLength(3);
    expect(Math.min(...later) - (limited ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  test('ends when a single request has succeeded', async () => {
    await service.stop();
    service = await startStubServer({ latencyMs: 150 });
    const { client } = await make();
    answerOnce({ 'retry-after': '1' });
    const first = client.api(REQUEST);
    await untilBackoff();
    await Promise.all([first, client.api(REQUEST), client.api(REQUEST), client.api(REQUEST)]);
    expect(service.requests).toHaveLength(5);
    expect(service.exchanges.slice(0, 5)).toEqual([
      'request 1',
      'response 1',
      'request 2',
      'response 2',
      'request 3',
    ]);
    expect((await view()).onProbation).toBe(false);
  });

  test.each([
    ['two hours behind', 2 * 60 * MINUTE_MS],
    ['two hours ahead', -2 * 60 * MINUTE_MS],
  ])(
    'its timestamp is relative to the response’s Date with a local clock %s',
    async (_, skewMs) => {
      await useSkippingClock();
      const { client } = await make();
      const serviceMs = clock.wallMs() + skewMs;
      answerOnce({
        date: new Date(serviceMs).toUTCString(),
        'x-ratelimit-retry-after': String(serviceMs / 1_000 + 1),
      });
      await client.api(REQUEST);
      const [limited, again] = service.requests.map(({ atMs }) => atMs);
      expect((again ?? 0) - (limited ?? 0)).toBeGreaterThanOrEqual(1_000);
      expect((again ?? 0) - (limited ?? 0)).toBeLessThan(5_000);
    },
  );

  test('a wait of over two seconds is reported with its reason and end', async () => {
    await useSkippingClock();
    const { client, waits } = await make();
    answerOnce({ 'retry-after': '3' });
    const startedMs = clock.wallMs();
    await client.api(REQUEST);
    expect(waits.map((wait) => wait.for)).toEqual(['cooldown']);
    expect((waits[0]?.untilMs ?? 0) - startedMs).toBeGreaterThanOrEqual(3_000);
    expect((waits[0]?.untilMs ?? 0) - startedMs).toBeLessThan(3_500);
  });

  test('a wait of over 15 minutes is an error, also for a command started during it', async () => {
    const { client } = await make();
    service.behave(() => ({ status: 429, headers: { 'retry-after': '901' } }));
    const error = await thrown(client.api(REQUEST));
    expect([error.code, error.exitCode]).toEqual(['wait-too-long', 6]);
    expect((await thrown((await make()).client.api(REQUEST))).code).toBe('wait-too-long');
    expect(service.requests).toHaveLength(1);
  });

  test('six responses of 429 to one request, with growing pauses, are an error', async () => {
    await useSkippingClock();
    const { client } = await make({ clock: { ...clock, sleep: passAtOnce } });
    const pauses: number[] = [];
    let before = clock.monotonicMs();
    service.behave(() => {
      pauses.push(Math.round((clock.monotonicMs() - before) / 1_000));
      before = clock.monotonicMs();
      return { status: 429 };
    });
    expect((await thrown(client.api(REQUEST))).code).toBe('rate-limited');
    // Without a given time the pauses grow.
    expect(pauses).toEqual([0, 5, 10, 20, 40, 80]);
  });
});

describe('a generic 403 is a ban', () => {
  test('no process sends anything more; a command started during it says until when', async () => {
    const [one, other] = [await make(), await make()];
    service.behave(() => BAN);
    const error = await thrown(one.client.api(REQUEST));
    expect([error.code, error.exitCode]).toEqual(['banned', 6]);
    expect(error.message).toMatch(/until .*\d\d?:\d\d:\d\d \S+\.$/);
    for (const client of [one.client, other.client, (await make()).client]) {
      expect((await thrown(client.api(REQUEST))).code).toBe('banned');
      expect((await thrown(client.postTokenForm(new URLSearchParams()))).code).toBe('banned');
      const page = { method: 'GET', url: new URL('/x.png', service.url) };
      expect((await thrown(client.reserve(page))).code).toBe('banned');
    }
    expect(service.requests).toHaveLength(1);
    expect(await banMinutes()).toBe(10);
  });

  test('each is twice as long as the previous one, at most a day', async () => {
    const { client } = await make();
    service.behave(() => BAN);
    const lengths: number[] = [];
    for (let times = 1; times <= 10; times += 1) {
      expect((await thrown(client.api(REQUEST))).code).toBe('banned');
      lengths.push(await banMinutes());
      clock.advance((await banMinutes()) * MINUTE_MS + 1_000);
    }
    expect(lengths).toEqual([10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440]);
    expect(service.requests).toHaveLength(10);
  });

  test('concurrent requests count as one ban', async () => {
    const { client } = await make();
    service.behave(() => BAN);
    const all = await Promise.all(Array.from({ length: 5 }, () => thrown(client.api(REQUEST))));
    expect(all.map(({ code }) => code)).toEqual(Array(5).fill('banned'));
    expect(await banMinutes()).toBe(10);
  });

  test('after it requests go one at a time until one succeeds; the next ban counts as the second', async () => {
    const { client } = await make();
    service.behave(() => BAN);
    await thrown(client.api(REQUEST));
    clock.advance(10 * MINUTE_MS + 1_000);
    const four = Array.from({ length: 4 }, () => client.api(REQUEST).catch(() => undefined));
    await Promise.all(four);
    expect(service.requests).toHaveLength(2);
    expect(await banMinutes()).toBe(20);
    clock.advance(20 * MINUTE_MS + 1_000);
    service.behave(() => ({}));
    await Promise.all(Array.from({ length: 4 }, () => client.api(REQUEST)));
    expect((await view()).onProbation).toBe(false);
    service.behave(() => BAN);
    await thrown(client.api(REQUEST));
    expect(await banMinutes()).toBe(40);
  });

  test('a timeout right after it renews it; a timeout long after does not', async () => {
    service.behave(() => BAN);
    await thrown((await make()).client.api(REQUEST));
    const { client } = await make({ limits: { firstByteTimeoutMs: 100 } });
    clock.advance(10 * MINUTE_MS + 1_000);
    service.behave(() => 'silence');
    expect((await thrown(client.api(REQUEST))).code).toBe('banned');
    expect([await banMinutes(), service.requests.length]).toEqual([10, 2]);
    clock.advance(120 * MINUTE_MS);
    expect((await thrown(client.api(REQUEST))).code).toBe('unreachable');
    expect(await banMinutes()).toBe(0);
  });

  test('a step of the wall clock does not change its end', async () => {
    const { client } = await make();
    service.behave(() => BAN);
    await thrown(client.api(REQUEST));
    for (const hours of [24, -48]) {
      clock.stepWall(hours * 60 * MINUTE_MS);
      expect((await thrown(client.api(REQUEST))).code).toBe('banned');
      expect(await banMinutes()).toBe(10);
    }
  });

  test('a reboot does not end it', async () => {
    const { client } = await make();
    service.behave(() => BAN);
    await thrown(client.api(REQUEST));
    clock.reboot();
    clock.stepWall(4 * MINUTE_MS);
    expect((await thrown((await make()).client.api(REQUEST))).code).toBe('banned');
    expect(await banMinutes()).toBe(6);
  });

  test.each([
    ['an error of the service’s own', { result: 'error', errors: [{ title: 'Forbidden' }] }],
    ['an OAuth error', { error: 'access_denied' }],
  ])('but not with %s', async (_, body) => {
    const { client } = await make();
    service.behave(() => ({ status: 403, body }));
    expect((await thrown(client.api(REQUEST))).code).toBe('request-refused');
    expect(await banMinutes()).toBe(0);
  });

  test('nor from an image host, where it means that a base URL has expired', async () => {
    const { client } = await make();
    const permit = await client.reserve({ method: 'GET', url: new URL('/x.png', service.url) });
    await permit?.settle({ status: 403, headers: {} });
    expect(await banMinutes()).toBe(0);
  });
});
