/**
 * The order of the test files, since the last ones leave processors idle: first those that start processes or wait in
 * real time, which take the longest for their size, and then the largest. The order does not depend on earlier runs.
 */
import { readFileSync, statSync } from 'node:fs';

const STARTS_OR_WAITS =
  /support\/(command|concurrent-tests|kill-points|other-user|process-pool|report-workers|auth\/)|killed-|systemClock/;

export default class LongestFirst {
  sort(tests) {
    const ranked = tests.map((test) => ({
      test,
      isLong: STARTS_OR_WAITS.test(readFileSync(test.path, 'utf8')),
      bytes: statSync(test.path).size,
    }));
    ranked.sort((a, b) => Number(b.isLong) - Number(a.isLong) || b.bytes - a.bytes);
    return ranked.map(({ test }) => test);
  }

  /** jest calls it with the results, to remember how long each file took. */
  cacheResults() {}
}
