/**
 * One journal file of the outbox, open for writing by the one process that holds its lock. Lines are only ever
 * appended; when most of them are no longer needed the file is written anew, whole or not at all. A disk that
 * takes no more is no reason to stop a download: the entry then lives in memory alone, and the trouble is told.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { readIfThere, writeWhole } from '../kernel/files.js';
import type { HeldLock } from '../kernel/lock.js';
import type { HealthReport } from './health-report.js';
import {
  readLines,
  toLine,
  type DueEntry,
  type Ending,
  type JournalEntry,
} from './journal-line.js';
import {
  applyEntry,
  compactText,
  emptyState,
  linesNeeded,
  stateOf,
  type JournalState,
} from './journal-state.js';

/** Lines beyond those needed, before the file is written anew. */
const SPARE_LINES = 4_000;
/** Addresses of what somebody reads: for the owner's eyes. */
const OWNER_ONLY = 0o600;

/** The file and its lock; a journal without them lives in memory alone. */
export interface JournalPlace {
  readonly file: string;
  readonly lock: HeldLock;
}

export class Journal {
  readonly #place: JournalPlace | undefined;
  readonly #onTrouble: (error: unknown) => void;
  #handle: FileHandle | undefined;
  #unwritten: string[] = [];
  #writing: Promise<void> | undefined;
  #spareLines = SPARE_LINES;

  private constructor(
    place: JournalPlace | undefined,
    readonly state: JournalState,
    onTrouble: (error: unknown) => void,
  ) {
    this.#place = place;
    this.#onTrouble = onTrouble;
  }

  /** Reads what is there. The caller holds the lock; the journal lets it go when it is closed. */
  static async open(place: JournalPlace, onTrouble: (error: unknown) => void): Promise<Journal> {
    const text = (await readIfThere(place.file))?.toString('utf8') ?? '';
    const { entries, skipped } = readLines(text);
    const state = stateOf(entries);
    state.lines += skipped;
    return new Journal(place, state, onTrouble);
  }

  static inMemory(): Journal {
    return new Journal(undefined, emptyState(), () => undefined);
  }

  /** Resolves when the report is in the file. */
  async add(report: HealthReport, atMs: number): Promise<DueEntry> {
    const entry: DueEntry = { kind: 'due', id: this.state.nextId, atMs: Math.round(atMs), report };
    await this.#append(entry);
    return entry;
  }

  /** Resolves when the mark is in the file. A report that does not wait (any more) is left as it is. */
  async settle(id: number, ending: Ending, atMs: number, reason?: string): Promise<void> {
    if (!this.state.waiting.has(id)) return;
    await this.#append({
      kind: 'settled',
      id,
      ending,
      atMs: Math.round(atMs),
      ...(reason === undefined ? {} : { reason }),
    });
  }

  /** Writes what is left and lets the lock go. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#handle?.close();
    this.#handle = undefined;
    this.#place?.lock.release();
  }

  #append(entry: JournalEntry): Promise<void> {
    applyEntry(this.state, entry);
    if (!this.#place) return Promise.resolve();
    this.#unwritten.push(toLine(entry));
    // One write at a time; what comes meanwhile goes together with the next.
    this.#writing ??= this.#write(this.#place.file);
    return this.#writing;
  }

  async #write(file: string): Promise<void> {
    while (this.#unwritten.length > 0) {
      const text = this.#unwritten.join('');
      this.#unwritten = [];
      // After a compaction nothing is to be appended: the state that was written has it already.
      if (this.#isOvergrown() && (await this.#compact(file))) continue;
      try {
        this.#handle ??= await open(file, 'a', OWNER_ONLY);
        await this.#handle.appendFile(text);
      } catch (error) {
        this.#onTrouble(error);
      }
    }
    // In the same step as the last look at what is unwritten, so that no line falls between two writers.
    this.#writing = undefined;
  }

  #isOvergrown(): boolean {
    return this.state.lines > linesNeeded(this.state) + this.#spareLines;
  }

  async #compact(file: string): Promise<boolean> {
    const text = compactText(this.state);
    const lines = linesNeeded(this.state);
    try {
      // Closed first, since some systems replace no file that is open.
      await this.#handle?.close();
      this.#handle = undefined;
      await writeWhole(file, text, { mode: OWNER_ONLY });
    } catch (error) {
      this.#onTrouble(error);
      this.#spareLines *= 2;
      return false;
    }
    // Entries that came while the file was written are still to be appended, and count on top.
    this.state.lines = lines + this.#unwritten.length;
    this.#spareLines = SPARE_LINES;
    return true;
  }
}
