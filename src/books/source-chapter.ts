/** A chapter in a file: what the plan of books needs of it, and what is needed to write it. */
import { crc32 } from 'node:zlib';
import type { Chapter } from '../service/chapters.js';
import type { ChapterMetadata } from '../library/comic-info.js';
import type { FileChapter } from '../library/file.js';
import type { FileState } from '../core/file-state.js';
import type { ChapterRecord } from '../library/record.js';
import type { BookCopy } from './book-copy.js';
import type { TankobonError } from '../core/errors.js';
import type { BindBy } from '../config/bind-choices.js';
import type { GuessedName } from './guess-name.js';

/** The metadata that groups chapters into books and names these. */
export const PLANNED_FIELDS = {
  title: true,
  series: true,
  number: true,
  volume: true,
  publishedAt: true,
  writers: true,
  pencillers: true,
  translators: true,
  language: true,
} as const satisfies Partial<Record<keyof ChapterMetadata, true>>;

export type PlannedField = keyof typeof PLANNED_FIELDS;

/** A file to bind that cannot be read. */
export interface FailedFile {
  readonly file: string;
  readonly error: TankobonError;
}

export interface SourceChapter extends Pick<FileChapter, 'identity' | 'key'> {
  readonly file: string;
  /** The file was written by `bind` and may contain other chapters too. */
  readonly isBound: boolean;
  /** Set for a chapter file of this user with tankobon's own mark, when it was read: a book that has the chapter may replace it. */
  readonly ownState?: FileState | undefined;
  /** What tankobon knew when it wrote the file. */
  readonly record?:
    Pick<ChapterRecord, 'titleId' | 'folderTemplate' | 'inferredVolume'> | undefined;
  readonly metadata: Pick<ChapterMetadata, PlannedField>;
  /** What the service says of the chapter, if it lists it. */
  readonly listed?: Pick<Chapter, 'number' | 'createdAt'> | undefined;
  /** How many volumes the series has, if a book that contains the chapter says so. */
  readonly volumeCount?: number | undefined;
  /** Another program changed the book that contains the chapter after it was bound. */
  readonly isBookEdited?: boolean | undefined;
  /** Set for a chapter in a book with other pages than the chapter has: it is not bound again. */
  readonly copy?: BookCopy | undefined;
  /** At least one. */
  readonly pages: { readonly length: number };
}

/** A chapter that was read from its file, which has at least one page. */
export type ReadChapter = SourceChapter & Omit<FileChapter, 'written' | 'prefix'>;

export function wasRead(chapter: SourceChapter): chapter is ReadChapter {
  return Array.isArray(chapter.pages);
}

/**
 * Fills in what ComicInfo does not say from the file name. A file of several volumes is of none, and a name without
 * certain numbers has no series.
 */
export function withGuesses(metadata: ChapterMetadata, guessed: GuessedName): ChapterMetadata {
  const { series, volume, lastVolume, number, lastNumber } = guessed;
  const isCertain = number !== undefined || volume !== undefined;
  const numbers = lastNumber === undefined ? number : `${number ?? ''}-${lastNumber}`;
  return {
    ...metadata,
    series: metadata.series ?? (isCertain ? series : undefined),
    volume: metadata.volume ?? (lastVolume === undefined ? volume : undefined),
    number: metadata.number ?? numbers,
  };
}

/** Whether neither the service nor the file itself names the volume. */
export function isVolumeInferred({ record, metadata: { volume } }: SourceChapter): boolean {
  return record?.inferredVolume !== undefined && record.inferredVolume === volume;
}

/** The numbers of chapters whose volume is inferred. */
export function inferredNumbers({
  by,
  chapters,
}: {
  readonly by: BindBy;
  readonly chapters: readonly SourceChapter[];
}): string[] {
  if (by === 'title') return [];
  return chapters
    .filter(isVolumeInferred)
    .map(({ metadata: { number, title } }) => number ?? title ?? '');
}

/** The chapter as the selection of releases knows it. `id` distinguishes chapters without an identity. */
export function toChapter(
  { identity, metadata, pages, listed }: SourceChapter,
  id: string,
): Chapter {
  return {
    id: identity?.chapterId ?? id,
    number: metadata.number,
    volume: metadata.volume,
    title: metadata.title,
    language: metadata.language ?? '',
    pages: pages.length,
    externalUrl: undefined,
    isUnavailable: false,
    version: identity?.version ?? 1,
    publishAt: metadata.publishedAt,
    readableAt: undefined,
    createdAt: listed?.createdAt,
    groups: (metadata.translators ?? []).map((name) => ({ id: '', name })),
    titleId: undefined,
    partialTitle: undefined,
  };
}

/** Identifies a version of a chapter, or the pages of a chapter without an identity. */
export function sourceKey(chapter: SourceChapter): string {
  const { identity, metadata, key = '' } = chapter;
  if (identity) return `${identity.chapterId}@${identity.version ?? 1}`;
  // One from the index has its key.
  if (chapter.key !== undefined || !wasRead(chapter)) return key;
  const { pages } = chapter;
  const checksum = crc32(pages.map((page) => `${page.crc32} ${page.bytes}`).join('\n'));
  return [metadata.number ?? '', metadata.title ?? '', pages.length, checksum].join('|');
}

/** Such as `Ch. 10.5 – The Storm`; for bookmarks and tables of contents. */
export function chapterLabel({ number, title }: ChapterMetadata): string {
  const label = number === undefined ? '' : `Ch. ${number}`;
  return [label, title ?? ''].filter((text) => text !== '').join(' – ') || 'Chapter';
}
