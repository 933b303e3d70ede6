/** The events of a download. */
import { formatBytes, pluralize } from '../core/human-format.js';
import {
  CHAPTER,
  CHAPTER_EXAMPLE,
  CHAPTER_FIELDS,
  describeExternal,
  nameOf,
} from './chapter-fields.js';
import {
  boolean,
  bytes,
  count,
  error,
  errorCode,
  event,
  id,
  list,
  mark,
  milliseconds,
  object,
  optional,
  path,
  text,
  texts,
  vocabulary,
  word,
  type EventsOf,
} from './fields.js';
import {
  EXCLUSION_REASONS,
  LOAD_REASONS,
  isNamedSkip,
  SKIP_REASONS,
  skipReasonText,
} from './reasons.js';
import { keptLines, keptSentence, removedLines, retaggedSentence } from './retag-sentences.js';
import { WAIT, waitSentence } from './wait-sentences.js';

const PEOPLE = 'A sentence for people, which can change.';

/** What a page is about. */
const PAGE = { ...CHAPTER, page: count('The number of the page, counted from 1.') };

/** What the run does not reach may be a target, since it stops before it knows the chapters. */
const CHAPTER_OR_TARGET = {
  ...CHAPTER,
  chapter: text(
    'The id of the chapter; that of a target, or `follows`, if the run stopped before it knew the chapters.',
  ),
};

/** What the last line counts in each run, of one download or of a sync. */
const COUNTS = {
  saved: count('Chapters that were saved.'),
  skipped: count('Chapters that were skipped, without those of `notStarted`.'),
  failed: count('Chapters and targets that failed.'),
  notStarted: count('Chapters that were skipped as `not-started`, since the run was stopped.'),
  stopped: optional(errorCode('The code of the error that stopped the run.')),
};

const REPORTS = object(
  {
    sent: count('How many were sent.'),
    waiting: count('How many are left for the next run.'),
  },
  'Health reports.',
);

