/** `sync` over random years: no chapter is missing in silence, doubled, loaded again, or gone with its pages. */
import { runRandomYear, type YearResult } from '../support/random-year.js';

/** `TANKOBON_YEAR_SEEDS`: such as `17`, or `1-30`. */
const [first = 1, last = first] = (process.env['TANKOBON_YEAR_SEEDS'] ?? '1-30')
  .split('-')
  .map(Number);
const SEEDS = Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** The bound of titles whose numbers begin again in each volume (test/unit/selection/same-chapter.test.ts). */
const MAX_DOUBLED = 0.025;

const results: YearResult[] = [];

test.each(SEEDS)('the year of seed %s', async (seed) => {
  const result = await runRandomYear(seed);
  results.push(result);
  expect(result.problems).toEqual([]);
});

test('few chapters of all years have more than one file', () => {
  const files = results.reduce((sum, result) => sum + result.files, 0);
  const doubled = results.reduce((sum, result) => sum + result.doubled, 0);
  expect(files).toBeGreaterThan(0);
  expect(doubled / files).toBeLessThanOrEqual(MAX_DOUBLED);
});
