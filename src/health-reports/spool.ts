/**
 * The spool of health reports: a folder with one file for each report that waits to be sent. A file is written
 * under a temporary name, renamed, and renamed back or removed when the report is done with. Whoever sends it holds the
 * operating system's lock on its file: no two processes send the same one, and what a killed process held is free.
 */
import { randomBytes } from 'node:crypto';
import { constants, lstatSync, opendirSync, renameSync, unlinkSync, type Dir } from 'node:fs';
import { join } from 'node:path';
import {
  createFileSync,
  isOwnedByUs,
  makePrivateFolder,
  openRegularFileSync,
} from '../core/files.js';
import { tryLockDescriptor } from '../core/lock.js';
import type { HealthReport } from './health-report.js';
import {
  closeQuietly,
  emptyQuietly,
  endedAtMs,
  isReport,
  isSpoolFile,
  readReport,
  reportFileName,
  temporaryName,
  writeReport,
} from './report-file.js';

/** Reports that may wait; beyond that the oldest are dropped. */
export const MAX_SPOOLED = 10_000;
/** An older report is of no use to the network. */
export const MAX_AGE_MS = 24 * 60 * 60_000;
/** Bounds for a folder that something else has filled: entries looked at, and files removed, by one listing. */
const MAX_ENTRIES = 2 * MAX_SPOOLED;
const MAX_REMOVED = 1_000;
/** Files kept for further reports: creating one can cost a hundred times as much as renaming it. */
const MAX_KEPT_FILES = 16;

/** A report whose file this process holds the lock of, until one of the two methods is called. */
export interface HeldReport {
  readonly report: HealthReport;
  /** Whether this instance added it. */
  readonly isOwn: boolean;
  /** False where it lives in memory alone. */
  readonly isStored: boolean;
  /** Done with: the file is removed. */
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

/** The spool among what is kept for a report host. */
export function spoolFolder(reportsFolder: string): string {
  return join(reportsFolder, 'spool');
}

export class Spool {
  readonly #run = randomBytes(6).toString('hex');
  #added = 0;
  #folderReady: Promise<void> | undefined;
  /** Temporary files of reports that are done with, each held. */
  #keptFiles: { readonly name: string; readonly descriptor: number }[] = [];
  #isOpen = false;

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
    this.#isOpen = true;
    const name = reportFileName(atMs, this.#run, this.#added);
    for (;;) {
      const kept = this.#keptFiles.pop();
      const file = kept ?? (await this.#newFile(temporaryName(name)));
      try {
        writeReport(file.descriptor, report);
        renameSync(join(this.folder, file.name), join(this.folder, name));
        return this.#held(name, file.descriptor, report);
      } catch (error) {
        this.#unlink(file.name);
        closeQuietly(file.descriptor);
        // Another process may have removed a file that was kept for long.
        if (!kept) throw error;
      }
    }
  }

  /** `undefined` where another process holds it or removed it, or it is not a regular file of this user. */
  async claim(name: string): Promise<HeldReport | 'damaged' | undefined> {
    const descriptor = await this.#lock(name);
    if (descriptor === undefined) return undefined;
    const report = readReport(descriptor);
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
        if (entry.isFile() && isSpoolFile(entry.name)) names.push(entry.name);
      }
    } catch {
      // A folder that is missing or cannot be read is empty.
    }
    folder?.closeSync();
    return names.sort();
  }

  /** Removes the files kept for further reports. */
  close(): void {
    this.#isOpen = false;
    for (const { name, descriptor } of this.#keptFiles.splice(0)) {
      this.#unlink(name);
      closeQuietly(descriptor);
    }
  }

  /** A file under a temporary name, held before it has a name that others look for. */
  async #newFile(name: string): Promise<{ readonly name: string; readonly descriptor: number }> {
    const file = join(this.folder, name);
    let descriptor: number | undefined;
    try {
      await (this.#folderReady ??= makePrivateFolder(this.folder));
      descriptor = createFileSync(file, { mode: 0o600 });
      await tryLockDescriptor(file, descriptor);
      return { name, descriptor };
    } catch (error) {
      this.#folderReady = undefined;
      this.#unlink(name);
      if (descriptor !== undefined) closeQuietly(descriptor);
      throw error;
    }
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
    if (descriptor !== undefined) closeQuietly(descriptor);
    return undefined;
  }

  #held<Report>(name: string, descriptor: number, report: Report) {
    let isHeld = true;
    const release = (): void => {
      if (isHeld) closeQuietly(descriptor);
      isHeld = false;
    };
    const remove = (): void => {
      if (isHeld && this.#keepFile(name, descriptor)) {
        isHeld = false;
        return;
      }
      // Emptied where it cannot be removed, such as when a virus scanner has it open: it is never sent again.
      if (isHeld && !this.#unlink(name)) emptyQuietly(descriptor);
      release();
    };
    return { report, isOwn: this.isOwn(name), isStored: true, remove, release };
  }

  #keepFile(name: string, descriptor: number): boolean {
    const isWanted = this.#isOpen && this.#keptFiles.length < MAX_KEPT_FILES;
    if (!isWanted || !this.isOwn(name)) return false;
    try {
      renameSync(join(this.folder, name), join(this.folder, temporaryName(name)));
    } catch {
      return false;
    }
    this.#keptFiles.push({ name: temporaryName(name), descriptor });
    return true;
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
