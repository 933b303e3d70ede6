/**
 * Loads damaged chapters again, on demand edited ones too, each into the place of its file, which is kept as
 * `<name>.damaged` or `<name>.edited`, and has books rebuilt. Only tankobon's own files are replaced, and only once the new one was read back whole.
 */
import { dirname, join, resolve } from 'node:path';
import { readIdentity, readOwnership } from '../library/file.js';
import { FOLDER_MANIFEST_NAME, type CbzIdentity } from '../library/mark.js';
import { readFileState, type FileState } from '../core/file-state.js';
import type { AppContext } from '../config/context.js';
import type { TankobonError } from '../core/errors.js';
import { groupBy } from '../core/group-by.js';
import { fileErrorReason, isOwnFile, lstatIfExists, OTHER_USER_HINT } from '../core/files.js';
import { systemReason } from '../core/system-errors.js';
import type { DownloadListeners } from '../download/download-session.js';
import { downloadRequest } from '../download/download-request.js';
import { download } from '../download/run-download.js';
import type { Quality } from '../config/quality.js';
import { keepDamaged, removeIfUnreplaced, type KeptAs } from '../core/keep-damaged.js';
import type { RepairedFile } from '../events/verify-events.js';
import type { FileStore } from '../library/store.js';
import { repairBooks } from './repair-books.js';

interface Repairable {
  readonly file: string;
  readonly identity: CbzIdentity;
  readonly quality: Quality;
  /** Only a file that is as it was is replaced. */
  readonly state: FileState;
  readonly keptAs: KeptAs;
  /** The chapter whose mark it had, as an earlier check knows it. */
  readonly lostMark: CbzIdentity | undefined;
}

const MOVE_AWAY_HINT = 'Move it away, then download its chapter again.';

/** Resolves with the files that were replaced; the others are as they were. Throws as `download` does. */
export async function repairFiles(
  damaged: readonly string[],
  edited: readonly string[],
  context: AppContext,
  listeners: DownloadListeners,
  signal: AbortSignal,
  store: FileStore,
): Promise<readonly RepairedFile[]> {
  const repairable: Repairable[] = [];
  const others: string[] = [];
  for (const file of [...damaged, ...edited])
    try {
      if (await isOfOtherUser(file)) {
        const message = `Not repaired, since it belongs to another user: ${file}`;
        listeners.observe({ type: 'warning', message, hint: OTHER_USER_HINT });
        continue;
      }
      const found = await toRepairable(file, store);
      if (found === 'lost-mark') {
        const message = `Not repaired, since it lost the mark of tankobon to another program: ${file}`;
        listeners.observe({ type: 'warning', message, hint: MOVE_AWAY_HINT });
      } else if (found) {
        const keptAs = edited.includes(file) ? 'edited' : 'damaged';
        repairable.push({ ...found, keptAs });
      } else others.push(file);
    } catch (error) {
      const message = `Not repaired (${fileErrorReason(error)}): ${file}`;
      listeners.observe({ type: 'warning', message });
    }
  const repaired: RepairedFile[] = [];
  const places = groupBy(repairable, ({ file, quality }) => `${quality} ${dirname(file)}`);
  for (const files of places.values()) {
    const { stoppedBy, ...folder } = await repairFolder(files, context, listeners, signal);
    for (const each of folder.repaired) repaired.push(each);
    if (!stoppedBy) continue;
    // Such as a full disk, which concerns the other folders too.
    const { message, hint } = stoppedBy;
    if (!signal.aborted) listeners.observe({ type: 'warning', message, hint });
    return repaired;
  }
  return [...repaired, ...(await repairBooks(others, context, listeners, signal, store))];
}

/** For a book in a folder: whether the folder or its manifest does. */
async function isOfOtherUser(file: string): Promise<boolean> {
  for (const path of [file, join(file, FOLDER_MANIFEST_NAME)]) {
    const stats = await lstatIfExists(path);
    if (stats && !isOwnFile(path, stats)) return true;
  }
  return false;
}

/** Undefined for a file of another program, a book, and one whose chapter is not known any more. */
async function toRepairable(
  file: string,
  store: FileStore,
): Promise<Omit<Repairable, 'keptAs'> | 'lost-mark' | undefined> {
  const state = await readFileState(file);
  if (!state) return undefined;
  const found = await readIdentity(file);
  // A file that can be read, and has no mark, is one of another program by now.
  const hasLostMark = typeof found === 'string';
  const identity = hasLostMark ? lostChapter(file, store) : found;
  if (!identity || typeof identity === 'string') return undefined;
  const ownership = hasLostMark ? 'own' : await readOwnership(file);
  if (ownership === 'lost-mark') return ownership;
  if (ownership !== 'own') return undefined;
  // The record, which has the quality, may be damaged.
  const { quality = lostChapter(file, store)?.quality ?? 'data' } = identity;
  return { file, identity, quality, state, lostMark: hasLostMark ? identity : undefined };
}

/** Undefined for a book, which has chapters. */
function lostChapter(file: string, store: FileStore): CbzIdentity | undefined {
  const mark = store.markAt(resolve(file));
  return mark?.isBook === false ? mark.chapters[0] : undefined;
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
  const kept = new Map<string, RepairedFile & { readonly kept: string }>();
  for (const { file, keptAs } of files)
    try {
      kept.set(resolve(file), { file, kept: await keepDamaged(file, keptAs) });
    } catch (error) {
      const message = `Not repaired, since the damaged file cannot be renamed, to keep it: ${file}`;
      listeners.observe({ type: 'warning', message: `${message} (${fileErrorReason(error)})` });
    }
  const keptFiles = files.filter(({ file }) => kept.has(resolve(file)));
  if (keptFiles.length === 0) return { repaired: [] };
  const targets = keptFiles.map(({ identity }) => ({
    kind: 'chapter' as const,
    id: identity.chapterId,
  }));
  const options = { output: dirname(resolve(first.file)), quality: first.quality, force: true };
  const once = { bind: false, cover: false, downloadArchive: false, markRead: false } as const;
  const request = {
    ...downloadRequest(targets, { ...options, ...once }, context.settings),
    repairs: new Map(keptFiles.map((each) => [resolve(each.file), each])),
  };
  const repaired = new Map<RepairedFile, RepairedFile>();
  const observe: DownloadListeners['observe'] = (event) => {
    listeners.observe(event);
    if (event.type !== 'chapter-saved') return;
    const { file: newFile, replacedFile = newFile } = event;
    // On a failing disk, a rename may have left the damaged file under both names.
    for (const path of new Set([resolve(replacedFile), resolve(newFile)])) {
      const entry = kept.get(path);
      if (entry) repaired.set(entry, path === resolve(newFile) ? entry : { ...entry, newFile });
    }
  };
  try {
    const { stoppedBy } = await download(context, request, { ...listeners, observe }, signal);
    return { repaired: [...repaired.values()], stoppedBy };
  } finally {
    for (const [file, entry] of kept)
      if (!repaired.has(entry))
        await removeIfUnreplaced(file, entry.kept).catch((error: unknown) => {
          const message = `Cannot remove ${entry.kept}: ${systemReason(error)}`;
          listeners.observe({ type: 'warning', message });
        });
  }
}
