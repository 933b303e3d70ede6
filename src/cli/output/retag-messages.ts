/** What became of the metadata of a file, for people. */
import type { RetaggedChapter } from '../../download/write-retags.js';

/** Such as `a.cbz: title, volume`, with a line for what stays and for a new name. */
export function describeRetagged(event: Omit<RetaggedChapter, 'type' | 'chapter'>): string {
  const { file, newFile, nameTaken, changed, kept } = event;
  return [
    `${file}: ${changed.join(', ') || 'name'}`,
    ...keptLines(kept),
    ...(newFile === undefined ? [] : [`  renamed to ${newFile}`]),
    ...(nameTaken === undefined ? [] : [`  with its id, since another file is ${nameTaken}`]),
  ].join('\n');
}

/** A file that stays, although MangaDex has other metadata than its owner. */
export function describeKept(file: string, kept: readonly string[]): string {
  return [`${file}: unchanged`, ...keptLines(kept)].join('\n');
}

export function keptLines(kept: readonly string[]): readonly string[] {
  return kept.length === 0 ? [] : [`  kept: ${kept.join(', ')}`];
}
