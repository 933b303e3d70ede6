/**
 * Journals: append-only files of JSON lines in a folder, each written by the process that holds the lock of the file. A
 * line counts only with its line break. The journals of ended processes are adopted by the next one, all of them.
 * Readers take no lock.
 */
import { randomBytes } from 'node:crypto';
import {
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { StorageError } from './errors.js';
import {
  makeFolders,
  openRegularFileSync,
  readFileIfExistsSync,
  removeLeftoverTemporaries,
  syncFolder,
} from './files.js';
import { isRecord, parseJson } from './json.js';
import { createLockedFile, tryLockOpenFile, type LockedFile } from './lock.js';

export type JournalEntry = Readonly<Record<string, unknown>>;

export interface JournalContent {
  readonly entries: readonly JournalEntry[];
  /** Lines that are not JSON objects, which were skipped. */
  readonly damagedLines: number;
}

const FILE_NAME = /^[0-9a-f]{12}\.journal$/;
const MAX_FILE_BYTES = 256 * 2 ** 20;
/** A journal is compacted when it has grown by this and has doubled. */
const MAX_GROWTH_BYTES = 2 ** 20;
/** Lines that wait in memory while the disk is full; beyond that the oldest are dropped. */
const MAX_UNWRITTEN_LINES = 10_000;

/** What each journal of the folder contains. One that cannot be read counts as a damaged line. */
export function readJournals(folder: string): JournalContent[] {
  return journalFiles(folder).map((file) => {
    try {
      return parseLines(readFileIfExistsSync(file, { maxBytes: MAX_FILE_BYTES }));
    } catch {
      return { entries: [], damagedLines: 1 };
    }
  });
}

/**
 * Adopts the journals of ended processes, and creates one if there are none. The first is meant to be written to.
 * Creates the folder if missing. Throws StorageError and system errors.
 */
export async function openJournals(folder: string): Promise<[Journal, ...Journal[]]> {
  makeFolders(folder, 0o700);
  await removeLeftoverTemporaries(folder);
  const [first, ...others] = await adoptJournals(folder);
  return [first ?? (await createJournal(folder)), ...others];
}

/** The journals in `folder` that no other process uses. */
export async function adoptJournals(folder: string): Promise<Journal[]> {
  const journals: Journal[] = [];
  for (const file of journalFiles(folder)) {
    // One that cannot be opened or locked is left alone.
    const journal = await adoptJournal(file).catch(() => undefined);
    if (journal) journals.push(journal);
  }
  return journals;
}

function journalFiles(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => FILE_NAME.test(name));
    return names.sort().map((name) => join(folder, name));
  } catch {
    // A folder that is missing or cannot be read is empty.
    return [];
  }
}

