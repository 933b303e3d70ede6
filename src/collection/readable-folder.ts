/** Inputs of commands: without a check, a folder that is missing or cannot be read would count as empty. */
import { opendir } from 'node:fs/promises';
import { UsageError } from '../core/errors.js';
import { statIfExists } from '../core/files.js';
import { pluralize } from '../core/human-format.js';
import { shellQuoted } from '../core/shell-quoted.js';
import { isSystemError } from '../core/system-errors.js';

/** False for a file. Throws UsageError `nothing-to-bind` for what is missing or cannot be read. */
export async function isReadableFolder(input: string, hint: string): Promise<boolean> {
  try {
    await (await opendir(input)).close();
    return true;
  } catch (cause) {
    if (!isSystemError(cause, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) throw cause;
    if (cause.code === 'ENOTDIR' && (await statIfExists(input))) return false;
    const isMissing = isSystemError(cause, 'ENOENT', 'ENOTDIR');
    const problem = isMissing ? 'Not found' : 'Cannot read';
    throw new UsageError('nothing-to-bind', `${problem}: ${input}`, { cause, hint });
  }
}

/** Throws as isReadableFolder does, also for a file. */
export async function assertReadableFolder(folder: string, hint: string): Promise<void> {
  if (await isReadableFolder(folder, hint)) return;
  throw new UsageError('nothing-to-bind', `Not a folder: ${folder}`, { hint, path: folder });
}

export const linksHint = (links: number): string =>
  `${pluralize(links, 'symbolic link')} skipped: pass what ${links === 1 ? 'it leads' : 'they lead'} to.`;

/** How much folders have that is not a chapter of tankobon. */
export interface OtherFiles {
  /** CBZ files of other programs. */
  readonly files: number;
  /** Symbolic links, which are not followed. */
  readonly links: number;
}

/** For folders without chapters of tankobon. `hint` is for those without others too. */
export function noChapters(
  folders: readonly string[],
  { files: otherFiles, links }: OtherFiles,
  hint: string,
): UsageError {
  const named = folders.join(', ');
  if (otherFiles === 0)
    return new UsageError('nothing-to-bind', `No chapters found: ${named}`, {
      hint: links === 0 ? hint : linksHint(links),
    });
  const what = otherFiles === 1 ? 'the file' : `the ${pluralize(otherFiles, 'file')}`;
  return new UsageError('nothing-to-bind', `No chapters of tankobon found: ${named}`, {
    hint: `To recognize ${what} of other programs, run: tankobon adopt ${folders.map(shellQuoted).join(' ')}`,
  });
}
