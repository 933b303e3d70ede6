/** Access control lists and extended attributes, which Node.js can neither read nor write. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { loadAddon, type Addon } from './native-addon.js';
import { isSystemError } from './system-errors.js';

/** `lists`: the mode and the access control list too. */
export type CopiedAttributes = 'attributes' | 'attributes-and-lists';

/** Once it was missing, it is not looked for again. */
let hasCp = process.platform === 'linux';

/**
 * Gives `to` the extended attributes of `from`, where the system allows it. On Linux only, by the `cp` of GNU coreutils,
 * which gets both files open: nothing is followed that others could put in their place.
 */
export async function copyFileAttributes(
  from: Pick<FileHandle, 'fd'>,
  to: Pick<FileHandle, 'fd'>,
  copied: CopiedAttributes,
): Promise<void> {
  if (!hasCp || haveSameAttributes(from.fd, to.fd)) return;
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

/** An access control list of Linux. Not every file system lists it among the attributes. */
const ACCESS_LIST = 'system.posix_acl_access';
let addon: Addon | undefined;

/**
 * Spares the process that copies: most files have no attributes. Also false where that is not known. A new file may have
 * a list that the old one lacks, from its folder.
 */
function haveSameAttributes(file: number, other: number): boolean {
  try {
    addon ??= loadAddon();
    const [attributes, others] = [attributesOf(file, addon), attributesOf(other, addon)];
    return (
      attributes.size === others.size &&
      [...attributes].every(([name, value]) => others.get(name)?.equals(value) === true)
    );
  } catch {
    return false;
  }
}

function attributesOf(descriptor: number, { listAttrsSync, getAttrSync }: Addon) {
  const values = new Map<string, Buffer>();
  for (const name of new Set([...listAttrsSync(descriptor), ACCESS_LIST])) {
    const value = ifSupported(() => getAttrSync(descriptor, name));
    if (value) values.set(name, Buffer.from(value));
  }
  return values;
}

/** FAT has no attributes, and other file systems can be mounted without lists. */
function ifSupported<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isSystemError(error, 'ENOTSUP', 'EOPNOTSUPP')) return undefined;
    throw error;
  }
}
