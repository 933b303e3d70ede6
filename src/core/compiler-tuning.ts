/**
 * Delays V8's optimizing compiler in Node 20, which optimizes a function after about 66 KB of executed bytecode. That costs a
 * short run more than the faster code saves: of 400 small pages, it is 6 to 10 % of the processor time. The flag applies to
 * the whole process, so the command line sets it and the library does not. Later versions of Node do not have it; they
 * count invocations, and have a faster compiler for the first thousands.
 */
import { setFlag } from './v8-flags.js';

const DEFAULT_BUDGET = '--interrupt-budget=67584';
/** `verify` of 1,250 files takes 0.83 times the processor time with the delay, of 20,000 files 1.3 times. */
const MANY_FILES = 10_000;

let isDelayed = false;

export function delayOptimization(): void {
  // V8 writes an error to the terminal for a flag that it does not have.
  if (!process.versions.node.startsWith('20.')) return;
  isDelayed = true;
  setFlag('--interrupt-budget=2000000', DEFAULT_BUDGET);
}

/**
 * To be called with the number of files before the first is read: code that has not run yet is not delayed if there are
 * many. Does nothing without `delayOptimization`.
 */
export function countFiles(files: number): void {
  if (isDelayed && files >= MANY_FILES) setFlag(DEFAULT_BUDGET, DEFAULT_BUDGET);
}
