/** What the catalogue knows of a chapter, in the words of ComicInfo and of the file names. */
import type { AgeRating, ComicMetadata, ComicPage } from '../cbz/comic-info.js';
import type { FieldValues } from '../cbz/file-name.js';
import type { Chapter } from '../api/chapters.js';
import { chapterWebUrl } from '../selection/target.js';
import { preferredText, type Title } from '../api/titles.js';

const AGE_RATINGS: Readonly<Record<string, AgeRating>> = {
  safe: 'Everyone',
  suggestive: 'Teen',
  erotica: 'Mature 17+',
  pornographic: 'X18+',
};

/** What `ComicInfo.xml` says of a chapter. The groups are named: the service asks for their credit. */
export function comicMetadata(
  chapter: Chapter,
  title: Title | undefined,
  pages: readonly ComicPage[],
): ComicMetadata {
  const publishedAt = chapter.publishAt ?? chapter.readableAt ?? chapter.createdAt;
  const rating = title?.contentRating;
  const ageRating = rating === undefined ? undefined : AGE_RATINGS[rating];
  const summary = preferredText(title?.description ?? {}, [chapter.language, 'en']);
  return {
    ...(chapter.title !== undefined && { title: chapter.title }),
    ...(title !== undefined && { series: title.name }),
    ...(chapter.number !== undefined && { number: chapter.number }),
    ...(chapter.volume !== undefined && { volume: chapter.volume }),
    ...(summary !== undefined && { summary }),
    ...(publishedAt !== undefined && { publishedAt }),
    writers: title?.authors ?? [],
    pencillers: title?.artists ?? [],
    translators: chapter.groups.map(({ name }) => name),
    genres: title?.genres ?? [],
    tags: title?.tags ?? [],
    web: chapterWebUrl(chapter.id),
    language: chapter.language,
    ...(title?.originalLanguage !== undefined && { originalLanguage: title.originalLanguage }),
    ...(ageRating !== undefined && { ageRating }),
    pages,
  };
}

/** What a name template may use of a chapter. Several groups stand joined by `+`. */
export function nameValues(
  chapter: Chapter,
  title: Title | undefined,
): FieldValues & { readonly id: string } {
  const names = chapter.groups.map(({ name }) => name).filter((name) => name !== '');
  return {
    id: chapter.id,
    series: title?.name,
    volume: chapter.volume,
    chapter: chapter.number,
    title: chapter.title,
    group: names.join(' + '),
    language: chapter.language,
  };
}
