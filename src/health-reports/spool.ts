/**
 * The spool of health reports: a folder with one file for each report that waits to be sent. A file is written
 * under a temporary name, renamed, and removed when the report is done with. Whoever sends a report holds the
 * operating system's lock on its file: no two processes send the same one, and what a killed process held is free.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  opendirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  type Dir,
} from 'node:fs';
import { join } from 'node:path';
import {
  createFileSync,
  isOwnedByUs,
  makePrivateFolder,
  openRegularFileSync,
} from '../core/files.js';
import { tryLockDescriptor } from '../core/lock.js';
import { healthReportSchema, type HealthReport } from './health-report.js';

/** Reports that may wait; beyond that the oldest are dropped. */
export const MAX_SPOOLED = 10_000;
/** An older report is of no use to the network. */
export const MAX_AGE_MS = 24 * 60 * 60_000;
/** Bounds for a folder that something else has filled: entries looked at, and files removed, by one listing. */
const MAX_ENTRIES = 2 * MAX_SPOOLED;
const MAX_REMOVED = 1_000;
const MAX_FILE_BYTES = 64 * 1024;

/** When the load ended (ms since the epoch), the run that recorded it, its number there; `.tmp` until complete. */
const FILE_NAME = /^\d{15}-[0-9a-f]{12}-\d{8}\.json(\.tmp)?$/;

/** A report whose file this process holds the lock of, until one of the two methods is called. */
export interface HeldReport {
  readonly report: HealthReport;
  /** Whether this instance added it. */
  readonly isOwn: boolean;
  /** False where it lives in memory alone. */
  readonly isStored: boolean;
  /** Done with: the file is removed. */
  remove(): void;
  /** Leaves the file to whoever sends it later. */
  release(): void;
}

export interface DroppedReport {
  readonly name: string;
  readonly reason: 'too old' | 'too many';
}

/** Each report host has its own folder, so that loads from a practice service are never reported to the live one. */
export function reportsFolder(stateFolder: string, networkUrl: URL): string {
  const { host, pathname } = networkUrl;
  const name = `${host}${pathname}`.replace(/[^\w.-]+/g, '_').replace(/_$/, '');
  return join(stateFolder, 'health-reports', name);
}

/** The spool among what is kept for a report host. */
export function spoolFolder(reportsFolder: string): string {
  return join(reportsFolder, 'spool');
}

export class Spool {
  readonly #run = randomBytes(6).toString('hex');
  #added = 0;
  #folderReady: Promise<void> | undefined;

  constructor(private readonly folder: string) {}

  /** Whether this instance added the file. */
  isOwn(name: string): boolean {
    return name.includes(`-${this.#run}-`);
  }

