/**
 * Outages during a run, against the practice service, on an accelerated clock that the client and the practice
 * service share.
 */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import dns from 'node:dns';
import type { DownloadOptions } from '../../../src/cli/commands/download.js';
import type { DownloadEvent } from '../../../src/download/events.js';
import { htmlResponse, type EndpointResponse } from '../../../src/practice-server/endpoint.js';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import type { PracticeService } from '../../../src/practice-server/practice-service.js';
import { systemClock, type Clock } from '../../../src/core/clock.js';
import {
  DownloadHarness,
  type RunResult,
  type RunOverrides,
} from '../../support/download-harness.js';
import { acceleratedClock } from '../../support/fake-clock.js';

const chapters = Array.from({ length: 5 }, (_, index) =>
  generateChapter({
    id: `0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f030${index}`,
    pages: 4,
    bytesPerPage: 2_000,
    seed: index + 1,
  }),
);
const ids = chapters.map(({ id }) => id);
const RESET: EndpointResponse = { status: 0, delivery: { how: 'reset' } };
const SILENCE: EndpointResponse = { status: 0, delivery: { how: 'silence' } };

const lookup = dns.lookup;
let harness: DownloadHarness;
beforeEach(() => {
  dns.lookup = lookup;
});
afterEach(async () => {
  dns.lookup = lookup;
  await harness.stop();
});

/** Starts an outage; what it returns ends it. */
type Begin = (service: PracticeService) => () => void;

const apiAnswers =
  (answer: EndpointResponse): Begin =>
  (service) =>
    service.intercept('/', () => answer);

/** The API, the nodes and the report host are all unreachable. */
const allReset: Begin = (service) => {
  const takeBack = (['api', 'node', 'network'] as const).map((host) =>
    service.intercept('/', () => RESET, host),
  );
  return () => {
    for (const one of takeBack) one();
  };
};

const noNames: Begin = (service) => {
  // Open connections do not need the name.
  const takeBack = service.intercept('/', () => RESET);
  dns.lookup = ((name: string, options: unknown, done: (error: Error) => void) => {
    const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
    setImmediate(done, error);
  }) as typeof dns.lookup;
  return () => {
    takeBack();
    dns.lookup = lookup;
  };
};

interface Outage {
  readonly begin: Begin;
  readonly lastsMs: number;
  readonly clock: Clock;
}

/** The first chapter's pages are loaded when this many loads have started. */
const LOADS_BEFORE = 5;

/** Downloads all chapters; the outage begins when the first one is loaded. */
async function downloadThrough(
  { begin, lastsMs, clock }: Outage,
  options: Partial<DownloadOptions> = {},
  changeFor: (service: PracticeService) => RunOverrides = () => ({}),
): Promise<RunResult & { readonly probes: number }> {
  let loads = 0;
  let end: Promise<number> | undefined;
  harness = await DownloadHarness.start({
    chapters,
    clock,
    latencyMs: { node: 20 },
    onRequest({ host }) {
      if (host === 'node') loads += 1;
      if (loads >= LOADS_BEFORE) end ??= outage();
    },
  });
  const { service } = harness;
  /** Resolves with how many requests the API got meanwhile. */
  const outage = async (): Promise<number> => {
    const before = service.log.length;
    const takeBack = begin(service);
    await clock.sleep(lastsMs);
    takeBack();
    return service.log.slice(before).filter(({ host }) => host === 'api').length;
  };
  const ran = await harness.download(
    { targets: ids, concurrency: 2, ...options },
    { clock, ...changeFor(service) },
  );
  return { ...ran, probes: (await end) ?? 0 };
}

const typesOf = (events: readonly DownloadEvent[], type: DownloadEvent['type']) =>
  events.filter((event) => event.type === type);

const outageWaits = (events: readonly DownloadEvent[]) =>
  events.filter((event) => event.type === 'waiting' && event.for === 'outage');

