/** The two kinds of locks on files, behind one interface. */
export type LockKind = 'kernel' | 'heartbeat';

/** Locks of one kind. */
export interface FileLocks {
  readonly kind: LockKind;
  /** Takes the exclusive lock of an open file; false if another holds it. Throws if the file system has no such lock. */
  tryLock(file: string, descriptor: number): boolean;
  unlock(file: string, descriptor: number): void;
}
