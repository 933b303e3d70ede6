/** The events of `adopt`. */
import type { TankobonError } from '../core/errors.js';
import { toStorageError } from '../core/files.js';
import { toTankobonError } from '../core/system-errors.js';
import { chapterFields, type ChapterFields } from '../selection/chapter-fields.js';
import type { AdoptableFile } from './adoptable-files.js';
import {
  UNRECOGNIZED_REASONS,
  type Candidate,
  type Evidence,
  type UnrecognizedReason,
} from './match-names.js';
import type { Recognized, Unrecognized } from './recognize-files.js';

/** A chapter of the service that a file may be. */
export type CandidateFields = ChapterFields & { readonly chapter: string; readonly pages?: number };

export type AdoptEvent =
  | (CandidateFields & {
      readonly type: 'file-recognized';
      readonly file: string;
      /** The id of the title. */
      readonly title?: string;
      /** Ids and pages prove a chapter; a name makes it likely. */
      readonly confidence: 'proven' | 'likely';
      readonly evidence: readonly Evidence[];
      readonly metadata?: 'unreadable';
    })
  | {
      readonly type: 'file-unrecognized';
      readonly file: string;
      readonly reason: UnrecognizedReason;
      readonly message: string;
      /** The most likely ones first. */
      readonly candidates: readonly CandidateFields[];
      /** Its ComicInfo.xml is not one: only its name and pages count. */
      readonly metadata?: 'unreadable';
    }
  | {
      readonly type: 'file-adopted' | 'file-restored';
      readonly file: string;
      /** The new archive, if the file is a folder of images. */
      readonly newFile?: string;
    }
  | {
      /** The file stays as it is. */
      readonly type: 'file-failed';
      readonly file: string;
      readonly reason: TankobonError['code'];
      readonly message: string;
    }
  | {
      readonly type: 'adopt-summary';
      readonly recognized: number;
      readonly unrecognized: number;
      readonly adopted: number;
      readonly restored: number;
      /** Files that cannot be read or written. */
      readonly failed: number;
      /** Files with chapters that tankobon saved or adopted before. */
      readonly already: number;
      /** Folders of images, which only `--pack` includes. */
      readonly imageFolders: number;
      /** Symbolic links, which are not followed. */
      readonly links: number;
    };

/** The counts of a summary at the start. */
export const NO_FILES = {
  recognized: 0,
  unrecognized: 0,
  adopted: 0,
  restored: 0,
  failed: 0,
  already: 0,
  imageFolders: 0,
  links: 0,
};

/** More candidates are not listed. */
const MAX_LISTED = 20;

export function recognizedEvent({ file, evidence, ...candidate }: Recognized): AdoptEvent {
  const isProven = evidence.some((each) => PROOFS.includes(each));
  const titleId = candidate.title?.id ?? candidate.chapter.titleId;
  return {
    type: 'file-recognized',
    file: file.file,
    ...candidateFields(candidate),
    ...(titleId !== undefined && { title: titleId }),
    confidence: isProven ? 'proven' : 'likely',
    evidence,
    ...metadataOf(file),
  };
}

export function unrecognizedEvent({ file, reason, candidates }: Unrecognized): AdoptEvent {
  return {
    type: 'file-unrecognized',
    file: file.file,
    reason,
    message: UNRECOGNIZED_REASONS[reason],
    candidates: candidates.slice(0, MAX_LISTED).map(candidateFields),
    ...metadataOf(file),
  };
}

function metadataOf({ hasBrokenMetadata }: AdoptableFile) {
  return hasBrokenMetadata ? { metadata: 'unreadable' as const } : undefined;
}

const PROOFS: readonly Evidence[] = ['address', 'id', 'pages', 'choice'];

function candidateFields({ chapter, title }: Candidate): CandidateFields {
  const { id, pages } = chapter;
  const fields = chapterFields(chapter, title?.name);
  return { chapter: id, ...fields, ...(pages !== undefined && { pages }) };
}

export function failedEvent(file: string, { code: reason, message }: TankobonError): AdoptEvent {
  return { type: 'file-failed', file, reason, message };
}

/** The error names the file. */
export function toFileError(file: string, thrown: unknown): TankobonError {
  return toTankobonError(toStorageError(thrown, file));
}
