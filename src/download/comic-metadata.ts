/** Maps a chapter of the catalogue to ComicInfo and to the fields of file names. */
import type { AgeRating, ComicFields, ComicMetadata, ComicPage } from '../library/comic-info.js';
import type { FieldValues } from '../config/name-template.js';
import { numberedTitle } from '../library/names.js';
import { plainSummary } from './plain-summary.js';
import type { Chapter } from '../service/chapters.js';
import { chapterWebUrl } from '../selection/target.js';
import { preferredText, type Title } from '../service/titles.js';

const AGE_RATINGS: ReadonlyMap<string | undefined, AgeRating> = new Map([
  ['safe', 'Everyone'],
  ['suggestive', 'Teen'],
  ['erotica', 'Mature 17+'],
  ['pornographic', 'X18+'],
]);

/** The content of `ComicInfo.xml`. It names the groups, since the service asks to credit them. */
export function comicMetadata(
  chapter: Chapter,
  title: Title | undefined,
  pages: readonly ComicPage[],
  { volumeField, titleField, localizedSeries = false }: Partial<ComicFields> = {},
): ComicMetadata {
  const volume = volumeField === 'none' ? undefined : chapter.volume;
  return {
    title: titleField === 'numbered' ? numberedTitle({ ...chapter, volume }) : chapter.title,
    series: title?.name,
    localizedSeries: localizedSeries ? title?.originalName : undefined,
    number: chapter.number,
    volume,
    summary: plainSummary(preferredText(title?.description ?? {}, [chapter.language, 'en']) ?? ''),
    notes: chapter.isVolumeInferred && INFERENCE_NOTE,
    publishedAt: chapter.publishAt ?? chapter.readableAt ?? chapter.createdAt,
    writers: title?.authors,
    pencillers: title?.artists,
    translators: chapter.groups.map(({ name }) => name),
    genres: [
      ...(title?.genres ?? []),
      ...(title?.demographic === undefined ? [] : [title.demographic]),
    ],
    tags: title?.tags,
    web: chapterWebUrl(chapter.id),
    language: chapter.language,
    originalLanguage: title?.originalLanguage,
    ageRating: AGE_RATINGS.get(title?.contentRating),
    pages,
  };
}

/** Written as a note for readers, since ComicInfo has no element for it. */
export const INFERENCE_NOTE = 'The volume is inferred from other releases of the chapter.';

/** A volume that a download inferred stays until the service names one. */
export function withInferredVolume(chapter: Chapter, volume: string | undefined): Chapter {
  if (chapter.volume !== undefined || volume === undefined) return chapter;
  return { ...chapter, volume, isVolumeInferred: true };
}

/** Undefined if the service names the volume itself, or if it is unknown. */
export function inferredVolumeOf({ volume, isVolumeInferred }: Chapter): string | undefined {
  return isVolumeInferred ? volume : undefined;
}

type NamedChapter = Pick<
  Chapter,
  | 'id'
  | 'number'
  | 'volume'
  | 'title'
  | 'language'
  | 'groups'
  | 'titleId'
  | 'readableAt'
  | 'uploaderId'
>;

/** The values for a name template. Several groups are joined by ` + `, several people by commas. */
export function nameValues(
  chapter: NamedChapter,
  title: Title | undefined,
): FieldValues & { readonly id: string } {
  const names = chapter.groups.map(({ name }) => name).filter((name) => name !== '');
  return {
    id: chapter.id,
    'chapter-id': chapter.id,
    series: title?.name,
    volume: chapter.volume,
    chapter: chapter.number,
    title: chapter.title,
    group: names.join(' + '),
    language: chapter.language,
    author: title?.authors.join(', '),
    artist: title?.artists.join(', '),
    year: title?.year === undefined ? undefined : String(title.year),
    'title-id': title?.id ?? chapter.titleId,
    uploader: chapter.uploaderId,
    date: chapter.readableAt?.toISOString().slice(0, 10),
  };
}

/** Undefined if the chapter's title is not known. */
export function titleIdOf(chapter: Chapter | undefined): string | undefined {
  return chapter?.titleId ?? chapter?.partialTitle?.id;
}
