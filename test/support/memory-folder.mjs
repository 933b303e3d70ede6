/**
 * Puts the temporary files of `npm test` into memory where Linux offers it: the tests create and sync thousands of
 * small files. `TMPDIR` overrides it. The system tests and the long runs stay on the disk.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = '/dev/shm';
const MIN_FREE_BYTES = 1024 ** 3;

export default function useMemoryFolder() {
  // Several test processes share the processors: with one thread each for files, they switch less often.
  if (process.env.TANKOBON_SOAK !== '1') process.env.UV_THREADPOOL_SIZE ??= '1';
  if (process.env.TMPDIR === undefined && isUsable()) process.env.TMPDIR = FOLDER;
}

/** Containers often have 64 MB there, or forbid programs, which the tests of hooks need. */
function isUsable() {
  let folder;
  try {
    const { bavail, bsize } = statfsSync(FOLDER);
    if (bavail * bsize < MIN_FREE_BYTES) return false;
    folder = mkdtempSync(join(FOLDER, 'tankobon-'));
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
    return spawnSync(program).status === 0;
  } catch {
    return false;
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true });
  }
}
