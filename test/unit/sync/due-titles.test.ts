import { dueTitles, type CheckedTitle } from '../../../src/sync/due-titles.js';
import type { TitleState } from '../../../src/sync/sync-journal.js';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 5, 1);

function title(id: string, change: Partial<TitleState> = {}): CheckedTitle {
  const state = { rules: 'same', latest: 'a chapter', readAtMs: NOW_MS - DAY_MS, waiting: [] };
  return { id, latest: 'a chapter', rules: 'same', state: { ...state, ...change } };
}
const due = (...titles: readonly CheckedTitle[]) => [...dueTitles(titles, NOW_MS)].sort();

describe('a title is due', () => {
  test.each([
    ['new', { ...title('x'), state: undefined }],
    ['another last upload', { ...title('x'), latest: 'another' }],
    ['other options', { ...title('x'), rules: 'other' }],
    ['an incomplete last run', title('x', { isIncomplete: true })],
    ['a wait that has ended', title('x', { againAtMs: NOW_MS })],
  ])('%s', (_, one) => {
    expect(due(one)).toEqual(['x']);
  });
});

test('without news it is not, nor before its time', () => {
  expect(due(title('x'), title('y', { againAtMs: NOW_MS + 1 }))).toEqual([]);
});

test('of those not read for a week, the three that were not read for longest are', () => {
  const old = [8, 12, 9, 11, 10].map((days) =>
    title(`${days} days`, { readAtMs: NOW_MS - days * DAY_MS }),
  );
  expect(due(...old, title('fresh'))).toEqual(['10 days', '11 days', '12 days']);
});
