/**
 * The archives that chapters replace, and the names that these get then: those that `retag` would give them. What reads
 * archives is loaded when it is needed.
 */
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Title } from '../service/titles.js';
import type { LibraryIndex } from '../library/scan.js';
import { isUnchanged, readFileState } from '../core/file-state.js';
import type { KnownNames } from './chapter-names.js';
import { titleIdOf } from './comic-metadata.js';
import type { DownloadRequest } from './download-request.js';
import type { JobOptions } from './plan-jobs.js';
import type { ChosenChapter } from './plan-selection.js';

type Options = Pick<DownloadRequest, 'output' | 'nameChapter' | 'metadata'> &
  Pick<JobOptions, 'replacements'>;

export async function withReplaced(
  selected: readonly ChosenChapter[],
  library: Pick<LibraryIndex, 'copiesOf'>,
  titles: ReadonlyMap<string, Title>,
  options: Options,
  signal: AbortSignal,
): Promise<readonly ChosenChapter[]> {
  const named: ChosenChapter[] = [];
  for (const chosen of selected) {
    signal.throwIfAborted();
    const replaces = options.replacements?.get(chosen.id)?.file ?? chosen.replaces;
    const title = titles.get(titleIdOf(chosen.chapter) ?? '') ?? chosen.chapter?.partialTitle;
    const isNamed = options.metadata && title && replaces !== undefined;
    const renamed = isNamed ? await withNewName(chosen, replaces, title, library, options) : {};
    named.push({ ...chosen, replaces, ...renamed });
  }
  return named;
}

/** Nothing for a file that is gone or damaged, or that was saved without metadata: its name stays. */
async function withNewName(
  { chapter }: ChosenChapter,
  replaces: string,
  title: Title,
  library: Pick<LibraryIndex, 'copiesOf'>,
  options: Options,
): Promise<Partial<ChosenChapter>> {
  const { readChapterFile } = await import('./chapter-file.js');
  const { readNames } = await import('./chapter-names.js');
  const content = await readChapterFile(replaces).catch(() => undefined);
  if (!chapter || content?.comicInfo === undefined) return {};
  const names = await readNames(content, { chapter, title });
  const file = await newPath(replaces, names, options);
  const copies = library.copiesOf(names.savedId).filter((copy) => !copy.isBound);
  const others = copies.map((copy) => copy.file).filter((other) => other !== replaces);
  const oldName = file === replaces ? await findOldName(file, others, names, options) : undefined;
  return {
    chapter: names.chapter,
    replaces: oldName ?? replaces,
    renamed: { file, series: names.title.name },
  };
}

async function newPath(
  file: string,
  names: KnownNames,
  { output, nameChapter }: Options,
): Promise<string> {
  const { newName } = await import('./chapter-names.js');
  const templates = [nameChapter(false), nameChapter(true)];
  const { to } = newName(file, names, { templates, keepsPeople: true });
  if (to === resolve(file)) return file;
  const path = relative(resolve(output), to);
  // The output folder may be one that the template would name otherwise.
  return path.startsWith('..') ? join(dirname(file), basename(to)) : join(output, path);
}

/** A run that was killed while it renamed the file left it under both names. */
async function findOldName(
  file: string,
  others: readonly string[],
  names: KnownNames,
  options: Options,
): Promise<string | undefined> {
  const state = others.length > 0 ? await readFileState(file) : undefined;
  for (const other of state ? others : [])
    if (
      state &&
      (await isUnchanged(other, state)) &&
      (await newPath(other, names, options)) === file
    )
      return other;
  return undefined;
}
