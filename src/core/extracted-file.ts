/**
 * Assets of the executable that must be files. Each is in a private folder that is named by its digest, and what is there
 * is compared with the asset before each use.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { StorageError } from './errors.js';
import { assetOf } from './executable.js';
import { exposureOf, OTHERS_WRITE, PRIVATE_FOLDER_MODE } from './own-folder.js';
import { makeFolders } from './safe-folders.js';
import { openRegularFileSync } from './safe-open.js';
import { isLeftoverTemporary, temporaryName } from './temporary-files.js';
import { sha256Of } from './sha256.js';

const FILE_MODE = 0o600;

/**
 * The path of the file with the asset's content. Throws StorageError `unsafe-path` if other users can write to its
 * folder, and system errors.
 */
export function extractAsset(name: string, ownFolder: string): string {
  const asset = assetOf(name);
  const parent = join(ownFolder, 'executable');
  const folder = join(parent, sha256Of(asset));
  makeFolders(ownFolder, PRIVATE_FOLDER_MODE);
  assertOwn(ownFolder, { followsLink: true });
  makeFolders(folder, PRIVATE_FOLDER_MODE);
  for (const each of [parent, folder]) assertOwn(each);
  const file = join(folder, name);
  if (!isIntact(file, asset)) {
    write(file, asset);
    removeUnused(parent, folder, name);
  }
  return file;
}

function assertOwn(folder: string, options: { readonly followsLink?: boolean } = {}): void {
  const exposure = exposureOf(folder, OTHERS_WRITE, { makesPrivate: true, ...options });
  if (!exposure) return;
  const message = `${folder} is not used: ${exposure.reason}.`;
  throw new StorageError('unsafe-path', message, { path: folder });
}

/** False for a file that others could write to while the folder was open to them: they may know it by a second name. */
function isIntact(file: string, content: Buffer): boolean {
  let descriptor: number;
  try {
    descriptor = openRegularFileSync(file, constants.O_RDONLY);
  } catch {
    return false;
  }
  try {
    const { mode, size } = fstatSync(descriptor);
    const isOpen = process.platform !== 'win32' && (mode & OTHERS_WRITE) !== 0;
    return !isOpen && size === content.length && readFileSync(descriptor).equals(content);
  } finally {
    closeSync(descriptor);
  }
}

/** The file is complete or does not appear, even if the process is killed. */
function write(file: string, content: Buffer): void {
  const unfinished = temporaryName(file);
  try {
    writeFileSync(unfinished, content, { flag: 'wx', mode: FILE_MODE });
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    // Windows does not replace a library that another process has loaded.
    if (!isIntact(file, content)) throw error;
  }
}

/** Removes what killed processes left, and the addons of other versions, which write theirs anew if they still run. */
function removeUnused(parent: string, folder: string, name: string): void {
  const leftovers = pathsIn(folder).filter(isLeftoverTemporary);
  const replaced = pathsIn(parent).filter((path) => path !== folder && isAddonFolder(path, name));
  for (const path of [...leftovers, ...replaced]) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Windows does not remove a library that another process has loaded.
    }
  }
}

const isAddonFolder = (folder: string, name: string): boolean =>
  name.endsWith('.node') && lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined;

const pathsIn = (folder: string): readonly string[] =>
  readdirSync(folder).map((name) => join(folder, name));
