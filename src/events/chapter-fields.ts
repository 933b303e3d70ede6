/** What events and messages say about a chapter besides its id. All of it is text of the service, and not trusted. */
import { printableLine } from '../core/printable.js';
import { address, id, mark, optional, text, type ValuesOf } from './fields.js';

export const CHAPTER_FIELDS = {
  series: optional(text('The name of the title.')),
  volume: optional(text('The number of its volume.')),
  volumeInferred: mark('MangaDex does not name the volume: it is that of other releases.'),
  number: optional(text('The number of the chapter.')),
  chapterTitle: optional(text('The title of the chapter.')),
  group: optional(text('The names of its groups, joined by a plus sign.')),
  language: optional(text('The code of its language.')),
  externalUrl: optional(address('Where its publisher has it.')),
};

export type ChapterFields = ValuesOf<typeof CHAPTER_FIELDS>;

/** The fields of an event about a chapter. */
export const CHAPTER = { chapter: id('The id of the chapter.'), ...CHAPTER_FIELDS };

export const CHAPTER_EXAMPLE = {
  chapter: '5f2d0c1e-7a44-4c39-9d10-0b6f6f3a1c01',
  series: 'Endless Stairs',
  volume: '2',
  number: '7',
  chapterTitle: 'Fog',
  group: 'Tidewater Scans + Paper Lantern',
  language: 'en',
};

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

/** The id where nothing else is known. */
export function nameOf(event: ChapterFields & { readonly chapter: string }): string {
  return chapterName(event) ?? event.chapter;
}

/** Such as `The Lighthouse (en): Ch. 5 is only on the publisher's site: https://publisher.example/5`. */
export function describeExternal({ number, externalUrl, ...others }: ChapterFields): string {
  const chapter = number === undefined ? 'The chapter' : printableLine(`Ch. ${number}`);
  const at = externalUrl === undefined ? '' : `: ${externalUrl}`;
  const name = chapterName(others);
  return `${name === undefined ? '' : `${name}: `}${chapter} is only on the publisher's site${at}`;
}
