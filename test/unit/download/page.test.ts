/** What a page does after each of its loads, without any image being loaded. */
import { got } from 'got';
import { Redactor } from '../../../src/core/redactor.js';
import { interruptedError, LoadError, StorageError } from '../../../src/core/errors.js';
import type { DownloadMessage } from '../../../src/events/download-events.js';
import { loadPage, type PageDeps, type PageJob } from '../../../src/download/save/page.js';
import { PageQueue } from '../../../src/download/save/page-queue.js';
import type { HealthReport } from '../../../src/service/reports/health-report.js';
import type { AtHomeMetadata } from '../../../src/service/at-home.js';
import { BaseUrls } from '../../../src/service/base-urls.js';
import type { ImageOutcome } from '../../../src/service/load-image.js';
import type { LoadReason } from '../../../src/events/reasons.js';
import { skippingClock } from '../../support/fake-clock.js';

const CHAPTER = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0501';
const IMAGE = { digest: 'a'.repeat(64), crc32: 1, extension: 'png' as const };
const STATISTICS = { bytes: 10, durationMs: 5, cached: false, responded: true };
const loaded: ImageOutcome = { ok: true, ...IMAGE, ...STATISTICS };
const failed = (reason: LoadReason, responded = true): ImageOutcome => ({
  ok: false,
  reason,
  message: `It is ${reason}.`,
  ...STATISTICS,
  responded,
});

/** What happened, in order: loads by host, reports, metadata requests. */
let steps: string[];
let events: DownloadMessage[];
let kept: number[];
let outages: { count: number };
beforeEach(() => {
  steps = [];
  events = [];
  kept = [];
  outages = { count: 0 };
});

interface Setup {
  readonly signal?: AbortSignal;
  readonly fetchMetadata?: () => Promise<AtHomeMetadata>;
  readonly keep?: () => Promise<void>;
  readonly firstUrl?: string;
}

/** Loads page 1; the loads end with these outcomes. */
function run(outcomes: (ImageOutcome | Error)[], setup: Setup = {}): Promise<void> {
  const clock = skippingClock();
  const metadata = (baseUrl: string) => ({ baseUrl, hash: 'h', data: ['1.png'], dataSaver: [] });
  let renewals = 0;
  const renew = () => {
    steps.push('metadata');
    renewals += 1;
    return Promise.resolve(metadata(`https://node-${renewals}.example`));
  };
  const { signal = new AbortController().signal, firstUrl = 'https://node-0.example' } = setup;
  const job: PageJob = {
    chapter: CHAPTER,
    page: 1,
    fileName: '1.png',
    hash: 'h',
    quality: 'data',
    baseUrls: new BaseUrls(metadata(firstUrl), 0, setup.fetchMetadata ?? renew, clock),
    workspace: {
      folder: '/nonexistent',
      keep: setup.keep ?? ((page) => Promise.resolve(void kept.push(page))),
      partFile: (page) => `/nonexistent/${page}.part`,
    },
    signal,
  };
  const report = ({ url, success }: HealthReport) => {
    steps.push(`${success ? 'success' : 'failure'} ${new URL(url).hostname}`);
    return Promise.resolve();
  };
  const deps: PageDeps = {
    loader: {
      clock,
      redactor: new Redactor(),
      maxPageBytes: 1_000,
      page: got,
      reserve: () => Promise.resolve(undefined),
    },
    queue: new PageQueue(1),
    observe: (event) => void events.push(event),
    random: () => 0,
    reports: { record: report, recordAndSend: report },
    isFirstParty: () => Promise.resolve(false),
    outages,
  };
  return loadPage(job, deps, (_, { url }) => {
    steps.push(`load ${url.hostname}`);
    const outcome = outcomes.shift();
    if (outcome instanceof Error) return Promise.reject(outcome);
    return outcome ? Promise.resolve(outcome) : Promise.reject(new Error('no load is left'));
  });
}

const attempts = () =>
  events.flatMap((event) => (event.type === 'page-failed' ? [[event.attempt, event.reason]] : []));

test('a loaded page is reported, kept and announced', async () => {
  await run([loaded]);
  expect(steps).toEqual(['load node-0.example', 'success node-0.example']);
  expect(kept).toEqual([1]);
  expect(events).toEqual([
    {
      type: 'page-loaded',
      chapter: CHAPTER,
      page: 1,
      bytes: 10,
      ms: 5,
      host: 'node-0.example',
      cached: false,
    },
  ]);
});

