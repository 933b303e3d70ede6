/** What events and messages say about a chapter of the service besides its id. */
import type { Chapter } from '../service/chapters.js';
import type { Title } from '../service/titles.js';
import type { ChapterFields } from '../events/chapter-fields.js';
import { webAddress } from '../core/web-address.js';

/** Only the fields that are known. */
export function chapterFields(
  { volume, isVolumeInferred, number, title, groups, language, externalUrl }: Chapter,
  series?: string,
): ChapterFields {
  const names = groups.flatMap(({ name }) => (name === '' ? [] : [name]));
  const fields: ChapterFields = {
    series,
    volume,
    volumeInferred: isVolumeInferred,
    number,
    chapterTitle: title,
    group: names.join(' + '),
    language,
    externalUrl: externalUrl === undefined ? undefined : webAddress(externalUrl),
  };
  const entries: (readonly [string, unknown])[] = Object.entries(fields);
  const known = entries.filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(known);
}

/** The fields of each chapter by its id, with the names of its title if that is known. */
export function fieldsById(
  chapters: readonly Chapter[],
  titles: ReadonlyMap<string, Pick<Title, 'name'>>,
): ReadonlyMap<string, ChapterFields> {
  return new Map(
    chapters.map((chapter) => {
      const title = titles.get(chapter.titleId ?? '') ?? chapter.partialTitle;
      return [chapter.id, chapterFields(chapter, title?.name)];
    }),
  );
}