export const DOWNLOAD_EVENTS = {
  'chapter-started': event({
    meaning: 'A chapter starts.',
    fields: {
      ...CHAPTER,
      pages: count('The number of its pages.'),
      kept: count('The number of its pages that an earlier run downloaded.'),
    },
    example: { ...CHAPTER_EXAMPLE, pages: 24, kept: 3 },
    isVerbose: true,
    sentence: ({ pages, kept, ...chapter }) =>
      `${nameOf(chapter)}: ${pluralize(pages, 'page')}${kept > 0 ? `, ${kept} already downloaded` : ''}`,
  }),
  'page-loaded': event({
    meaning: 'A page was downloaded and verified.',
    fields: {
      ...PAGE,
      bytes: bytes('The size of the image.'),
      ms: milliseconds('How long the load took.'),
      host: text('The image host, with its port.'),
      cached: boolean('Whether the image host had the image in its cache.'),
      warning: optional(
        word(
          vocabulary({ 'bad-digest': 'the page does not match the digest in its name' }),
          'Set if the page does not match the digest in its name, but is kept because two hosts sent the same image.',
        ),
      ),
    },
    example: {
      ...CHAPTER_EXAMPLE,
      page: 4,
      bytes: 412_345,
      ms: 310,
      host: 'node.example:443',
      cached: true,
    },
    sentence: ({ page, warning, ...chapter }) =>
      warning &&
      `warning: ${nameOf(chapter)}: page ${page} does not match the digest in its name; kept, because two hosts sent the same image`,
  }),
  'page-failed': event({
    meaning: 'An attempt to load a page failed.',
    fields: {
      ...PAGE,
      reason: word(LOAD_REASONS, 'Why it failed.'),
      attempt: count('The number of the attempt, counted from 1; a page gets at most 5.'),
    },
    example: { ...CHAPTER_EXAMPLE, page: 5, reason: 'idle-timeout', attempt: 1 },
    isVerbose: true,
    sentence: ({ page, attempt, reason, ...chapter }) =>
      `${nameOf(chapter)}: page ${page}, attempt ${attempt}: ${reason}`,
  }),
  'chapter-saved': event({
    meaning: 'The CBZ is complete and has its final name.',
    fields: {
      ...CHAPTER,
      file: path('The CBZ.'),
      replacedFile: optional(path('The CBZ that it replaced, if that had another name.')),
      removedFile: optional(
        path(
          'The CBZ of a chapter that MangaDex deleted, and whose number this one got: it was removed.',
        ),
      ),
      pages: count('The number of its pages.'),
      bytes: bytes('The size of the CBZ.'),
      dataSaverPages: optional(
        list(
          count(
            'With `--lost-pages data-saver`: the pages, counted from 1, that are compressed, since no node has them as uploaded.',
          ),
        ),
      ),
      kept: optional(
        texts(
          'With `--update`: the names of the metadata that you edited, and of elements that tankobon never writes.',
        ),
      ),
    },
    example: { ...CHAPTER_EXAMPLE, file: 'a.cbz', pages: 24, bytes: 9_876_543 },
    sentence: ({ pages, bytes: size, kept = [], replacedFile, removedFile, ...chapter }) =>
      [
        `saved: ${nameOf(chapter)}, ${pluralize(pages, 'page')}, ${formatBytes(size)}`,
        ...keptLines(kept),
        ...removedLines(removedFile),
        ...(replacedFile === undefined ? [] : [`  renamed from ${replacedFile}`]),
      ].join('\n'),
  }),
  'chapter-retagged': event({
    meaning:
      'The pages of a saved chapter did not change, but its metadata or its name: with `--update`, and in `retag`.',
    fields: {
      ...CHAPTER,
      file: path('The file, or its old name.'),
      newFile: optional(path('Its new name, if that changed.')),
      book: optional(
        path(
          'The book that has the chapter, the same as `file`: `newFile` is a file of its own, which binding puts into the book.',
        ),
      ),
      nameTaken: optional(path('The name that the file would have, if another file has it.')),
      removedFile: optional(
        path(
          'The file of a chapter that MangaDex deleted, and whose number this one got: it was replaced.',
        ),
      ),
      changed: texts('The names of the metadata that changed, such as `volume`.'),
      kept: texts(
        'The names of the metadata that you edited, and of elements that tankobon never writes.',
      ),
    },
    example: {
      ...CHAPTER_EXAMPLE,
      file: 'a.cbz',
      changed: ['volume'],
      kept: ['title'],
      newFile: 'b.cbz',
    },
    sentence: (chapter) => {
      const { book, newFile = '', changed, removedFile } = chapter;
      if (book === undefined) return retaggedSentence(chapter);
      // A chapter in a book is named, since the book has others too.
      return [
        `${nameOf(chapter)}: ${changed.join(', ')}`,
        ...removedLines(removedFile),
        `  in a book, which gets it when it is bound again: ${book}`,
        `  until then, in a file of its own: ${newFile}`,
      ].join('\n');
    },
  }),
  'chapter-skipped': event({
    meaning: 'A chapter is skipped without an error.',
    fields: {
      ...CHAPTER_OR_TARGET,
      reason: word(SKIP_REASONS, 'Why it is skipped.'),
      file: optional(path('The existing file, if there is one.')),
      savedLanguage: optional(
        text('With `other-release-saved`: the language that is saved, if it is another one.'),
      ),
      kept: optional(
        texts(
          'With `--update`: the names of the metadata that you edited and MangaDex has otherwise.',
        ),
      ),
    },
    example: {
      reason: 'chapter-external',
      ...CHAPTER_EXAMPLE,
      externalUrl: 'https://publisher.example/endless-stairs/7',
    },
    sentence: ({ reason, file, savedLanguage, kept, ...chapter }) => {
      if (kept) return keptSentence(file ?? '', kept);
      if (reason === 'chapter-external') return `skipped: ${describeExternal(chapter)}`;
      const name = nameOf(chapter);
      const what = isNamedSkip(reason) ? name : (file ?? name);
      return `skipped: ${what}: ${skipReasonText({ reason, savedLanguage })}`;
    },
  }),
  'chapter-failed': event({
    meaning: 'A chapter failed.',
    fields: {
      ...CHAPTER_OR_TARGET,
      reason: errorCode('Why it failed.'),
      message: text(PEOPLE),
      unfinished: mark(
        'Set if the run was stopped while the chapter was in progress; its pages are kept.',
      ),
      error: error('The error, with the hint for people; `--json` does not print it.'),
    },
    example: { ...CHAPTER_EXAMPLE, reason: 'chapter-not-found', message: 'Chapter not found.' },
    sentence: ({ reason, message, ...chapter }) => {
      if (reason === 'chapter-external') return `failed: ${describeExternal(chapter)}`;
      const name = nameOf(chapter);
      return message.includes(name) ? `failed: ${message}` : `failed: ${name}: ${message}`;
    },
  }),
  'target-failed': event({
    meaning:
      'A target of the command line or of a file cannot be parsed, or a title, a list, a group, an author or a subscription is not available.',
    fields: {
      target: text('The text that was given, or such as `author:UUID`.'),
      name: optional(text('The name of a subscription.')),
      reason: errorCode('Why it failed.'),
      message: text(PEOPLE),
      error: error('The error, with the hint for people; `--json` does not print it.'),
    },
    example: {
      target: 'naruto',
      reason: 'bad-target',
      message: 'Not a chapter, title or list: "naruto"',
    },
    sentence: ({ name, message }) => `error: ${name === undefined ? '' : `${name}: `}${message}`,
  }),
  waiting: event({
    meaning: 'Nothing is sent until a time.',
    fields: WAIT,
    example: {
      for: 'quota',
      until: '2026-11-21T03:30:00.000Z',
      limit: { endpoint: 'GET /at-home/server/{id}', requests: 40, periodMs: 60_000 },
    },
    sentence: waitSentence,
  }),
  warning: event({
    meaning: 'Something that does not stop the run. It is also printed to standard error.',
    fields: {
      message: text(PEOPLE),
      hint: optional(text('What to do, if anything.')),
      error: optional(
        error('Set if the run is incomplete because of it; `--json` does not print it.'),
      ),
    },
    example: { message: 'Cover not saved: Title not found.' },
    sentence: ({ message, hint }) =>
      `warning: ${message}${hint === undefined ? '' : `\nhint: ${hint}`}`,
  }),
  summary: event({
    meaning: 'The last line of a download.',
    fields: {
      ...COUNTS,
      retagged: count('Chapters that got other metadata or another name, without their pages.'),
      pages: count('Pages that this run loaded.'),
      bytes: bytes('The size of these pages.'),
      elapsedMs: milliseconds('How long the run took, after the plan and its questions.'),
      reports: REPORTS,
    },
    example: {
      saved: 10,
      retagged: 0,
      skipped: 2,
      failed: 0,
      notStarted: 0,
      pages: 230,
      bytes: 241_000_000,
      elapsedMs: 95_000,
      reports: { sent: 230, waiting: 0 },
    },
  }),
};

