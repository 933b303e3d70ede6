import { dueTitles, type CheckedTitle } from '../../../src/sync/due-titles.js';
import type { TitleState } from '../../../src/sync/history/sync-lines.js';
import { seeded } from '../../support/seeded.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
const NOW_MS = Date.UTC(2026, 5, 1);

function title(id: string, change: Partial<TitleState> = {}): CheckedTitle {
  const state = { rules: 'same', latest: 'a chapter', readAtMs: NOW_MS - DAY_MS, waiting: [] };
  return { id, latest: 'a chapter', rules: 'same', state: { ...state, ...change } };
}
const due = (titles: readonly CheckedTitle[], sinceMs = 0) => {
  const { news, routine } = dueTitles(titles, { nowMs: NOW_MS, sinceMs });
  return { news: [...news].sort(), routine: [...routine].sort() };
};

describe('a title has news', () => {
  test.each([
    ['new', { ...title('x'), state: undefined }],
    ['another last upload', { ...title('x'), latest: 'another' }],
    ['other options', { ...title('x'), rules: 'other' }],
    ['an incomplete last run', title('x', { isIncomplete: true })],
    ['a wait that has ended', title('x', { againAtMs: NOW_MS })],
    [
      'chapters, and an unknown last upload',
      { ...title('x', { latest: undefined, hasChapters: true }), latest: undefined },
    ],
  ])('%s', (_, one) => {
    expect(due([one])).toEqual({ news: ['x'], routine: [] });
  });
});

test('without news it has none, nor before its time, nor without chapters and a last upload', () => {
  const empty = { ...title('z', { latest: undefined }), latest: undefined };
  const titles = [title('x'), title('y', { againAtMs: NOW_MS + 1 }), empty];
  expect(due(titles)).toEqual({ news: [], routine: [] });
});

test('the share of the time since the last run is read, rounded up, the oldest first', () => {
  const titles = [1, 6, 2, 5, 3, 4].map((days) =>
    title(`${days} days`, { readAtMs: NOW_MS - days * DAY_MS }),
  );
  expect(due(titles, 6 * HOUR_MS).routine).toEqual(['6 days']);
  expect(due(titles, 2 * DAY_MS).routine).toEqual(['5 days', '6 days']);
  expect(due(titles, 30 * DAY_MS).routine).toHaveLength(6);
  expect(due(titles, -DAY_MS).routine).toEqual([]);
});

test('titles with news are read besides, and count in the number of titles', () => {
  const titles = [
    title('news', { isIncomplete: true, readAtMs: 0 }),
    ...[1, 2, 3, 4, 5, 6].map((days) =>
      title(`${days} days`, { readAtMs: NOW_MS - days * DAY_MS }),
    ),
  ];
  const expected = { news: ['news'], routine: ['5 days', '6 days'] };
  expect(due(titles, 1.5 * DAY_MS)).toEqual(expected);
});

test('what would be older than a week in the next run is read too', () => {
  const readAtMs = NOW_MS - WEEK_MS + HOUR_MS / 2;
  const late = [1, 2, 3].map((index) => title(`late ${index}`, { readAtMs }));
  expect(due([...late, title('x')], HOUR_MS).routine).toEqual(['late 1', 'late 2', 'late 3']);
});

test.each([
  ['every hour', HOUR_MS],
  ['every 6 hours', 6 * HOUR_MS],
  ['once a day', DAY_MS],
  ['every 3 days', 3 * DAY_MS],
])(
  'with runs %s, up to a tenth later, each is read once a week, and hardly more often',
  (_, everyMs) => {
    const random = seeded(7);
    const readAtMs = Array.from({ length: 200 }, () => NOW_MS);
    const endMs = NOW_MS + 4 * WEEK_MS;
    let [nowMs, reads, runs, maxAgeMs] = [NOW_MS, 0, 0, 0];
    while (nowMs < endMs) {
      const sinceMs = Math.round(everyMs * (1 + random() * 0.1));
      nowMs += sinceMs;
      runs += 1;
      const titles = readAtMs.map((ms, index) => title(String(index), { readAtMs: ms }));
      const { routine } = dueTitles(titles, { nowMs, sinceMs });
      for (const id of routine) {
        maxAgeMs = Math.max(maxAgeMs, nowMs - (readAtMs[Number(id)] ?? 0));
        readAtMs[Number(id)] = nowMs;
      }
      reads += routine.size;
    }
    expect(nowMs - Math.min(...readAtMs)).toBeLessThanOrEqual(WEEK_MS);
    expect(maxAgeMs).toBeLessThanOrEqual(WEEK_MS + 0.1 * everyMs);
    const share = (200 * (nowMs - NOW_MS)) / WEEK_MS;
    expect(reads).toBeLessThanOrEqual(share * 1.5 + runs);
  },
);

test('a title that was read while the clock was ahead is read again, and has no news', () => {
  const ahead = title('ahead', { readAtMs: NOW_MS + 365 * DAY_MS });
  expect(due([ahead, title('x')], HOUR_MS)).toEqual({ news: [], routine: ['ahead'] });
});
