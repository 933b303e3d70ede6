/**
 * Chooses the final name of a finished CBZ. Other processes save into the same folder, so a name that was free when
 * the run was planned may now belong to another chapter: then this chapter's id is added to the name.
 */
import { basename, dirname, join } from 'node:path';
import { candidatePaths } from '../../config/names.js';
import { readIdentity } from '../../library/file.js';
import {
  fileChanged,
  readFileState,
  replaceAs,
  replaceUnchanged,
  type FileState,
} from '../../core/file-state.js';
import { keepReplaced, type KeepOptions } from '../../library/replaced-files.js';
import { StorageError } from '../../core/errors.js';
import { isOwnFile, toStorageError, statIfExists } from '../../core/files.js';
import { publishNew } from '../../core/publish.js';
import type { FileToRepair } from '../download-request.js';
import { isSameUuid } from '../../core/uuid.js';
import { replacedFile, type Write } from '../../plan/change.js';

export interface ChapterTarget {
  readonly id: string;
  /** The planned path. */
  readonly file: string;
  readonly change: Write;
  /** The longest name that the folder takes. */
  readonly maxNameBytes: number;
  /** Also what another process saved of the chapter meanwhile is replaced. */
  readonly isForced: boolean;
  /** The file that a repair replaces, and only as it is. */
  readonly repairs: FileToRepair | undefined;
  /** How a replaced file is kept. */
  readonly keep: KeepOptions;
}

/** Whether an archive of the same chapter is replaced. */
export function isOverwritten({ id, change, isForced }: ChapterTarget): boolean {
  if (change.kind === 'extract') return isForced || change.removes.length > 0;
  return isForced || (change.kind === 'replace' && isSameUuid(change.file.chapterId, id));
}

/** The path of this chapter's CBZ: the planned one, or the one that another process gave it. */
export async function findPublished(target: ChapterTarget): Promise<string | undefined> {
  for (const file of candidates(target)) {
    const content = await contentOf(file, target);
    if (content.chapter === 'none') return undefined;
    if (content.chapter === 'same') return file;
  }
  return undefined;
}

/**
 * Gives `tmpFile`, which was read back whole, its final name and resolves with it. Replaces only tankobon's own archives
 * of this chapter, or of the one that it replaces.
 */
export async function publishChapter(tmpFile: string, target: ChapterTarget): Promise<string> {
  const replaces = replacedFile(target.change)?.file ?? target.file;
  if (replaces !== target.file) {
    const { chapter, own } = await contentOf(replaces, target);
    const isReplaced = chapter === 'same' || chapter === 'replaced';
    const state = own && (target.repairs?.state ?? own);
    if (state && isReplaced)
      return keepReplaced({ file: replaces, state }, [tmpFile], keepOptions(target), () =>
        replaceAs(tmpFile, candidates(target), { file: replaces, state }),
      );
  }
  for (const file of candidates(target)) {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      if (await publishNew(tmpFile, file)) return file;
      const { chapter, own } = await contentOf(file, target);
      if (chapter === 'other' || !own) break;
      // Another process has saved the same chapter meanwhile.
      if (chapter === 'same' && !isOverwritten(target)) return file;
      const state = target.repairs?.state ?? own;
      const isReplaced = await keepReplaced({ file, state }, [tmpFile], keepOptions(target), () =>
        replaceUnchanged(tmpFile, file, state),
      );
      if (isReplaced) return file;
      if (target.repairs?.state) throw fileChanged(file);
    }
  }
  throw new StorageError('name-taken', `No free file name: ${target.file}`, { path: target.file });
}

/** Whether the end of the file is lost. */
function isDamaged({ change }: Pick<ChapterTarget, 'change'>): boolean {
  return change.kind === 'replace' && change.why === 'damaged';
}

/** A damaged file is kept beside the new one. */
function keepOptions({ keep, change }: ChapterTarget): KeepOptions {
  return isDamaged({ change }) ? { ...keep, maxAgeMs: 0 } : keep;
}

/**
 * Removes the file that makes way for the chapter in `tmpFile`, unless another program changed the one that is replaced.
 * Throws StorageError.
 */
export async function removeOther(
  tmpFile: string,
  target: ChapterTarget,
  signal: AbortSignal,
): Promise<void> {
  const { change, keep } = target;
  if (change.kind !== 'replace') return;
  const { file } = change.file;
  for (const old of change.removes) {
    const { chapter, own: state } = await contentOf(file, target);
    if (chapter !== 'same' || !state) throw fileChanged(file);
    const { removeSuperseded } = await import('./superseded-file.js');
    await removeSuperseded({ file, state, pagesFile: tmpFile }, { ...old, keep }, signal);
  }
}

/** While another process replaces the same file. */
const MAX_ATTEMPTS = 5;

function* candidates({ id, file, ...limit }: ChapterTarget): Generator<string> {
  for (const name of candidatePaths({ chapterId: id, path: basename(file) }, limit))
    yield join(dirname(file), name);
}

interface ExistingFile {
  /** `same`: this chapter; `replaced`: the one that it replaces. */
  readonly chapter: 'none' | 'same' | 'replaced' | 'other';
  /** The state of a file of this user that is tankobon's own; undefined for any other one. */
  readonly own: FileState | undefined;
}

const NO_FILE = { chapter: 'none', own: undefined } as const;
const OTHER_FILE = { chapter: 'other', own: undefined } as const;

async function contentOf(
  file: string,
  { id, change, ...target }: ChapterTarget,
): Promise<ExistingFile> {
  const stats = await statIfExists(file).catch((error: unknown) => {
    throw toStorageError(error, file);
  });
  if (!stats) return NO_FILE;
  if (!stats.isFile())
    throw new StorageError('name-taken', `${file} exists and is not a regular file.`, {
      path: file,
    });
  const found = await readFileState(file);
  const state = found && isOwnFile(file, found) ? found : undefined;
  const identity = await readIdentity(file);
  const hadMark = isDamaged({ change }) || target.repairs?.lostMark !== undefined;
  if (hadMark && file === target.file && typeof identity === 'string')
    return { chapter: 'same', own: state };
  if (identity === undefined || typeof identity === 'string') return OTHER_FILE;
  const { chapterId, proof } = identity;
  const own = proof === 'mark' ? state : undefined;
  if (isSameUuid(chapterId, id)) return { chapter: 'same', own };
  const replaced = replacedFile(change)?.chapterId ?? id;
  return { chapter: isSameUuid(chapterId, replaced) ? 'replaced' : 'other', own };
}
