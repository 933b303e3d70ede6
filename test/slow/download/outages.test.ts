/**
 * Outages during a run, against the practice service, on an accelerated clock that the client and the practice
 * service share. The runs mostly wait, so they go on at the same time.
 */
import dns from 'node:dns';
import { systemClock } from '../../../src/core/clock.js';
import type { DownloadEvent } from '../../../src/events/download-events.js';
import { htmlResponse, type EndpointResponse } from '../../../src/practice-server/endpoint.js';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import type {
  PracticeOptions,
  PracticeService,
} from '../../../src/practice-server/practice-service.js';
import type { OptionTexts } from '../../support/option-texts.js';
import {
  DownloadHarness,
  type RunResult,
  type RunOverrides,
} from '../../support/download-harness.js';
import { testConcurrently } from '../../support/concurrent-tests.js';
import { virtualClock } from '../../support/virtual-clock.js';

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
const HOUR_MS = 3_600_000;
/** By which a request into silence ends. */
const FIRST_BYTE_LIMIT = { firstByteTimeoutMs: 2_000 };

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
  const { lookup } = dns;
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
  /** Undefined if it does not end before the run does. */
  readonly lastsMs?: number;
}

interface Outcome extends RunResult {
  readonly archives: readonly string[];
  /** The requests that the API got during the outage. */
  readonly probes: number;
}

/** The first chapter's pages are loaded when this many loads have started. */
const LOADS_BEFORE = 5;

/** Downloads all chapters; the outage begins when the first one is loaded. */
async function downloadThrough(
  { begin, lastsMs }: Outage,
  options: OptionTexts = {},
  changeFor: (service: PracticeService) => RunOverrides = () => ({}),
): Promise<Outcome> {
  const clock = virtualClock();
  let loads = 0;
  let end: Promise<number> | undefined;
  let startOutage: () => Promise<number>;
  const runEnd = new AbortController();
  const service: PracticeOptions = {
    chapters,
    clock,
    latencyMs: { node: 20 },
    onRequest({ host }) {
      if (host === 'node') loads += 1;
      if (loads >= LOADS_BEFORE) end ??= startOutage();
    },
  };
  return DownloadHarness.use(service, async (harness) => {
    const { log } = harness.service;
    startOutage = async () => {
      const before = log.length;
      const requests = () => log.slice(before).filter(({ host }) => host === 'api').length;
      const takeBack = begin(harness.service);
      // On a busy machine, it would be over before anything was requested. Failed lookups are not seen.
      while (begin !== noNames && requests() === 0 && !runEnd.signal.aborted)
        await systemClock.sleep(5);
      await clock.sleep(lastsMs ?? HOUR_MS, runEnd.signal).catch(() => undefined);
      takeBack();
      return requests();
    };
    const ran = await harness.download(
      { targets: ids, concurrency: 2, ...options },
      { settings: FIRST_BYTE_LIMIT, ...changeFor(harness.service) },
    );
    runEnd.abort();
    return { ...ran, archives: harness.archives(), probes: (await end) ?? 0 };
  });
}

const typesOf = (events: readonly DownloadEvent[], type: DownloadEvent['type']) =>
  events.filter((event) => event.type === type);

const outageWaits = (events: readonly DownloadEvent[]) =>
  events.filter((event) => event.type === 'waiting' && event.for === 'outage');

interface Case {
  readonly what: string;
  readonly lastsMs: number;
  readonly begin: Begin;
}

const OUTAGES: readonly Case[] = [
  { what: 'resets of the API', lastsMs: 9_000, begin: apiAnswers(RESET) },
  { what: 'resets of all hosts', lastsMs: 90_000, begin: allReset },
  ...[503, 200].map((status) => ({
    what: `a maintenance page with ${status}`,
    lastsMs: 120_000,
    begin: apiAnswers(htmlResponse(status, 'Back soon')),
  })),
  { what: 'a black hole', lastsMs: 90_000, begin: apiAnswers(SILENCE) },
];

async function survives(outage: Case): Promise<void> {
  const { code, events, probes, stderr, archives } = await downloadThrough(outage);
  expect({ stderr, failed: typesOf(events, 'chapter-failed') }).toMatchObject({ failed: [] });
  expect(code).toBe(0);
  expect(archives).toHaveLength(ids.length);
  expect(events.at(-1)).toMatchObject({ type: 'summary', saved: 5, failed: 0, notStarted: 0 });
  expect(outageWaits(events).length).toBeGreaterThan(0);
  // The requests in flight when it began, and then one at a time.
  expect(probes).toBeLessThanOrEqual(outageWaits(events).length + 6);
}

describe('a run waits for the end of an outage: no chapter is missing, exit 0, and the wait is shown', () => {
  testConcurrently({
    ...Object.fromEntries(
      OUTAGES.map((outage) => [`${outage.what}, ${outage.lastsMs} ms`, () => survives(outage)]),
    ),

    // The others use addresses, not names.
    'failed name lookups, 90,000 ms': async () => {
      const { code, events, archives } = await downloadThrough(
        { begin: noNames, lastsMs: 90_000 },
        {},
        ({ addresses }) => ({
          env: { TANKOBON_API_URL: addresses.apiUrl.replace('127.0.0.1', 'localhost') },
        }),
      );
      expect(code).toBe(0);
      expect(archives).toHaveLength(ids.length);
      expect(outageWaits(events)).toContainEqual(
        expect.objectContaining({ reason: 'unreachable' }),
      );
    },
  });
});

