/**
 * The download archive: a text file with one line, `mangadex <chapter id>`, for each chapter that was downloaded, the
 * convention of yt-dlp and gallery-dl. A chapter in it is not downloaded again, also after its CBZ was moved or deleted.
 * A later line, `replaced mangadex <chapter id>`, means that tankobon replaced its CBZ by that of another release: it may
 * be downloaded again. A line `folder "<path>"` names a folder in which files of it were saved, and a later line
 * `new-folder "<path>"` says that its owner emptied it. Lines are appended by one write, so that several processes can share the file. It is read in
 * pieces, and only the ids are kept: the history of a large collection has a million lines.
 */
import { constants } from 'node:fs';
import { opendir, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StorageError } from '../core/errors.js';
import {
  createFile,
  isSystemError,
  makeFolders,
  openRegularFile,
  toStorageError,
} from '../core/files.js';
import { parseJson } from '../core/json.js';
import { tooLargeError } from '../core/safe-open.js';
import { shellQuoted } from '../core/shell-quoted.js';
import { UuidSet } from '../core/uuid-set.js';

export interface DownloadArchive {
  has(chapterId: string): boolean;
  /** Whether another release replaced the chapter since it was added. */
  wasReplaced(chapterId: string): boolean;
  /** Appends the chapters that are not in the archive, with one write. Throws StorageError. */
  add(chapterIds: readonly string[]): Promise<void>;
  /** Appends that these chapters of the archive were replaced. Throws StorageError. */
  addReplaced(chapterIds: readonly string[]): Promise<void>;
  /** Whether chapters of the archive were saved in this folder, an absolute path. */
  hasFolder(folder: string): boolean;
  /** The folders in which chapters of the archive were saved. */
  folders(): readonly string[];
  /** Appends a folder in which a chapter was saved. Throws StorageError. */
  addFolder(folder: string): Promise<void>;
  /** Appends that the owner emptied the folder on purpose. Throws StorageError. */
  removeFolder(folder: string): Promise<void>;
}

const LINE = /^\s*(replaced )?mangadex ([0-9a-f-]{36})\s*$/i;
const FOLDER_LINE = /^(new-)?folder (".*")\s*$/;
const LINE_BYTES = 46;
/** Over five million chapters. */
const MAX_BYTES = 256 * 2 ** 20;
const LINE_FEED = 0x0a;
const READ_BYTES = 2 ** 16;
/** A line of another program. What follows in it does not count either. */
const OTHER_LINE = '#';
/** More than the longest path takes. */
const MAX_LINE_LENGTH = 8_192;

/** Reads the file; a missing one is an empty archive, created with `mode`. Throws StorageError. */
export async function openDownloadArchive(
  file: string,
  options: { readonly mode?: number } = {},
): Promise<DownloadArchive> {
  const { ids, replaced, folders } = await readHistory(file);
  // One line after another: two writes of this process must not both repair an incomplete last line.
  let last: Promise<void> = Promise.resolve();
  const append = (prefix: string, values: readonly string[]): Promise<void> => {
    if (values.length === 0) return last;
    const lines = values.map((value) => `${prefix} ${value}\n`).join('');
    last = last.catch(() => undefined).then(() => appendLines(file, lines, options));
    return last;
  };
  const has = (chapterId: string) => ids.has(chapterId) && !replaced.has(chapterId.toLowerCase());
  return {
    has,
    wasReplaced: (chapterId) => replaced.has(chapterId.toLowerCase()),
    add(chapterIds) {
      const fresh = [...new Set(chapterIds.map((id) => id.toLowerCase()))].filter((id) => !has(id));
      for (const id of fresh) {
        ids.add(id);
        replaced.delete(id);
      }
      return append('mangadex', fresh);
    },
    addReplaced(chapterIds) {
      const known = chapterIds.map((id) => id.toLowerCase()).filter(has);
      for (const id of known) replaced.add(id);
      return append('replaced mangadex', known);
    },
    hasFolder: (folder) => folders.has(folder),
    folders: () => [...folders],
    addFolder(folder) {
      if (folders.has(folder)) return last;
      folders.add(folder);
      return append('folder', [JSON.stringify(folder)]);
    },
    removeFolder: (folder) =>
      folders.delete(folder) ? append('new-folder', [JSON.stringify(folder)]) : last,
  };
}

