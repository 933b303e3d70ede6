/** The events of `retag`. */
import { BIND_EVENTS } from './bind-events.js';
import { CHAPTER, CHAPTER_EXAMPLE, CHAPTER_FIELDS } from './chapter-fields.js';
import { DOWNLOAD_EVENTS } from './download-events.js';
import {
  count,
  errorCode,
  event,
  id,
  optional,
  path,
  text,
  texts,
  vocabulary,
  word,
  type EventsOf,
} from './fields.js';
import { keptSentence, retaggedSentence } from './retag-sentences.js';

const PEOPLE = 'A sentence for people, which can change.';

export const RETAG_EVENTS = {
  'chapter-retagged': DOWNLOAD_EVENTS['chapter-retagged'],
  'chapter-kept': event({
    meaning: 'A file stays as it is, and has metadata that you edited.',
    fields: {
      ...CHAPTER,
      file: path('The file.'),
      kept: texts(
        'The names of these metadata, some of which MangaDex has otherwise, and of elements that tankobon never writes.',
      ),
    },
    example: { ...CHAPTER_EXAMPLE, file: 'a.cbz', kept: ['title'] },
    sentence: ({ file, kept }) => keptSentence(file, kept),
  }),
  'chapter-skipped': event({
    meaning: 'A file stays as it is, since tankobon did not write it.',
    fields: {
      chapter: CHAPTER.chapter,
      file: path('The file.'),
      reason: word(
        vocabulary({
          'other-program': 'another program wrote the file',
          'other-user': 'the file belongs to another user',
        }),
        'Why it is skipped.',
      ),
      message: text(PEOPLE),
    },
    example: {
      chapter: CHAPTER_EXAMPLE.chapter,
      file: 'a.cbz',
      reason: 'other-program',
      message: 'Not changed, since another program wrote it: a.cbz',
    },
    sentence: ({ message }) => message,
  }),
  'chapter-failed': event({
    meaning: 'A file could not be read or written.',
    fields: {
      chapter: optional(id('The id of the chapter; missing if the file cannot be read.')),
      ...CHAPTER_FIELDS,
      file: path('The file.'),
      reason: errorCode('Why it failed.'),
      message: text(PEOPLE),
    },
    example: {
      ...CHAPTER_EXAMPLE,
      file: 'a.cbz',
      reason: 'file-changed',
      message: 'Another process changed the file: a.cbz',
    },
    sentence: ({ message }) => `error: ${message}`,
  }),
  'book-retagged': event({
    meaning:
      'With `--rename-titles` or `--rename`: a book of a title that got another name or folder; in a dry run, one that will get it.',
    fields: {
      file: path('The book, or its old name.'),
      newFile: optional(path('Its new name, if that changed.')),
      series: text('The new name of the series.'),
      changed: texts('`series`, unless the content of the book stays.'),
      kept: texts(
        '`series` for a PDF and for a book that you edited, or the names of files in a folder that you edited.',
      ),
    },
    example: {
      file: 'Alpha/Vol 1.epub',
      newFile: 'Beta/Vol 1.epub',
      series: 'Beta',
      changed: ['series'],
      kept: [],
    },
    sentence: retaggedSentence,
  }),
  'book-failed': BIND_EVENTS['book-failed'],
  'file-moved': event({
    meaning:
      'With `--rename-titles` or `--rename`: a cover, `series.json` or `details.json` of a title that got another name or folder.',
    fields: { file: path('Its old name.'), newFile: path('Its new name.') },
    example: { file: 'Alpha/cover.jpg', newFile: 'Beta/cover.jpg' },
    sentence: ({ file, newFile }) => `${file}\n  renamed to ${newFile}`,
  }),
  'metadata-updated': event({
    meaning:
      'A `series.json` or `details.json` that differed from what MangaDex says of the title.',
    fields: { file: path('Its name, which is the new one if it is moved.') },
    example: { file: 'Alpha/series.json' },
    sentence: ({ file }) => `${file}: metadata of the series`,
  }),
  'retag-summary': event({
    meaning: 'The last line of `retag`.',
    fields: {
      changed: count('Chapters that changed.'),
      unchanged: count('Chapters that did not.'),
      books: count('Books that changed.'),
      edited: count('Files with metadata that you edited, and that MangaDex has otherwise.'),
      nameTaken: count('Those of `changed` whose new name another file has.'),
      pagesNotCompared: count(
        'Chapters that changed since their pages were compared: `download --update` compares them.',
      ),
      changedInBooks: count(
        'Chapters that changed, and that only books have: `download --update` puts the changes into the books.',
      ),
      notListed: count('Chapters that MangaDex does not list any more.'),
      skipped: count('Files of other programs or users.'),
      links: count('Symbolic links, which are not followed.'),
      failed: count('Files that could not be read or written.'),
    },
    example: {
      changed: 3,
      unchanged: 120,
      books: 0,
      edited: 1,
      nameTaken: 0,
      pagesNotCompared: 0,
      changedInBooks: 0,
      notListed: 0,
      skipped: 0,
      links: 0,
      failed: 0,
    },
  }),
};

export type RetagEvent = EventsOf<typeof RETAG_EVENTS>;
export type RetagSummary = Extract<RetagEvent, { readonly type: 'retag-summary' }>;
