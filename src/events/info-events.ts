/** The events of `info`. */
import { QUALITIES } from '../config/quality.js';
import { CHAPTER, CHAPTER_EXAMPLE } from './chapter-fields.js';
import { DOWNLOAD_EVENTS } from './download-events.js';
import {
  address,
  bytes,
  count,
  event,
  id,
  objects,
  optional,
  text,
  texts,
  vocabulary,
  word,
  type EventsOf,
  type ValuesOf,
} from './fields.js';

/** Chapters that can be downloaded. */
const LISTED = {
  chapters: count('Chapters that can be downloaded; several releases of one number count once.'),
  releases: count('Their releases.'),
  numbers: texts('Their numbers, each once, in reading order.'),
  missing: texts(
    'Whole numbers between the first and the last that cannot be downloaded; empty where only some releases are known.',
  ),
  volumes: texts('The numbers of their volumes.'),
};

const SIZE = {
  pages: count('The pages of one release of each chapter.'),
  bytes: bytes('Their size, estimated from their number.'),
};

const QUALITY = vocabulary({
  [QUALITIES[0]]: 'as uploaded',
  [QUALITIES[1]]: 'compressed',
});

export const INFO_EVENTS = {
  'title-info': event({
    meaning: 'What MangaDex has of a title.',
    fields: {
      title: id('The id of the title.'),
      name: text('Its name.'),
      names: objects(
        { language: text('The code of the language.'), name: text('The name.') },
        'The names that MangaDex has of it, the main one first: `title-language` chooses one of them.',
      ),
      url: address('Its page on MangaDex.'),
      authors: texts('The names of its authors.'),
      artists: texts('The names of its artists.'),
      year: optional(count('The year in which it began.')),
      status: optional(text('What MangaDex calls its status, such as `ongoing`.')),
      contentRating: optional(text('What MangaDex calls its rating, such as `safe`.')),
      originalLanguage: optional(text('The code of its original language.')),
      tags: texts('Its genres and tags.'),
      volumeCount: optional(
        count(
          'How many volumes it has, also those without chapters; known of titles that are complete.',
        ),
      ),
      ...LISTED,
      quality: word(QUALITY, 'The quality for which `bytes` is estimated.'),
      ...SIZE,
      languages: objects(
        { language: text('The code of the language.'), ...LISTED, ...SIZE },
        'The same for each language, the one with the most chapters first.',
      ),
      groups: objects(
        {
          id: id('The id of the group.'),
          name: text('Its name.'),
          releases: count('Its releases.'),
          languages: texts('The codes of their languages.'),
        },
        'The groups, the one with the most releases first.',
      ),
      external: objects(CHAPTER, 'The releases that only their publisher has.'),
      takenDown: count('Releases that were taken down, or have no pages.'),
      unpublished: count('Releases that are not published yet.'),
    },
    example: {
      title: '3d1c8f52-6a0b-4e7e-9b1d-0a4c5e2f7101',
      name: 'Endless Stairs',
      names: [
        { language: 'en', name: 'Endless Stairs' },
        { language: 'ja', name: '果てしない階段' },
      ],
      url: 'https://mangadex.org/title/3d1c8f52-6a0b-4e7e-9b1d-0a4c5e2f7101',
      authors: ['A. Author'],
      artists: ['A. Author'],
      year: 2019,
      status: 'ongoing',
      contentRating: 'safe',
      originalLanguage: 'ja',
      tags: ['Drama'],
      chapters: 2,
      releases: 3,
      numbers: ['1', '3'],
      missing: ['2'],
      volumes: ['1'],
      quality: 'data',
      pages: 48,
      bytes: 24_000_000,
      languages: [
        {
          language: 'en',
          chapters: 2,
          releases: 3,
          numbers: ['1', '3'],
          missing: ['2'],
          volumes: ['1'],
          pages: 48,
          bytes: 24_000_000,
        },
      ],
      groups: [
        {
          id: '0d4c7b1a-62f9-4e35-8a17-1b5d8fae9201',
          name: 'Tidewater Scans',
          releases: 3,
          languages: ['en'],
        },
      ],
      external: [{ ...CHAPTER_EXAMPLE, externalUrl: 'https://publisher.example/endless-stairs/7' }],
      takenDown: 0,
      unpublished: 0,
    },
  }),
  'target-failed': DOWNLOAD_EVENTS['target-failed'],
};

export type InfoEvent = EventsOf<typeof INFO_EVENTS>;
export type TitleInfo = Extract<InfoEvent, { readonly type: 'title-info' }>;
export type ListedChapters = ValuesOf<typeof LISTED>;
export type ListedSize = ValuesOf<typeof SIZE>;
