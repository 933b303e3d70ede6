/** Temporary files of processes that have ended. */
import { spawnSync } from 'node:child_process';
import { temporaryName } from '../../src/core/files.js';

/** The path at which a process that was killed left a temporary file for `file`. */
export function leftFile(file: string): string {
  const { pid } = spawnSync(process.execPath, ['--version']);
  return temporaryName(file).replace(`-${process.pid}-`, `-${pid}-`);
}
