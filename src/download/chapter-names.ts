/**
 * The name that a chapter's file gets when its metadata changes, for `retag` and for a chapter that is replaced: a name
 * that a template gave for the old metadata follows the new, and one that its owner gave stays.
 */
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Chapter } from '../service/chapters.js';
import type { Title } from '../service/titles.js';
import { languageTag, readComicInfo, type ChapterMetadata } from '../library/comic-info.js';
import { shortIdPath, wholeIdPath, type FormatFileName, plainTitle } from '../library/names.js';
import { parseIdentityComment } from '../library/mark.js';
import type { FieldValues } from '../config/name-template.js';
import { UUID_PATTERN } from '../core/uuid.js';
import type { ChapterFileContent } from './chapter-file.js';
import { nameValues, withInferredVolume } from './comic-metadata.js';

const UUIDS = new RegExp(UUID_PATTERN, 'g');

/** The chapter that a file has, or gets. */
interface ChapterOfFile {
  readonly chapter: Chapter;
  readonly title: Title;
}

export interface KnownNames extends ChapterOfFile {
  /** ComicInfo.xml as it is now, and as tankobon wrote it: the owner may have edited what the name was made of. */
  readonly known: readonly ChapterMetadata[];
  /** The id of the chapter in the file, which may be replaced by another one. */
  readonly savedId: string;
}

/** The title keeps the name that it has in the file, unless a new one is given, and the chapter an inferred volume. */
export async function readNames(
  { comicInfo = '', record, comment }: ChapterFileContent,
  { chapter, title }: ChapterOfFile,
  newTitleName?: string,
): Promise<KnownNames> {
  const now = await readComicInfo(comicInfo);
  const series = newTitleName ?? (record?.metadata ?? now).series ?? title.name;
  return {
    chapter: withInferredVolume(chapter, record?.inferredVolume),
    title: { ...title, name: series },
    known: [now, record?.metadata ?? {}],
    savedId: parseIdentityComment(comment)?.chapterId ?? chapter.id,
  };
}

export interface NewName {
  /** An absolute path. */
  readonly to: string;
  /** The folder that contains the path by the template. */
  readonly root: string;
}

/**
 * A file that was renamed by hand keeps its name: only one that a template gave, or parkedPath, is changed. A name with
 * the chapter's short id, where another file had the plain one, keeps the id, unless another chapter takes the place. A
 * folder that was renamed by hand stays, and one with the old name of its title is moved with what is in it.
 */
export function newName(file: string, names: KnownNames, options: NameOptions): NewName {
  const { templates, keepsPeople } = options;
  const from = resolve(file);
  const path = from.split(sep).join('/');
  const { chapter, savedId } = names;
  const withId = (name: string, chapterId = chapter.id) => ({ chapterId, path: name });
  const isSame = savedId === chapter.id;
  const values = oldAndNewValues(names, { keepsPeople, uploaders: path.match(UUIDS) ?? [] });
  // Formatting all of them takes longer than reading the file, and most files have the first one.
  const renames = templates.flatMap((format) =>
    values.flatMap(([then, after]) => [
      { before: () => format(then), after: () => format(after) },
      { before: () => wholeIdPath(withId(format(after))), after: () => format(after) },
      {
        before: () => shortIdPath(withId(format(then), savedId)),
        after: () => (isSame ? shortIdPath(withId(format(after))) : format(after)),
      },
    ]),
  );
  for (const rename of renames) {
    const oldName = rename.before();
    if (!path.endsWith(`/${oldName}`)) continue;
    const root = path.slice(0, -oldName.length);
    return { to: join(root, rename.after()), root: join(root) };
  }
  const folder = newFolder(dirname(from), values, options);
  const rename = renames.find(({ before }) => basename(before()) === basename(from));
  const name = rename ? basename(rename.after()) : basename(from);
  return { to: join(folder.to, name), root: folder.root };
}

/** The folder, or where it is moved if it is that of a title that gets another name, or in that. */
function newFolder(
  folder: string,
  values: readonly (readonly [NameValues, NameValues])[],
  { templates, movedIn }: NameOptions,
): NewName {
  if (movedIn === undefined) return { to: folder, root: folder };
  const base = dirname(resolve(movedIn));
  const segments = relative(base, folder).split(sep);
  for (const format of templates)
    for (const [{ series, author, artist }, after] of values) {
      const old = format({ ...after, series, author, artist });
      const change = changedFolders(old.split('/'), format(after).split('/'));
      const at = change ? lastIndexOf(segments, change.before) : -1;
      if (!change || at < 0) continue;
      const rest = segments.slice(at + change.before.length);
      const root = join(base, ...segments.slice(0, at));
      return { to: join(root, ...change.after, ...rest), root };
    }
  return { to: folder, root: folder };
}

/** The folders in which two paths differ, from the first to the last one. */
function changedFolders(path: readonly string[], other: readonly string[]) {
  const differing = path.flatMap((name, index) => (name === other[index] ? [] : [index]));
  const [first, last] = [differing[0], differing.findLast((index) => index < path.length - 1)];
  if (path.length !== other.length || first === undefined || last === undefined) return undefined;
  return { before: path.slice(first, last + 1), after: other.slice(first, last + 1) };
}

function lastIndexOf(segments: readonly string[], part: readonly string[]): number {
  return segments.findLastIndex((_, at) => part.every((name, i) => name === segments[at + i]));
}

export interface NameOptions {
  /** The templates that may have named the files. */
  readonly templates: readonly FormatFileName[];
  /** Whether folders of people stay, although others made the title by now. */
  readonly keepsPeople: boolean;
  /** The folder in which titles get other names: with that of a title, all of its files in it are moved. */
  readonly movedIn?: string | undefined;
}

type NameValues = FieldValues & { readonly id: string };

/** Pairs of the values that a name may have been made of, and those of the new name. */
function oldAndNewValues(
  { chapter, title, known, savedId }: KnownNames,
  {
    keepsPeople,
    uploaders,
  }: { readonly keepsPeople: boolean; readonly uploaders: readonly string[] },
): readonly (readonly [NameValues, NameValues])[] {
  const now = nameValues(chapter, title);
  const titled = known.flatMap((each) => [each, { ...each, title: plainTitle(each.title) }]);
  return titled.flatMap((metadata) => {
    const { writers, pencillers } = metadata;
    const people = { author: writers?.join(', '), artist: pencillers?.join(', ') };
    const others =
      savedId === chapter.id ? [{}] : otherChapters(savedId, chapter, metadata, uploaders);
    return others.flatMap((other) => {
      const then = { ...now, ...other, ...oldValues(metadata) };
      return [
        [{ ...then, ...people }, keepsPeople ? { ...now, ...people } : now] as const,
        [then, now] as const,
      ];
    });
  });
}

function oldValues({ series, volume, number, title, translators = [] }: ChapterMetadata) {
  return { series, volume, chapter: number, title, group: translators.join(' + ') };
}

/** What a chapter that is replaced by another one has of its own. No file says who uploaded it: any UUID in its name may. */
function otherChapters(
  id: string,
  by: Chapter,
  { language, publishedAt }: ChapterMetadata,
  uploaders: readonly string[],
) {
  const values = {
    id,
    'chapter-id': id,
    date: publishedAt?.toISOString().slice(0, 10),
    language: languageTag(by.language) === language ? by.language : language?.toLowerCase(),
  };
  return [values, ...[...new Set(uploaders)].map((uploader) => ({ ...values, uploader }))];
}
