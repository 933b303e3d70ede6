/** What a batch does with the result of each chapter, without any chapter being loaded. */
import { Redactor } from '../../../src/core/redactor.js';
import { OutageTooLong } from '../../../src/service/requests/outage.js';
import {
  ChapterError,
  interruptedError,
  ServiceError,
  StorageError,
  type TankobonError,
} from '../../../src/core/errors.js';
import { runBatch, type BatchDeps } from '../../../src/download/save/batch.js';
import type { ChapterJob } from '../../../src/download/save/chapter.js';
import { addEvent, emptyResult } from '../../../src/download/download-result.js';
import type { DownloadMessage } from '../../../src/events/download-events.js';
import { PageQueue } from '../../../src/download/save/page-queue.js';
import { skippingClock } from '../../support/fake-clock.js';

type Result = 'saved' | 'exists' | TankobonError;

const lost = () => new ChapterError('page-lost', 'lost');
const unreachable = () => new ServiceError('unreachable', 'no response');

/** Runs chapters `0`, `1`, … that end with these results; a retried one takes the next result of its list. */
async function run(
  results: readonly (readonly Result[])[],
  options: {
    readonly signal?: AbortSignal;
    readonly onChapter?: (id: string) => void;
    readonly share?: BatchDeps['share'];
    readonly onClaimedElsewhere?: (id: string) => void;
  } = {},
  outages = { count: 0 },
) {
  const events: DownloadMessage[] = [];
  const left = results.map((list) => [...list]);
  const jobs = results.map((_, id): ChapterJob => ({
    id: String(id),
    file: `${id}.cbz`,
    output: '.',
    quality: 'data',
    change: {
      kind: 'save',
      release: { id: String(id), chapter: undefined, why: '' },
      path: `${id}.cbz`,
      recorded: {},
      betterThan: undefined,
    },
    lostPages: undefined,
    comment: '',
    describe: () => Promise.resolve({ kept: [] }),
    isForced: false,
    repairs: undefined,
    maxNameBytes: 255,
    keep: { output: '.', maxAgeMs: 0, nowMs: 0 },
  }));
  const deps = {
    queue: new PageQueue(1),
    observe: (event: DownloadMessage) => void events.push(event),
    outages,
    loader: { clock: skippingClock(), redactor: new Redactor() },
    share: options.share,
    onClaimedElsewhere: options.onClaimedElsewhere,
  };
  const { signal = new AbortController().signal, onChapter } = options;
  const stoppedBy = await runBatch(jobs, deps, signal, ({ id, file }) => {
    onChapter?.(id);
    const result = left[Number(id)]?.shift();
    if (result === 'exists') return Promise.resolve(undefined);
    const saved = { file, pages: 1, bytes: 1 };
    return Promise.resolve({
      save: () => (result === 'saved' ? Promise.resolve(saved) : Promise.reject(result as Error)),
    });
  });
  const result = emptyResult();
  for (const event of events) addEvent(result, event);
  return {
    saved: events.flatMap((event) => (event.type === 'chapter-saved' ? event.chapter : [])),
    skipped: result.skipped,
    failed: result.failed.map(({ id }) => id),
    notStarted: events.flatMap((event) =>
      event.type === 'chapter-skipped' && event.reason === 'not-started' ? event.chapter : [],
    ),
    stoppedBy: stoppedBy?.code,
    events,
  };
}

test('a failed chapter does not affect the others', async () => {
  const { events, ...outcome } = await run([['saved'], [lost()], ['exists'], ['saved']]);
  expect(outcome).toEqual({
    saved: ['0', '3'],
    skipped: 1,
    failed: ['1'],
    notStarted: [],
    stoppedBy: undefined,
  });
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'chapter-failed', chapter: '1', reason: 'page-lost' }),
  );
});

test('a full disk stops the run', async () => {
  const full = new StorageError('disk-full', 'full');
  const outcome = await run([[full], ['saved'], ['saved']]);
  expect(outcome).toMatchObject({ failed: ['0'], stoppedBy: 'disk-full' });
  expect([...outcome.saved, ...outcome.notStarted].sort()).toEqual(['1', '2']);
});

test('three chapters in a row without a response stop the run; a saved one in between does not', async () => {
  const three = await run([[unreachable()], [unreachable()], [unreachable()], ['saved']]);
  expect(three).toMatchObject({ stoppedBy: 'unreachable', failed: ['0', '1', '2'] });
  const between = await run([[unreachable()], [unreachable()], ['saved'], [unreachable()]]);
  expect(between).toMatchObject({ stoppedBy: undefined, saved: ['2'] });
});

test('a chapter that failed during an outage is tried once more at the end', async () => {
  const outages = { count: 0 };
  const onChapter = (id: string): void => {
    if (id === '0') outages.count += 1;
  };
  const again = await run([[lost(), 'saved'], ['saved']], { onChapter }, outages);
  expect(again).toMatchObject({ saved: ['1', '0'], failed: [] });
  const twice = await run([[lost(), lost()], ['saved']], { onChapter }, outages);
  expect(twice).toMatchObject({ saved: ['1'], failed: ['0'] });
});

test('an outage that lasted too long stops the run at once', async () => {
  const tooLong = new OutageTooLong('unreachable', 'no response for 10 min');
  const outcome = await run([[tooLong], ['saved']]);
  expect(outcome).toMatchObject({ failed: ['0'], stoppedBy: tooLong.code });
});

test('after an interruption no further chapter starts', async () => {
  const stop = new AbortController();
  const onChapter = (id: string): void => {
    if (id === '1') stop.abort(interruptedError());
  };
  const outcome = await run([['saved'], ['saved'], ['saved'], ['saved']], {
    signal: stop.signal,
    onChapter,
  });
  expect(outcome).toMatchObject({ notStarted: ['2', '3'], stoppedBy: 'interrupted' });
});

test('a chapter that another machine claims before its second try is waited for', async () => {
  const outages = { count: 0 };
  let claims = 0;
  const share = {
    claim: () => {
      claims += 1;
      const result = (['claimed', 'taken', 'taken', 'done'] as const)[claims - 1];
      return Promise.resolve(result ?? 'done');
    },
    finish: () => Promise.resolve(),
    release: () => Promise.resolve(),
  };
  const onChapter = (): void => {
    outages.count += 1;
  };
  const outcome = await run([[lost()]], { onChapter, share }, outages);
  expect(outcome).toMatchObject({ saved: [], skipped: 1, failed: [] });
  expect(outcome.events).toContainEqual(
    expect.objectContaining({ type: 'chapter-skipped', reason: 'shared-done' }),
  );
});

test('a chapter that another machine has claimed is left, without a wait, if the caller comes back to it', async () => {
  const share = {
    claim: (id: string) => Promise.resolve(id === '1' ? ('taken' as const) : ('claimed' as const)),
    finish: () => Promise.resolve(),
    release: () => Promise.resolve(),
  };
  const left: string[] = [];
  const outcome = await run([['saved'], ['saved'], ['saved']], {
    share,
    onClaimedElsewhere: (id) => left.push(id),
  });
  expect(outcome).toMatchObject({ saved: ['0', '2'], skipped: 0, failed: [], notStarted: [] });
  expect(left).toEqual(['1']);
});
