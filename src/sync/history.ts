/**
 * What is known of a subscriptions file between two runs, as a fold over the lines of a journal: what was the last
 * upload of each title, which chapters were started, saved or announced, and the last and the next run. Each
 * subscriptions file has its own folder; without its journal everything is requested again, and the download archive
 * beside it still prevents a second download.
 */
import type { AppContext } from '../config/context.js';
import { toStorageError } from '../core/files.js';
import type { SavedChapterUpdate } from '../events/series-updates.js';
import { openDownloadArchive, type DownloadArchive } from '../download/download-archive.js';
import { archiveFile, syncFolder } from './history/history-folder.js';
import { RunError } from '../core/errors.js';
import { describeLockHolder, isLocked, tryLockFile, type HeldLock } from '../core/lock.js';
import { join } from 'node:path';
import { claimHistory, syncCommandLine, type EditContext } from './subscriptions.js';
import { openJournals, readJournals, type Journal } from '../core/journal.js';
import {
  lineSchema,
  type ChangedTitle,
  type DeviceBook,
  type FollowsState,
  type HookFailureRecord,
  type KnownFailure,
  type RunRecord,
  type SyncLine,
  type TitleState,
} from './history/sync-lines.js';

export type { DeviceBook } from './history/sync-lines.js';
export { historyFiles } from './history/history-folder.js';

/** A chapter from its start until the hooks know of it. */
interface PendingChapter {
  /** The downloaded release that it replaces. */
  readonly replaces?: string;
  /** Once it is saved. */
  readonly update?: SavedChapterUpdate;
  /** The hooks that failed, once the others know of it. */
  readonly hooks?: readonly string[];
}

export interface SyncState {
  titles: Record<string, TitleState>;
  /** Titles that were merged into others, by their ids: the id of the other one, and the name that they had. */
  readonly merged: Map<string, { readonly into: string; readonly name?: string | undefined }>;
  /** The ids of titles whose books may lack saved chapters: the run was killed before it bound them, or a book failed. */
  readonly unbound: Set<string>;
  /** By the id of the chapter, in the order in which they were started. */
  readonly chapters: Map<string, PendingChapter>;
  /** The titles whose files were changed, and whose folders media servers are to scan, by their ids. */
  readonly changed: Map<string, ChangedTitle>;
  /** The ids of the releases of chapters that a subscription does not keep, by the id of the title. */
  readonly notKept: Map<string, ReadonlySet<string>>;
  /** The books on devices, by the id of the title, then by folder and book. */
  readonly deviceBooks: Map<string, Map<string, DeviceBook>>;
  /** What the service said of the titles when their files last followed it, as digests by their ids. */
  readonly described: Map<string, string>;
  follows?: FollowsState;
  lastRun?: RunRecord;
  hooksFailed?: readonly HookFailureRecord[];
  /** The failures that hooks were called for and that may last, by their targets. */
  readonly notified: Map<string, readonly KnownFailure[]>;
  nextRunMs?: number;
  checkedAtMs?: number;
}

/** Takes no lock. What is missing or cannot be read is requested again. */
export function readSyncState(folder: string): SyncState {
  const state: SyncState = {
    titles: {},
    merged: new Map(),
    unbound: new Set(),
    chapters: new Map(),
    changed: new Map(),
    notKept: new Map(),
    deviceBooks: new Map(),
    described: new Map(),
    notified: new Map(),
  };
  for (const entry of readJournals(folder).flatMap(({ entries }) => entries)) {
    const { data } = lineSchema.safeParse(entry);
    if (data) applyLine(state, data);
  }
  return state;
}

/** Where the history of a subscriptions file is, and what it says. */
export async function readHistory(
  subscriptionsFile: string,
  { paths }: AppContext,
): Promise<{ readonly folder: string; readonly state: SyncState }> {
  const folder = await syncFolder(paths.state, subscriptionsFile);
  return { folder, state: readSyncState(folder) };
}

