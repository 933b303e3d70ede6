/** Warnings of files in the way of a download: those that stay, and those that are damaged. */
import { basename } from 'node:path';
import type { ExistingArchive } from '../library/scan.js';
import { keptReason } from '../library/ownership.js';
import { shellQuoted } from '../core/shell-quoted.js';
import type { PlannedChapter } from './plan-jobs.js';

type Warn = (message: string, hint?: string) => void;

/** `kept`: archives that might be replaced if they were tankobon's own. */
export function warnOfFiles(
  kept: readonly ExistingArchive[],
  chapters: readonly PlannedChapter[],
  warn: Warn,
): void {
  for (const { file, ownership } of kept)
    if (ownership !== 'own') warn(keptReason(file, ownership), KEPT_HINT);
  warnOfUnreadable(chapters, warn);
  warnOfDamaged(chapters, warn);
}

const KEPT_HINT = 'Move it away to download the chapter again.';

/** They may be of other programs, so they are not replaced. */
function warnOfUnreadable(chapters: readonly PlannedChapter[], warn: Warn): void {
  const files = new Map(
    chapters.flatMap(({ job, unreadable }) =>
      unreadable ? [[unreadable.file, { ...unreadable, job }] as const] : [],
    ),
  );
  for (const { file, readError, job } of files.values())
    warn(
      `${file} cannot be read (${readError}) and is kept: the chapter is saved as ${basename(job.file)}.`,
      'If it is a damaged chapter, remove it.',
    );
}

function warnOfDamaged(chapters: readonly PlannedChapter[], warn: Warn): void {
  for (const { job } of chapters)
    if (job.isDamaged)
      warn(
        `${job.file} is damaged (its end is lost): its chapter is downloaded again, and the damaged file stays beside it, as .damaged.`,
        `To look for further damage, run: tankobon verify ${shellQuoted(job.output)}`,
      );
}
