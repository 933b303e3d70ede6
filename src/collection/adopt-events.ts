/** The events of `adopt`. */
import { toStorageError } from '../core/files.js';
import { toTankobonError } from '../core/system-errors.js';
import { chapterFields } from '../selection/chapter-fields.js';
import type { AdoptableFile } from './adoptable-files.js';
import type { Candidate } from './match-names.js';
import { UNRECOGNIZED_REASONS, type UnrecognizedReason, type Evidence } from '../events/reasons.js';
import type { Recognized, Unrecognized } from './recognize-files.js';
import type { AdoptEvent, CandidateFields } from '../events/adopt-events.js';
import type { TankobonError } from '../core/errors.js';

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

/** For a file that no chapter is compared with. */
export function notComicEvent(
  file: string,
  reason: Extract<UnrecognizedReason, 'other-archive' | 'no-images'>,
): AdoptEvent {
  const message = UNRECOGNIZED_REASONS[reason];
  return { type: 'file-unrecognized', file, reason, message, candidates: [] };
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
