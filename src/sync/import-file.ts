/**
 * Titles and chapters in the files of other programs: backups of Mihon and Tachiyomi (`.tachibk`), exports of
 * MyAnimeList, the entries of gallery-dl's archive, and download archives. Nothing in them is trusted.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { thrownMessage, UsageError } from '../core/errors.js';
import { UUID_PATTERN } from '../core/uuid.js';
import { isMyAnimeListExport, readMyAnimeList, type ListedManga } from './my-anime-list.js';
import { readFields, type ProtobufField } from './protobuf.js';

export interface ImportedTitle {
  /** Lower case. */
  readonly id: string;
  /** The name in the file, which may be empty. */
  readonly name: string;
}

export interface ImportedFile {
  readonly titles: readonly ImportedTitle[];
  /** Names of favourites of other sites. */
  readonly otherSites: readonly string[];
  /** The ids of chapters that were downloaded. */
  readonly chapterIds: readonly string[];
  /** The manga of a list of MyAnimeList. */
  readonly listed: readonly ListedManga[];
}

export const NOTHING_IMPORTED: ImportedFile = {
  titles: [],
  otherSites: [],
  chapterIds: [],
  listed: [],
};

/** Backups of ten thousand titles with their chapters have about 100 MiB. */
const MAX_BACKUP_BYTES = 512 * 2 ** 20;
/** Larger than by default: each chunk is a turn of the event loop. */
const CHUNK_BYTES = 2 ** 20;

/** Throws UsageError `bad-input-file` for a file of another kind, or a broken one. `name`: for messages. */
export async function readImportedFile(bytes: Buffer, name: string): Promise<ImportedFile> {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const content = isCompressed ? await unzipped(bytes, name) : bytes;
  if (isMyAnimeListExport(content)) return readExport(content, name);
  if (isCompressed) return readBackup(content, name);
  const text = bytes.toString('utf8');
  const chapterIds = chaptersIn(text);
  if (chapterIds.length > 0) return { ...NOTHING_IMPORTED, chapterIds };
  const message = `There is nothing to import in the file: ${name}`;
  throw new UsageError('bad-input-file', message, { hint: KNOWN_FILES });
}

/** For hints. */
export const KNOWN_FILES =
  'Pass a backup of Mihon or Tachiyomi (.tachibk), an export of MyAnimeList (.xml.gz), a download archive, or the output of: sqlite3 archive.sqlite3 "select entry from archive"';

async function unzipped(bytes: Buffer, name: string): Promise<Buffer> {
  try {
    return await promisify(gunzip)(bytes, {
      maxOutputLength: MAX_BACKUP_BYTES,
      chunkSize: CHUNK_BYTES,
    });
  } catch (cause) {
    throw brokenFile('backup', name, cause);
  }
}

function readExport(bytes: Buffer, name: string): ImportedFile {
  try {
    return { ...NOTHING_IMPORTED, listed: readMyAnimeList(bytes) };
  } catch (cause) {
    throw brokenFile('export', name, cause);
  }
}

/** The numbers of the fields that are read; the others are skipped (Mihon, BackupManga). */
const BACKUP_MANGA = 1;
const MANGA_ADDRESS = 2;
const MANGA_TITLE = 3;
const MANGA_FAVORITE = 100;
const MANGA_FIELDS = new Set([MANGA_ADDRESS, MANGA_TITLE, MANGA_FAVORITE]);

const TITLE_ADDRESS = new RegExp(`^(?:https?://[^/]+)?/(?:manga|title)/(${UUID_PATTERN})(?:/|$)`);

function readBackup(bytes: Buffer, name: string): ImportedFile {
  const titles = new Map<string, ImportedTitle>();
  const otherSites: string[] = [];
  try {
    for (const { number, value } of readFields(bytes)) {
      if (number !== BACKUP_MANGA || !Buffer.isBuffer(value)) continue;
      const manga = readManga(value);
      // Absent means yes: the writer leaves out values that are the default.
      if (manga.get(MANGA_FAVORITE) === 0n) continue;
      const title = textOf(manga, MANGA_TITLE);
      const id = TITLE_ADDRESS.exec(textOf(manga, MANGA_ADDRESS).toLowerCase())?.[1];
      if (id === undefined) otherSites.push(title);
      else titles.set(id, { id, name: title });
    }
  } catch (cause) {
    throw brokenFile('backup', name, cause);
  }
  return { ...NOTHING_IMPORTED, titles: [...titles.values()], otherSites };
}

type Manga = ReadonlyMap<number, ProtobufField['value']>;

/** The last values of the fields that are read: a hostile message may have millions of others. */
function readManga(message: Buffer): Manga {
  const manga = new Map<number, ProtobufField['value']>();
  for (const { number, value } of readFields(message))
    if (MANGA_FIELDS.has(number)) manga.set(number, value);
  return manga;
}

function textOf(manga: Manga, number: number): string {
  const value = manga.get(number);
  return Buffer.isBuffer(value) ? value.toString('utf8') : '';
}

function brokenFile(kind: 'backup' | 'export', name: string, cause: unknown): UsageError {
  const hint = `Make a new ${kind}, and copy it whole.`;
  const reason = kind === 'export' ? ` (${thrownMessage(cause)})` : '';
  return new UsageError('bad-input-file', `The ${kind} is broken${reason}: ${name}`, {
    cause,
    hint,
  });
}

/** `mangadex <UUID>` of a download archive, and `mangadex<UUID>_<page>` of gallery-dl's. */
const CHAPTER_LINE = new RegExp(`^mangadex ?(${UUID_PATTERN})(?:_\\d+)?$`);

function chaptersIn(text: string): string[] {
  const ids = new Set<string>();
  for (const line of text.split(/\r\n|\n|\r/)) {
    const id = CHAPTER_LINE.exec(line.trim().toLowerCase())?.[1];
    if (id !== undefined) ids.add(id);
  }
  return [...ids];
}
