/**
 * Which of the processes that have used the ledger still live. Each holds the lock of a file of its own as long
 * as it lives; the operating system lets go of it when the process dies, however it dies. A process that is only
 * stopped is alive: it may still send what it has a place for. Of a process under another kernel only a lock that is
 * seen says something: some shared folders do not show the locks of other machines.
 */
import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../core/clock.js';
import { tryLockFile, type HeldLock } from '../core/lock.js';
import { thisBoot, type Boot } from './boot.js';
import { ledgerAccess, unlinkIfExists, type FileAccess } from './ledger-folder.js';

export type Liveness = 'alive' | 'dead' | 'unknown';

const SUFFIX = '.holder';
const NAME = /^[\w-]{1,80}\.holder$/;
/** By the wall clock of whoever wrote the file, which may be wrong by hours. */
const MAX_UNKNOWN_AGE_MS = 2 * 24 * 60 * 60_000;

/** All calls but `leave` are made under the ledger's lock, so that no two processes look at one file at once. */
export class ProcessRegistry {
  readonly own: string;
  readonly #boot: string;
  #lock: HeldLock | undefined;
  /** Of the own file, to notice that it was removed with its folder. */
  #inode: number | undefined;

  constructor(
    private readonly folder: string,
    private readonly clock: Pick<Clock, 'wallMs'>,
    boot: Boot = thisBoot(),
  ) {
    this.#boot = boot.id;
    this.own = `${boot.id}-${process.pid}-${randomBytes(6).toString('hex')}`;
  }

  /** Takes the own lock, where it is not held or its file is gone. */
  async enter(): Promise<void> {
    const file = this.#fileOf(this.own);
    if (this.#lock && inodeOf(file) === this.#inode) return;
    this.#lock?.release();
    this.#lock = await tryLockFile(file, ledgerAccess(this.folder));
    if (!this.#lock) throw new Error(`The lock of ${file} is not to be had.`);
    this.#inode = inodeOf(file);
  }

  async livenessOf(holder: string): Promise<Liveness> {
    if (holder === this.own) return 'alive';
    const access = ledgerAccess(this.folder);
    const isHeld = await this.#isHeld(holder, access);
    if (isHeld) return 'alive';
    if (isHeld === undefined || !holder.startsWith(`${this.#boot}-`)) return 'unknown';
    this.#remove(holder);
    return 'dead';
  }

  /** Removes the files of processes that died long ago and left nothing else behind. */
  async sweep(): Promise<void> {
    for (const name of readdirSync(this.folder)) {
      if (!NAME.test(name)) continue;
      const holder = name.slice(0, -SUFFIX.length);
      if ((await this.livenessOf(holder)) === 'unknown' && this.#isOld(holder))
        this.#remove(holder);
    }
  }

  leave(): void {
    if (!this.#lock) return;
    this.#lock.release();
    this.#lock = undefined;
    this.#remove(this.own);
  }

  /** Undefined where that cannot be found out, since something else stands in the file's place. */
  async #isHeld(holder: string, access: FileAccess): Promise<boolean | undefined> {
    const file = this.#fileOf(holder);
    if (inodeOf(file) === undefined) return false;
    try {
      const lock = await tryLockFile(file, access);
      lock?.release();
      return lock === undefined;
    } catch {
      return undefined;
    }
  }

  #isOld(holder: string): boolean {
    const stats = lstatSync(this.#fileOf(holder), { throwIfNoEntry: false });
    return stats?.isFile() === true && this.clock.wallMs() - stats.mtimeMs > MAX_UNKNOWN_AGE_MS;
  }

  #remove(holder: string): void {
    unlinkIfExists(this.#fileOf(holder));
  }

  #fileOf(holder: string): string {
    return join(this.folder, `${holder}${SUFFIX}`);
  }
}

function inodeOf(file: string): number | undefined {
  return lstatSync(file, { throwIfNoEntry: false })?.ino;
}
