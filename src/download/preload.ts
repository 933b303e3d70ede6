import { setImmediate } from 'node:timers/promises';
import { PACKING_MODULE_LOADERS } from '../cbz/cbz-writer.js';

/** Loads the libraries that are needed after the metadata, and yields to other work in between. */
export async function preload(signal: AbortSignal): Promise<void> {
  for (const load of PACKING_MODULE_LOADERS) {
    await setImmediate();
    if (signal.aborted) return;
    await load();
  }
}
