/**
 * The names of the files that are written: those of the template, in the folder where the title is, and for a file that
 * replaces another one the name that `retag` would give that. What reads archives is loaded when it is needed.
 */
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Chapter } from '../service/chapters.js';
import type { Title } from '../service/titles.js';
import type { FormatFileName } from '../library/names.js';
import type { LibraryIndex } from '../library/scan.js';
import { isUnchanged, readFileState } from '../core/file-state.js';
import { replacedFile, type Release, type UnnamedWrite } from '../plan/change.js';
import { withPaths, type NamedWrites, type NewName } from '../plan/paths.js';
import type { KnownNames } from './chapter-names.js';
import { nameValues, titleIdOf } from './comic-metadata.js';
import type { DownloadRequest } from './download-request.js';
import type { TitleHome } from './title-home.js';

export interface Naming extends Pick<
  DownloadRequest,
  'output' | 'metadata' | 'folderTemplate' | 'hasDefaultName'
> {
  readonly library: LibraryIndex;
  readonly titles: ReadonlyMap<string, Title>;
  /** The templates of the run: in one language, and in several. */
  readonly nameTemplates: DownloadRequest['nameChapter'];
  /** Returns a chapter's path below the output folder. */
  readonly nameChapter: FormatFileName;
  /** Where the chapters of titles are, by the title's id. */
  readonly homes: ReadonlyMap<string, TitleHome> | undefined;
  /** The ids of chapters that the service moved from the titles that their files name. */
  readonly moved: ReadonlySet<string>;
}

export async function nameFiles(
  changes: readonly UnnamedWrite[],
  naming: Naming,
  signal: AbortSignal,
): Promise<NamedWrites> {
  const newNames = new Map<string, NewName>();
  const known: UnnamedWrite[] = [];
  for (const change of changes) {
    signal.throwIfAborted();
    const named = await withNewName(change, naming);
    if (named?.newName) newNames.set(change.release.id, named.newName);
    known.push(named?.change ?? change);
  }
  const { output, library } = naming;
  const ofTemplate = (release: Release) => templatePath(release, naming);
  return withPaths(known, { output, library, newNames, templatePath: ofTemplate });
}

/** The path below the output folder that the template gives, in the folder in which the title is. */
export function templatePath({ id, chapter }: Release, naming: Naming): string {
  if (!chapter || !naming.metadata) return `${id}.cbz`;
  const title = withHome(findTitle(naming.titles, chapter), chapter, naming);
  const path = naming.nameChapter(nameValues(chapter, title));
  return homeOf(chapter, naming)?.place(path) ?? path;
}

export function findTitle(
  titles: ReadonlyMap<string, Title>,
  chapter: Chapter | undefined,
): Title | undefined {
  return titles.get(titleIdOf(chapter) ?? '') ?? chapter?.partialTitle;
}

export function homeOf(
  chapter: Chapter | undefined,
  { homes }: Pick<Naming, 'homes'>,
): TitleHome | undefined {
  return homes?.get(titleIdOf(chapter) ?? '');
}

/** The title with the name that it has in the folder. */
export function withHome(
  title: Title | undefined,
  chapter: Chapter | undefined,
  naming: Pick<Naming, 'homes'>,
): Title | undefined {
  return title && { ...title, name: homeOf(chapter, naming)?.series ?? title.name };
}

/** Undefined for a file that is gone or damaged, or that was saved without metadata: its name stays. */
async function withNewName(
  change: UnnamedWrite,
  naming: Naming,
): Promise<{ readonly change: UnnamedWrite; readonly newName: NewName } | undefined> {
  const { chapter } = change.release;
  const old = replacedFile(change);
  const title = findTitle(naming.titles, chapter);
  if (!naming.metadata || !title || !old || !chapter) return undefined;
  const { readChapterFile } = await import('./chapter-file.js');
  const { readNames } = await import('./chapter-names.js');
  const { movedName } = await import('./moved-files.js');
  const content = await readChapterFile(old.file).catch(() => undefined);
  if (content?.comicInfo === undefined) return undefined;
  const isMoved = naming.moved.has(old.chapterId);
  const home = homeOf(chapter, naming);
  const titleName = isMoved ? (home?.series ?? title.name) : undefined;
  const names = await readNames(content, { chapter, title }, titleName);
  const path = isMoved
    ? movedName(old.file, names, { ...naming, nameChapter: naming.nameTemplates }, home).to
    : await newPath(old.file, names, naming);
  const copies = naming.library.copiesOf(names.savedId).filter((copy) => !copy.isBound);
  const others = copies.map((copy) => copy.file).filter((other) => other !== old.file);
  const oldName = path === old.file ? await findOldName(path, others, names, naming) : undefined;
  const release = { ...change.release, chapter: names.chapter };
  const renamed = oldName === undefined ? change : withOldName(change, oldName);
  return { change: { ...renamed, release }, newName: { path, series: names.title.name } };
}

function withOldName(change: UnnamedWrite, file: string): UnnamedWrite {
  switch (change.kind) {
    case 'save':
      return change;
    case 'replace':
      return { ...change, file: { ...change.file, file } };
    case 'extract':
      return { ...change, removes: change.removes.map((old) => ({ ...old, file })) };
  }
}

async function newPath(
  file: string,
  names: KnownNames,
  { output, nameTemplates }: Naming,
): Promise<string> {
  const { newName } = await import('./chapter-names.js');
  const templates = [nameTemplates(false), nameTemplates(true)];
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
  naming: Naming,
): Promise<string | undefined> {
  const state = others.length > 0 ? await readFileState(file) : undefined;
  for (const other of state ? others : [])
    if (
      state &&
      (await isUnchanged(other, state)) &&
      (await newPath(other, names, naming)) === file
    )
      return other;
  return undefined;
}
