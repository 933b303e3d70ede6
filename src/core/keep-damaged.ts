/** Keeps a damaged or edited file under a second name before its first one is replaced. */
import { link } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { maxNameBytes } from './file-system.js';
import { fitSegment } from './path-segment.js';
import { copyRegularFile, haveSameBytes, isSystemError, removeFile } from './files.js';

/** What the second name of a file ends with. */
export type KeptAs = 'damaged' | 'edited';

/** The second name. A name that is too long with what is added to it is cut before its extension. */
function secondPath(
  file: string,
  count: number,
  { keptAs, maxBytes }: { readonly keptAs: KeptAs; readonly maxBytes: number },
): string {
  const extension = extname(file);
  const number = count === 1 ? '' : `.${count}`;
  const name = fitSegment(basename(file, extension), `${extension}${number}.${keptAs}`, maxBytes);
  return join(dirname(file), name);
}

/** Gives the file a second name, such as `<name>.damaged`, and resolves with it; a killed run may have given it. */
export async function keepDamaged(file: string, keptAs: KeptAs = 'damaged'): Promise<string> {
  const maxBytes = await maxNameBytes(dirname(file));
  for (let count = 1; ; count += 1) {
    const kept = secondPath(file, count, { keptAs, maxBytes });
    try {
      await link(file, kept).catch(async (error: unknown) => {
        if (isSystemError(error, 'EEXIST')) throw error;
        // The file system has no hard links.
        await copyRegularFile(file, kept);
      });
      return kept;
    } catch (error) {
      if (!isSystemError(error, 'EEXIST')) throw error;
      if (await haveSameBytes(file, kept).catch(() => false)) return kept;
    }
  }
}

/** Replaces the file by `publish`, and keeps the damaged one under a second name. */
export async function replaceDamaged(
  file: string,
  publish: () => Promise<string>,
): Promise<string> {
  const kept = await keepDamaged(file);
  try {
    return await publish();
  } finally {
    await removeIfUnreplaced(file, kept);
  }
}

/** Removes the second name of a file that was not replaced: an interruption or a failure may come after it was. */
export async function removeIfUnreplaced(file: string, kept: string): Promise<void> {
  // A failing disk may not read it again, and then both names stay.
  if (await haveSameBytes(file, kept).catch(() => false)) await removeFile(kept);
}
