/** The minor collector runs after every 2 MiB and not more often. */
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { createMinorCollector } from '../../../src/core/gc-tuning.js';

interface Collection {
  readonly kind: number;
  readonly flags: number;
}

test('starts a minor collection after every 2 MiB received', async () => {
  const asked: Collection[] = [];
  const observer = new PerformanceObserver((list) => {
    const all = list.getEntries() as unknown as { readonly detail: Collection }[];
    const forced = constants.NODE_PERFORMANCE_GC_FLAGS_FORCED;
    asked.push(...all.map(({ detail }) => detail).filter(({ flags }) => flags === forced));
  });
  observer.observe({ entryTypes: ['gc'] });
  const arrived = createMinorCollector();
  for (let piece = 0; piece < 4 * 32 - 1; piece += 1) arrived(64 * 1024);
  for (let tries = 0; asked.length < 3 && tries < 100; tries += 1) await delay(10);
  observer.disconnect();
  const minor = constants.NODE_PERFORMANCE_GC_MINOR;
  expect(asked.map(({ kind }) => kind)).toEqual([minor, minor, minor]);
});