describe('a run waits for the end of an outage: no chapter is missing, exit 0, and the wait is shown', () => {
  const onApi = 'the API alone';
  test.each<[string, string, number, number, Begin]>([
    ['resets', onApi, 2_000, 4, apiAnswers(RESET)],
    ['resets', onApi, 3_000, 4, apiAnswers(RESET)],
    ['resets', onApi, 20_000, 10, apiAnswers(RESET)],
    ['resets', 'everything', 3_000, 4, allReset],
    ['resets', 'everything', 90_000, 30, allReset],
    ['a maintenance page with 503', onApi, 120_000, 40, apiAnswers(htmlResponse(503, 'Back soon'))],
    ['a maintenance page with 200', onApi, 120_000, 40, apiAnswers(htmlResponse(200, 'Back soon'))],
    ['a black hole', onApi, 90_000, 30, apiAnswers(SILENCE)],
  ])(
    '%s, %s, %d ms',
    async (_what, _where, lastsMs, times, begin) => {
      const clock = acceleratedClock(times);
      const { code, events, probes, stderr } = await downloadThrough({ begin, lastsMs, clock });
      expect({ stderr, failed: typesOf(events, 'chapter-failed') }).toMatchObject({ failed: [] });
      expect(code).toBe(0);
      expect(harness.archives()).toHaveLength(ids.length);
      expect(events.at(-1)).toMatchObject({ type: 'summary', saved: 5, failed: 0, notStarted: 0 });
      expect(outageWaits(events).length).toBeGreaterThan(0);
      // The requests in flight when it began, and then one at a time.
      expect(probes).toBeLessThanOrEqual(outageWaits(events).length + 6);
    },
    60_000,
  );

  test('failed name lookups, 90,000 ms', async () => {
    const clock = acceleratedClock(30);
    const { code, events } = await downloadThrough(
      { begin: noNames, lastsMs: 90_000, clock },
      {},
      ({ addresses }) => ({
        env: { TANKOBON_API_URL: addresses.apiUrl.replace('127.0.0.1', 'localhost') },
      }),
    );
    expect(code).toBe(0);
    expect(harness.archives()).toHaveLength(ids.length);
    expect(outageWaits(events)).toContainEqual(expect.objectContaining({ reason: 'unreachable' }));
  }, 60_000);
});

test('an outage longer than --max-outage ends the run: one chapter failed, the rest not started, exit 3', async () => {
  const clock = acceleratedClock(20);
  const { code, events, stderr } = await downloadThrough(
    { begin: apiAnswers(RESET), lastsMs: 60_000, clock },
    { maxOutage: '20s' },
  );
  expect(code).toBe(3);
  const failed = typesOf(events, 'chapter-failed');
  expect(failed).toHaveLength(1);
  expect(failed[0]).toMatchObject({ reason: 'unreachable', unfinished: true });
  const left = events.filter(
    (event) => event.type === 'chapter-skipped' && event.reason === 'not-started',
  );
  expect(events.at(-1)).toMatchObject({
    type: 'summary',
    failed: 1,
    notStarted: left.length,
    stopped: 'unreachable',
  });
  expect(left.length + failed.length + typesOf(events, 'chapter-saved').length).toBe(ids.length);
  expect(stderr).toContain('--max-outage');
}, 60_000);

test('--max-outage 0 fails at once, like a run without any response', async () => {
  const { code, events } = await downloadThrough(
    { begin: apiAnswers(RESET), lastsMs: 3_000, clock: acceleratedClock(4) },
    { maxOutage: '0' },
  );
  expect(code).toBe(3);
  expect(outageWaits(events)).toEqual([]);
  await harness.stop();

  harness = await DownloadHarness.start({ chapters });
  harness.service.intercept('/', () => RESET);
  const offline = await harness.download({ targets: ids }, { clock: systemClock });
  expect(offline.code).toBe(3);
  expect(outageWaits(offline.events)).toEqual([]);
  expect(harness.service.log.length).toBeLessThanOrEqual(4);
}, 30_000);

