/** One title of an overview: a row with its counts, and a line for each reason why chapters are missing. Pure. */
import { basename } from 'node:path';
import type { TitleOverviewEvent, MissingChapter } from '../../events/overview-events.js';
import { MISSING_REASONS, type MissingReason } from '../../events/reasons.js';
import { groupBy } from '../../core/group-by.js';
import { formatCount, pluralize } from '../../core/human-format.js';
import { printableLine } from '../../core/printable.js';
import { numberRanges } from '../../config/ranges.js';
import { indentRest, wrapText } from '../help-format.js';

const REASONS = Object.keys(MISSING_REASONS) as readonly MissingReason[];
/** The indent of files, and of lines that go on. */
const FURTHER = '    ';

/** @param columns of the terminal; without them no line is wrapped */
export function overviewLines(title: TitleOverviewEvent, columns?: number): string[] {
  const { have, missing, takenDown, duplicates, alsoInBooks, volumes, missingVolumes } = title;
  const byReason = groupBy(missing, ({ reason }) => reason);
  const removed = byReason.get('removed')?.length ?? 0;
  const leftOut = byReason.get('left-out')?.length ?? 0;
  const others = missing.length - removed - leftOut;
  const complete = volumes.filter(({ isComplete }) => isComplete).length;
  const details = [
    pluralize(have, 'chapter'),
    // What is missing of a title that was never looked up is not known.
    ...(others > 0
      ? [`${formatCount(others)} missing`]
      : title.checkedAt === undefined
        ? []
        : ['nothing missing']),
    ...(removed > 0 ? [`${formatCount(removed)} removed`] : []),
    ...(leftOut > 0 ? [`${formatCount(leftOut)} left out`] : []),
    ...(volumes.length > 0
      ? [`${complete} of ${pluralize(volumes.length, 'volume')} complete`]
      : []),
    ...(title.status === undefined ? [] : [printableLine(title.status)]),
    ...(title.checkedAt === undefined ? ['not looked up yet'] : []),
  ];
  const lines = [
    `${printableLine(title.name)}: ${details.join(', ')}`,
    ...REASONS.flatMap((reason) => {
      const chapters = byReason.get(reason) ?? [];
      return chapters.length === 0 ? [] : [`  ${MISSING_REASONS[reason]}: ${listOf(chapters)}`];
    }),
    ...(missingVolumes.length > 0
      ? [`  volumes without a chapter here: ${numberRanges(missingVolumes)}`]
      : []),
    ...(takenDown.length > 0 ? [`  here, and taken down since: ${numberRanges(takenDown)}`] : []),
    ...alsoInBooks.map(
      ({ numbers, files }) =>
        `  ${numberRanges(numbers)}: also in ${files.map((file) => printableLine(basename(file))).join(', ')}`,
    ),
    ...duplicateLines(duplicates),
  ];
  return columns === undefined ? lines : lines.map((line) => wrapLine(line, columns - 1));
}

/** Paths stay whole. */
function wrapLine(line: string, width: number): string {
  if (line.startsWith(FURTHER)) return line;
  const text = line.trimStart();
  const wrapped = wrapText(text, width - FURTHER.length);
  return line.slice(0, -text.length) + indentRest(wrapped, FURTHER.length);
}

/** Books have many chapters: those that the same books have are on one line. */
function duplicateLines(duplicates: TitleOverviewEvent['duplicates']): string[] {
  return [...groupBy(duplicates, ({ files }) => JSON.stringify(files)).values()].flatMap((some) => {
    const { language, files = [], areBooks = false } = some[0] ?? {};
    const inLanguage = language === undefined ? '' : ` (${printableLine(language)})`;
    const numbers = numberRanges(some.map(({ number }) => number)) + inLanguage;
    const are = some.length === 1 ? 'is' : 'are';
    const count = areBooks ? `${are} in ${files.length} books` : `has ${files.length} files`;
    return [`  ${numbers} ${count}:`, ...files.map((file) => FURTHER + file)];
  });
}

function listOf(chapters: readonly MissingChapter[]): string {
  const byNote = groupBy(chapters, ({ volume, languages, externalUrl }) =>
    [volume === undefined ? [] : `Vol. ${volume}`, languages?.join(', ') ?? externalUrl ?? []]
      .flat()
      .join(', '),
  );
  return [...byNote]
    .map(([note, some]) => {
      const numbers = numberRanges(some.map(({ number }) => number));
      return note === '' ? numbers : `${numbers} (${printableLine(note)})`;
    })
    .join(', ');
}
