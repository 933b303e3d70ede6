/** Finds what is wrong with a file or edited in it, and changes nothing. */
import { fileErrorReason } from '../core/files.js';
import { Damaged, type CheckOptions, type Damage, type PageEdits } from './check/damage.js';
import { containerNamed, CONTAINERS, type ContainerName } from './containers.js';
import { reusableBuffer } from './zip/zip-file.js';

export { areWhole } from './check/zip-damage.js';
export { isEditedMetadata } from './check/folder-damage.js';

interface CheckFileOptions extends Partial<CheckOptions> {
  readonly signal: AbortSignal;
  /** By default, the name says it. */
  readonly container?: ContainerName;
}

/** A folder that `bind` did not write is whole. */
type FileCheck =
  | { readonly state: 'whole' }
  | { readonly state: 'edited'; readonly edits: PageEdits }
  | { readonly state: 'damaged'; readonly damage: Damage };

/** Reads the whole file. Rejects for nothing that can be wrong with it. */
export async function checkFile(
  path: string,
  {
    signal,
    onMark = () => undefined,
    getBuffer = reusableBuffer(),
    container = containerNamed(path) ?? 'cbz',
  }: CheckFileOptions,
): Promise<FileCheck> {
  try {
    const edits = await CONTAINERS[container].check(path, { signal, onMark, getBuffer });
    return edits ? { state: 'edited', edits } : { state: 'whole' };
  } catch (error) {
    signal.throwIfAborted();
    const damage: Damage =
      error instanceof Damaged
        ? error.damage
        : { reason: 'unreadable', detail: fileErrorReason(error) };
    return { state: 'damaged', damage };
  }
}
