/** What became of the metadata of a file, for people. */
import type { RetaggedChapter } from '../../download/write-retags.js';

/** Such as `a.cbz: title, volume`, with a line for what stays and for a new name. */
export function describeRetagged(event: Omit<RetaggedChapter, 'type' | 'chapter'>): string {
  const { file, newFile, nameTaken, changed, kept } = event;
  return [
    `${file}: ${changed.join(', ') || 'name'}`,
    ...(kept.length === 0 ? [] : [`  kept: ${kept.join(', ')}`]),
    ...(newFile === undefined ? [] : [`  renamed to ${newFile}`]),
    ...(nameTaken === undefined ? [] : [`  with its id, since another file is ${nameTaken}`]),
  ].join('\n');
}
