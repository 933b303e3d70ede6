/**
 * Titles and chapters in the files of other programs: backups of Mihon and Tachiyomi (`.tachibk`), exports of
 * MyAnimeList, gallery-dl's archive or its entries as text, and download archives. Nothing in them is trusted.
 */
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { raceWithSignal } from '../core/abort.js';
import { thrownMessage, UsageError } from '../core/errors.js';
import { isSystemError } from '../core/system-errors.js';
import { UUID_PATTERN } from '../core/uuid.js';
import { UuidSet } from '../core/uuid-set.js';
import {
  isMyAnimeListExport,
  readMyAnimeList,
  type ImportedTitle,
  type ListedManga,
} from './import/my-anime-list.js';
import { readFields, type ProtobufField } from './import/protobuf.js';
import { isSqlite, readFirstColumns } from './import/sqlite.js';

export { findListedTitles } from './import/my-anime-list.js';

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
const MAX_BACKUP_BYTES = 256 * 2 ** 20;
/** Each title of a backup has a field for each of its chapters. */
const MAX_BACKUP_FIELDS = 4_000_000;
/** A subscriptions file can have as many. */
const MAX_BACKUP_TITLES = 20_000;
const MAX_NAME_BYTES = 2_000;
/** The history is read by each run. */
const MAX_CHAPTERS = 2_000_000;
/** Larger than by default: each chunk is a turn of the event loop. */
const CHUNK_BYTES = 2 ** 20;
/** Between two turns of the event loop, in which an interruption is noticed. */
const FIELDS_PER_TURN = 2 ** 16;

/**
 * Throws UsageError `bad-input-file` for a file of another kind, a broken one or one with too much in it, and the signal's
 * reason if aborted. `name`: for messages.
 */
export async function readImportedFile(
  bytes: Buffer,
  name: string,
  signal: AbortSignal,
): Promise<ImportedFile> {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const content = isCompressed ? await unzipped(bytes, name, signal) : bytes;
  if (isMyAnimeListExport(content)) return readExport(content, name);
  if (isCompressed) return readBackup(content, name, signal);
  const chapters = new ImportedChapters(name, signal);
  const chapterIds = isSqlite(bytes)
    ? await chapters.ofDatabase(bytes)
    : await chapters.ofLines(bytes);
  if (chapterIds.length > 0) return { ...NOTHING_IMPORTED, chapterIds };
  const message = `There is nothing to import in the file: ${name}`;
  throw new UsageError('bad-input-file', message, { hint: KNOWN_FILES });
}

/** For hints. */
export const KNOWN_FILES =
  'Pass a backup of Mihon or Tachiyomi (.tachibk), an export of MyAnimeList (.xml.gz), a download archive, or gallery-dl’s archive (.sqlite3)';

async function unzipped(bytes: Buffer, name: string, signal: AbortSignal): Promise<Buffer> {
  const options = { chunkSize: CHUNK_BYTES, maxOutputLength: MAX_BACKUP_BYTES };
  try {
    return await raceWithSignal(promisify(gunzip)(bytes, options), signal);
  } catch (cause) {
    signal.throwIfAborted();
    if (isSystemError(cause, 'ERR_BUFFER_TOO_LARGE'))
      throw tooMuchIn(name, `${MAX_BACKUP_BYTES / 2 ** 20} MiB`);
    throw brokenFile('backup', name, cause);
  }
}