/** The last line of a sync, which has many downloads. */
export const SYNC_SUMMARY = event({
  meaning: 'The last line of a sync.',
  fields: {
    ...COUNTS,
    notStarted: count('Chapters that were not started or not finished, since the run was stopped.'),
    reports: REPORTS,
    titles: count('Titles that were read.'),
    replaced: count('Those of `saved` that replaced another release.'),
    waiting: count('Chapters that wait for their preferred group.'),
  },
  example: {
    saved: 3,
    skipped: 0,
    failed: 0,
    notStarted: 0,
    reports: { sent: 72, waiting: 0 },
    titles: 12,
    replaced: 1,
    waiting: 2,
  },
});

export const DRY_RUN_EVENTS = {
  'chapter-skipped': DOWNLOAD_EVENTS['chapter-skipped'],
  'chapter-retagged': DOWNLOAD_EVENTS['chapter-retagged'],
  'chapter-failed': DOWNLOAD_EVENTS['chapter-failed'],
  'target-failed': DOWNLOAD_EVENTS['target-failed'],
  planned: event({
    meaning: 'A chapter that would be downloaded.',
    fields: {
      ...CHAPTER,
      file: path('The path that its file would get.'),
      why: text('Why it was selected, for people.'),
      groups: optional(texts('The names of its groups.')),
    },
    example: {
      ...CHAPTER_EXAMPLE,
      file: 'a.cbz',
      why: 'the only release',
      groups: ['Tidewater Scans', 'Paper Lantern'],
    },
  }),
  'passed-over': event({
    meaning: 'A release that would not be downloaded.',
    fields: {
      ...CHAPTER,
      reason: word(EXCLUSION_REASONS, 'Why it would not.'),
      why: text(PEOPLE),
    },
    example: { ...CHAPTER_EXAMPLE, reason: 'not-in-languages', why: 'its language is en' },
  }),
  plan: event({
    meaning: 'The last line of a dry run.',
    fields: {
      chapters: count('Chapters that would be downloaded.'),
      requests: count('Requests that their pages take: one for each chapter.'),
      leastTimeMs: milliseconds('The least time that the rate limits allow for them.'),
    },
    example: { chapters: 40, requests: 40, leastTimeMs: 60_000 },
  }),
};

