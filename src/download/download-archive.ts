/**
 * The download archive: a text file with one line, `mangadex <chapter id>`, for each chapter that was downloaded, the
 * convention of yt-dlp and gallery-dl. A chapter in it is not downloaded again, also after its CBZ was moved or deleted.
 * Lines are appended by one write, so that several processes can share the file.
 */
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  createFile,
  isSystemError,
  makeFolders,
  openRegularFile,
  readRegularFileIfExists,
  toStorageError,
} from '../core/files.js';
import { UUID_PATTERN } from '../core/uuid.js';

export interface DownloadArchive {
  has(chapterId: string): boolean;
  /** Appends the chapters that are not in the archive, with one write. Throws StorageError. */
  add(...chapterIds: string[]): Promise<void>;
}

const LINE = new RegExp(`^mangadex (${UUID_PATTERN})$`);
/** 46 bytes a chapter: over five million. */
const MAX_BYTES = 256 * 2 ** 20;
const LINE_FEED = 0x0a;

/** The chapters in the text of an archive. Lines of other programs and incomplete lines do not count. */
export function parseDownloadArchive(text: string): Set<string> {
  const lines = text.split(/\r\n|\n|\r/).map((line) => LINE.exec(line.trim().toLowerCase())?.[1]);
  return new Set(lines.filter((id) => id !== undefined));
}

/** Reads the file; a missing one is an empty archive, created with `mode`. Throws StorageError. */
export async function openDownloadArchive(
  file: string,
  options: { readonly mode?: number } = {},
): Promise<DownloadArchive> {
  const ids = await readIds(file);
  // One line after another: two writes of this process must not both repair an incomplete last line.
  let last: Promise<void> = Promise.resolve();
  return {
    has: (chapterId) => ids.has(chapterId.toLowerCase()),
    add(...chapterIds) {
      const fresh = chapterIds.map((id) => id.toLowerCase()).filter((id) => !ids.has(id));
      if (fresh.length === 0) return last;
      for (const id of fresh) ids.add(id);
      const lines = fresh.map((id) => `mangadex ${id}\n`).join('');
      last = last.catch(() => undefined).then(() => appendLines(file, lines, options));
      return last;
    },
  };
}

async function readIds(file: string): Promise<Set<string>> {
  const bytes = await readRegularFileIfExists(file, { maxBytes: MAX_BYTES }).catch(
    (error: unknown) => {
      throw toStorageError(error, file);
    },
  );
  return parseDownloadArchive(bytes?.toString('utf8') ?? '');
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
