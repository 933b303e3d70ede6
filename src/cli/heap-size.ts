/** Keeps the process small for commands that run long on little data: collections cost them less than they save. */
import { setFlagsFromString } from 'node:v8';

/** The largest young generation, in MiB; more lets short-lived objects accumulate, and be promoted. */
const MAX_SEMI_SPACE_MEBIBYTES = 1;

/** Changes V8's flags for the whole process. */
export function keepHeapSmall(): void {
  setFlagsFromString('--optimize-for-size');
  setFlagsFromString(`--max-semi-space-size=${MAX_SEMI_SPACE_MEBIBYTES}`);
  setFlagsFromString('--semi-space-growth-factor=1');
}