/** Undefined if another process holds its lock, or has replaced or removed it. */
async function adoptJournal(file: string): Promise<Journal | undefined> {
  const descriptor = openRegularFileSync(file, constants.O_RDWR);
  const lock = await tryLockOpenFile(file, descriptor);
  if (!lock) return undefined;
  try {
    const bytes = readFileSync(descriptor).lastIndexOf('\n') + 1;
    ftruncateSync(descriptor, bytes);
    return new Journal({ file, descriptor, lock }, bytes);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Locked before it gets a name that other processes look for. */
async function createJournal(folder: string): Promise<Journal> {
  const file = join(folder, `${randomBytes(6).toString('hex')}.journal`);
  const created = await createLockedFile(file);
  renameSync(created.file, file);
  await syncFolder(folder);
  return new Journal({ ...created, file }, 0);
}

/** This process's journal; it holds the lock until `close` or `remove`. */
export class Journal {
  #unwritten: string[] = [];
  #hasTornEnd = false;
  #compactedBytes = 0;
  #isClosed = false;

  constructor(
    private locked: LockedFile,
    private bytes: number,
  ) {}

  /**
   * Appends lines. If they cannot be written, such as on a full disk, the file is cut back to its last whole line, the new
   * ones stay in memory until the next append, and the error is thrown. With `isSynced` they survive a power cut.
   */
  append(entries: readonly JournalEntry[], { isSynced = false } = {}): void {
    for (const each of entries.map(toLine)) this.#unwritten.push(each);
    this.#unwritten.splice(0, this.#unwritten.length - MAX_UNWRITTEN_LINES);
    this.#write(Buffer.from(this.#unwritten.join('')));
    this.#unwritten = [];
    if (isSynced) fsyncSync(this.locked.descriptor);
  }

  /** The lines on the disk. */
  read(): JournalContent {
    const bytes = readFileIfExistsSync(this.locked.file, { maxBytes: MAX_FILE_BYTES });
    return parseLines(bytes?.subarray(0, this.bytes));
  }

  /** Whether it has grown enough to be compacted. */
  get isLarge(): boolean {
    return this.bytes > 2 * this.#compactedBytes + MAX_GROWTH_BYTES;
  }

  /**
   * Replaces the lines by those that `fold` makes of them. The old file stays if the new one cannot be written, or if
   * lines wait in memory.
   */
  async compact(fold: (content: JournalContent) => readonly JournalEntry[]): Promise<void> {
    // Not tried again before it has doubled.
    this.#compactedBytes = this.bytes;
    const replacement = await createLockedFile(this.locked.file).catch(() => undefined);
    if (!replacement) return;
    // From here on nothing can be appended to the old file in between.
    if (this.#isClosed || this.#unwritten.length > 0 || !this.#replaceBy(replacement, fold)) {
      quietly(() => {
        unlinkSync(replacement.file);
      });
      quietly(replacement.lock.release);
    }
  }

  /** Removes the file. */
  remove(): void {
    unlinkSync(this.locked.file);
    this.close();
  }

  /** Leaves the file to the next process. May be called twice. */
  close(): void {
    if (!this.#isClosed) quietly(this.locked.lock.release);
    this.#isClosed = true;
  }

  #write(lines: Buffer): void {
    const { file, descriptor } = this.locked;
    // The descriptor may be that of another file by now.
    if (this.#isClosed) throw new StorageError('storage-failed', `${file} is closed.`);
    if (this.#hasTornEnd) this.#cutBack();
    // Only without kernel locks, after this process was suspended for longer than a heartbeat lasts.
    if (fstatSync(descriptor).size !== this.bytes)
      throw new StorageError('storage-failed', `Another process has taken over ${file}.`);
    try {
      writeBytes(descriptor, lines, this.bytes);
    } catch (error) {
      this.#hasTornEnd = true;
      this.#cutBack();
      throw error;
    }
    this.bytes += lines.length;
  }

  #cutBack(): void {
    ftruncateSync(this.locked.descriptor, this.bytes);
    this.#hasTornEnd = false;
  }

  /** False if the new file cannot be written. Neither lock is released before the new file has its name. */
  #replaceBy(
    replacement: LockedFile,
    fold: (content: JournalContent) => readonly JournalEntry[],
  ): boolean {
    const { file } = this.locked;
    const bytes = Buffer.from(fold(this.read()).map(toLine).join(''));
    try {
      writeBytes(replacement.descriptor, bytes, 0);
      fsyncSync(replacement.descriptor);
      renameSync(replacement.file, file);
    } catch {
      return false;
    }
    quietly(this.locked.lock.release);
    this.locked = { ...replacement, file };
    this.bytes = this.#compactedBytes = bytes.length;
    return true;
  }
}

/** A network file system may report a failed write when a file is closed; a leftover is removed once this process has ended. */
function quietly(action: () => void): void {
  try {
    action();
  } catch {
    // Nothing depends on it.
  }
}

/** The system may write less than requested, as on a disk that becomes full. */
function writeBytes(descriptor: number, bytes: Buffer, position: number): void {
  for (let written = 0; written < bytes.length;)
    written += writeSync(descriptor, bytes, written, bytes.length - written, position + written);
}

function toLine(entry: JournalEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/** What follows the last line break is not a line yet. */
function parseLines(bytes: Buffer | undefined): JournalContent {
  const lines = (bytes?.toString('utf8') ?? '').split('\n').slice(0, -1).filter(Boolean);
  const entries = lines.map(parseJson).filter(isRecord);
  return { entries, damagedLines: lines.length - entries.length };
}
