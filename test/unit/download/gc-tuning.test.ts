/** A minor collection runs after every 2 MiB of chunks and not more often; V8 accepts the flags. */
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

test('V8 has the flag for collections in one thread', () => {
  const module = new URL('../../../build/core/gc-tuning.js', import.meta.url).href;
  const script = `(await import('${module}')).collectInOneThread();`;
  const options = ['--input-type=module', '--eval', script];
  // V8 writes an error to the terminal for a flag that it does not have.
  const { status, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
