/** `sync` over random years: no chapter is missing in silence, doubled, loaded again, or gone with its pages. */
import { runRandomYear } from '../support/random-year.js';

/** `TANKOBON_YEAR_SEEDS`: such as `17`, or `1-30`. */
const [first = 1, last = first] = (process.env['TANKOBON_YEAR_SEEDS'] ?? '1-30')
  .split('-')
  .map(Number);
const SEEDS = Array.from({ length: last - first + 1 }, (_, index) => first + index);

// A chapter may have a second file only where the rule of one chapter saves one, given all that the service ever listed.
test.each(SEEDS)('the year of seed %s', async (seed) => {
  const result = await runRandomYear(seed);
  expect(result.problems).toEqual([]);
  expect(result.files).toBeGreaterThan(0);
});
