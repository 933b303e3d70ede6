/** Durations, times and lists as people read them. */
import {
  firstNames,
  formatCountdown,
  formatDuration,
  formatLocalTime,
} from '../../../src/core/human-format.js';

test.each([
  [85, '85 ms'],
  [1_240, '1.2 s'],
  [45_000, '45 s'],
  [200_000, '3 min 20 s'],
  [3_600_000, '1 h'],
  [4_980_000, '1 h 23 min'],
  [47 * 3_600_000, '47 h'],
  [100 * 3_600_000, '4 days 4 h'],
  [720 * 3_600_000, '30 days'],
])('%i ms is %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [0, '0 s'],
  [1, '1 s'],
  [9_100, '10 s'],
  [61_000, '1 min 1 s'],
  [599_000, '9 min 59 s'],
  [601_000, '11 min'],
  [4_980_000, '1 h 23 min'],
  [4_921_000, '1 h 23 min'],
])('%i ms left is %s', (ms, text) => {
  expect(formatCountdown(ms)).toBe(text);
});

test('a time is local, with its zone, and today without the date', () => {
  const nowMs = Date.parse('2026-11-21T12:00:00');
  expect(formatLocalTime(nowMs + 60_000, nowMs)).toMatch(/^12:01:00 \S+$/);
  expect(formatLocalTime(nowMs - 86_400_000, nowMs)).toMatch(/^2026-11-20 12:00:00 \S+$/);
});

test('each hour of a day has two digits', () => {
  const startMs = Date.parse('2026-11-20T00:05:09Z');
  for (let hour = 0; hour < 48; hour += 1) {
    const atMs = startMs + hour * 3_600_000;
    const pattern = /^(\d{4}-\d\d-\d\d )?([01]\d|2[0-3]):\d\d:09 \S+$/;
    expect(formatLocalTime(atMs, startMs)).toMatch(pattern);
  }
});

test('a long list has its first names, and how many follow', () => {
  const names = Array.from({ length: 1_204 }, (_, index) => `${index}.cbz`);
  expect(firstNames(names)).toBe('0.cbz, 1.cbz, 2.cbz, 3.cbz and 1,200 more');
  expect(firstNames(names.slice(0, 4))).toBe('0.cbz, 1.cbz, 2.cbz, 3.cbz');
});
