/**
 * The name that a chapter's file gets when its metadata changes, for `retag` and for a chapter that is replaced: a name
 * that a template gave for the old metadata follows the new, and one that its owner gave stays.
 */
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Chapter } from '../api/chapters.js';
import type { Title } from '../api/titles.js';
import { languageTag } from '../cbz/comic-info.js';
import { readComicInfo, type ChapterMetadata } from '../cbz/comic-info-reader.js';
import { shortIdPath, wholeIdPath, type FormatFileName } from '../cbz/file-name.js';
import { parseIdentityComment } from '../cbz/identity.js';
import type { FieldValues } from '../cbz/name-template.js';
import { plainTitle } from '../cbz/numbered-title.js';
import type { ChapterRecord } from '../cbz/record.js';
import type { ChapterFileContent } from './chapter-file.js';
import { nameValues } from './comic-metadata.js';

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
    chapter: withInferredVolume(chapter, record),
    title: { ...title, name: series },
    known: [now, record?.metadata ?? {}],
    savedId: parseIdentityComment(comment)?.chapterId ?? chapter.id,
  };
}

/** A volume that a download inferred stays until the service names one. */
function withInferredVolume(chapter: Chapter, record: ChapterRecord | undefined): Chapter {
  const volume = record?.inferredVolume;
  if (chapter.volume !== undefined || volume === undefined) return chapter;
  return { ...chapter, volume, isVolumeInferred: true };
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
 * folder that was renamed by hand stays.
 */
export function newName(
  file: string,
  names: KnownNames,
  { templates, keepsPeople }: NameOptions,
): NewName {
  const from = resolve(file);
  const path = from.split(sep).join('/');
  const { chapter, savedId } = names;
  const withId = (name: string, chapterId = chapter.id) => ({ chapterId, path: name });
  const isSame = savedId === chapter.id;
  const values = oldAndNewValues(names, keepsPeople);
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
  for (const inFolder of [(name: string) => name, basename])
    for (const rename of renames) {
      const oldName = inFolder(rename.before());
      if (!path.endsWith(`/${oldName}`)) continue;
      const root = path.slice(0, -oldName.length);
      return { to: join(root, inFolder(rename.after())), root: join(root) };
    }
  return { to: from, root: dirname(from) };
}

export interface NameOptions {
  /** The templates that may have named the files. */
  readonly templates: readonly FormatFileName[];
  /** Whether folders of people stay, although others made the title by now. */
  readonly keepsPeople: boolean;
}

type NameValues = FieldValues & { readonly id: string };

/** Pairs of the values that a name may have been made of, and those of the new name. */
function oldAndNewValues(
  { chapter, title, known, savedId }: KnownNames,
  keepsPeople: boolean,
): readonly (readonly [NameValues, NameValues])[] {
  const now = nameValues(chapter, title);
  const titled = known.flatMap((each) => [each, { ...each, title: plainTitle(each.title) }]);
  return titled.flatMap((metadata) => {
    const { writers, pencillers } = metadata;
    const other = savedId === chapter.id ? {} : otherChapter(savedId, chapter, metadata);
    const then = { ...now, ...other, ...oldValues(metadata) };
    const people = { author: writers?.join(', '), artist: pencillers?.join(', ') };
    return [
      [{ ...then, ...people }, keepsPeople ? { ...now, ...people } : now] as const,
      [then, now] as const,
    ];
  });
}

function oldValues({ series, volume, number, title, translators = [] }: ChapterMetadata) {
  return { series, volume, chapter: number, title, group: translators.join(' + ') };
}

/** What a chapter that is replaced by another one has of its own. */
function otherChapter(id: string, by: Chapter, { language, publishedAt }: ChapterMetadata) {
  return {
    id,
    'chapter-id': id,
    date: publishedAt?.toISOString().slice(0, 10),
    language: languageTag(by.language) === language ? by.language : language?.toLowerCase(),
  };
}
