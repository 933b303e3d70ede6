/** The events of binding: of `bind`, and of `download --bind`. */
import { basename, dirname, join } from 'node:path';
import { hasBookExtension } from '../config/containers.js';
import { formatBytes, formatCount, pluralize } from '../core/human-format.js';
import { CHAPTER_FIELDS } from './chapter-fields.js';
import type { DOWNLOAD_EVENTS } from './download-events.js';
import {
  bytes,
  count,
  errorCode,
  event,
  object,
  optional,
  path,
  text,
  texts,
  vocabulary,
  word,
  type EventsOf,
} from './fields.js';
import { LEFT_OUT_REASONS } from './reasons.js';

const BOOK = 'The book; for a book in a folder, the folder.';

/** What is bound into one book. */
const VOLUME = {
  series: text('The name of the title.'),
  language: text('The code of the language.'),
  volume: optional(text('The number of the volume; missing for a book of a whole title.')),
};
const VOLUME_EXAMPLE = { series: 'Endless Stairs', language: 'en', volume: '2' };

export const BIND_EVENTS = {
  'book-planned': event({
    meaning: 'A book that will be written.',
    fields: {
      file: path(BOOK),
      ...VOLUME,
      chapters: count('The number of its chapters.'),
      pages: count('The number of their pages.'),
      missing: texts(
        'The numbers between the first and the last chapter that are missing, such as `3` or `7-9`.',
      ),
      volumeInferred: optional(
        texts('The numbers of the chapters whose own metadata do not name the volume.'),
      ),
    },
    example: { file: 'a.epub', ...VOLUME_EXAMPLE, chapters: 5, pages: 120, missing: ['9'] },
    sentence: (book) =>
      `${book.file}: ${pluralize(book.chapters, 'chapter')}, ${pluralize(book.pages, 'page')}${bookNote(book)}`,
  }),
  'book-saved': event({
    meaning: 'The book is complete and has its final name.',
    fields: {
      file: path(BOOK),
      chapters: count('The number of its chapters.'),
      pages: count('The number of their pages.'),
      bytes: bytes('The size of the book.'),
      missing: optional(texts('What a whole book lacks: numbers such as `5` and `7-9`.')),
      part: optional(
        object(
          { number: count('Counted from 1.'), total: count('How many there are.') },
          'Which part it is, of a book in several files.',
        ),
      ),
      book: optional(path('The `file` of the `book-planned` whose part it is.')),
    },
    example: { file: 'a.epub', chapters: 5, pages: 120, bytes: 52_345_678 },
    sentence: ({ file, pages, bytes: size }) =>
      `${bookLabel(file)}: saved, ${pluralize(pages, 'page')}, ${formatBytes(size)}`,
  }),
  'book-skipped': event({
    meaning: 'The book exists.',
    fields: {
      file: path(BOOK),
      reason: word(
        vocabulary({
          'already-there': 'it has all chapters',
          edited:
            'another program changed it after it was bound, and it lacks something; it and the chapters stay',
        }),
        'Why it is not written.',
      ),
    },
    example: { file: 'a.epub', reason: 'already-there' },
    // A warning says what is to be done with an edited book.
    sentence: () => undefined,
  }),
  'book-failed': event({
    meaning: 'The book was not written.',
    fields: {
      file: path(BOOK),
      reason: errorCode('Why it failed.'),
      message: text('A sentence for people, which can change.'),
    },
    example: { file: 'a.epub', reason: 'disk-full', message: 'The disk is full: a.epub' },
    sentence: ({ message }) => `error: ${message}`,
  }),
  'volume-incomplete': event({
    meaning: 'A volume is not bound yet: MangaDex lists chapters of it that are not downloaded.',
    fields: {
      ...VOLUME,
      missing: texts('The numbers of these chapters.'),
      unavailable: optional(
        texts(
          'The numbers of chapters that MangaDex does not have: hosted elsewhere, or taken down.',
        ),
      ),
    },
    example: { ...VOLUME_EXAMPLE, missing: ['9'], unavailable: ['10'] },
    sentence: ({ series, volume = '', missing, unavailable = [] }) => {
      const others =
        unavailable.length === 0
          ? ''
          : `; MangaDex does not have ${chapterNumbers(unavailable)} (hosted elsewhere, or taken down)`;
      return `${series} Vol. ${volume}: not bound yet; missing: ${chapterNumbers(missing)}${others}`;
    },
  }),
  'chapters-unavailable': event({
    meaning: 'A volume is bound without chapters that MangaDex does not have.',
    fields: {
      ...VOLUME,
      chapters: texts('The numbers of these chapters: hosted elsewhere, or taken down.'),
    },
    example: { ...VOLUME_EXAMPLE, chapters: ['10'] },
    sentence: ({ series, volume = '', chapters }) =>
      `${series} Vol. ${volume}: bound without ${chapterNumbers(chapters)}, which MangaDex does not have (hosted elsewhere, or taken down)`,
  }),
  'chapter-left-out': event({
    meaning: 'A chapter is in no book. What its file says of it is in the fields of a chapter.',
    fields: {
      file: path('The file of the chapter.'),
      reason: word(LEFT_OUT_REASONS, 'Why it is in no book.'),
      message: optional(text('With `archive-damaged`: a sentence for people, which can change.')),
      ...CHAPTER_FIELDS,
    },
    example: { file: 'a.cbz', reason: 'no-volume', series: 'Endless Stairs', number: '7' },
    sentence: ({ file, reason, message }) =>
      message === undefined
        ? `left out: ${file}: ${LEFT_OUT_REASONS[reason]}`
        : `error: ${message}`,
  }),
  'chapter-removed': event({
    meaning:
      'A file that a book replaces was removed: of a chapter, or a book whose chapters all moved to others.',
    fields: { file: path('The file that was removed.'), book: path('The book that replaces it.') },
    example: { file: 'a.cbz', book: 'a.epub' },
    // The line of the book says enough.
    sentence: () => undefined,
  }),
  'bind-summary': event({
    meaning: 'The last line of binding, also after an interruption.',
    fields: {
      saved: count('Books that were written.'),
      skipped: count('Books that exist.'),
      failed: count('Books that were not written.'),
      leftOut: count('Chapters that are in no book.'),
      removed: count('Files that books replaced.'),
    },
    example: { saved: 2, skipped: 1, failed: 0, leftOut: 3, removed: 0 },
    sentence: ({ saved, skipped, failed, leftOut, removed }) =>
      [
        `${pluralize(saved, 'book')} saved`,
        ...(skipped > 0 ? [`${formatCount(skipped)} skipped`] : []),
        ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
        ...(leftOut > 0 ? [`${pluralize(leftOut, 'chapter')} left out`] : []),
        ...(removed > 0 ? [`${pluralize(removed, 'chapter file')} removed`] : []),
      ].join(', '),
  }),
};

