import type { AtHomeMetadata } from '../../../../src/service/at-home.js';
import { BaseUrls, type BaseUrl } from '../../../../src/service/base-urls.js';
import type { Clock } from '../../../../src/core/clock.js';

let nowMs = 0;
let calls = 0;
let suspendedMs = 0;
const clock: Clock = {
  wallMs: () => nowMs + suspendedMs,
  monotonicMs: () => nowMs,
  sleep: () => Promise.resolve(),
};
const metadata = (baseUrl: string): AtHomeMetadata => ({
  baseUrl,
  hash: 'h',
  data: ['1.png'],
  dataSaver: [],
});
const ask = () => {
  calls += 1;
  return Promise.resolve(metadata(`https://node-${calls}.example`));
};
const MINUTE_MS = 60_000;
const FIRST_URL = 'https://first.example';

/** Waits until a base URL is usable. */
async function wait(baseUrls: BaseUrls): Promise<BaseUrl> {
  for (;;) {
    const base = baseUrls.take();
    if (base) return base;
    await baseUrls.waitUntilUsable();
  }
}

const open = (asks: () => Promise<AtHomeMetadata> = ask) =>
  new BaseUrls(metadata(FIRST_URL), 0, asks, clock);

const toError = (deadInARow: number) => new Error(`${deadInARow} dead`);
const dead = { toError, beforeRenewal: () => Promise.resolve() };

beforeEach(() => {
  nowMs = 0;
  suspendedMs = 0;
  calls = 0;
});

test('a base URL that grew old while the machine was suspended is renewed before use', async () => {
  const baseUrls = open();
  suspendedMs = 60 * MINUTE_MS;
  expect((await wait(baseUrls)).url).toBe('https://node-1.example');
  expect(baseUrls.take()?.url).toBe('https://node-1.example');
  expect(calls).toBe(1);
});

test('a recent base URL is used without a metadata request', () => {
  const baseUrls = open();
  nowMs = 13.9 * MINUTE_MS;
  expect(baseUrls.take()?.url).toBe(FIRST_URL);
  expect(calls).toBe(0);
});

test('a base URL that is almost 15 minutes old is renewed before use, once for all pages', async () => {
  const baseUrls = open();
  nowMs = 14.1 * MINUTE_MS;
  const [a, b] = await Promise.all([wait(baseUrls), wait(baseUrls)]);
  expect(a.url).toBe('https://node-1.example');
  expect(b).toBe(a);
  expect(calls).toBe(1);
});

test('many pages that fail at once cause one metadata request, and the next failure another one', async () => {
  const baseUrls = open();
  const first = await wait(baseUrls);
  const renewed = await Promise.all(
    Array.from({ length: 20 }, () => {
      baseUrls.retire(first);
      return wait(baseUrls);
    }),
  );
  expect(new Set(renewed.map(({ generation }) => generation))).toEqual(new Set([2]));
  expect(calls).toBe(1);
  baseUrls.retire(first);
  expect((await wait(baseUrls)).generation).toBe(2);
  expect(calls).toBe(1);
  baseUrls.retire(await wait(baseUrls));
  expect((await wait(baseUrls)).generation).toBe(3);
  expect(calls).toBe(2);
});

test('a failed metadata request rejects for every waiting page, and is repeated for the next', async () => {
  let broken = true;
  const baseUrls = open(() => (broken ? Promise.reject(new Error('down')) : ask()));
  baseUrls.retire(await wait(baseUrls));
  await expect(Promise.all([wait(baseUrls), wait(baseUrls)])).rejects.toThrow('down');
  broken = false;
  expect((await wait(baseUrls)).generation).toBe(2);
});

describe('a dead base URL', () => {
  test('is not used again, and is renewed only after the failed load is reported', async () => {
    const baseUrls = open();
    const first = await wait(baseUrls);
    let reported: () => void = () => undefined;
    const report = new Promise<void>((resolve) => {
      reported = resolve;
    });
    baseUrls.settle(first, { toError: toError, beforeRenewal: () => report });
    expect(baseUrls.take()).toBeUndefined();
    const waiting = wait(baseUrls);
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toBe(0);
    reported();
    expect((await waiting).generation).toBe(2);
    expect(calls).toBe(1);
  });

  test('is followed by a single load from the next one, while the others wait', async () => {
    const baseUrls = open();
    baseUrls.settle(await wait(baseUrls), dead);
    const second = await wait(baseUrls);
    expect(second.generation).toBe(2);
    expect(baseUrls.take()).toBeUndefined();
    const others = Promise.all([wait(baseUrls), wait(baseUrls)]);
    baseUrls.settle(second);
    expect(await others).toEqual([second, second]);
  });

  test('five times in a row fails the chapter, with a single load from each but the first', async () => {
    const baseUrls = open();
    for (let generation = 1; generation <= 5; generation += 1) {
      const base = await wait(baseUrls);
      expect(base.generation).toBe(generation);
      expect(generation === 1 || baseUrls.take() === undefined).toBe(true);
      baseUrls.settle(base, dead);
    }
    await expect(wait(baseUrls)).rejects.toThrow('5 dead');
    await expect(wait(baseUrls)).rejects.toThrow('5 dead');
    expect(calls).toBe(4);
  });

  test('counts once, however many loads from it were in flight', async () => {
    const baseUrls = open();
    const inFlight = [await wait(baseUrls), await wait(baseUrls), await wait(baseUrls)];
    const inARow: number[] = [];
    for (const base of inFlight) {
      const beforeRenewal = (deadInARow: number) => {
        inARow.push(deadInARow);
        return Promise.resolve();
      };
      baseUrls.settle(base, { toError: toError, beforeRenewal });
    }
    expect(inARow).toEqual([1]);
    expect((await wait(baseUrls)).generation).toBe(2);
  });

  test('five times for one host excludes that host, even if another host responds in between', async () => {
    const urls = ['https://dead.example/1', 'https://alive.example/1'];
    let asked = 0;
    const baseUrls = new BaseUrls(
      metadata('https://dead.example/0'),
      0,
      () => {
        asked += 1;
        return Promise.resolve(metadata(urls[asked % 2] ?? ''));
      },
      clock,
    );
    let loads = 0;
    for (let page = 0; page < 40; page += 1) {
      const base = await wait(baseUrls);
      const isDead = base.url.includes('dead');
      loads += isDead ? 1 : 0;
      baseUrls.settle(base, isDead ? dead : undefined);
      baseUrls.retire(base);
    }
    expect(loads).toBe(5);
  });
});
