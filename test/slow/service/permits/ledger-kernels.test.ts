/** One folder used under several kernels with different monotonic clocks, as on a network drive. */
import type { PeriodScale } from '../../../../src/service/quotas.js';
import { testConcurrently } from '../../../support/concurrent-tests.js';
import { longRunRows } from '../../../support/long-run.js';
import { runPool } from '../../../support/process-pool-run.js';
import { maxRequestsInWindow } from '../../../support/stub-server.js';

const KERNELS = [
  { boot: { id: 'aaaaaaaaaaaa', host: 'nas-one' }, clockOffsetMs: 0 },
  { boot: { id: 'bbbbbbbbbbbb', host: 'nas-two' }, clockOffsetMs: 9_000_000 },
  { boot: { id: 'cccccccccccc', host: 'nas-two' }, clockOffsetMs: 50_000 },
];

/** Which limit, a path, the scales of the periods, and the limit in a period. */
type Limit = readonly [string, string, PeriodScale, number, number];

const LIMITS: readonly Limit[] = [
  ['the general limit', '/manga/x', { general: 0.2, endpoint: 0.2 }, 5, 200],
  // In `npm test`, simulated kernels keep it: test/unit/service/permits/virtual-ledger.test.ts.
  ...longRunRows<Limit>([
    'an endpoint’s quota',
    '/at-home/server/x',
    { general: 0.02, endpoint: 0.02 },
    40,
    1_200,
  ]),
];

const tests = LIMITS.map<[string, () => Promise<void>]>(
  ([name, path, periodScale, limit, periodMs]) => [
    `three kernels, one folder: ${name} is kept, and they take turns with a warning`,
    async () => {
      const { times, failures, warnings, shares } = await runPool({
        processes: 3,
        concurrency: 2,
        requests: limit * 2 + 10,
        path,
        periodScale,
        // A kernel that has been idle for so long is followed by another.
        maxRequestMs: 1_500,
        variants: KERNELS,
      });
      expect(failures).toEqual([]);
      expect(maxRequestsInWindow(times, periodMs)).toBeLessThanOrEqual(limit);
      expect(Math.min(...shares)).toBeGreaterThan(0);
      expect(warnings.length).toBeGreaterThan(0);
      expect(warnings.length).toBeLessThanOrEqual(3);
      expect(warnings[0]).toMatch(
        /in use by another machine or virtual machine \(nas-(one|two)\).*TANKOBON_LEDGER=redis:/,
      );
    },
  ],
);

testConcurrently(Object.fromEntries(tests));
