/** What became of the metadata and the name of a file, for people. */

/** A chapter, or a book, whose metadata changed. */
interface Retagged {
  readonly file: string;
  readonly newFile?: string;
  readonly nameTaken?: string;
  readonly removedFile?: string;
  readonly changed: readonly string[];
  readonly kept: readonly string[];
}

/** Such as `a.cbz: title, volume`, with a line for what stays and for a new name. */
export function retaggedSentence(event: Retagged): string {
  const { file, newFile, nameTaken, removedFile, changed, kept } = event;
  return [
    `${file}: ${changed.join(', ') || (newFile === undefined ? 'unchanged' : 'name')}`,
    ...keptLines(kept),
    ...removedLines(removedFile),
    ...(newFile === undefined ? [] : [`  renamed to ${newFile}`]),
    ...(nameTaken === undefined ? [] : [`  with its id, since another file is ${nameTaken}`]),
  ].join('\n');
}

/** A file that stays, although MangaDex has other metadata than its owner. */
export function keptSentence(file: string, kept: readonly string[]): string {
  return [`${file}: unchanged`, ...keptLines(kept)].join('\n');
}

/** A file that made way for the chapter that got its number. */
export function removedLines(file: string | undefined): readonly string[] {
  return file === undefined ? [] : [`  in place of a chapter that MangaDex deleted: ${file}`];
}

export function keptLines(kept: readonly string[]): readonly string[] {
  return kept.length === 0 ? [] : [`  kept: ${kept.join(', ')}`];
}
