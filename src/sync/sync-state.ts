/**
 * What is known of a subscriptions file between two runs: which release of each title was the last, what waits until
 * when, and the last and the next run. One folder for each subscriptions file; without its state everything is requested
 * again, and the download archive beside it still prevents a second download.
 */
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import {
  makePrivateFolder,
  readFileIfExists,
  toStorageError,
  writeFileAtomic,
} from '../core/files.js';
import { parseJson } from '../core/json.js';

const timeMs = z.number().nonnegative();
const waiting = z.object({ chapter: z.string(), number: z.string().optional(), untilMs: timeMs });

const titleState = z.object({
  name: z.string().optional(),
  /** The last upload that was dealt with. */
  latest: z.string().optional(),
  /** The options that it was dealt with by. */
  rules: z.string(),
  /** When all its releases were read. */
  readAtMs: timeMs,
  /** When to decide again although nothing new was uploaded. */
  againAtMs: timeMs.optional(),
  /** Releases before are not downloaded (`--from-now`). */
  sinceMs: timeMs.optional(),
  /** A chapter failed, or the run was stopped. */
  isIncomplete: z.boolean().optional(),
  waiting: z.array(waiting).default([]),
});

const runRecord = z.object({
  startedAtMs: timeMs,
  endedAtMs: timeMs,
  saved: z.number(),
  replaced: z.number(),
  skipped: z.number(),
  failed: z.number(),
  /** The code of the error that stopped it. */
  stopped: z.string().optional(),
});

const schema = z.object({
  format: z.literal(1),
  titles: z.record(z.string(), titleState),
  follows: z
    .object({
      /** When the followed titles were last read completely. */
      lastSuccessMs: timeMs,
      sinceMs: timeMs.optional(),
      titleIds: z.array(z.string()),
      /** Titles with a reading status that are not followed. */
      notFollowed: z.array(z.string()).default([]),
    })
    .optional(),
  /** By the id of a chapter, the downloaded release that it replaces. */
  replacements: z.record(z.string(), z.string()).default({}),
  /** By the id of a chapter whose download was started, the release that it replaces, if it replaces one. */
  downloading: z.record(z.string(), z.string().nullable()).default({}),
  lastRun: runRecord.optional(),
  nextRunMs: timeMs.optional(),
});

export type SyncState = z.output<typeof schema>;
export type TitleState = z.output<typeof titleState>;

const FILE_MODE = 0o600;

/** The state folder of a subscriptions file. */
export async function syncFolder(stateFolder: string, subscriptionsFile: string): Promise<string> {
  const path = await realpath(subscriptionsFile).catch(() => resolve(subscriptionsFile));
  const name = createHash('sha256').update(path).digest('hex').slice(0, 16);
  return join(stateFolder, 'sync', name);
}

const stateFile = (folder: string) => join(folder, 'state.json');
export const archiveFile = (folder: string): string => join(folder, 'download-archive.txt');
export const lockPath = (folder: string): string => join(folder, 'lock');

/** A missing or unreadable state is an empty one: everything is requested again. */
export async function readSyncState(folder: string): Promise<SyncState> {
  const bytes = await readFileIfExists(stateFile(folder));
  const state = schema.safeParse(parseJson(bytes?.toString('utf8') ?? ''));
  return state.success ? state.data : { format: 1, titles: {}, replacements: {}, downloading: {} };
}

/** Throws StorageError. */
export async function writeSyncState(folder: string, state: SyncState): Promise<void> {
  const file = stateFile(folder);
  try {
    await makePrivateFolder(folder);
    await writeFileAtomic(file, JSON.stringify(state), { mode: FILE_MODE });
  } catch (error) {
    throw toStorageError(error, file);
  }
}