/** What the history says, and the process that syncs the file now, in words. */
export async function readSyncStatus(
  subscriptionsFile: string,
  { paths }: AppContext,
): Promise<{ readonly state: SyncState; readonly running: string | undefined }> {
  const folder = await syncFolder(paths.state, subscriptionsFile);
  const running = await runningSync(folder);
  return { state: readSyncState(folder), running };
}

/** The chapters that the history of a subscriptions file says were downloaded. */
export async function openHistoryArchive(
  subscriptionsFile: string,
  { paths }: AppContext,
): Promise<DownloadArchive> {
  const folder = await syncFolder(paths.state, subscriptionsFile);
  return openDownloadArchive(archiveFile(folder), { mode: 0o600 });
}

/**
 * The state folder of a subscriptions file, for this process alone until it is released. The file gets the id of its
 * history, but not for a dry run. With `isRepeated`, other processes may sync the file, but not repeatedly. Throws RunError
 * `sync-running`.
 */
export async function lockHistory(
  subscriptionsFile: string,
  context: EditContext,
  { isDryRun = false, isRepeated = false } = {},
): Promise<{ readonly folder: string; readonly release: () => void }> {
  const folder = isDryRun
    ? await syncFolder(context.paths.state, subscriptionsFile)
    : await claimHistory(subscriptionsFile, context);
  const statusCommand = syncCommandLine('status', subscriptionsFile, context);
  const lock = await (isRepeated ? lockRepeatedSync : lockSync)(
    folder,
    subscriptionsFile,
    statusCommand,
  );
  const release = (): void => {
    lock.release();
  };
  return { folder, release };
}

const lockPath = (folder: string): string => join(folder, 'lock');
/** Held by a process with `--every` until it ends: the other lock is free between its runs. */
const repeatLockPath = (folder: string): string => join(folder, 'every-lock');

/**
 * One process at a time syncs a subscriptions file, or changes what is known of it.
 * @param folder the state folder of the subscriptions file
 * @param statusCommand the command that shows what the other process does
 * Throws RunError `sync-running`.
 */
export async function lockSync(
  folder: string,
  file: string,
  statusCommand: string,
): Promise<HeldLock> {
  const hint = `Wait until it is done, or end it. Run: ${statusCommand}`;
  return lockOrThrow(lockPath(folder), `A sync of ${file} is running`, hint);
}

async function lockRepeatedSync(
  folder: string,
  file: string,
  statusCommand: string,
): Promise<HeldLock> {
  const hint = `End it first. Run: ${statusCommand}`;
  return lockOrThrow(repeatLockPath(folder), `A sync of ${file} with --every is running`, hint);
}

async function lockOrThrow(path: string, problem: string, hint: string): Promise<HeldLock> {
  const lock = await tryLockFile(path);
  if (lock) return lock;
  throw new RunError('sync-running', `${problem}: ${describeLockHolder(path)}.`, { hint });
}

/** The process that syncs, or that waits for its next run, in words. */
async function runningSync(folder: string): Promise<string | undefined> {
  for (const path of [lockPath(folder), repeatLockPath(folder)]) {
    const holder = describeLockHolder(path);
    if (await isLocked(path)) return holder;
  }
  return undefined;
}

/** Does nothing while another process syncs the file. */
export async function recordNextRun(
  folder: string,
  nextRunMs: number,
  warn: (message: string) => void,
): Promise<void> {
  const lock = await tryLockFile(lockPath(folder));
  if (!lock) return;
  try {
    const journal = await SyncJournal.open(folder, { warn });
    journal.add({ nextRunMs });
    await journal.close();
  } finally {
    lock.release();
  }
}

export function isSaved(chapter: PendingChapter | undefined): boolean {
  return chapter?.update !== undefined;
}

