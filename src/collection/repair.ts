/**
 * Loads damaged chapters again, each into the place of the damaged file, which is kept as `<name>.damaged`. Only
 * tankobon's own files are replaced, and only once the new one was read back whole.
 */
import { constants, copyFile, link } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { readIdentity } from '../cbz/archive-content.js';
import { readFileState, readOwnership, type FileState } from '../cbz/ownership.js';
import type { AppContext } from '../config/context.js';
import type { TankobonError } from '../core/errors.js';
import { groupBy } from '../core/group-by.js';
import { fileErrorReason, haveSameBytes, isSystemError, removeFile } from '../core/files.js';
import type { DownloadListeners } from '../download/download-session.js';
import { downloadRequest } from '../download/download-request.js';
import { download } from '../download/run-download.js';
import type { Quality } from '../image/page-url.js';

export interface RepairedFile {
  readonly file: string;
  /** Where the damaged file is kept. */
  readonly kept: string;
}

interface Repairable {
  readonly file: string;
  readonly chapter: string;
  readonly quality: Quality;
  /** Only a file that is as it was is replaced. */
  readonly state: FileState;
}

/** Resolves with the files that were replaced; the others are as they were. Throws as `download` does. */
export async function repairFiles(
  damaged: readonly string[],
  context: AppContext,
  listeners: DownloadListeners,
  signal: AbortSignal,
): Promise<readonly RepairedFile[]> {
  const repairable: Repairable[] = [];
  for (const file of damaged) {
    const found = await toRepairable(file);
    if (found) repairable.push(found);
  }
  const repaired: RepairedFile[] = [];
  const places = groupBy(repairable, ({ file, quality }) => `${quality} ${dirname(file)}`);
  for (const files of places.values()) {
    const { stoppedBy, ...folder } = await repairFolder(files, context, listeners, signal);
    repaired.push(...folder.repaired);
    if (!stoppedBy) continue;
    // Such as a full disk, which concerns the other folders too.
    const { message, hint } = stoppedBy;
    if (!signal.aborted) listeners.observe({ type: 'warning', message, hint });
    break;
  }
  return repaired;
}

/** Undefined for a file of another program, a book, and one whose chapter cannot be read from it any more. */
async function toRepairable(file: string): Promise<Repairable | undefined> {
  const state = await readFileState(file);
  const identity = await readIdentity(file);
  if (!state || identity === undefined || typeof identity === 'string') return undefined;
  const { chapterId: chapter, quality = 'data' } = identity;
  return (await readOwnership(file)) === 'own' ? { file, chapter, quality, state } : undefined;
}

/** For files in one folder, of one quality. */
async function repairFolder(
  files: readonly Repairable[],
  context: AppContext,
  listeners: DownloadListeners,
  signal: AbortSignal,
): Promise<{ repaired: readonly RepairedFile[]; stoppedBy?: TankobonError | undefined }> {
  const [first] = files;
  if (!first) return { repaired: [] };
  const kept = new Map<string, RepairedFile>();
  for (const { file } of files)
    try {
      kept.set(resolve(file), { file, kept: await keepDamaged(resolve(file)) });
    } catch (error) {
      const message = `Not repaired, since a second name cannot be given: ${file}`;
      listeners.observe({ type: 'warning', message: `${message} (${fileErrorReason(error)})` });
    }
  const keptFiles = files.filter(({ file }) => kept.has(resolve(file)));
  if (keptFiles.length === 0) return { repaired: [] };
  const targets = keptFiles.map(({ chapter: id }) => ({ kind: 'chapter' as const, id }));
  const options = { output: dirname(resolve(first.file)), quality: first.quality, force: true };
  const once = { bind: false, cover: false, downloadArchive: false, markRead: false } as const;
  const request = {
    ...downloadRequest(targets, { ...options, ...once }, context.settings),
    filesToReplace: new Map(keptFiles.map(({ file, state }) => [resolve(file), state])),
  };
  const repaired = new Set<RepairedFile>();
  const observe: DownloadListeners['observe'] = (event) => {
    listeners.observe(event);
    const entry = event.type === 'chapter-saved' && kept.get(resolve(event.file));
    if (entry) repaired.add(entry);
  };
  try {
    const { stoppedBy } = await download(context, request, { ...listeners, observe }, signal);
    return { repaired: [...repaired], stoppedBy };
  } finally {
    for (const [file, entry] of kept)
      if (!repaired.has(entry) && (await isStillThere(file, entry.kept)))
        await removeFile(entry.kept);
  }
}

/** Whether the damaged file still has its name: an interruption or a failure may come after it was replaced. */
async function isStillThere(file: string, kept: string): Promise<boolean> {
  // A failing disk may not read it again, and then both names stay.
  return haveSameBytes(file, kept).catch(() => false);
}

/** A second name of the damaged file: the first one is replaced later, in one step. */
async function keepDamaged(file: string): Promise<string> {
  for (let count = 1; ; count += 1) {
    const kept = count === 1 ? `${file}.damaged` : `${file}.${count}.damaged`;
    try {
      await link(file, kept).catch(async (error: unknown) => {
        if (isSystemError(error, 'EEXIST')) throw error;
        // The file system has no hard links.
        await copyFile(file, kept, constants.COPYFILE_EXCL);
      });
      return kept;
    } catch (error) {
      if (!isSystemError(error, 'EEXIST')) throw error;
    }
  }
}
