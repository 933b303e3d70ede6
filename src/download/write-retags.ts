/**
 * Writes files with new metadata and names, each after the one that has its new name, such as when numbers move round.
 * Used by `retag` and `--update`.
 */
import { lstatIfExists } from '../core/files.js';
import { orderRenames } from './rename-order.js';
import type { RetaggedEvent } from '../events/download-events.js';
import type { Retag } from '../plan/change.js';
import { parkedPath, retagTargets, unpark, writeRetagged } from './retag-chapter.js';

export interface RetagListeners {
  /** `name`: the path that the file has now. */
  readonly onWritten: (retag: Retag, name: string) => void;
  /** A file that fails does not affect the others. */
  readonly onFailed: (retag: Retag, thrown: unknown) => void;
}

/** Whether more than the version changes. */
export function isVisible({ changed, from, removes }: Retag, name: string): boolean {
  return changed.length > 0 || name !== from || removes.length > 0;
}

/** What became, or would become, of a file. */
export function retaggedChapter(retag: Retag, name: string): RetaggedEvent {
  const { file, chapter, from, to, changed, edited, unknown, removes } = retag;
  const [removed] = removes;
  return {
    type: 'chapter-retagged',
    chapter: chapter.id,
    file,
    changed,
    kept: [...edited, ...unknown],
    ...(name !== from && { newFile: name }),
    ...(name !== to && { nameTaken: to }),
    ...(removed && { removedFile: removed.file }),
  };
}

/** Rejects with the signal's reason when aborted; what was begun by then is reported. */
export async function writeRetags(
  retags: readonly Retag[],
  { onWritten, onFailed }: RetagListeners,
  signal: AbortSignal,
): Promise<void> {
  const attempt = async (retag: Retag, action: () => Promise<void>) => {
    signal.throwIfAborted();
    try {
      await action();
    } catch (thrown) {
      signal.throwIfAborted();
      onFailed(retag, thrown);
    }
  };
  const { parked, ordered } = orderRenames(retags);
  const waiting: (readonly [Retag, string])[] = [];
  for (const each of parked)
    await attempt(each, async () => {
      const name = await writeRetagged(each, [parkedPath(each)], signal);
      if (name === each.from) onWritten(each, name);
      else waiting.push([each, name]);
    });
  try {
    for (const each of ordered)
      await attempt(each, async () => {
        onWritten(each, await writeRetagged(each, retagTargets(each), signal));
      });
  } finally {
    // An interruption must not leave them under these names.
    for (const [each, name] of waiting)
      await unpark(each, name).then(
        (newName) => {
          onWritten(each, newName);
        },
        (error: unknown) => {
          onFailed(each, error);
        },
      );
  }
}

/** The names that the files would get. */
export async function previewRetags(
  retags: readonly Retag[],
): Promise<readonly (readonly [Retag, string])[]> {
  const removed = retags.flatMap(({ removes }) => removes.map(({ file }) => file));
  const oldNames = new Set([...retags.map(({ from }) => from), ...removed]);
  const newNames = new Set<string>();
  const isTaken = async (name: string) =>
    newNames.has(name) || (!oldNames.has(name) && (await lstatIfExists(name)) !== undefined);
  const preview: (readonly [Retag, string])[] = [];
  for (const retag of retags)
    for (const name of retagTargets(retag)) {
      if (await isTaken(name)) continue;
      newNames.add(name);
      preview.push([retag, name]);
      break;
    }
  return preview;
}
