/** Events and the summary as lines for people. */
import { join } from 'node:path';
import { bookLabel } from '../../../src/events/bind-events.js';
import { EventMessages } from '../../../src/cli/output/event-messages.js';
import { ChapterError } from '../../../src/core/errors.js';
import type { DownloadEvent, DownloadMessage } from '../../../src/events/download-events.js';
import { fakeClock } from '../../support/fake-clock.js';

const SUMMARY: Extract<DownloadEvent, { type: 'summary' }> = {
  type: 'summary',
  retagged: 0,
  saved: 12,
  skipped: 0,
  failed: 0,
  notStarted: 0,
  pages: 288,
  bytes: 288_000_000,
  elapsedMs: 182_000,
  reports: { sent: 288, waiting: 0 },
};
const failed = (number: string, more: { unfinished?: true } = {}): DownloadMessage => ({
  type: 'chapter-failed',
  chapter: `id ${number}`,
  number,
  reason: 'page-lost',
  message: 'Page 3 failed.',
  ...more,
  error: new ChapterError('page-lost', 'Page 3 failed.'),
});
const clock = fakeClock();

function linesOf(
  events: readonly DownloadMessage[],
  options: { verbose?: boolean; savedLines?: boolean } = {},
): string[] {
  const messages = new EventMessages({ verbose: false, savedLines: false, ...options }, clock);
  return events.flatMap((event) => messages.linesFor(event));
}

test('the summary counts chapters, pages, bytes, time and the average speed', () => {
  expect(linesOf([SUMMARY])).toEqual([
    '12 saved; 288 pages, 288 MB in 3 min 2 s, 1.6 MB/s; health reports: 288 sent',
  ]);
});

test('a run that loaded nothing has no health reports to count', () => {
  const nothing = { ...SUMMARY, saved: 0, skipped: 3, pages: 0, bytes: 0 };
  expect(linesOf([{ ...nothing, reports: { sent: 0, waiting: 0 } }])).toEqual([
    '0 saved, 3 skipped',
  ]);
  expect(linesOf([{ ...nothing, reports: { sent: 0, waiting: 2 } }])).toEqual([
    '0 saved, 3 skipped; health reports: 0 sent, 2 left for the next run',
  ]);
});

test('a book that is a folder is labelled with its series too', () => {
  expect(bookLabel('/comics/Lighthouse/Vol.01')).toBe(join('Lighthouse', 'Vol.01'));
  expect(bookLabel('/comics/Lighthouse/Lighthouse Vol.01.cbz')).toBe('Lighthouse Vol.01.cbz');
});

test('failures are reported when they happen, and listed by name at the end', () => {
  expect(linesOf([failed('1'), failed('2'), { ...SUMMARY, failed: 2, skipped: 3 }])).toEqual([
    'failed: Ch. 1: Page 3 failed.',
    'failed: Ch. 2: Page 3 failed.',
    '12 saved, 3 skipped, 2 failed; 288 pages, 288 MB in 3 min 2 s, 1.6 MB/s; health reports: 288 sent',
    'failed: 2 chapters',
    '  Ch. 1',
    '  Ch. 2',
  ]);
  const many = Array.from({ length: 1_500 }, (_, index) => failed(String(index)));
  expect(linesOf([...many, { ...SUMMARY, failed: 1_500 }]).at(-1)).toBe('  and 1,480 more');
});

test('a run that was stopped has one line with counts', () => {
  const stopped = { ...SUMMARY, failed: 2, notStarted: 1_665, pages: 0, bytes: 0 };
  const skipped: DownloadMessage[] = Array.from({ length: 1_665 }, (_, index) => ({
    type: 'chapter-skipped',
    chapter: String(index),
    reason: 'not-started',
  }));
  const unfinished: DownloadMessage[] = [
    { type: 'chapter-started', chapter: 'id 1', pages: 20, kept: 0 },
    failed('1', { unfinished: true }),
    failed('2', { unfinished: true }),
  ];
  const counts = '12 saved, 1 unfinished, 1,666 not started; health reports: 288 sent';
  expect(linesOf([...unfinished, ...skipped, { ...stopped, stopped: 'banned' }])).toEqual([counts]);
  expect(linesOf([...unfinished, ...skipped, { ...stopped, stopped: 'interrupted' }])).toEqual([
    `Interrupted: ${counts}`,
  ]);
});

describe('of each chapter', () => {
  const until = (ms: number) => new Date(clock.wallMs() + ms).toISOString();
  const CHAPTER = { chapter: 'id 1', number: '1' };
  const events: readonly DownloadMessage[] = [
    { type: 'detail', message: 'GET /manga/{id}: no response. Next attempt in 1 s.' },
    { type: 'waiting', for: 'rate', until: until(500), limit: { requests: 5, periodMs: 1_000 } },
    { type: 'chapter-started', ...CHAPTER, pages: 20, kept: 2 },
    { type: 'detail', ...CHAPTER, message: 'base URL https://node.example' },
    { type: 'page-failed', ...CHAPTER, page: 3, reason: 'bad-digest', attempt: 1 },
    { type: 'page-bytes', chapter: 'id 1', bytes: 1 },
    { type: 'chapter-saved', ...CHAPTER, file: 'a/1.cbz', pages: 20, bytes: 3_400_000 },
  ];

  test('nothing is said beside the path', () => {
    expect(linesOf(events)).toEqual([]);
  });

  test('a terminal of its own gets one line', () => {
    expect(linesOf(events, { savedLines: true })).toEqual(['saved: Ch. 1, 20 pages, 3.4 MB']);
  });

  test('--verbose shows each retry, base URL and wait', () => {
    expect(linesOf(events, { verbose: true })).toEqual([
      'GET /manga/{id}: no response. Next attempt in 1 s.',
      expect.stringMatching(/^waiting until .*: rate limit: 5 requests a second$/),
      'Ch. 1: 20 pages, 2 already downloaded',
      'Ch. 1: base URL https://node.example',
      'Ch. 1: page 3, attempt 1: bad-digest',
    ]);
  });
});

test('several requests that wait for the same are one line', () => {
  const wait = (ms: number): DownloadMessage => ({
    type: 'waiting',
    for: 'quota',
    until: new Date(clock.wallMs() + ms).toISOString(),
  });
  expect(linesOf([wait(40_000), wait(40_000), wait(90_000), wait(90_000)])).toHaveLength(2);
});

test('a chapter is named by series, volume, number, title, groups and language; by its id where nothing is known', () => {
  const saved = {
    type: 'chapter-saved',
    chapter: 'id 7',
    file: 'x.cbz',
    pages: 1,
    bytes: 9,
  } as const;
  const fields = {
    series: 'The\u001b[31m Lighthouse',
    volume: '2',
    number: '7',
    chapterTitle: 'Storm\nfailed: x',
    group: 'Tidewater Scans + Paper Lantern',
    language: 'en',
  };
  expect(linesOf([{ ...saved, ...fields }, saved], { savedLines: true })).toEqual([
    'saved: The [31m Lighthouse Vol. 2 Ch. 7 "Storm failed: x" [Tidewater Scans + Paper Lantern] (en), 1 page, 9 B',
    'saved: id 7, 1 page, 9 B',
  ]);
});
