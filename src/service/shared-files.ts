/**
 * Files of a folder that several users of the machine may share: whoever may write to the folder may write to
 * them, whatever the umask of the process that came first.
 */
import { chmodSync, closeSync, openSync, statSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { isSystemError } from '../kernel/files.js';

const READ_WRITE_BITS = 0o666;
const OWNER_BITS = 0o600;

/** Makes the file, empty, where it is missing. */
export function makeShared(file: string): void {
  try {
    closeSync(openSync(file, 'wx', OWNER_BITS));
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return;
    throw error;
  }
  share(file);
}

/** Removes the file, if there is one. A tenth of what rmSync costs, which looks for folders and tries again. */
export function unlinkIfThere(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
  }
}

/** Gives a file of this process the rights that its folder gives. */
export function share(file: string): void {
  const folderBits = statSync(dirname(file)).mode & READ_WRITE_BITS;
  // Who may not write to the folder may not write to its files, nor learn what they hold.
  const others = [0o060, 0o006].filter((bits) => (folderBits & bits) === bits);
  chmodSync(
    file,
    others.reduce((mode, bits) => mode | bits, OWNER_BITS),
  );
}
