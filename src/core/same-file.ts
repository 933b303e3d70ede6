/**
 * Whether two paths are names of one file. Many file systems find a file under other spellings of its name, in another
 * case or Unicode form: exFAT, NTFS, APFS, some network mounts. What is found under a new name may be the file itself. A
 * driver may keep an old content of what was reached under another spelling, so that one spelling is used for all of it.
 */
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { BigIntStats } from 'node:fs';
import { ifMissing, renameFile, syncFolder } from './files.js';
import { isHiddenFolder, pathCollisionKey } from './path-segment.js';

/**
 * `one-name`: two spellings of a name. `two-names`: hard links. `two-files` also where one of them does not exist. Links
 * are not followed, but those to folders above are.
 */
export type NameRelation = 'one-name' | 'two-names' | 'two-files';

/** Device and inode decide where a file has one name only; otherwise what the folders list. */
export async function relationOf(path: string, other: string): Promise<NameRelation> {
  if (path === other) return 'one-name';
  const [first, second] = [await statsOf(path), await statsOf(other)];
  if (!first || !second) return 'two-files';
  const hasSameInode = first.dev === second.dev && first.ino === second.ino && first.ino !== 0n;
  if (hasSameInode && (first.isDirectory() || first.nlink === 1n)) return 'one-name';
  // A driver in user space may number the file anew for each spelling.
  if (await isListedOnce(path, other, hasSameInode)) return 'one-name';
  return hasSameInode ? 'two-names' : 'two-files';
}

/** Whether these are two spellings of a name. */
export async function isSameEntry(path: string, other: string): Promise<boolean> {
  return (await relationOf(path, other)) === 'one-name';
}

/** The path in the folder of `file`, if that is its folder in another spelling: a file is reached in one way only. */
export async function inFolderOf(file: string, path: string): Promise<string> {
  const [folder, other] = [dirname(file), dirname(path)];
  return folder !== other && (await isSameEntry(folder, other))
    ? join(folder, basename(path))
    : path;
}

/**
 * The inputs of a command, each once. What is in another input is spelled as below that one: a file that is reached in
 * two ways would count as two.
 */
export async function inOneSpelling(paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length < 2) return paths;
  const inputs = await Promise.all(
    paths.map(async (path) => ({ path, real: await realPathOf(path) })),
  );
  // The first one of two spellings counts.
  const spellings = new Map(inputs.toReversed().map(({ path, real }) => [real, path]));
  return [...new Set(inputs.map(({ path, real }) => spelledBelow(spellings, real) ?? path))];
}

/** The folders of a command that lists all that is below them: one that another includes is left out. */
export async function outermostFolders(folders: readonly string[]): Promise<readonly string[]> {
  const spelled = await inOneSpelling(folders);
  return spelled.filter((folder) => !spelled.some((other) => isListedIn(other, folder)));
}

function isListedIn(outer: string, folder: string): boolean {
  const path = relative(outer, folder);
  return path !== '' && !isAbsolute(path) && !path.split(sep).some(isHiddenFolder);
}

/** Below the outermost folder that has a spelling. */
function spelledBelow(spellings: ReadonlyMap<string, string>, real: string): string | undefined {
  let spelled = spellings.get(real);
  for (let folder = dirname(real), inner = real; folder !== inner; folder = dirname(folder)) {
    const spelling = spellings.get(folder);
    if (spelling !== undefined) spelled = join(spelling, relative(folder, real));
    inner = folder;
  }
  return spelled;
}

/** A link to a file counts as a file of its own. What is missing keeps its path. */
export async function realPathOf(path: string): Promise<string> {
  try {
    if ((await stat(path)).isDirectory()) return await realpath(path);
    return join(await realpath(dirname(path)), basename(path));
  } catch {
    return resolve(path);
  }
}

function statsOf(path: string): Promise<BigIntStats | undefined> {
  return lstat(path, { bigint: true }).catch(ifMissing);
}

/** Whether the folders have one entry for both paths. `hasSameInode` decides where they list neither. */
async function isListedOnce(path: string, other: string, hasSameInode: boolean): Promise<boolean> {
  const [names, otherNames] = [await realSegments(path), await realSegments(other)];
  if (names.length !== otherNames.length) return false;
  for (const [index, name] of names.entries()) {
    const otherName = otherNames[index] ?? '';
    if (name === otherName) continue;
    if (pathCollisionKey(name) !== pathCollisionKey(otherName)) return false;
    const listed = await readdir(names.slice(0, index).join(sep) || sep);
    const [entry, ...others] = entriesOf(name, listed);
    const [otherEntry, ...moreOthers] = entriesOf(otherName, listed);
    const isCertain = entry !== undefined && others.length + moreOthers.length === 0;
    if (isCertain ? entry !== otherEntry : !hasSameInode) return false;
  }
  return true;
}

async function realSegments(path: string): Promise<readonly string[]> {
  return join(await realpath(dirname(path)), basename(path)).split(sep);
}

/** The entry of this name, otherwise those that a file system may find under it. */
function entriesOf(name: string, listed: readonly string[]): readonly string[] {
  if (listed.includes(name)) return [name];
  const key = pathCollisionKey(name);
  return listed.filter((each) => pathCollisionKey(each) === key);
}

/**
 * Renames a file or folder to another spelling of its name. A file system that finds the same file under both may do
 * nothing then, without an error: there it is renamed in two steps.
 */
export async function respell(path: string, spelling: string): Promise<void> {
  if (await isListed(spelling)) return;
  await renameFile(path, spelling);
  if (!(await isListed(spelling))) {
    const between = await freeName(spelling);
    await renameFile(path, between);
    await renameFile(between, spelling).catch(async (error: unknown) => {
      await renameFile(between, path);
      throw error;
    });
  }
  await syncFolder(dirname(spelling));
}

async function isListed(path: string): Promise<boolean> {
  return (await readdir(dirname(path))).includes(basename(path));
}

/** A name that shows what the file is: a killed run may leave it there. */
async function freeName(path: string): Promise<string> {
  const extension = extname(path);
  const stem = join(dirname(path), basename(path, extension));
  for (let count = 2; ; count += 1) {
    const name = `${stem} (${count})${extension}`;
    if (!(await statsOf(name))) return name;
  }
}

/** Gives a path, and the folders of it below `root`, another spelling; false if these are two files or folders. */
export async function respellBelow(root: string, path: string, spelling: string): Promise<boolean> {
  if (path === spelling || !(await isSameEntry(path, spelling))) return false;
  const names = relative(root, path).split(sep);
  const newNames = relative(root, spelling).split(sep);
  for (const [index, name] of [...names.entries()].reverse()) {
    const above = join(root, ...newNames.slice(0, index));
    await respell(join(above, name), join(above, newNames[index] ?? name));
  }
  return true;
}