/** What observers get besides the events, and `--json` never prints. */
export const BIND_PROGRESS = {
  'book-page': event({
    meaning: 'A page of a book was written: for progress bars.',
    fields: { file: path(BOOK) },
    example: { file: 'a.epub' },
    sentence: () => undefined,
  }),
};

export type BindEvent = EventsOf<typeof BIND_EVENTS>;
export type BookPageEvent = EventsOf<typeof BIND_PROGRESS>;
export type BookPlanned = Extract<BindEvent, { readonly type: 'book-planned' }>;
export type BookSaved = Extract<BindEvent, { readonly type: 'book-saved' }>;
export type ChapterLeftOut = Extract<BindEvent, { readonly type: 'chapter-left-out' }>;
/** A message for people; the book is written nevertheless. */
export type BindWarning = EventsOf<Pick<typeof DOWNLOAD_EVENTS, 'warning'>>;
export type ObserveBind = (event: BindEvent | BindWarning | BookPageEvent) => void;

/** A folder is named after its volume alone, so it gets the series' name, which the folder above has. */
export function bookLabel(file: string): string {
  const name = basename(file);
  return hasBookExtension(name) ? name : join(basename(dirname(file)), name);
}

/** Such as `; missing: chapter 5`; empty if there is nothing to say. */
export function bookNote({
  missing,
  volumeInferred = [],
}: {
  readonly missing: readonly string[];
  readonly volumeInferred?: readonly string[];
}): string {
  const gaps = missing.length === 0 ? '' : `; missing: ${chapterNumbers(missing)}`;
  const inferred =
    volumeInferred.length === 0 ? '' : `; volume inferred: ${chapterNumbers(volumeInferred)}`;
  return `${gaps}${inferred}`;
}

/** Such as `chapter 5` or `chapters 5, 7-9`. */
function chapterNumbers(numbers: readonly string[]): string {
  const isOne = numbers.length === 1 && !numbers[0]?.includes('-');
  return `${isOne ? 'chapter' : 'chapters'} ${numbers.join(', ')}`;
}
