/**
 * Who writes which journal. Each process takes the first slot whose lock is free, and is then the only one to
 * write that slot's journal and to send its reports. A process that dies, however it dies, lets its lock go; its
 * journal is adopted by whoever comes next. So no report is ever in the hands of two.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../kernel/files.js';
import { tryLockFile } from '../kernel/lock.js';
import { Journal, type JournalPlace } from './journal.js';

const JOURNAL_NAME = /^journal-(\d+)\.log$/;
/** Processes of one machine that write reports at the same time. */
const MOST_SLOTS = 1_000;

/** What one process holds. */
export interface HeldJournals {
  readonly own: Journal;
  /** Those of processes that are gone, with reports that wait. */
  readonly adopted: readonly Journal[];
}

/** Takes a slot, and adopts what nobody holds. Where the folder cannot be used, memory has to do. */
export async function holdJournals(
  folder: string,
  onTrouble: (error: unknown) => void,
): Promise<HeldJournals> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const place = await takeSlot(folder);
    const own = await Journal.open(place, onTrouble);
    return { own, adopted: await adopt(folder, place.file, onTrouble) };
  } catch (error) {
    onTrouble(error);
    return { own: Journal.inMemory(), adopted: [] };
  }
}

async function takeSlot(folder: string): Promise<JournalPlace> {
  for (let slot = 1; slot <= MOST_SLOTS; slot += 1) {
    const lock = await tryLockFile(lockName(folder, slot));
    if (lock) return { file: journalName(folder, slot), lock };
  }
  throw new Error(`All ${MOST_SLOTS} journals of ${folder} are in use.`);
}

async function adopt(
  folder: string,
  ownFile: string,
  onTrouble: (error: unknown) => void,
): Promise<Journal[]> {
  const adopted: Journal[] = [];
  for (const { slot, file } of await journalFiles(folder)) {
    if (file === ownFile) continue;
    const lock = await tryLockFile(lockName(folder, slot));
    if (!lock) continue;
    const journal = await Journal.open({ file, lock }, onTrouble);
    if (journal.state.waiting.size > 0) adopted.push(journal);
    else await journal.close();
  }
  return adopted;
}

export interface JournalFile {
  readonly slot: number;
  readonly file: string;
}

/** The journals that are there, whoever holds them. */
export async function journalFiles(folder: string): Promise<JournalFile[]> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  }
  return names.flatMap((name) => {
    const slot = JOURNAL_NAME.exec(name)?.[1];
    return slot === undefined ? [] : [{ slot: Number(slot), file: join(folder, name) }];
  });
}

/** Removes every journal that no running process holds; says how many were removed and how many were left. */
export async function removeJournals(
  folder: string,
): Promise<{ readonly removed: number; readonly inUse: number }> {
  let removed = 0;
  let inUse = 0;
  for (const { slot, file } of await journalFiles(folder)) {
    const lock = await tryLockFile(lockName(folder, slot));
    if (!lock) {
      inUse += 1;
      continue;
    }
    try {
      await rm(file, { force: true });
      removed += 1;
    } finally {
      lock.release();
    }
  }
  return { removed, inUse };
}

function journalName(folder: string, slot: number): string {
  return join(folder, `journal-${slot}.log`);
}

function lockName(folder: string, slot: number): string {
  return join(folder, `journal-${slot}.lock`);
}
