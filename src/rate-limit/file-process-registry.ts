/**
 * The processes that use the ledger's folder. Each holds the lock of a file of its own while it lives; the operating
 * system releases it when the process ends in any way. A suspended process is alive: it may still send a request. For
 * a process under another kernel only a visible lock counts, since some network folders hide other machines' locks.
 */
import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../core/clock.js';
import { MIN_LEFTOVER_AGE_MS, removeLeftoverTemporaries } from '../core/files.js';
import { tryLockFile, type HeldLock } from '../core/lock.js';
import { currentBoot, type Boot } from './boot.js';
import { ledgerAccess, unlinkIfExists } from './ledger-folder.js';
import type { Liveness, ProcessRegistry } from './ledger-store.js';

const SUFFIX = '.process';
const FILE_NAME = /^[\w-]{1,80}\.process$/;

export class FileProcessRegistry implements ProcessRegistry {
  readonly ownId: string;
  readonly #boot: string;
  #lock: HeldLock | undefined;
  /** Of the own file, to notice that it was removed with its folder. */
  #inode: number | undefined;

  constructor(
    private readonly folder: string,
    private readonly clock: Pick<Clock, 'wallMs'>,
    boot: Boot = currentBoot(),
  ) {
    this.#boot = boot.id;
    this.ownId = `${boot.id}-${process.pid}-${randomBytes(6).toString('hex')}`;
  }

  async register(): Promise<void> {
    const file = this.#fileOf(this.ownId);
    if (this.#lock && inodeOf(file) === this.#inode) return;
    this.#lock?.release();
    this.#lock = await tryLockFile(file, ledgerAccess(this.folder));
    if (!this.#lock) throw new Error(`The lock of ${file} is not available.`);
    this.#inode = inodeOf(file);
    await this.#removeLeftovers();
  }

  async livenessOf(processId: string): Promise<Liveness> {
    if (processId === this.ownId) return 'alive';
    const isLocked = await this.#isLocked(processId);
    if (isLocked) return 'alive';
    if (isLocked === undefined || !processId.startsWith(`${this.#boot}-`)) return 'unknown';
    this.#remove(processId);
    return 'dead';
  }

  unregister(): void {
    if (!this.#lock) return;
    this.#lock.release();
    this.#lock = undefined;
    this.#remove(this.ownId);
  }

  /** Removes what processes that died long ago have left. */
  async #removeLeftovers(): Promise<void> {
    await removeLeftoverTemporaries(this.folder);
    for (const name of readdirSync(this.folder)) {
      if (!FILE_NAME.test(name)) continue;
      const processId = name.slice(0, -SUFFIX.length);
      const liveness = await this.livenessOf(processId);
      if (liveness === 'unknown' && this.#isOld(processId)) this.#remove(processId);
    }
  }

  /** Undefined where it cannot be determined, such as where the file is not a regular file. */
  async #isLocked(processId: string): Promise<boolean | undefined> {
    const access = ledgerAccess(this.folder);
    const file = this.#fileOf(processId);
    if (inodeOf(file) === undefined) return false;
    try {
      const lock = await tryLockFile(file, access);
      lock?.release();
      return lock === undefined;
    } catch {
      return undefined;
    }
  }

  #isOld(processId: string): boolean {
    const stats = lstatSync(this.#fileOf(processId), { throwIfNoEntry: false });
    return stats?.isFile() === true && this.clock.wallMs() - stats.mtimeMs > MIN_LEFTOVER_AGE_MS;
  }

  #remove(processId: string): void {
    unlinkIfExists(this.#fileOf(processId));
  }

  #fileOf(processId: string): string {
    return join(this.folder, `${processId}${SUFFIX}`);
  }
}

function inodeOf(file: string): number | undefined {
  return lstatSync(file, { throwIfNoEntry: false })?.ino;
}
