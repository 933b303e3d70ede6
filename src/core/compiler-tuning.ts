/**
 * Delays V8's optimizing compiler in Node 20, which optimizes a function after about 66 KB of executed bytecode. That costs a
 * short run more than the faster code saves: of 400 small pages, it is 6 to 10 % of the processor time. The flag applies to
 * the whole process, so the command line sets it and the library does not. Later versions of Node do not have it; they
 * count invocations, and have a faster compiler for the first thousands.
 */
import { setFlag } from './v8-flags.js';

const DEFAULT_BUDGET = '--interrupt-budget=67584';
/** With the delay, `verify` takes 0.83 times the processor time for 1,250 files, and 1.4 times for 20,000. */
const MANY_FILES = 10_000;

let isDelayed = false;

export function delayOptimization(): void {
  // V8 writes an error to the terminal for a flag that it does not have.
  if (!process.versions.node.startsWith('20.')) return;
  isDelayed = true;
  setFlag('--interrupt-budget=2000000', DEFAULT_BUDGET);
}

/**
 * Called with the number of files that a command goes through, before it reads the first of them. If there are many, code
 * that has not run yet is not delayed. Does nothing without `delayOptimization`.
 */
export function expectFiles(files: number): void {
  if (isDelayed && files >= MANY_FILES) setFlag(DEFAULT_BUDGET, DEFAULT_BUDGET);
}
