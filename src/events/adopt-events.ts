/** The events of `adopt`. */
import { basename } from 'node:path';
import { pluralize } from '../core/human-format.js';
import { printableLine } from '../core/printable.js';
import { CHAPTER, CHAPTER_EXAMPLE, nameOf } from './chapter-fields.js';
import {
  count,
  errorCode,
  event,
  id,
  list,
  objects,
  optional,
  path,
  text,
  vocabulary,
  word,
  type EventsOf,
  type ValuesOf,
} from './fields.js';
import { EVIDENCE, UNRECOGNIZED_REASONS } from './reasons.js';

/** A chapter of the service that a file may be. */
const CANDIDATE = {
  ...CHAPTER,
  pages: optional(count('The number of its pages on MangaDex.')),
};
export type CandidateFields = ValuesOf<typeof CANDIDATE>;

const METADATA = optional(
  word(
    vocabulary({ unreadable: 'only its name and pages count' }),
    'Set if its ComicInfo.xml cannot be read: only its name and pages count.',
  ),
);
const UNREADABLE_METADATA = '    its ComicInfo.xml cannot be read: only its name and pages count';

const FILE = path('The file, or the folder of images.');

export const ADOPT_EVENTS = {
  'file-recognized': event({
    meaning: 'The chapter that a file is.',
    fields: {
      file: FILE,
      ...CANDIDATE,
      title: optional(id('The id of the title.')),
      confidence: word(
        vocabulary({
          proven: 'its id or its pages prove it',
          likely: 'its name says it',
        }),
        'How certain that is.',
      ),
      evidence: list(word(EVIDENCE, 'What speaks for the chapter.')),
      metadata: METADATA,
    },
    example: {
      file: 'a.cbz',
      ...CHAPTER_EXAMPLE,
      title: '3d1c8f52-6a0b-4e7e-9b1d-0a4c5e2f7101',
      confidence: 'likely',
      evidence: ['title', 'number', 'page-count'],
    },
    sentence: ({ file, confidence, evidence, metadata, ...chapter }) =>
      [
        `${printableLine(basename(file))}: ${nameOf(chapter)}`,
        `    ${confidence}: ${evidence.map((each) => EVIDENCE[each]).join(', ')}`,
        ...(metadata === 'unreadable' ? [UNREADABLE_METADATA] : []),
      ].join('\n'),
  }),
  'file-unrecognized': event({
    meaning: 'A file that is left as it is, since its chapter is not clear.',
    fields: {
      file: FILE,
      reason: word(UNRECOGNIZED_REASONS, 'Why it is not taken for a chapter.'),
      message: text('The meaning of the reason, which can change.'),
      candidates: objects(
        CANDIDATE,
        'Chapters that the file may be, the most likely ones first; at most 20.',
      ),
      metadata: METADATA,
    },
    example: {
      file: 'a.cbz',
      reason: 'other-page-count',
      message: UNRECOGNIZED_REASONS['other-page-count'],
      candidates: [{ ...CHAPTER_EXAMPLE, pages: 24 }],
    },
    sentence: ({ file, candidates, message, metadata }) =>
      [
        `${printableLine(basename(file))}: not recognized: ${message}`,
        ...(metadata === 'unreadable' ? [UNREADABLE_METADATA] : []),
        ...candidates.map((each) => `    may be ${nameOf(each)}${pagesOf(each)}`),
      ].join('\n'),
  }),
  'file-adopted': event({
    meaning: 'The file has the record of tankobon.',
    fields: {
      file: FILE,
      newFile: optional(path('The CBZ of a folder of images.')),
    },
    example: { file: 'a.cbz' },
    sentence: ({ newFile }) => (newFile === undefined ? undefined : `packed: ${newFile}`),
  }),
  'file-restored': event({
    meaning: 'With `--undo`: the file is as it was before it was adopted.',
    fields: { file: path('The file.') },
    example: { file: 'a.cbz' },
    // The summary counts them.
    sentence: () => undefined,
  }),
  'file-failed': event({
    meaning: 'The file cannot be read or written and stays as it is.',
    fields: {
      file: FILE,
      reason: errorCode('Why it failed.'),
      message: text('A sentence for people, which can change.'),
    },
    example: { file: 'a.cbz', reason: 'disk-full', message: 'The disk is full: a.cbz' },
    sentence: ({ message }) => `error: ${message}`,
  }),
  'adopt-summary': event({
    meaning: 'The last line of `adopt`.',
    fields: {
      recognized: count('Files of which the chapter is known.'),
      unrecognized: count('Files that are left as they are.'),
      adopted: count('Files that got the record of tankobon.'),
      restored: count('Files that were restored.'),
      failed: count('Files that cannot be read or written.'),
      already: count('Files with chapters that tankobon saved or adopted before.'),
      imageFolders: count('Folders of images, which only `--pack` includes.'),
      links: count('Symbolic links, which are not followed.'),
    },
    example: {
      recognized: 12,
      unrecognized: 1,
      adopted: 12,
      restored: 0,
      failed: 0,
      already: 3,
      imageFolders: 0,
      links: 0,
    },
  }),
};

export type AdoptEvent = EventsOf<typeof ADOPT_EVENTS>;
export type AdoptSummary = Extract<AdoptEvent, { readonly type: 'adopt-summary' }>;

function pagesOf({ pages }: CandidateFields): string {
  return pages === undefined ? '' : `, ${pluralize(pages, 'page')}`;
}
