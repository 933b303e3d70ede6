/** The values of `--since` and `--until`. */
import fc from 'fast-check';
import {
  absoluteBound,
  firstMsOf,
  lastMsOf,
  parseTimeBound,
} from '../../../src/config/time-bound.js';
import { fuzzRuns } from '../../support/long-run.js';

const NOW_MS = Date.UTC(2026, 10, 21, 18);
const DAY_MS = 86_400_000;
const bounds = (text: string) => {
  const bound = parseTimeBound(text);
  return bound && [firstMsOf(bound, NOW_MS), lastMsOf(bound, NOW_MS)];
};
const at = (text: string) => [Date.parse(text), Date.parse(text)];

test.each(['2026-11-20', '20261120', ' 2026-11-20 '])('%j is the whole day in UTC', (text) => {
  const firstMs = Date.UTC(2026, 10, 20);
  expect(bounds(text)).toEqual([firstMs, firstMs + DAY_MS - 1]);
});

test.each([
  ['2026-11-20T18:00', '2026-11-20T18:00:00Z'],
  ['2026-11-20 18:00', '2026-11-20T18:00:00Z'],
  ['2026-11-20T18:00:01.5Z', '2026-11-20T18:00:01.500Z'],
  ['2026-11-20T18:00:00+02:00', '2026-11-20T16:00:00Z'],
])('%j is one moment, in UTC if it has no zone', (text, expected) => {
  expect(bounds(text)).toEqual(at(expected));
});

test.each([
  ['7d', 7],
  ['7 days', 7],
  ['1 day', 1],
  ['2w', 14],
  ['2 weeks', 14],
  ['12h', 0.5],
])('%j is that long before the start of the run', (text, days) => {
  expect(bounds(text)).toEqual([NOW_MS - days * DAY_MS, NOW_MS - days * DAY_MS]);
});

test('a time ago becomes absolute where it is stored', () => {
  const bound = parseTimeBound('1d');
  expect(bound && absoluteBound(bound, NOW_MS)).toMatchObject({
    text: '2026-11-20T18:00:00.000Z',
    firstMs: NOW_MS - DAY_MS,
  });
});

test.each(['', '7', '2026', '2026-02-30', '2026-13-01', '2026-11-20T25:00', 'soon', '-7d', '7m'])(
  '%j is refused',
  (text) => {
    expect(parseTimeBound(text)).toBeUndefined();
  },
);

test('any text is refused, or has a first millisecond that is not after its last', () => {
  const digits = fc.stringMatching(/^[\d:TZ+\- dwh]{1,24}$/);
  fc.assert(
    fc.property(fc.oneof(fc.string(), digits), (text) => {
      const found = bounds(text);
      if (!found) return;
      const [firstMs = NaN, lastMs = NaN] = found;
      expect(firstMs).toBeLessThanOrEqual(lastMs);
    }),
    { numRuns: fuzzRuns(500) },
  );
});
