/** The path of each file that is written, which no other chapter has. Pure. */
import { join, relative, sep } from 'node:path';
import { distinctPaths } from '../library/names.js';
import { pathCollisionKey } from '../core/path-segment.js';
import type { LibraryIndex } from '../library/scan.js';
import { replacedFile, type Keep, type OldFile, type UnnamedWrite, type Write } from './change.js';

/** The name that a file gets as it is replaced, and the name of its series. */
export interface NewName {
  /** An absolute path. */
  readonly path: string;
  readonly series: string;
}

export interface NamedWrites {
  readonly writes: readonly Write[];
  /** Files that cannot be read, and that have the path that a new file would have. */
  readonly kept: readonly Keep[];
}

export interface PathOptions {
  readonly output: string;
  readonly library: Pick<LibraryIndex, 'filesAt' | 'damaged'>;
  /** The path below the output folder that the template gives a release, with `/` between folders. */
  readonly templatePath: (release: UnnamedWrite['release']) => string;
  /** The new names of files that are replaced, by the ids of the releases. */
  readonly newNames: ReadonlyMap<string, NewName>;
}

export function withPaths(
  changes: readonly UnnamedWrite[],
  { output, library, templatePath, newNames }: PathOptions,
): NamedWrites {
  const candidates = changes.map((change) => {
    const { release } = change;
    const existing = newNames.get(release.id)?.path ?? replacedFile(change)?.file;
    const path = existing === undefined ? templatePath(release) : pathBelow(output, existing);
    return { chapterId: release.id, path, existing };
  });
  const leaving = new Set(changes.flatMap(filesThatLeave).map(({ file }) => file));
  // Also by a file that tankobon did not write.
  const isTaken = (path: string) =>
    library.filesAt(join(output, path)).some((file) => !leaving.has(file));
  const paths = distinctPaths(candidates, isTaken);
  const unreadable = new Map(
    library.damaged.map((damaged) => [pathCollisionKey(pathBelow(output, damaged.file)), damaged]),
  );
  const kept = new Map<string, Keep>();
  const writes = changes.map((change, index): Write => {
    const { release } = change;
    const { existing, path: wanted = '' } = candidates[index] ?? {};
    const path = existing ?? join(output, paths[index] ?? `${release.id}.cbz`);
    const inTheWay = replacedFile(change) ? undefined : unreadable.get(pathCollisionKey(wanted));
    if (inTheWay) {
      const { file, readError, cause } = inTheWay;
      kept.set(file, { kind: 'keep', file, why: 'unreadable', readError, cause, path });
    }
    if (change.kind === 'save') return { ...change, path };
    return { ...change, path, series: newNames.get(release.id)?.series };
  });
  return { writes, kept: [...kept.values()] };
}

function filesThatLeave(change: UnnamedWrite): readonly OldFile[] {
  if (change.kind === 'save') return [];
  return change.kind === 'replace' ? [change.file, ...change.removes] : change.removes;
}

/** With `/` between folders. */
function pathBelow(output: string, file: string): string {
  return relative(output, file).split(sep).join('/');
}
