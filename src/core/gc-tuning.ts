/**
 * Keeps the process small while pages pass through it that are larger than their buffers. Node allocates each chunk of a
 * body outside V8's heap, and V8 lets about 30 MB of chunks accumulate, and as much in its young generation, before it
 * collects them. These V8 flags apply to the whole process, so the command line sets them and the library does not.
 * Without it, 200 pages of 5 MB take 1.08 times the memory and 1.17 times the processor time, and a PDF of 4 GB 1.3 times.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setFlag } from './v8-flags.js';

/** Less costs time for collections; more lets the process grow. */
const COLLECTION_INTERVAL_BYTES = 2 * 1024 * 1024;

let countBytes: (bytes: number) => void = () => undefined;

/** Fixes the size of V8's young generation, and starts a minor collection after every 2 MiB of chunks. */
export function collectChunks(): void {
  fixYoungGeneration();
  let collect: (() => void) | undefined;
  let uncollectedBytes = 0;
  countBytes = (bytes) => {
    uncollectedBytes += bytes;
    if (uncollectedBytes < COLLECTION_INTERVAL_BYTES) return;
    uncollectedBytes = 0;
    // Making its context takes a millisecond, which a small chapter does not need.
    collect ??= exposeGc();
    collect();
  };
}

/** To be called with the size of each chunk of a body, or copy of a page, that was allocated. Does nothing without `collectChunks`. */
export function countChunk(bytes: number): void {
  countBytes(bytes);
}

/** Returns a minor collection, which does nothing where Node no longer supports the flag: the process is larger then. */
function exposeGc(): () => void {
  try {
    // Where Node exposes it already, each download saves a context.
    const gc = globalThis.gc ?? gcOfContext();
    return () => {
      gc({ type: 'minor' });
    };
  } catch {
    return () => undefined;
  }
}

function gcOfContext(): NodeJS.GCFunction {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as NodeJS.GCFunction;
  setFlagsFromString('--no-expose-gc');
  return gc;
}

/**
 * Collections of a smaller heap cost more than the memory that they save. A sync of 20 titles takes 0.79 times the processor
 * time if such a heap grows by more.
 */
const SMALL_HEAP_BYTES = 40 * 2 ** 20;
const SMALL_HEAP_GROWING_PERCENT = 150;
const HEAP_CHECK_INTERVAL_MS = 100;

let heapCheck: ReturnType<typeof setInterval> | undefined;

/** By how much the heap grows between two collections. */
export interface HeapGrowth {
  /** A large heap. For 20,000 files, 30 in place of 60 takes 4 to 22 MiB less, and 1.2 to 1.4 times the processor time. */
  readonly growingPercent?: number;
  /** A heap below 40 MiB. */
  readonly smallGrowingPercent?: number;
}

/**
 * Called by commands that go through thousands of files, or large ones: there, collections cost less than the memory that
 * they save. With `--optimize-for-size`, the heap is hardly smaller, and takes half as much processor time again.
 * @returns ends the checks of the heap; a command that waits for hours calls it before
 */
export function keepHeapSmall({
  growingPercent = 60,
  smallGrowingPercent = SMALL_HEAP_GROWING_PERCENT,
}: HeapGrowth = {}): () => void {
  // A larger young generation lets short-lived objects accumulate, and be promoted.
  setFlag('--max-semi-space-size=1', '--max-semi-space-size=0');
  fixYoungGeneration();
  growHeapBy(smallGrowingPercent);
  const endChecks = () => {
    clearInterval(heapCheck);
  };
  endChecks();
  heapCheck = setInterval(() => {
    if (isHeapSmall()) return;
    growHeapBy(growingPercent);
    endChecks();
  }, HEAP_CHECK_INTERVAL_MS).unref();
  return endChecks;
}

/**
 * Called once the chapters of a download are known: from then on, what it keeps hardly grows. A chapter of a batch takes 0.88
 * times the processor time, and the process no more memory.
 */
export function letSmallHeapGrow(): void {
  if (isHeapSmall()) growHeapBy(SMALL_HEAP_GROWING_PERCENT);
}

function isHeapSmall(): boolean {
  return getHeapStatistics().used_heap_size < SMALL_HEAP_BYTES;
}

function growHeapBy(percent: number): void {
  setFlag(`--heap-growing-percent=${percent}`, '--heap-growing-percent=0');
}

function fixYoungGeneration(): void {
  setFlag('--semi-space-growth-factor=1', '--semi-space-growth-factor=2');
}

/**
 * Lets V8 collect young objects in the main thread alone: to wake the others costs more than they do at the start, where most
 * objects survive. The first request takes 0.95 times the processor time, and a chapter of many pages as much as before.
 */
export function collectInOneThread(): void {
  setFlag('--no-parallel-scavenge', '--parallel-scavenge');
}