/** The id of the title after merges. */
export function currentTitleId(id: string, { merged }: SyncState): string {
  // Asked for each subscription and each title of a collection.
  if (!merged.has(id)) return id;
  const seen = new Set([id]);
  let current = id;
  for (let next = merged.get(id)?.into; next !== undefined && !seen.has(next);) {
    seen.add(next);
    current = next;
    next = merged.get(next)?.into;
  }
  return current;
}

/** The ids of the titles that were merged into this one. */
export function formerIdsOf(id: string, state: SyncState): readonly string[] {
  return [...state.merged.keys()].filter((each) => currentTitleId(each, state) === id);
}

/** What is known of a title of the subscriptions file. */
export function titleState(id: string, state: SyncState): TitleState | undefined {
  return state.titles[currentTitleId(id, state)];
}

/** The chapters that hooks do not know yet. */
export function unannounced({ chapters }: SyncState): SavedChapterUpdate[] {
  return [...chapters.values()].flatMap(({ update }) => update ?? []);
}

/** Whether the hook does not know of the saved chapter yet. */
export function isUnknownTo(hook: string, id: string, { chapters }: SyncState): boolean {
  return chapters.get(id)?.hooks?.includes(hook) ?? true;
}

/** The line that makes a known title due in the next run. */
export function incompleteTitle(id: string, { titles }: SyncState): SyncLine[] {
  const known = titles[id];
  return known ? [{ title: id, state: { ...known, isIncomplete: true } }] : [];
}

export class SyncJournal {
  #hasFailed = false;

  /** The caller holds the lock of the folder. Without `isWritten`, lines change the state alone. Throws StorageError. */
  static async open(
    folder: string,
    options: { readonly isWritten?: boolean; readonly warn: (message: string) => void },
  ): Promise<SyncJournal> {
    const { isWritten = true, warn } = options;
    try {
      const journals = isWritten ? await openJournals(folder) : [];
      return new SyncJournal(readSyncState(folder), journals, warn);
    } catch (error) {
      throw toStorageError(error, folder);
    }
  }

  private constructor(
    readonly state: SyncState,
    private readonly journals: readonly Journal[],
    private readonly warn: (message: string) => void,
  ) {}

  /** Lines that cannot be written stay in memory until the next ones, with a warning. */
  add(line: SyncLine): void {
    this.addAll([line]);
  }

