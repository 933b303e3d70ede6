import { containerByExtension, CONTAINERS } from '../../config/containers.js';
import { ERROR_CODES } from '../../core/error-codes.js';
import { StorageError } from '../../core/errors.js';
import { fileErrorReason } from '../../core/files.js';
import { accessHint } from '../../core/system-errors.js';

/** `cause`: what is wrong with the file. */
export function damagedChapter(file: string, cause: unknown): StorageError {
  const message = `Cannot read the chapter (${fileErrorReason(cause)}): ${file}`;
  return new StorageError('archive-damaged', message, { cause, hint: hintFor(file, cause) });
}

/** Undefined: that of the code, for a damaged archive. */
function hintFor(file: string, cause: unknown): string | undefined {
  const hint = accessHint(cause);
  if (hint !== undefined) return hint;
  const container = containerByExtension(file);
  const isReadable = container !== undefined && CONTAINERS[container].hasReadablePages;
  return isReadable ? undefined : ERROR_CODES['nothing-to-bind'].hint;
}
