/** Maps a chapter of the catalogue to the fields of file names. */
import type { FieldValues } from '../../config/name-template.js';
import type { Chapter } from '../../service/chapters.js';
import type { Title } from '../../service/titles.js';

/** A volume that a download inferred stays until the service names one. */
export function withInferredVolume(chapter: Chapter, volume: string | undefined): Chapter {
  if (chapter.volume !== undefined || volume === undefined) return chapter;
  return { ...chapter, volume, isVolumeInferred: true };
}

/** Undefined if the service names the volume itself, or if it is unknown. */
export function inferredVolumeOf({ volume, isVolumeInferred }: Chapter): string | undefined {
  return isVolumeInferred ? volume : undefined;
}

/** What is known of a chapter, such as the language alone of one that is not published yet. */
export type NamedChapter = Pick<Chapter, 'id' | 'language' | 'groups'> & Partial<Chapter>;

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
export function titleIdOf(chapter: Partial<NamedChapter> | undefined): string | undefined {
  return chapter?.titleId ?? chapter?.partialTitle?.id;
}

export function findTitle(
  titles: ReadonlyMap<string, Title>,
  chapter: NamedChapter | undefined,
): Title | undefined {
  return titles.get(titleIdOf(chapter) ?? '') ?? chapter?.partialTitle;
}
