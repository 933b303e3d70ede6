/**
 * A minor collection runs after every 2 MiB of chunks and not more often; V8 accepts the flags; a heap that became large is
 * collected often.
 */
import { spawnSync } from 'node:child_process';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { collectChunks, countChunk } from '../../../src/core/gc-tuning.js';

interface Collection {
  readonly kind: number;
  readonly flags: number;
}

test('starts a minor collection after every 2 MiB of chunks', async () => {
  const asked: Collection[] = [];
  const observer = new PerformanceObserver((list) => {
    const all = list.getEntries() as unknown as { readonly detail: Collection }[];
    const forced = constants.NODE_PERFORMANCE_GC_FLAGS_FORCED;
    asked.push(...all.map(({ detail }) => detail).filter(({ flags }) => flags === forced));
  });
  observer.observe({ entryTypes: ['gc'] });
  collectChunks();
  for (let piece = 0; piece < 4 * 32 - 1; piece += 1) countChunk(64 * 1024);
  for (let tries = 0; asked.length < 3 && tries < 100; tries += 1) await delay(10);
  observer.disconnect();
  const minor = constants.NODE_PERFORMANCE_GC_MINOR;
  expect(asked.map(({ kind }) => kind)).toEqual([minor, minor, minor]);
});

const TUNING = new URL('../../../build/core/gc-tuning.js', import.meta.url).href;

function run(script: string) {
  const options = ['--input-type=module', '--eval', script];
  return spawnSync(process.execPath, options, { encoding: 'utf8' });
}

test.each(['collectInOneThread', 'letSmallHeapGrow'])('V8 has the flag of %s', (name) => {
  // V8 writes an error to the terminal for a flag that it does not have.
  const { status, stderr } = run(`(await import('${TUNING}')).${name}();`);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('a heap that became large is collected often, and its checks do not keep the process alive', () => {
  const { status, stdout, stderr } = run(`
    import { constants, PerformanceObserver } from 'node:perf_hooks';
    import { setTimeout as delay } from 'node:timers/promises';
    const { keepHeapSmall } = await import('${TUNING}');
    keepHeapSmall({ growingPercent: 30 });
    // 60 MB are kept; 200 MB take their place.
    const kept = Array.from({ length: 60_000 }, () => new Array(125).fill(0));
    await delay(300);
    let collections = 0;
    const count = (list) => {
      for (const { detail } of list.getEntries())
        if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections += 1;
    };
    new PerformanceObserver(count).observe({ entryTypes: ['gc'] });
    for (let index = 0; index < 200_000; index += 1) {
      kept[index % kept.length] = new Array(125).fill(index);
      if (index % 1_000 === 0) await delay(1);
    }
    await delay(50);
    console.log(collections);
  `);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  // One for about every 20 MB; a heap that grows by 150 % has two.
  expect(Number(stdout)).toBeGreaterThanOrEqual(5);
});
