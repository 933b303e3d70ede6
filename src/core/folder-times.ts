/** Media servers scan a folder whose time is new: what only looks at it, or locks it, gives it its time back. */
import { readdir, stat, utimes } from 'node:fs/promises';

/**
 * Calls `action`, and sets the times of the folder back if `isIdle` says of its result that nothing was changed there, and
 * the names in it are those that it had before.
 */
export async function withoutTouching<T>(
  folder: string,
  action: () => Promise<T>,
  isIdle: (result: T) => boolean = () => true,
): Promise<T> {
  const before = await look(folder);
  const result = await action();
  if (before && isIdle(result)) {
    const after = await look(folder);
    const { atimeNs, mtimeNs } = before.stats;
    // A folder of another user cannot be set back; nor does it matter to the caller.
    if (after && after.stats.mtimeNs !== mtimeNs && after.names === before.names)
      await utimes(folder, seconds(atimeNs), seconds(mtimeNs)).catch(() => undefined);
  }
  return result;
}

/** Undefined for a folder that does not exist, or cannot be read. */
async function look(folder: string) {
  try {
    const stats = await stat(folder, { bigint: true });
    return { stats, names: (await readdir(folder)).sort().join('/') };
  } catch {
    return undefined;
  }
}

const NS_PER_SECOND = 1_000_000_000n;

/** Not later than the time that it was: the last digits do not fit into a number. */
function seconds(ns: bigint): number {
  return Number(ns / NS_PER_SECOND) + Number((ns % NS_PER_SECOND) / 1_000n) / 1_000_000;
}
