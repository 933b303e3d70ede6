/**
 * The state folder of a subscriptions file: its history and its journal. The file has an id that names the folder, so that
 * the history follows the file to another path, user or machine. A file without an id, which may be one that cannot be
 * written or that a program generates, has the folder of its path. The folder names the file that used it last: a copy of
 * that file, which has the same id, gets an id of its own.
 */
import { access, constants, readdir, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isMap } from 'yaml';
import type { AppContext } from '../../config/context.js';
import { prepareStateFolder } from '../../config/state-folder.js';
import { decodeText } from '../../core/decode-text.js';
import { hasCode } from '../../core/errors.js';
import {
  makeFolders,
  readFileIfExists,
  readRegularFileIfExists,
  statIfExists,
  writeFileAtomic,
} from '../../core/files.js';
import { PRIVATE_FOLDER_MODE } from '../../core/own-folder.js';
import { isFileError } from '../../core/system-errors.js';
import { sha256Of } from '../../core/sha256.js';
import { HISTORY_ID } from '../subscription-keys.js';
import { parseYaml } from '../subscriptions/subscriptions-file.js';

export const MAX_SUBSCRIPTIONS_BYTES = 4 * 2 ** 20;

interface History {
  readonly id: string;
  /** Whether the file has this id. */
  readonly isInFile: boolean;
  /** The file that has the id of this one, which is a copy of it. */
  readonly original?: string;
}

/** The state folder of a subscriptions file. Writes nothing. */
export async function syncFolder(stateFolder: string, subscriptionsFile: string): Promise<string> {
  const { id } = await findHistory(stateFolder, await realPath(subscriptionsFile));
  return folderOf(stateFolder, id);
}

/** The folder of the path alone, for a lock that is held while the id is written. */
export async function pathFolder(stateFolder: string, subscriptionsFile: string): Promise<string> {
  return folderOf(stateFolder, pathId(await realPath(subscriptionsFile), 0));
}

/**
 * The folder as syncFolder returns it, for a command that changes the history: the file gets its id, by `writeId`, and
 * the folder the name of the file. `note` is called for a copy that gets an id of its own.
 */
export async function claimSyncFolder(
  subscriptionsFile: string,
  context: Pick<AppContext, 'paths' | 'env'>,
  writeId: (id: string) => Promise<unknown>,
  note: (sentence: string) => void,
): Promise<string> {
  prepareStateFolder(context);
  const { state: stateFolder } = context.paths;
  const path = await realPath(subscriptionsFile);
  const { id, isInFile, original } = await findHistory(stateFolder, path);
  const folder = folderOf(stateFolder, id);
  const isKnown = (await fileOf(stateFolder, id)) === path;
  if (!isInFile && (await isWritable(path)))
    // Without an id, the file has the folder of its path.
    await writeId(id).catch(ignoreIfOfFiles);
  if (isKnown) return folder;
  if (original !== undefined)
    note(
      `${path} is a copy of ${original}, so it has a history of its own from now on, which begins empty.`,
    );
  // The next run writes it if this one cannot, as on a full disk.
  await writeOwner(folder, path).catch(ignoreIfOfFiles);
  return folder;
}

async function writeOwner(folder: string, path: string): Promise<void> {
  makeFolders(folder, PRIVATE_FOLDER_MODE);
  await writeFileAtomic(join(folder, OWNER_FILE), path, { mode: 0o600 });
}

function ignoreIfOfFiles(error: unknown): void {
  if (!hasCode(error) && !isFileError(error)) throw error;
}

/** The histories of all subscriptions files. */
export async function historyFiles(stateFolder: string): Promise<readonly string[]> {
  const folder = join(stateFolder, 'sync');
  const names = await readdir(folder).catch(() => []);
  return names.map((name) => archiveFile(join(folder, name)));
}

export const archiveFile = (folder: string): string => join(folder, 'download-archive.txt');

const OWNER_FILE = 'subscriptions-path';
const MAX_PATH_BYTES = 64 * 1024;

const folderOf = (stateFolder: string, id: string): string => join(stateFolder, 'sync', id);

/** The path of the file that used the folder last. */
async function fileOf(stateFolder: string, id: string): Promise<string | undefined> {
  const file = join(folderOf(stateFolder, id), OWNER_FILE);
  const bytes = await readFileIfExists(file, { maxBytes: MAX_PATH_BYTES }).catch(() => undefined);
  return bytes?.toString('utf8');
}

async function findHistory(stateFolder: string, path: string): Promise<History> {
  const id = await readId(path);
  if (id === undefined) return { id: await unusedId(stateFolder, path), isInFile: false };
  const original = await otherUser(stateFolder, id, path);
  if (original === undefined) return { id, isInFile: true };
  return { id: await unusedId(stateFolder, path), isInFile: false, original };
}

/** The first id of the path that no other file has. The same for a file that a program writes again without its id. */
async function unusedId(stateFolder: string, path: string): Promise<string> {
  for (let count = 0; ; count += 1) {
    const id = pathId(path, count);
    if ((await otherUser(stateFolder, id, path)) === undefined) return id;
  }
}

function pathId(path: string, count: number): string {
  const text = count === 0 ? path : `${path}\n${count}`;
  return sha256Of(text).slice(0, 16);
}

/** Another file that exists and has the id. A file that is there under two paths, as in a bind mount, is one. */
async function otherUser(
  stateFolder: string,
  id: string,
  path: string,
): Promise<string | undefined> {
  const other = await fileOf(stateFolder, id);
  if (other === undefined || other === path || (await isSameFile(other, path))) return undefined;
  return (await readId(other)) === id ? other : undefined;
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all(
    [one, other].map((file) => statIfExists(file).catch(() => undefined)),
  );
  return first !== undefined && first.dev === second?.dev && first.ino === second.ino;
}

/** A line of its own, as tankobon writes it. */
const ID_LINE = /^id:[ \t]*(["']?)([\w-]{1,64})\1[ \t]*(?:#.*)?\r?$/m;

/** Undefined if the file has none, or cannot be read. */
async function readId(file: string): Promise<string | undefined> {
  const bytes = await readRegularFileIfExists(file, { maxBytes: MAX_SUBSCRIPTIONS_BYTES }).catch(
    () => undefined,
  );
  if (!bytes) return undefined;
  const text = decodeText(bytes);
  const [, , id] = ID_LINE.exec(text) ?? [];
  // A large file is parsed only where the id may be written in another way.
  if (id !== undefined || !/\bid["']?[ \t]*:/.test(text)) return id;
  try {
    const { contents } = parseYaml({ file, text, extraHosts: [] }).document;
    const value: unknown = isMap(contents) ? contents.get('id') : undefined;
    return typeof value === 'string' && HISTORY_ID.test(value) ? value : undefined;
  } catch (error) {
    // The command reports an invalid file.
    if (!hasCode(error, 'bad-subscriptions')) throw error;
    return undefined;
  }
}

async function realPath(file: string): Promise<string> {
  return realpath(file).catch(() => resolve(file));
}

/** False also for a file of another user, whose owner a new file would not have. */
async function isWritable(file: string): Promise<boolean> {
  try {
    await access(file, constants.W_OK);
    const uid = process.getuid?.();
    return uid === undefined || (await stat(file)).uid === uid;
  } catch {
    return false;
  }
}
