/** The metadata of a book from that of its chapters: credits are merged, the strictest age rating counts. */
import { mergedMetadata, type ComicFields, type ChapterMetadata } from '../library/comic-info.js';
import { numberedTitle, plainTitle } from '../config/names.js';
import { titleWebUrl } from '../config/service-addresses.js';
import type { ReadingDirection } from '../config/bind-choices.js';
import type { BookGroup } from './book.js';
import type { ChapterGroup } from './group-volumes.js';
import { chapterLabel, inferredNumbers, type BookChapter } from './source-chapter.js';

/**
 * @param fields with the direction of chapters that name none
 * @param volumeCount how many volumes the series has, if known
 */
export function bookMetadata(
  group: BookGroup,
  fields: ComicFields & { readonly direction: ReadingDirection | false },
  volumeCount?: number,
): ChapterMetadata {
  const chapters = group.chapters.map(({ metadata }) => metadata);
  const [first = {}] = chapters;
  const only = group.by === 'chapter' ? first : undefined;
  const { volume, series } = group;
  const { volumeField } = fields;
  const merged = mergedMetadata(chapters);
  return {
    ...merged,
    direction: merged.direction ?? (fields.direction || undefined),
    title:
      (only && chapterTitle(only, fields)) ??
      (volume === undefined || only ? undefined : `Volume ${volume}`),
    series,
    localizedSeries: fields.localizedSeries
      ? chapters.find(({ localizedSeries }) => localizedSeries !== undefined)?.localizedSeries
      : undefined,
    number: only?.number ?? (volumeField === 'none' ? volume : undefined),
    count: group.by === 'volume' ? volumeCount : undefined,
    volume: volumeField === 'number' ? volume : undefined,
    notes: inferenceNote(group),
    format: only?.format,
    language: group.language === '' ? undefined : group.language,
    web: only ? only.web : titleAddress(group.chapters),
  };
}

function chapterTitle(
  chapter: ChapterMetadata,
  { titleField, volumeField }: ComicFields,
): string | undefined {
  const title = plainTitle(chapter.title);
  if (titleField === 'plain') return title;
  const volume = volumeField === 'none' ? undefined : chapter.volume;
  return numberedTitle({ title, volume, number: chapter.number });
}

/** Undefined for chapters of several titles, and of none that is known. */
function titleAddress(chapters: readonly BookChapter[]): string | undefined {
  const titleIds = chapters.flatMap(({ titleId: marked, record }) => {
    const titleId = marked ?? record?.titleId;
    return titleId === undefined ? [] : [titleId];
  });
  const [titleId, ...others] = new Set(titleIds);
  return titleId === undefined || others.length > 0 ? undefined : titleWebUrl(titleId);
}

function inferenceNote(group: ChapterGroup): string | undefined {
  const numbers = inferredNumbers(group);
  return numbers.length === 0 ? undefined : `Volume inferred: chapter ${numbers.join(', ')}.`;
}

/** The tag of MangaDex for titles that are read from top to bottom. */
const LONG_STRIP = 'long strip';

export function isLongStrip({ genres = [], tags = [] }: ChapterMetadata): boolean {
  return [...genres, ...tags].some((tag) => tag.toLowerCase() === LONG_STRIP);
}

/** Such as `Series, Vol. 3` or, for a chapter, `Series, Ch. 12 – The Storm`. */
export function bookTitle({ by, series, volume, chapters }: ChapterGroup): string {
  const label = chapters[0] ? chapterLabel(chapters[0].metadata) : '';
  const ofVolume = volume === undefined ? 'no volume yet' : `Vol. ${volume}`;
  const part = by === 'volume' ? ofVolume : '';
  return (
    [series, by === 'chapter' ? label : part].filter((text) => text !== '').join(', ') || label
  );
}

/** The book's position in its series. */
export function bookPosition({ by, volume, chapters }: ChapterGroup): string | undefined {
  if (by === 'title') return undefined;
  return by === 'chapter' ? (chapters[0]?.metadata.number ?? volume) : volume;
}

/** Stays the same when a chapter is added to the book. */
export function bookIdentity({ by, series, language, volume, chapters }: ChapterGroup): string {
  const own = by === 'chapter' && chapters[0] ? chapterLabel(chapters[0].metadata) : '';
  return JSON.stringify([by, series, language, volume ?? '', own]);
}
