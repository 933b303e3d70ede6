/**
 * The spool of health reports: a folder with one file for each report that waits to be sent. A file is written under a
 * temporary name, renamed, and removed when the report is settled. A process that sends it holds the lock of its file:
 * no two processes send the same one, and a killed process releases what it held.
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
import { basename, join } from 'node:path';
import {
  createFileSync,
  isLeftoverTemporary,
  isOwnedByUs,
  makePrivateFolder,
  openRegularFileSync,
  temporaryName,
} from '../core/files.js';
import { parseJson } from '../core/json.js';
import { tryLockOpenFile, type HeldLock } from '../core/lock.js';
import { healthReportSchema, type HealthReport } from './health-report.js';

/** Reports that may wait; beyond that the oldest are dropped. */
export const MAX_SPOOLED = 10_000;
/** An older report is of no use to the network. */
export const MAX_AGE_MS = 24 * 60 * 60_000;
/** Bounds for a folder that something else has filled: entries read, and files removed, by one listing. */
const MAX_ENTRIES = 2 * MAX_SPOOLED;
const MAX_REMOVED = 1_000;
const MAX_FILE_BYTES = 64 * 1024;

/** When the load ended (ms since the epoch), the run that recorded it, its number there. */
const FILE_NAME = /^\d{15}-[0-9a-f]{12}-\d{8}\.json$/;

/** A report whose file this process holds the lock of, until one of the two methods is called. */
export interface LockedReport {
  readonly report: HealthReport;
  /** Whether this instance added it. */
  readonly isOwn: boolean;
  /** Removes the file. */
  remove(): void;
  /** Leaves the file for a later sender. */
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

/** The spool in the folder of a report host. */
export function spoolFolder(reportsFolder: string): string {
  return join(reportsFolder, 'spool');
}

export function loadEndMs(name: string): number {
  return Number(name.slice(0, 15));
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

  /** Stores the report and holds it; `atMs` is when the load ended, in whole milliseconds. Throws system errors. */
  async add(report: HealthReport, atMs: number): Promise<LockedReport> {
    this.#added += 1;
    const digits = (value: number, count: number) => String(value).padStart(count, '0');
    const name = `${digits(atMs, 15)}-${this.#run}-${digits(this.#added, 8)}.json`;
    const file = join(this.folder, name);
    const tmpFile = temporaryName(file);
    let descriptor: number | undefined;
    let lock: HeldLock | undefined;
    try {
      await (this.#folderReady ??= makePrivateFolder(this.folder));
      descriptor = createFileSync(tmpFile, 0o600);
      // Held before it has a name that others look for.
      lock = await tryLockOpenFile(tmpFile, descriptor);
      writeFileSync(descriptor, JSON.stringify(report));
      renameSync(tmpFile, file);
      return this.#locked(name, descriptor, lock, report);
    } catch (error) {
      this.#folderReady = undefined;
      this.#unlink(basename(tmpFile));
      closeQuietly(descriptor, lock);
      throw error;
    }
  }

  /**
   * `undefined` if another process holds it or removed it, if it is not a regular file of this user, or if it cannot be
   * read.
   */
  async claim(name: string): Promise<LockedReport | 'damaged' | undefined> {
    const file = join(this.folder, name);
    let descriptor: number | undefined;
    let lock: HeldLock | undefined;
    try {
      ({ descriptor } = openRegularFileSync(file, { flags: constants.O_RDWR }));
      lock = await tryLockOpenFile(file, descriptor);
      if (lock) {
        const report = readReport(descriptor);
        if (report) return this.#locked(name, descriptor, lock, report);
        this.#locked(name, descriptor, lock, undefined).remove();
        return 'damaged';
      }
    } catch {
      // See above.
    }
    closeQuietly(descriptor, lock);
    return undefined;
  }

  /** The names of the waiting reports, oldest first. */
  names(): string[] {
    return this.#entries();
  }

  /** As `names`; first removes excess and outdated reports, and the temporary files of killed processes. */
  list(nowMs: number): { readonly waiting: string[]; readonly dropped: DroppedReport[] } {
    const entries = this.#entries((name) => isReport(name) || this.#isLeftover(name));
    const reports = entries.filter(isReport);
    for (const name of entries) if (!isReport(name)) this.#unlink(name);
    const isOld = (name: string) => nowMs - loadEndMs(name) > MAX_AGE_MS;
    const tooMany = new Set(reports.slice(0, Math.max(0, reports.length - MAX_SPOOLED)));
    const due = reports.filter((name) => isOld(name) || tooMany.has(name));
    const removed = due.slice(0, MAX_REMOVED).filter((name) => this.#unlink(name));
    const notWaiting = new Set(due);
    return {
      waiting: reports.filter((name) => !notWaiting.has(name)),
      dropped: removed.map((name) => ({ name, reason: isOld(name) ? 'too old' : 'too many' })),
    };
  }

  /** Reads a few entries only. */
  isEmpty(): boolean {
    return this.#entries(isReport, 100).length === 0;
  }

  /** The names of the files that `accepts` returns true for, oldest first. */
  #entries(accepts = isReport, maxEntries = MAX_ENTRIES): string[] {
    const names: string[] = [];
    let folder: Dir | undefined;
    try {
      folder = opendirSync(this.folder, { bufferSize: 128 });
      for (let read = 0; read < maxEntries; read += 1) {
        const entry = folder.readSync();
        if (!entry) break;
        if (entry.isFile() && accepts(entry.name)) names.push(entry.name);
      }
    } catch {
      // A folder that is missing or cannot be read is empty.
    }
    folder?.closeSync();
    return names.sort();
  }

  #locked<T>(name: string, descriptor: number, lock: HeldLock | undefined, report: T) {
    let isLocked = true;
    const release = (): void => {
      if (isLocked) closeQuietly(descriptor, lock);
      isLocked = false;
    };
    const remove = (): void => {
      // Emptied if it cannot be removed, such as when a virus scanner has it open, so that it is never sent again.
      if (isLocked && !this.#unlink(name)) emptyQuietly(descriptor);
      release();
    };
    return { report, isOwn: this.isOwn(name), remove, release };
  }

  #isLeftover(name: string): boolean {
    return isLeftoverTemporary(join(this.folder, name));
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
  return FILE_NAME.test(name);
}

/** `undefined` if the file is damaged. */
function readReport(descriptor: number): HealthReport | undefined {
  if (fstatSync(descriptor).size > MAX_FILE_BYTES) return undefined;
  return healthReportSchema.safeParse(parseJson(readFileSync(descriptor, 'utf8'))).data;
}

function emptyQuietly(descriptor: number): void {
  try {
    ftruncateSync(descriptor);
  } catch {
    // Removed by another process meanwhile, or the disk fails.
  }
}

function closeQuietly(descriptor: number | undefined, lock: HeldLock | undefined): void {
  try {
    lock?.release();
    if (descriptor !== undefined) closeSync(descriptor);
  } catch {
    // A network file system may report a failed write here; the descriptor is closed all the same.
  }
}