testConcurrently({
  'an outage longer than --max-outage ends the run: the chapters in flight failed, the rest not started, exit 3':
    async () => {
      const { code, events, stderr } = await downloadThrough(
        { begin: apiAnswers(RESET) },
        { maxOutage: '20s' },
      );
      expect(code).toBe(3);
      const failed = typesOf(events, 'chapter-failed');
      // One, and on a busy machine those that are still loading.
      expect(failed.length).toBeGreaterThan(0);
      for (const event of failed)
        expect(event).toMatchObject({ reason: 'unreachable', unfinished: true });
      const left = events.filter(
        (event) => event.type === 'chapter-skipped' && event.reason === 'not-started',
      );
      expect(events.at(-1)).toMatchObject({
        type: 'summary',
        failed: failed.length,
        notStarted: left.length,
        stopped: 'unreachable',
      });
      expect(left.length + failed.length + typesOf(events, 'chapter-saved').length).toBe(
        ids.length,
      );
      expect(stderr).toContain('--max-outage');
    },

  '--max-outage 0 fails at once': async () => {
    const { code, events } = await downloadThrough(
      { begin: apiAnswers(RESET) },
      { maxOutage: '0' },
    );
    expect(code).toBe(3);
    expect(outageWaits(events)).toEqual([]);
  },

  'a run without any response fails at once': () =>
    DownloadHarness.use({ chapters }, async (harness) => {
      const { service } = harness;
      service.intercept('/', () => RESET);
      const { code, events } = await harness.download({ targets: ids });
      expect(code).toBe(3);
      expect(outageWaits(events)).toEqual([]);
      expect(service.log.length).toBeLessThanOrEqual(4);
    }),

  'a chapter with status 500 fails alone, and delays the others only by its retries': () =>
    DownloadHarness.use({ chapters }, async (harness) => {
      const bad = ids[2] ?? '';
      const { service } = harness;
      service.intercept(`/at-home/server/${bad}`, () => htmlResponse(500, 'Broken'));
      const { code, events } = await harness.download({ targets: ids });
      expect(code).toBe(3);
      expect(typesOf(events, 'chapter-failed')).toEqual([
        expect.objectContaining({ chapter: bad, reason: 'service-failed' }),
      ]);
      expect(typesOf(events, 'chapter-saved')).toHaveLength(ids.length - 1);
      // Three tries, and the probe that succeeded.
      const asked = service.log.filter(({ path }) => path.endsWith(bad));
      expect(asked.filter(({ path }) => path.startsWith('/at-home/'))).toHaveLength(3);
    }),

  'a dead report host is not an outage': () =>
    DownloadHarness.use({ chapters }, async (harness) => {
      await harness.service.setReportHost('dead');
      const { code, events } = await harness.download({ targets: ids });
      expect(code).toBe(0);
      expect(outageWaits(events)).toEqual([]);
    }),

  'a ban is not an outage: it ends the run at once': async () => {
    const { code, events } = await downloadThrough({
      begin: (service) => {
        service.ban();
        return () => undefined;
      },
      lastsMs: 1_000,
    });
    expect(code).toBe(6);
    expect(outageWaits(events)).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: 'summary', stopped: 'banned' });
  },

  'a page’s attempts before an outage do not count after it, and a chapter that failed during one is tried once more at the end':
    () => {
      const clock = virtualClock();
      const [first = ''] = ids;
      let failedLoads = 0;
      let startOutage: () => () => void;
      let endOutage: (() => void) | undefined;
      let refused = 0;
      const service: PracticeOptions = {
        chapters,
        clock,
        onRequest({ host, status }) {
          if (host === 'api' && endOutage) refused += 1;
          if (refused === 5) endOutage?.();
          if (host !== 'node' || status !== 500) return;
          failedLoads += 1;
          if (failedLoads === 4) endOutage = startOutage();
        },
      };
      return DownloadHarness.use(service, async (harness) => {
        startOutage = () => apiAnswers(RESET)(harness.service);
        // Four loads before the outage, and all five after it.
        const plan = { fault: 'status-500', chapter: first, page: 2, attempts: 9 } as const;
        harness.service.injectPageFaults(plan);
        const { code, events, stderr } = await harness.download({ targets: ids });
        const attempts = events.flatMap((event) =>
          event.type === 'page-failed' ? [event.attempt] : [],
        );
        expect(attempts).toEqual([1, 2, 3, 4, 1, 2, 3, 4, 5]);
        expect(stderr).toMatch(/Ch\. 1 .*failed during an outage and is tried again at the end/);
        expect(code).toBe(0);
        expect(typesOf(events, 'chapter-failed')).toEqual([]);
        const saved = events.flatMap((event) =>
          event.type === 'chapter-saved' ? [event.chapter] : [],
        );
        expect(saved).toHaveLength(ids.length);
        expect(saved.at(-1)).toBe(first);
      });
    },
});
