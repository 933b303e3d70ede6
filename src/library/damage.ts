/** Finds and says what is wrong with a file, and changes nothing. */
import { ERROR_CODES } from '../core/error-codes.js';
import { StorageError } from '../core/errors.js';
import { fileErrorReason } from '../core/files.js';
import { accessHint } from '../core/system-errors.js';
import { Damaged, type CheckOptions, type Damage } from './check/damage.js';
import { containerNamed, CONTAINERS, type ContainerName } from './containers.js';
import { reusableBuffer } from '../core/zip-file.js';

export type { Damage } from './check/damage.js';
export { areWhole } from './check/zip-damage.js';
export { isEditedMetadata } from './check/folder-damage.js';

interface FindDamageOptions extends Partial<CheckOptions> {
  readonly signal: AbortSignal;
  /** By default, the name says it. */
  readonly container?: ContainerName;
}

/** Undefined for a file or a folder without damage, and for a folder that `bind` did not write. */
export async function findDamage(
  path: string,
  {
    signal,
    onMark = () => undefined,
    getBuffer = reusableBuffer(),
    container = containerNamed(path) ?? 'cbz',
  }: FindDamageOptions,
): Promise<Damage | undefined> {
  try {
    await CONTAINERS[container].check(path, { signal, onMark, getBuffer });
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof Damaged
      ? error.damage
      : { reason: 'unreadable', detail: fileErrorReason(error) };
  }
}

/** `cause`: what is wrong with the file. */
export function damagedChapter(file: string, cause: unknown): StorageError {
  const message = `Cannot read the chapter (${fileErrorReason(cause)}): ${file}`;
  return new StorageError('archive-damaged', message, { cause, hint: hintFor(file, cause) });
}

/** Undefined: that of the code, for a damaged archive. */
function hintFor(file: string, cause: unknown): string | undefined {
  const hint = accessHint(cause);
  if (hint !== undefined) return hint;
  return /\.(cbz|zip|epub)$/i.test(file) ? undefined : ERROR_CODES['nothing-to-bind'].hint;
}
