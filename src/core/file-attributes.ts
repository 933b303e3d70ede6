/** Access control lists and extended attributes, which Node.js can neither read nor write. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';

/** `lists`: the mode and the access control list too. */
export type CopiedAttributes = 'attributes' | 'attributes-and-lists';

/** Once it was missing, it is not looked for again. */
let hasCp = process.platform === 'linux';

/**
 * Gives `to` the extended attributes of `from`, where the system allows it. On Linux only, by the `cp` of GNU coreutils,
 * which gets both files open: nothing is followed that others could put in their place.
 */
export async function copyFileAttributes(
  from: FileHandle,
  to: FileHandle,
  copied: CopiedAttributes,
): Promise<void> {
  if (!hasCp) return;
  const preserved = copied === 'attributes' ? 'xattr' : 'mode,xattr';
  const args = ['--attributes-only', `--preserve=${preserved}`];
  const files = ['/proc/self/fd/0', '/proc/self/fd/3'];
  const child = spawn('cp', [...args, ...files], {
    stdio: [from.fd, 'ignore', 'ignore', to.fd],
    env: { PATH: process.env['PATH'] },
  });
  try {
    await once(child, 'close');
  } catch {
    hasCp = false;
  }
}
