/** A chapter in a file: what the plan of books needs of it, and what is needed to write it. */
import { groupBy } from '../core/group-by.js';
import { letterKey } from '../core/name-keys.js';
import { entriesChecksum } from '../core/zip-file.js';
import { numberKey } from '../selection/reading-order.js';
import type { Chapter } from '../service/chapters.js';
import type { ChapterMetadata } from '../library/comic-info.js';
import type { KnownChapter, ReadChapter } from '../library/file.js';
import type { TankobonError } from '../core/errors.js';
import type { BindBy } from '../config/bind-choices.js';
import type { GuessedName } from './guess-name.js';

/** A file to bind that cannot be read. */
export interface FailedFile {
  readonly file: string;
  readonly error: TankobonError;
}

/** A chapter in a file, as far as the plan of books needs it. */
export interface BookChapter extends KnownChapter {
  /** What the service says of the chapter, if it lists it. */
  readonly listed?: Pick<Chapter, 'number' | 'createdAt'> | undefined;
}

/** Whether a book that has the chapter may replace the file, if that is unchanged. */
export function mayBeRemoved({ isBound, ownership, state }: BookChapter): boolean {
  return !isBound && ownership === 'own' && state !== undefined;
}

export function wasRead(chapter: BookChapter): chapter is BookChapter & ReadChapter {
  return Array.isArray(chapter.pages);
}

/**
 * Fills in what ComicInfo does not say from the file name. A file of several volumes is of none, and a name without
 * certain numbers has no series.
 */
export function withGuesses(metadata: ChapterMetadata, guessed: GuessedName): ChapterMetadata {
  const { series, volume, lastVolume, lastNumber, language } = guessed;
  const number = guessed.number ?? guessed.partNumber;
  const isCertain = number !== undefined || volume !== undefined;
  const numbers = lastNumber === undefined ? number : `${number ?? ''}-${lastNumber}`;
  return {
    ...metadata,
    series: metadata.series ?? (isCertain ? series : undefined),
    volume: metadata.volume ?? (lastVolume === undefined ? volume : undefined),
    number: metadata.number ?? numbers,
    language: metadata.language ?? language,
  };
}

/** Whether neither the service nor the file itself names the volume. */
export function isVolumeInferred({ record, metadata: { volume } }: BookChapter): boolean {
  return record?.inferredVolume !== undefined && record.inferredVolume === volume;
}

/** The numbers of chapters whose volume is inferred. */
export function inferredNumbers({
  by,
  chapters,
}: {
  readonly by: BindBy;
  readonly chapters: readonly BookChapter[];
}): string[] {
  if (by === 'title') return [];
  return chapters
    .filter(isVolumeInferred)
    .map(({ metadata: { number, title } }) => number ?? title ?? '');
}

/** The chapter as the selection of releases knows it. `id` distinguishes chapters without an identity. */
export function toChapter(
  { chapterId, version = 1, metadata, pages, listed }: BookChapter,
  id: string,
): Chapter {
  return {
    id: chapterId ?? id,
    number: metadata.number,
    volume: metadata.volume,
    title: metadata.title,
    language: metadata.language ?? '',
    pages: pages.length,
    externalUrl: undefined,
    isUnavailable: false,
    version,
    publishAt: metadata.publishedAt,
    readableAt: undefined,
    createdAt: listed?.createdAt,
    groups: (metadata.translators ?? []).map((name) => ({ id: '', name })),
    titleId: undefined,
    partialTitle: undefined,
  };
}

/** Identifies a version of a chapter, or the pages of a chapter without an identity. */
export function sourceKey(chapter: BookChapter): string {
  const { chapterId, version = 1, metadata, key, pages } = chapter;
  if (chapterId !== undefined) return `${chapterId}@${version}`;
  if (key !== undefined) return key;
  const checksum = wasRead(chapter) ? entriesChecksum(chapter.pages) : (pages.checksum ?? 0);
  return [metadata.number ?? '', metadata.title ?? '', pages.length, checksum].join('|');
}

/** The form of sourceKey for a chapter without an identity; older books have no checksum in it. */
const CONTENT_KEY = /^(?<number>[^|@]*)\|(?<title>.*?)\|\d+(?:\|\d+)?$/s;

/**
 * Which chapters of a book, by their keys, were replaced by a file: one without an identity that has their number, and
 * pages or a title that the book does not have. In doubt none: there are more chapters of that number than new files.
 */
export function replacedKeys(
  bookKeys: readonly string[],
  chapters: readonly BookChapter[],
): ReadonlySet<string> {
  const files = chapters.filter(({ chapterId, isBound }) => chapterId === undefined && !isBound);
  const present = new Set(files.map(sourceKey));
  const inBook = new Set(bookKeys);
  const added = files.filter((file) => !inBook.has(sourceKey(file)));
  const gone = bookKeys.flatMap((key) => {
    const { number, title = '' } = CONTENT_KEY.exec(key)?.groups ?? {};
    return number === undefined || present.has(key) ? [] : [{ key, number, title }];
  });
  const replaced = [...groupBy(gone, ({ number }) => numberKey(number))].flatMap(
    ([number, ofNumber]) => {
      const ofFiles = added.filter(({ metadata }) => numberKey(metadata.number) === number);
      if (ofFiles.length < ofNumber.length) return [];
      const isReplaced = ({ title }: { readonly title: string }) =>
        ofFiles.some(({ metadata }) => mayBeSameTitle(metadata.title ?? '', title));
      return ofNumber.filter(isReplaced).map(({ key }) => key);
    },
  );
  return new Set(replaced);
}

/** A missing title differs from none. */
function mayBeSameTitle(a: string, b: string): boolean {
  const [key, other] = [letterKey(a), letterKey(b)];
  return key === '' || other === '' || key === other;
}

/** Such as `Ch. 10.5 – The Storm`; for bookmarks and tables of contents. */
export function chapterLabel({ number, title }: ChapterMetadata): string {
  const label = number === undefined ? '' : `Ch. ${number}`;
  return [label, title ?? ''].filter((text) => text !== '').join(' – ') || 'Chapter';
}