async function readExport(bytes: Buffer, name: string): Promise<ImportedFile> {
  try {
    return { ...NOTHING_IMPORTED, listed: await readMyAnimeList(bytes) };
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

async function readBackup(bytes: Buffer, name: string, signal: AbortSignal): Promise<ImportedFile> {
  const titles = new Map<string, ImportedTitle>();
  const otherSites: string[] = [];
  const isTurnDue = fieldCounter(name);
  try {
    for (const { number, value } of readFields(bytes)) {
      if (isTurnDue()) await eventLoopTurn(signal);
      if (number !== BACKUP_MANGA || !Buffer.isBuffer(value)) continue;
      const manga = await readManga(value, isTurnDue, signal);
      // Absent means yes: the writer leaves out values that are the default.
      if (manga.get(MANGA_FAVORITE) === 0n) continue;
      const title = textOf(manga, MANGA_TITLE);
      const id = TITLE_ADDRESS.exec(textOf(manga, MANGA_ADDRESS).toLowerCase())?.[1];
      if (id === undefined) otherSites.push(title);
      else titles.set(id, { id, name: title });
      if (titles.size + otherSites.length > MAX_BACKUP_TITLES)
        throw tooMuchIn(name, `${MAX_BACKUP_TITLES} titles`);
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof UsageError ? cause : brokenFile('backup', name, cause);
  }
  return { ...NOTHING_IMPORTED, titles: [...titles.values()], otherSites };
}

/** Counts a field at each call, and says whether the event loop is to turn. Throws UsageError for one too many. */
function fieldCounter(name: string): () => boolean {
  let count = 0;
  return () => {
    count += 1;
    if (count > MAX_BACKUP_FIELDS) throw tooMuchIn(name, `${MAX_BACKUP_FIELDS} fields`);
    return count % FIELDS_PER_TURN === 0;
  };
}

/** Throws the signal's reason if aborted. */
async function eventLoopTurn(signal: AbortSignal): Promise<void> {
  await setImmediate();
  signal.throwIfAborted();
}

type Manga = ReadonlyMap<number, ProtobufField['value']>;

/** The last values of the fields that are read: a hostile message may have millions of others. */
async function readManga(
  message: Buffer,
  isTurnDue: () => boolean,
  signal: AbortSignal,
): Promise<Manga> {
  const manga = new Map<number, ProtobufField['value']>();
  for (const { number, value } of readFields(message)) {
    if (isTurnDue()) await eventLoopTurn(signal);
    if (MANGA_FIELDS.has(number)) manga.set(number, value);
  }
  return manga;
}

function textOf(manga: Manga, number: number): string {
  const value = manga.get(number);
  return Buffer.isBuffer(value) ? value.toString('utf8', 0, MAX_NAME_BYTES) : '';
}

function brokenFile(
  kind: 'archive' | 'backup' | 'export',
  name: string,
  cause: unknown,
): UsageError {
  const hint =
    kind === 'archive'
      ? 'Copy it while gallery-dl does not run.'
      : `Make a new ${kind}, and copy it whole.`;
  const reason = kind === 'backup' ? '' : ` (${thrownMessage(cause)})`;
  const message = `The ${kind} is broken${reason}: ${name}`;
  return new UsageError('bad-input-file', message, { cause, hint });
}

function tooMuchIn(name: string, limit: string): UsageError {
  return new UsageError('bad-input-file', `There is more than ${limit} in the file: ${name}`, {
    hint: 'Import it in parts.',
  });
}

/** `mangadex <UUID>` of a download archive, and `mangadex<UUID>_<page>` of gallery-dl's. */
const CHAPTER_LINE = new RegExp(`^mangadex ?(${UUID_PATTERN})(?:_\\d+)?$`);
/** `mangadex` and a UUID. */
const MIN_LINE_BYTES = 44;
/** With spaces around it. */
const MAX_LINE_BYTES = 200;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** The ids of chapters, once each, in their order. */
class ImportedChapters {
  readonly #known = new UuidSet();
  readonly #ids: string[] = [];

  constructor(
    private readonly name: string,
    private readonly signal: AbortSignal,
  ) {}

  async ofLines(bytes: Buffer): Promise<readonly string[]> {
    let start = 0;
    for (let end = 0; end <= bytes.length; end += 1) {
      if (end % CHUNK_BYTES === 0) await eventLoopTurn(this.signal);
      if (end < bytes.length && bytes[end] !== LINE_FEED && bytes[end] !== CARRIAGE_RETURN)
        continue;
      this.#add(bytes, start, end);
      start = end + 1;
    }
    return this.#ids;
  }

  async ofDatabase(bytes: Buffer): Promise<readonly string[]> {
    try {
      for (const entries of readFirstColumns(bytes)) {
        for (const entry of entries) this.#add(entry, 0, entry.length);
        await eventLoopTurn(this.signal);
      }
      return this.#ids;
    } catch (cause) {
      this.signal.throwIfAborted();
      throw cause instanceof UsageError ? cause : brokenFile('archive', this.name, cause);
    }
  }

  #add(bytes: Buffer, start: number, end: number): void {
    const id = chapterOf(bytes, start, end);
    if (id !== undefined && this.#known.add(id)) this.#ids.push(id);
    if (this.#ids.length > MAX_CHAPTERS) throw tooMuchIn(this.name, `${MAX_CHAPTERS} chapters`);
  }
}

function chapterOf(bytes: Buffer, start: number, end: number): string | undefined {
  const length = end - start;
  if (length < MIN_LINE_BYTES || length > MAX_LINE_BYTES) return undefined;
  return CHAPTER_LINE.exec(bytes.toString('latin1', start, end).trim().toLowerCase())?.[1];
}