/** What observers get besides the events, and `--json` never prints. */
export const DOWNLOAD_PROGRESS = {
  'page-bytes': event({
    meaning: 'Bytes of a page have arrived: for progress bars.',
    fields: {
      chapter: id('The id of the chapter.'),
      bytes: bytes('How many arrived since the last time.'),
    },
    example: { chapter: CHAPTER_EXAMPLE.chapter, bytes: 16_384 },
  }),
  detail: event({
    meaning: 'What `--verbose` adds: a retry, or a base URL.',
    fields: {
      ...CHAPTER_FIELDS,
      chapter: optional(id('The id of the chapter, if the message is about one.')),
      message: text(PEOPLE),
    },
    example: { ...CHAPTER_EXAMPLE, message: 'base URL https://node.example' },
    isVerbose: true,
    sentence: ({ chapter, message, ...fields }) =>
      chapter === undefined ? message : `${nameOf({ ...fields, chapter })}: ${message}`,
  }),
};

export type DownloadEvent = EventsOf<typeof DOWNLOAD_EVENTS>;
/** An event, bytes of a page as they arrive, or a message for people. */
export type DownloadMessage = DownloadEvent | EventsOf<typeof DOWNLOAD_PROGRESS>;
export type Observe = (message: DownloadMessage) => void;

export type SavedEvent = Extract<DownloadEvent, { readonly type: 'chapter-saved' }>;
export type RetaggedEvent = Extract<DownloadEvent, { readonly type: 'chapter-retagged' }>;
export type SkippedEvent = Extract<DownloadEvent, { readonly type: 'chapter-skipped' }>;
export type FailedEvent = Extract<DownloadEvent, { readonly type: 'chapter-failed' }>;
export type TargetFailedEvent = Extract<DownloadEvent, { readonly type: 'target-failed' }>;
/** What an update did to a chapter whose pages did not change. */
export type UpdateEvent = RetaggedEvent | SkippedEvent | FailedEvent;
export type SummaryEvent = Extract<DownloadEvent, { readonly type: 'summary' }>;
export type WaitingEvent = Extract<DownloadEvent, { readonly type: 'waiting' }>;

/** What the ledger says of a wait. */
type Wait = Omit<WaitingEvent, 'type' | 'until'> & { readonly untilMs: number };

export function waitingEvent({ for: what, untilMs, limit, reason, holder }: Wait): WaitingEvent {
  const until = new Date(untilMs).toISOString();
  return { type: 'waiting', for: what, until, limit, reason, holder };
}