test('a failed load is reported before the metadata is requested, and the next load is from the new base URL', async () => {
  await run([failed('bad-status'), loaded]);
  expect(steps).toEqual([
    'load node-0.example',
    'failure node-0.example',
    'metadata',
    'load node-1.example',
    'success node-1.example',
  ]);
  expect(attempts()).toEqual([[1, 'bad-status']]);
});

test('a dead base URL is renewed in the same order', async () => {
  await run([failed('connect-failed', false), loaded]);
  expect(steps.slice(0, 3)).toEqual(['load node-0.example', 'failure node-0.example', 'metadata']);
});

test('five failed loads fail the page with the last reason', async () => {
  const five = Array.from({ length: 5 }, () => failed('bad-status'));
  await expect(run(five)).rejects.toMatchObject({
    code: 'page-lost',
    message: `Page 1 of chapter ${CHAPTER} failed 5 times; last error: It is bad-status.`,
  });
  expect(attempts().map(([attempt]) => attempt)).toEqual([1, 2, 3, 4, 5]);
  expect(kept).toEqual([]);
});

test('after an outage the attempts are counted anew', async () => {
  const four = Array.from({ length: 4 }, () => failed('bad-status'));
  const renew = () => {
    if (attempts().length === 4) outages.count = 1;
    return Promise.resolve({ baseUrl: 'https://new.example', hash: 'h', data: [], dataSaver: [] });
  };
  await run([...four, ...four, loaded], { fetchMetadata: renew });
  expect(attempts().map(([attempt]) => attempt)).toEqual([1, 2, 3, 4, 1, 2, 3, 4]);
  expect(kept).toEqual([1]);
});

test('a base URL that makes no address is not requested and not reported; five of them are a bad answer', async () => {
  const invalid = (): Promise<AtHomeMetadata> =>
    Promise.resolve({ baseUrl: 'ftp://x', hash: 'h', data: [], dataSaver: [] });
  const running = run([], { firstUrl: 'ftp://x', fetchMetadata: invalid });
  await expect(running).rejects.toMatchObject({ code: 'bad-response' });
  expect(steps).toEqual([]);
  expect(new Set(attempts().map(([, reason]) => reason))).toEqual(new Set(['bad-page-url']));
});

test('an address that must not be connected to is a failed load too', async () => {
  await run([new LoadError('bad-page-url', 'a private address'), loaded]);
  expect(attempts()).toEqual([[1, 'bad-page-url']]);
});

describe('an image that does not match the digest in its name', () => {
  const mismatch: ImageOutcome = {
    ok: false,
    reason: 'bad-digest',
    message: 'no match',
    image: IMAGE,
    ...STATISTICS,
  };

  test('is kept when a second host serves the same, with a warning, and reported as a failure', async () => {
    await run([mismatch, mismatch]);
    expect(kept).toEqual([1]);
    expect(events.at(-1)).toMatchObject({ type: 'page-loaded', warning: 'bad-digest' });
    expect(steps.at(-1)).toBe('failure node-1.example');
  });

  test('is not kept when one host serves it again and again', async () => {
    const sameHost = (): Promise<AtHomeMetadata> =>
      Promise.resolve({ baseUrl: 'https://node-0.example/2', hash: 'h', data: [], dataSaver: [] });
    const five = Array.from({ length: 5 }, () => mismatch);
    await expect(run(five, { fetchMetadata: sameHost })).rejects.toMatchObject({
      code: 'page-lost',
    });
    expect(kept).toEqual([]);
  });
});

test('a full disk ends the page at once', async () => {
  const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
  const running = run([loaded], { keep: () => Promise.reject(full) });
  await expect(running).rejects.toBeInstanceOf(StorageError);
  expect(steps.filter((step) => step.startsWith('load'))).toHaveLength(1);
});

test('an interruption does not wait for the metadata request of the other pages', async () => {
  const stop = new AbortController();
  const fetchMetadata = (): Promise<AtHomeMetadata> => {
    setImmediate(() => {
      stop.abort(interruptedError());
    });
    return new Promise(() => undefined);
  };
  const running = run([failed('bad-status')], { signal: stop.signal, fetchMetadata });
  await expect(running).rejects.toMatchObject({ code: 'interrupted' });
});
