/** Removes the file of a deleted chapter whose number another one gets, see find-superseded.ts. */
import { readIdentity, type FoundChapter } from '../../library/file.js';
import {
  fileChanged,
  isUnchanged,
  readFileState,
  replaceUnchanged,
  type FileState,
} from '../../core/file-state.js';
import { keepReplaced, type KeepOptions } from '../../library/replaced-files.js';
import { removeFile, temporaryName } from '../../core/files.js';
import {
  mergedComicInfo,
  readChapterFile,
  rewriteChapterFile,
} from '../../library/chapter-file.js';

/** A file that makes way for a chapter. */
export interface SupersededFile extends Pick<FoundChapter, 'file' | 'chapterId'> {
  readonly keep: KeepOptions;
}

/** The file of the chapter that gets the number. */
interface SuccessorFile {
  readonly file: string;
  readonly state: FileState;
  /** The file with the pages that the chapter gets: the same, if it keeps its pages. */
  readonly pagesFile: string;
}

/**
 * Removes the superseded file before its successor gets the number: as long as that has the old version, the run after
 * a killed one updates it. Its owner's edits go into the successor first. Resolves with the state of that. Throws
 * StorageError, such as `file-changed`, also for a damaged file, which stays.
 */
export async function removeSuperseded(
  successor: SuccessorFile,
  { file, chapterId, keep }: SupersededFile,
  signal: AbortSignal,
): Promise<FileState> {
  const state = await readFileState(file);
  if (!state) return successor.state;
  const identity = await readIdentity(file);
  const isSame =
    typeof identity === 'object' && identity.proof === 'mark' && identity.chapterId === chapterId;
  if (!isSame) throw fileChanged(file);
  const newState = await takeEdits(successor, file, signal);
  await keepReplaced({ file, state }, [successor.pagesFile], keep, async () => {
    if (!(await isUnchanged(file, state))) throw fileChanged(file);
    await removeFile(file);
  });
  return newState;
}

/** What tankobon wrote in the successor stays: its number shows that it is not updated yet. */
async function takeEdits(
  { file, state }: SuccessorFile,
  edited: string,
  signal: AbortSignal,
): Promise<FileState> {
  const content = await readChapterFile(file);
  const superseded = await readChapterFile(edited);
  const { comicInfo, record } = content;
  const metadata = record?.metadata ?? content.metadata;
  const options = { force: false, hasSamePages: true };
  const comic = { ...metadata, pages: [] };
  const merged = await mergedComicInfo([content, superseded], comic, options);
  if (!merged || merged.xml === comicInfo) return state;
  await rewriteChapterFile(file, content, {
    force: false,
    superseded,
    metadata,
    inferredVolume: record?.inferredVolume,
    recorded: undefined,
    revision: undefined,
    tmpFile: temporaryName(file),
    publish: async (tmpFile) => {
      if (await replaceUnchanged(tmpFile, file, state)) return file;
      throw fileChanged(file);
    },
    signal,
  });
  const newState = await readFileState(file);
  if (!newState) throw fileChanged(file);
  return newState;
}