  /**
   * Writes the report's file and holds it; `atMs` is when the load ended, in whole milliseconds. Throws where the
   * report cannot be stored.
   */
  async add(report: HealthReport, atMs: number): Promise<HeldReport> {
    this.#added += 1;
    const name = `${pad(atMs, 15)}-${this.#run}-${pad(this.#added, 8)}.json`;
    const temporary = join(this.folder, `${name}.tmp`);
    let descriptor: number | undefined;
    try {
      await (this.#folderReady ??= makePrivateFolder(this.folder));
      descriptor = createFileSync(temporary, { mode: 0o600 });
      writeFileSync(descriptor, JSON.stringify(report));
      // Locked before it has a name that others look for.
      await tryLockDescriptor(temporary, descriptor);
      renameSync(temporary, join(this.folder, name));
    } catch (error) {
      this.#folderReady = undefined;
      this.#unlink(`${name}.tmp`);
      if (descriptor !== undefined) close(descriptor);
      throw error;
    }
    return this.#held(name, descriptor, report);
  }

  /** `undefined` where another process holds it or removed it, or it is not a regular file of this user. */
  async claim(name: string): Promise<HeldReport | 'damaged' | undefined> {
    const descriptor = await this.#lock(name);
    if (descriptor === undefined) return undefined;
    const report = reportIn(descriptor);
    if (report) return this.#held(name, descriptor, report);
    this.#held(name, descriptor, undefined).remove();
    return 'damaged';
  }

  /** The names of the reports that wait, oldest first. */
  names(): string[] {
    return this.#entries().filter(isReport);
  }

  /** The same, after reports that are too old or too many were removed, and temporary files of killed processes. */
  list(nowMs: number): { readonly waiting: string[]; readonly dropped: DroppedReport[] } {
    const entries = this.#entries();
    const isOld = (name: string) => nowMs - endedAtMs(name) > MAX_AGE_MS;
    const reports = entries.filter(isReport);
    const tooMany = new Set(reports.slice(0, Math.max(0, reports.length - MAX_SPOOLED)));
    const due = entries.filter((name) => isOld(name) || tooMany.has(name));
    const removed = due.slice(0, MAX_REMOVED).filter((name) => this.#unlink(name));
    const notWaiting = new Set(due);
    return {
      waiting: reports.filter((name) => !notWaiting.has(name)),
      dropped: removed
        .filter(isReport)
        .map((name) => ({ name, reason: isOld(name) ? 'too old' : 'too many' })),
    };
  }

  /** Looks at a few entries only. */
  isEmpty(): boolean {
    return !this.#entries(100).some(isReport);
  }

  /** The names of reports and of temporary files, oldest first; whatever else stands there is left alone. */
  #entries(maxEntries = MAX_ENTRIES): string[] {
    const names: string[] = [];
    let folder: Dir | undefined;
    try {
      folder = opendirSync(this.folder, { bufferSize: 128 });
      for (let read = 0; read < maxEntries; read += 1) {
        const entry = folder.readSync();
        if (!entry) break;
        if (entry.isFile() && FILE_NAME.test(entry.name)) names.push(entry.name);
      }
    } catch {
      // A folder that is missing or cannot be read is empty.
    }
    folder?.closeSync();
    return names.sort();
  }

  /** The file's descriptor, with its lock; whatever stands in the way of it, the file is left alone. */
  async #lock(name: string): Promise<number | undefined> {
    const file = join(this.folder, name);
    let descriptor: number | undefined;
    try {
      ({ descriptor } = openRegularFileSync(file, { flags: constants.O_RDWR }));
      if (await tryLockDescriptor(file, descriptor)) return descriptor;
    } catch {
      // Gone, another user's, not a file, or on a file system without locks.
    }
    if (descriptor !== undefined) close(descriptor);
    return undefined;
  }

  #held<Report>(name: string, descriptor: number, report: Report) {
    let isOpen = true;
    const release = (): void => {
      if (isOpen) close(descriptor);
      isOpen = false;
    };
    const remove = (): void => {
      // Emptied where it cannot be removed, such as when a virus scanner has it open: it is never sent again.
      if (isOpen && !this.#unlink(name)) empty(descriptor);
      release();
    };
    return { report, isOwn: this.isOwn(name), isStored: true, remove, release };
  }

  #unlink(name: string): boolean {
    const file = join(this.folder, name);
    try {
      const stats = lstatSync(file);
      if (!stats.isFile() || !isOwnedByUs(file, stats)) return false;
      unlinkSync(file);
      return true;
    } catch {
      return false;
    }
  }
}

function isReport(name: string): boolean {
  return name.endsWith('.json');
}

export function endedAtMs(name: string): number {
  return Number(name.slice(0, 15));
}

function reportIn(descriptor: number): HealthReport | undefined {
  try {
    if (fstatSync(descriptor).size > MAX_FILE_BYTES) return undefined;
    const value: unknown = JSON.parse(readFileSync(descriptor, 'utf8'));
    return healthReportSchema.safeParse(value).data;
  } catch {
    return undefined;
  }
}

function empty(descriptor: number): void {
  try {
    ftruncateSync(descriptor);
  } catch {
    // Removed by another process meanwhile, or on a disk that fails.
  }
}

function close(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // A network file system may report a failed write here; the descriptor is closed all the same.
  }
}

function pad(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}
