/** The events of `overview`. */
import { formatCount, pluralize } from '../core/human-format.js';
import {
  address,
  boolean,
  count,
  event,
  id,
  list,
  objects,
  optional,
  path,
  text,
  texts,
  time,
  vocabulary,
  word,
  type EventsOf,
} from './fields.js';
import { MISSING_REASONS } from './reasons.js';

const NUMBER = text('The number of the chapter; of one without a number, its title.');

const COMMANDS = vocabulary({
  download: 'the command download',
  sync: 'the command sync, which leaves out what the subscription leaves out',
});

const STATES = vocabulary({
  present: 'it is there',
  'taken-down': 'it is there, and MangaDex does not have it any more',
  ...MISSING_REASONS,
});

export const OVERVIEW_EVENTS = {
  'title-overview': event({
    meaning: 'What the folders have of a title, and what they lack.',
    fields: {
      title: id('The id of the title.'),
      name: text('Its name.'),
      languages: texts('The codes of the languages that count.'),
      have: count('Chapters that are there.'),
      missing: objects(
        {
          number: NUMBER,
          volume: optional(text('The number of its volume, where numbers begin again in it.')),
          reason: word(MISSING_REASONS, 'Why it is missing.'),
          languages: optional(
            texts('With `other-language`: the codes of the languages that have it.'),
          ),
          externalUrl: optional(address('With `external`: where its publisher has it.')),
        },
        'The chapters that are missing, in reading order.',
      ),
      completedBy: word(COMMANDS, 'What gets the chapters that can be downloaded.'),
      takenDown: texts(
        'The numbers of chapters that are there, and that MangaDex does not have any more.',
      ),
      duplicates: objects(
        {
          number: NUMBER,
          language: optional(
            text('The code of their language, if the title has files in several.'),
          ),
          files: list(path('The files that have it.')),
          areBooks: optional(
            boolean('`true` for books; otherwise the files are of one chapter each.'),
          ),
        },
        'The chapters that are in several files of one kind, chapters or books, in one language.',
      ),
      alsoInBooks: objects(
        {
          numbers: texts('The number of a chapter; of one without a number, its title.'),
          files: list(path('The books that have them.')),
        },
        'The chapters that are in files of their own and in books too, in one language.',
      ),
      volumes: objects(
        {
          volume: text('The number of the volume.'),
          isComplete: boolean('Whether all its chapters are there.'),
        },
        'The volumes that MangaDex names, in order.',
      ),
      missingVolumes: texts('The numbers of the volumes of which no chapter is there.'),
      runs: objects(
        {
          state: word(STATES, 'What all of them are.'),
          first: text('The number of the first chapter.'),
          last: text('The number of the last chapter.'),
          count: count('How many they are.'),
          volume: optional(text('The volumes, such as `2` or `1-10`, where numbers begin again.')),
        },
        'All chapters, present and missing, in reading order: neighbors in the same state.',
      ),
      status: optional(text('What MangaDex calls its status, such as `ongoing`.')),
      checkedAt: optional(
        time('When MangaDex was asked for its chapters; missing if it never was.'),
      ),
    },
    example: {
      title: '3d1c8f52-6a0b-4e7e-9b1d-0a4c5e2f7101',
      name: 'Endless Stairs',
      languages: ['en'],
      have: 4,
      missing: [{ number: '6', reason: 'not-downloaded' }],
      completedBy: 'download',
      takenDown: [],
      duplicates: [],
      alsoInBooks: [],
      volumes: [{ volume: '1', isComplete: true }],
      missingVolumes: [],
      runs: [
        { state: 'present', first: '1', last: '4', count: 4 },
        { state: 'not-downloaded', first: '6', last: '6', count: 1 },
      ],
      status: 'ongoing',
      checkedAt: '2026-11-21T03:30:00.000Z',
    },
  }),
  'overview-summary': event({
    meaning: 'The last line of `overview`.',
    fields: {
      titles: count('Titles of which a chapter is there.'),
      have: count('Chapters that are there.'),
      notDownloaded: count('Chapters that can be downloaded.'),
      removed: count('Chapters that were saved, and whose files are gone.'),
      leftOut: count('Chapters that a subscription to their title leaves out.'),
      unknown: count(
        'Files whose title is not known: of other programs, or not listed by MangaDex any more.',
      ),
    },
    example: { titles: 12, have: 480, notDownloaded: 9, removed: 2, leftOut: 0, unknown: 0 },
    sentence: ({ titles, have, notDownloaded, removed, leftOut, unknown }) =>
      [
        `${pluralize(titles, 'title')}, ${pluralize(have, 'chapter')}`,
        `${formatCount(notDownloaded)} can be downloaded`,
        ...(removed > 0 ? [`${formatCount(removed)} removed by you`] : []),
        ...(leftOut > 0 ? [`${formatCount(leftOut)} left out by subscriptions`] : []),
        ...(unknown > 0 ? [`${pluralize(unknown, 'file')} of unknown titles`] : []),
      ].join(', '),
  }),
};

export type OverviewEvent = EventsOf<typeof OVERVIEW_EVENTS>;
export type TitleOverviewEvent = Extract<OverviewEvent, { readonly type: 'title-overview' }>;
export type ChapterState = keyof typeof STATES;
export type MissingChapter = TitleOverviewEvent['missing'][number];
