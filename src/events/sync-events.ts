/** The events of `sync`, besides those of its downloads. */
import { formatLocalTime, pluralize } from '../core/human-format.js';
import { CHAPTER, CHAPTER_EXAMPLE, nameOf } from './chapter-fields.js';
import {
  count,
  event,
  id,
  mark,
  optional,
  path,
  text,
  texts,
  time,
  word,
  type EventsOf,
} from './fields.js';
import { RETIRE_REASONS } from './reasons.js';

/** A chapter of a subscribed title. */
const SUBSCRIBED = { title: id('The id of the title.'), ...CHAPTER };
const TITLE = '3d1c8f52-6a0b-4e7e-9b1d-0a4c5e2f7101';
const EXAMPLE = { title: TITLE, ...CHAPTER_EXAMPLE };

const RETIRED_SINCE: Readonly<Record<keyof typeof RETIRE_REASONS, string>> = {
  'not-latest': 'not among the latest',
  read: 'read',
};

/** What a sync counts of each title. */
export const SERIES_COUNTS = ['new', 'replaced', 'skipped', 'failed'] as const;

export const SYNC_EVENTS = {
  'series-synced': event({
    meaning: 'A title with new chapters is done.',
    fields: {
      title: id('The id of the title.'),
      name: text('Its name.'),
      new: count('Chapters that were saved.'),
      replaced: count('Chapters that replaced another release.'),
      skipped: count('Chapters that were skipped.'),
      failed: count('Chapters that failed.'),
      waiting: count('Chapters that wait for their preferred group.'),
      retired: optional(
        count('With `keep-latest` or `keep-unread`: files of chapters that were moved away.'),
      ),
    },
    example: {
      title: TITLE,
      name: 'Endless Stairs',
      new: 2,
      replaced: 0,
      skipped: 0,
      failed: 0,
      waiting: 1,
    },
    // The report of the run has a line for each.
    sentence: () => undefined,
  }),
  'chapter-waiting': event({
    meaning: 'A chapter waits for its preferred group: reported once, and by each dry run.',
    fields: { ...SUBSCRIBED, until: time('When another release is downloaded at the latest.') },
    example: { ...EXAMPLE, until: '2026-11-21T03:30:00.000Z' },
    sentence: ({ until, ...chapter }, nowMs) =>
      `${nameOf(chapter)}: waits for its group until ${formatLocalTime(Date.parse(until), nowMs)}`,
  }),
  planned: event({
    meaning: 'With `--dry-run`: a chapter that would be downloaded.',
    fields: {
      ...SUBSCRIBED,
      file: optional(path('The path that its file would get.')),
      why: text('Why it was selected, for people.'),
      replaces: optional(id('The id of the chapter whose file it would replace.')),
    },
    example: { ...EXAMPLE, file: 'a.cbz', why: 'the only release' },
    // It is a result, with a row on standard output.
    sentence: () => undefined,
  }),
  'title-changed': event({
    meaning: 'With `upgrade`: the metadata of a title changed on MangaDex, and its files follow.',
    fields: {
      title: id('The id of the title.'),
      name: text('Its name.'),
      changed: texts(
        'The names of the metadata that changed in files of chapters, such as `ageRating`.',
      ),
      files: count('Files that were written: those of chapters, `series.json` and `details.json`.'),
    },
    example: { title: TITLE, name: 'Endless Stairs', changed: ['ageRating'], files: 42 },
    sentence: ({ name, changed, files }) => {
      const what = changed.length > 0 ? changed.join(', ') : 'metadata of the series';
      return `${name}: ${what} changed on MangaDex; ${pluralize(files, 'file')} written`;
    },
  }),
  'chapter-changed': event({
    meaning:
      'A downloaded chapter changed on MangaDex and its file stays, since `upgrade` is not set.',
    fields: {
      ...SUBSCRIBED,
      changed: texts('`pages`, or the names of the metadata, such as `volume`.'),
    },
    example: { ...EXAMPLE, changed: ['volume'] },
    sentence: ({ changed, ...chapter }) => {
      const isPages = changed.includes('pages');
      const what = isPages ? 'it was uploaded again' : changed.join(', ') || 'name';
      return `changed on MangaDex: ${nameOf(chapter)}: ${what}`;
    },
  }),
  'chapter-restored': event({
    meaning: 'MangaDex has a downloaded chapter again that was taken down; its file stayed.',
    fields: SUBSCRIBED,
    example: EXAMPLE,
    sentence: (chapter) => `available again: ${nameOf(chapter)}`,
  }),
  'chapter-retired': event({
    meaning:
      'With `keep-latest` or `keep-unread`: the file of a chapter that is not kept any more was moved to `.tankobon-replaced`.',
    fields: {
      ...SUBSCRIBED,
      file: path('Where the file was.'),
      reason: word(RETIRE_REASONS, 'Why it is not kept.'),
      planned: mark('With `--dry-run`: the file would be moved, and stays.'),
      removed: mark('With the setting `keepReplaced` 0: the file was removed in place of that.'),
    },
    example: { ...EXAMPLE, file: 'a.cbz', reason: 'not-latest' },
    sentence: ({ file, reason, planned, removed, ...chapter }) => {
      const moved = `${planned ? 'would move' : 'moved'} to .tankobon-replaced`;
      const done = removed ? (planned ? 'would remove' : 'removed') : moved;
      return `${done}: ${nameOf(chapter)}: ${RETIRED_SINCE[reason]}: ${file}`;
    },
  }),
  'device-book-saved': event({
    meaning: 'With `for`: a book was made or renewed in the folder `device-output`.',
    fields: {
      title: id('The id of the title.'),
      name: text('Its name.'),
      device: text('The name of the device.'),
      file: path('The book, or a part of it.'),
    },
    example: {
      title: TITLE,
      name: 'Endless Stairs',
      device: 'kobo-libra',
      file: '/media/kobo/Endless Stairs/Endless Stairs Vol.01.kepub.epub',
    },
    sentence: ({ device, file }) => `for ${device}: ${file}`,
  }),
  'hook-failed': event({
    meaning: 'A hook or a media server could not be called; the chapters are saved.',
    fields: {
      hook: text('Its key in the subscriptions file.'),
      message: text('A sentence for people, which can change.'),
    },
    example: { hook: 'komga', message: 'Komga responded with status 401.' },
    // A warning says it.
    sentence: () => undefined,
  }),
};

export type SyncEvent = EventsOf<typeof SYNC_EVENTS>;
