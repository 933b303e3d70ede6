/** What events and messages say about a chapter besides its id. All of it is text of the service, and not trusted. */
import type { Chapter } from '../service/chapters.js';
import type { Title } from '../service/titles.js';
import { printableLine } from '../core/printable.js';
import { webAddress } from '../core/web-address.js';

export interface ChapterFields {
  /** The name of the title. */
  readonly series?: string;
  readonly volume?: string;
  /** MangaDex does not name the volume: it is that of other releases. */
  readonly volumeInferred?: true;
  readonly number?: string;
  readonly chapterTitle?: string;
  /** The names of its groups, joined by ` + `. */
  readonly group?: string;
  readonly language?: string;
  /** Where its publisher has it. */
  readonly externalUrl?: string;
}

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

/** Such as `The Lighthouse Vol. 2 Ch. 7 "Taken Down" [Tidewater Scans] (en)`; undefined if too little is known. */
export function chapterName(fields: ChapterFields): string | undefined {
  const { series, volume, number, chapterTitle, group, language } = fields;
  if (series === undefined && number === undefined && chapterTitle === undefined) return undefined;
  const parts = [
    series,
    volume === undefined ? undefined : `Vol. ${volume}`,
    number === undefined ? undefined : `Ch. ${number}`,
    chapterTitle === undefined ? undefined : `"${chapterTitle}"`,
    group === undefined ? undefined : `[${group}]`,
    language === undefined ? undefined : `(${language})`,
  ];
  return printableLine(parts.filter((part) => part !== undefined).join(' '));
}

/** Such as `The Lighthouse (en): Ch. 5 is only on the publisher's site: https://publisher.example/5`. */
export function describeExternal({ number, externalUrl, ...others }: ChapterFields): string {
  const chapter = number === undefined ? 'The chapter' : printableLine(`Ch. ${number}`);
  const address = externalUrl === undefined ? '' : `: ${externalUrl}`;
  const name = chapterName(others);
  return `${name === undefined ? '' : `${name}: `}${chapter} is only on the publisher's site${address}`;
}