interface History {
  readonly ids: UuidSet;
  /** In lower case. */
  readonly replaced: Set<string>;
  /** Absolute paths. */
  readonly folders: Set<string>;
}

async function readHistory(file: string): Promise<History> {
  try {
    const handle = await openRegularFile(file);
    try {
      const { size } = await handle.stat();
      if (size > MAX_BYTES) throw tooLargeError(file);
      const options = { encoding: 'utf8', highWaterMark: READ_BYTES, autoClose: false } as const;
      return await readLines(handle.createReadStream(options), Math.ceil(size / LINE_BYTES));
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR'))
      return { ids: new UuidSet(), replaced: new Set(), folders: new Set() };
    throw toStorageError(error, file);
  }
}

/** Lines of other programs and incomplete lines do not count. */
async function readLines(pieces: AsyncIterable<string>, expectedLines: number): Promise<History> {
  const ids = new UuidSet(expectedLines);
  const replaced = new Set<string>();
  const folders = new Set<string>();
  const addLine = (line: string) => {
    if (addFolderLine(folders, line)) return;
    const [, isReplaced, id = ''] = LINE.exec(line) ?? [];
    ids.add(id);
    if (isReplaced) replaced.add(id.toLowerCase());
    else if (replaced.size > 0) replaced.delete(id.toLowerCase());
  };
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece).split(/[\r\n]/);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_LENGTH) rest = OTHER_LINE;
    for (const line of lines) addLine(line);
  }
  addLine(rest);
  return { ids, replaced, folders };
}

/** Whether the line is of a folder. */
function addFolderLine(folders: Set<string>, line: string): boolean {
  const [, isNew, quoted] = FOLDER_LINE.exec(line) ?? [];
  const folder = quoted === undefined ? undefined : parseJson(quoted);
  if (typeof folder !== 'string') return false;
  if (isNew) folders.delete(folder);
  else folders.add(folder);
  return true;
}

async function appendLines(
  file: string,
  lines: string,
  options: { readonly mode?: number },
): Promise<void> {
  try {
    makeFolders(dirname(file));
    const handle = await openOrCreate(file, options);
    try {
      // The last line is incomplete if its process was killed, or the disk was full.
      const start = (await endsWithLine(handle)) ? '' : '\n';
      await handle.appendFile(start + lines);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw toStorageError(error, file);
  }
}

async function openOrCreate(
  file: string,
  options: { readonly mode?: number },
): Promise<FileHandle> {
  try {
    const handle = await createFile(file, options);
    await handle.close();
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
  }
  return openRegularFile(file, constants.O_RDWR | constants.O_APPEND);
}

async function endsWithLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return true;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === LINE_FEED;
}

/**
 * Throws StorageError `output-away` if chapters of the history were saved in the folder, and it is missing now or has
 * only hidden entries: its disk may not be mounted. Also throws if the folder cannot be read.
 * @param syncCommand if the history is that of a subscriptions file, a command of `tankobon sync` for it
 */
export async function checkUsedFolder(
  folder: string,
  history: Pick<DownloadArchive, 'hasFolder'>,
  syncCommand?: (words: string) => string,
): Promise<void> {
  if (!history.hasFolder(folder)) return;
  const state = await stateOfUsed(folder);
  if (state === 'in-use') return;
  const option = `--new-folder ${shellQuoted(folder)}`;
  const again = syncCommand ? `run: ${syncCommand(option)}` : `add: ${option}`;
  const moved = syncCommand ? `change its path: ${syncCommand('edit')}` : 'name it: --output DIR';
  throw new StorageError(
    'output-away',
    `The output folder is ${state}, and chapters were saved in it before: ${folder}`,
    {
      hint: `If its disk is not mounted, mount it, and run the same command again. If you moved the folder, ${moved}. If you emptied it on purpose, ${again}`,
    },
  );
}

async function stateOfUsed(folder: string): Promise<'in-use' | 'missing' | 'empty'> {
  try {
    for await (const { name } of await opendir(folder)) if (!name.startsWith('.')) return 'in-use';
    return 'empty';
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return 'missing';
    throw toStorageError(error, folder);
  }
}
