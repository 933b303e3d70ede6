/**
 * Delays V8's optimizing compiler in Node 20, which optimizes a function after about 66 KB of executed bytecode. That costs a
 * short run more than the faster code saves: of 400 small pages, it is 6 to 10 % of the processor time. The flag applies to
 * the whole process, so the command line sets it and the library does not. Later versions of Node do not have it; they
 * count invocations, and have a faster compiler for the first thousands.
 */
import { setFlag } from './v8-flags.js';

export function delayOptimization(): void {
  // V8 writes an error to the terminal for a flag that it does not have.
  if (process.versions.node.startsWith('20.'))
    setFlag('--interrupt-budget=2000000', '--interrupt-budget=67584');
}