  addAll(lines: readonly SyncLine[]): void {
    if (lines.length === 0) return;
    for (const line of lines) applyLine(this.state, line);
    // A chapter is only announced if it survives a power cut.
    const isSynced = lines.some((line) => 'saved' in line);
    try {
      this.journals[0]?.append(lines, { isSynced });
    } catch (error) {
      if (!this.#hasFailed) this.warn(`The state of the sync was not stored: ${String(error)}`);
      this.#hasFailed = true;
    }
  }

  async compactIfLarge(): Promise<void> {
    const [own] = this.journals;
    if (own?.isLarge) await own.compact(() => linesOf(this.state));
  }

  async close(): Promise<void> {
    await this.compactIfLarge();
    for (const journal of this.journals) journal.close();
  }
}

function applyLine(state: SyncState, line: SyncLine): void {
  const { chapters } = state;
  const add = (id: string, more: PendingChapter) =>
    chapters.set(id, { ...chapters.get(id), ...more });
  if ('title' in line) state.titles[line.title] = line.state;
  else if ('started' in line) add(line.started, { replaces: line.replaces });
  else if ('saved' in line) add(line.saved.chapter.id, { update: line.saved });
  else if ('announced' in line) applyAnnounced(state, line);
  else if ('notKept' in line) applyNotKept(state, line);
  else if ('deviceBook' in line) {
    const { deviceBook: id, ...book } = line;
    const books = state.deviceBooks.get(id) ?? new Map<string, DeviceBook>();
    state.deviceBooks.set(id, books.set(`${book.folder}\n${book.book}`, book));
  } else if ('described' in line) state.described.set(line.described, line.digest);
  else if ('changed' in line) {
    const { changed: id, ...title } = line;
    if (title.servers.length > 0) state.changed.set(id, title);
    else state.changed.delete(id);
  } else if ('ended' in line) {
    for (const id of line.ended) if (!chapters.get(id)?.update) chapters.delete(id);
  } else if ('forgotten' in line) {
    const forgotten = new Set(line.forgotten);
    const kept = Object.entries(state.titles).filter(([id]) => !forgotten.has(id));
    state.titles = Object.fromEntries(kept);
    for (const id of forgotten) {
      state.unbound.delete(id);
      state.described.delete(id);
      state.notKept.delete(id);
      state.deviceBooks.delete(id);
      state.notified.delete(`title:${id}`);
    }
  } else if ('unbound' in line) state.unbound.add(line.unbound);
  else if ('bound' in line) state.unbound.delete(line.bound);
  else if ('merged' in line) state.merged.set(line.merged, { into: line.into, name: line.name });
  else if ('follows' in line) state.follows = line.follows;
  else if ('run' in line) {
    state.lastRun = line.run;
    delete state.hooksFailed;
  } else if ('hooksFailed' in line) state.hooksFailed = line.hooksFailed;
  else if ('notified' in line) {
    if (line.failures.length > 0) state.notified.set(line.notified, line.failures);
    else state.notified.delete(line.notified);
  } else if ('checkedAtMs' in line) state.checkedAtMs = line.checkedAtMs;
  else state.nextRunMs = line.nextRunMs;
}

function applyAnnounced(
  { chapters }: SyncState,
  { announced, except = [] }: Extract<SyncLine, { announced: unknown }>,
): void {
  for (const id of announced) {
    const chapter = chapters.get(id);
    if (chapter && except.length > 0) chapters.set(id, { ...chapter, hooks: except });
    else chapters.delete(id);
  }
}

function applyNotKept(
  { notKept }: SyncState,
  { notKept: id, add, remove }: Extract<SyncLine, { notKept: unknown }>,
): void {
  const ids = new Set([...(notKept.get(id) ?? []), ...add]);
  for (const each of remove) ids.delete(each);
  if (ids.size > 0) notKept.set(id, ids);
  else notKept.delete(id);
}

/** The lines of a compacted journal. */
function linesOf(state: SyncState): SyncLine[] {
  const { titles, merged, unbound, chapters, changed, notKept, deviceBooks, described } = state;
  const { follows, lastRun, hooksFailed, notified, nextRunMs, checkedAtMs } = state;
  return [
    ...Object.entries(titles).map(([title, known]) => ({ title, state: known })),
    ...[...merged].map(([id, { into, name }]) => ({ merged: id, into, name })),
    ...[...unbound].map((id) => ({ unbound: id })),
    ...[...chapters].flatMap(([id, { replaces, update, hooks }]): SyncLine[] => [
      { started: id, replaces },
      ...(update ? [{ saved: update }] : []),
      ...(hooks ? [{ announced: [id], except: [...hooks] }] : []),
    ]),
    ...[...notKept].map(([id, ids]) => ({ notKept: id, add: [...ids], remove: [] })),
    ...[...deviceBooks].flatMap(([id, books]) =>
      [...books.values()].map((book) => ({ deviceBook: id, ...book })),
    ),
    ...[...described].map(([id, digest]) => ({ described: id, digest })),
    ...[...changed].map(([id, title]) => ({ changed: id, ...title })),
    ...(follows ? [{ follows }] : []),
    ...(lastRun ? [{ run: lastRun }] : []),
    ...(hooksFailed ? [{ hooksFailed: [...hooksFailed] }] : []),
    ...[...notified].map(([target, failures]) => ({ notified: target, failures: [...failures] })),
    ...(nextRunMs === undefined ? [] : [{ nextRunMs }]),
    ...(checkedAtMs === undefined ? [] : [{ checkedAtMs }]),
  ];
}