test('a chapter with status 500 fails alone, and delays the others only by its retries', async () => {
  const clock = acceleratedClock(10);
  harness = await DownloadHarness.start({ chapters, clock });
  const bad = ids[2] ?? '';
  harness.service.intercept(`/at-home/server/${bad}`, () => htmlResponse(500, 'Broken'));
  const { code, events } = await harness.download({ targets: ids }, { clock });
  expect(code).toBe(3);
  expect(typesOf(events, 'chapter-failed')).toEqual([
    expect.objectContaining({ chapter: bad, reason: 'service-failed' }),
  ]);
  expect(typesOf(events, 'chapter-saved')).toHaveLength(ids.length - 1);
  // Three tries, and the probe that succeeded.
  const asked = harness.service.log.filter(({ path }) => path.endsWith(bad));
  expect(asked.filter(({ path }) => path.startsWith('/at-home/'))).toHaveLength(3);
}, 30_000);

test('a dead report host is not an outage', async () => {
  harness = await DownloadHarness.start({ chapters });
  await harness.service.setReportHost('dead');
  const { code, events } = await harness.download({ targets: ids });
  expect(code).toBe(0);
  expect(outageWaits(events)).toEqual([]);
}, 30_000);

test('a ban is not an outage: it ends the run at once', async () => {
  const clock = acceleratedClock(10);
  const { code, events } = await downloadThrough({
    begin: (service) => {
      service.ban();
      return () => undefined;
    },
    lastsMs: 1_000,
    clock,
  });
  expect(code).toBe(6);
  expect(outageWaits(events)).toEqual([]);
  expect(events.at(-1)).toMatchObject({ type: 'summary', stopped: 'banned' });
}, 30_000);

test('attempts of a page before an outage do not count after it', async () => {
  const clock = acceleratedClock(20);
  const [only = ''] = ids;
  let failedLoads = 0;
  harness = await DownloadHarness.start({
    chapters,
    clock,
    onRequest({ host, status }) {
      if (host !== 'node' || status !== 500) return;
      failedLoads += 1;
      if (failedLoads !== 4) return;
      const takeBack = apiAnswers(RESET)(harness.service);
      void clock.sleep(20_000).then(takeBack);
    },
  });
  harness.service.injectPageFaults({ fault: 'status-500', chapter: only, page: 2, attempts: 7 });
  const { code, events } = await harness.download({ targets: [only] }, { clock });
  expect(code).toBe(0);
  const attempts = events.flatMap((event) => (event.type === 'page-failed' ? [event.attempt] : []));
  expect(attempts).toEqual([1, 2, 3, 4, 1, 2, 3]);
}, 30_000);

test('a chapter that failed during an outage is tried once more at the end', async () => {
  const clock = acceleratedClock(20);
  const [first = ''] = ids;
  let failedLoads = 0;
  harness = await DownloadHarness.start({
    chapters,
    clock,
    onRequest({ host, status }) {
      if (host !== 'node' || status !== 500) return;
      failedLoads += 1;
      if (failedLoads !== 4) return;
      const takeBack = apiAnswers(RESET)(harness.service);
      void clock.sleep(20_000).then(takeBack);
    },
  });
  // Four loads before the outage, and all five after it.
  harness.service.injectPageFaults({ fault: 'status-500', chapter: first, page: 2, attempts: 9 });
  const { code, events, stderr } = await harness.download({ targets: ids }, { clock });
  expect(stderr).toContain(`${first} failed during an outage and is tried again at the end`);
  expect(code).toBe(0);
  expect(typesOf(events, 'chapter-failed')).toEqual([]);
  const saved = events.flatMap((event) => (event.type === 'chapter-saved' ? [event.chapter] : []));
  expect(saved).toHaveLength(ids.length);
  expect(saved.at(-1)).toBe(first);
}, 30_000);
