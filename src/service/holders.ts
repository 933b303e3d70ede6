/**
 * Which of the processes that have used the ledger still live. Each holds the lock of a file of its own as long
 * as it lives; the operating system lets go of it when the process dies, however it dies. A process that is only
 * stopped is alive: it may still send what it has a place for.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { tryLockFile, type HeldLock } from '../kernel/lock.js';
import { makeShared, unlinkIfThere } from './shared-files.js';

const SUFFIX = '.holder';

/** All calls but `leave` are made under the ledger's lock, so that no two processes look at one file at once. */
export class Holders {
  readonly own = `${process.pid}-${randomBytes(6).toString('hex')}`;
  #lock: HeldLock | undefined;

  constructor(private readonly folder: string) {}

  /** Takes the own lock; the second time does nothing. */
  async enter(): Promise<void> {
    if (this.#lock) return;
    const file = this.#fileOf(this.own);
    makeShared(file);
    this.#lock = await tryLockFile(file);
    if (!this.#lock) throw new Error(`The lock of ${file} is not to be had.`);
  }

  async isAlive(holder: string): Promise<boolean> {
    if (holder === this.own) return true;
    const lock = await tryLockFile(this.#fileOf(holder));
    if (!lock) return true;
    lock.release();
    this.#remove(holder);
    return false;
  }

  /** Removes the files of processes that died long ago and left nothing else behind. */
  async sweep(): Promise<void> {
    for (const name of readdirSync(this.folder)) {
      if (name.endsWith(SUFFIX)) await this.isAlive(name.slice(0, -SUFFIX.length));
    }
  }

  leave(): void {
    if (!this.#lock) return;
    this.#lock.release();
    this.#lock = undefined;
    this.#remove(this.own);
  }

  #remove(holder: string): void {
    unlinkIfThere(this.#fileOf(holder));
  }

  #fileOf(holder: string): string {
    return join(this.folder, `${holder}${SUFFIX}`);
  }
}
