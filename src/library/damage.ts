/** Finds and says what is wrong with a file or edited in it, and changes nothing. */
import { fileErrorReason } from '../core/files.js';
import { isForbidden } from '../core/system-errors.js';
import { Damaged, type CheckOptions, type Damage, type PageEdits } from './check/damage.js';
import type { ContainerName } from '../config/containers.js';
import { containerOf, HANDLERS, openPages } from './containers.js';
import type { FileMark } from './mark.js';
import type { FileContent } from './read/content.js';
import { reusableBuffer, type ZipEntry } from '../core/zip-file.js';
import { checkEntries } from './check/zip-damage.js';

export { damagedChapter } from './check/damaged-chapter.js';
export { isEditedMetadata } from './check/folder-damage.js';

interface CheckFileOptions extends Partial<Pick<CheckOptions, 'getBuffer' | 'isRegular'>> {
  readonly signal: AbortSignal;
  /** By default, the name says it. */
  readonly container?: ContainerName;
}

/** A folder that `bind` did not write is whole. `mark`: what could be read of it. `content`: of an archive without damage. */
type FileCheck = {
  readonly mark: FileMark | undefined;
  readonly content?: FileContent | undefined;
} & (
  | { readonly state: 'whole' }
  | { readonly state: 'edited'; readonly edits: PageEdits }
  | { readonly state: 'damaged'; readonly damage: Damage }
  /** This user may not read it: nothing is known of it. */
  | { readonly state: 'forbidden'; readonly reason: string }
);

/** Reads the whole file. Rejects for nothing that can be wrong with it. */
export async function checkFile(
  path: string,
  { container = containerOf(path), getBuffer = reusableBuffer(), ...options }: CheckFileOptions,
): Promise<FileCheck> {
  let mark: FileMark | undefined;
  const onMark = (found: FileMark): void => {
    mark = found;
  };
  let content: FileContent | undefined;
  const onContent = (found: FileContent): void => {
    content = found;
  };
  try {
    const listeners = { onMark, onContent };
    const edits = await HANDLERS[container].check(path, { ...options, ...listeners, getBuffer });
    return edits ? { mark, content, state: 'edited', edits } : { mark, content, state: 'whole' };
  } catch (error) {
    options.signal.throwIfAborted();
    if (isForbidden(error)) return { mark, state: 'forbidden', reason: fileErrorReason(error) };
    const damage: Damage =
      error instanceof Damaged
        ? error.damage
        : { reason: 'unreadable', detail: fileErrorReason(error) };
    return { mark, state: 'damaged', damage };
  }
}

/** Whether each of these entries has its checksum, and each page among them its end. */
export async function areWhole(
  file: string,
  entries: readonly ZipEntry[],
  signal: AbortSignal,
): Promise<boolean> {
  const options = { signal, getBuffer: reusableBuffer() };
  try {
    const reader = await openPages(file);
    const known = { saved: new Set<string>(), isAsBound: false };
    await checkEntries(reader, entries, known, options).finally(() => reader.close());
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
