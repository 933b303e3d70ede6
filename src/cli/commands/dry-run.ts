/** `--dry-run`: what would be downloaded and why, and the least time that it takes. */
import { groupBy } from '../../core/group-by.js';
import { formatCount, formatDuration, pluralize } from '../../core/human-format.js';
import { printableLine } from '../../core/printable.js';
import { DRY_RUN_EVENTS, type UpdateEvent } from '../../events/download-events.js';
import { eventText } from '../../events/printed-event.js';
import { minPlanTimeMs, planEvents, skippedEvents, type Plan } from '../../download/plan.js';
import { comparedFile, type Write } from '../../plan/change.js';
import { chapterFields } from '../../selection/chapter-fields.js';
import { chapterName } from '../../events/chapter-fields.js';
import type { ObserverOptions } from '../output/observer.js';
import { describeSkipped } from '../output/sentences.js';
import { plannedRow, printableRow, volumeName } from '../output/planned-row.js';
import { eventLine } from '../output/json-line.js';

type PlannedChapter = Plan['chapters'][number];

/** More chapters are printed by volume. */
const MAX_ROWS = 30;

/** With `verbose` each chapter of a long list, with its file. */
export function describePlan(plan: Plan, { json, verbose = false }: ObserverOptions): string {
  if (json)
    return planEvents(plan)
      .map((event) => eventLine(DRY_RUN_EVENTS, event))
      .join('');
  const { chapters, failed, fields, chapterless } = plan;
  const skipped = skippedEvents(plan);
  const rows =
    verbose || chapters.length <= MAX_ROWS
      ? chapters.map((planned) => chapterRow(planned, verbose))
      : volumeRows(chapters);
  const lines = [
    ...rows,
    ...(verbose ? skipped.map(sentenceOf) : describeSkipped(skipped)),
    ...plan.updates.map((event) => updateLine({ ...event, ...fields.get(event.chapter) })),
    ...excludedLines(plan, verbose),
    ...chapterless.map(
      ({ name, folder }) => `${printableLine(name)}: cover and metadata only, in ${folder}`,
    ),
    ...failed.map(({ id, error }) => {
      const { code: reason, message } = error;
      const event = { type: 'chapter-failed', chapter: id, reason, message, error } as const;
      return sentenceOf({ ...event, ...fields.get(id) });
    }),
    lastLine(plan),
  ];
  return `${lines.join('\n')}\n`;
}

/** Such as `7 chapters to download; takes at least 1 s`. */
function lastLine(plan: Plan): string {
  const { chapters, updates, failed, chapterless } = plan;
  const retagged = updates.filter(({ type }) => type === 'chapter-retagged').length;
  if (chapters.length + retagged === 0)
    return failed.length === 0
      ? chapterless.length === 0
        ? 'Nothing new.'
        : 'No chapter to download.'
      : `Nothing to download: ${formatCount(failed.length)} failed.`;
  const time = minPlanTimeMs(plan);
  const least = time === 0 ? '' : `; takes at least ${formatDuration(time)}`;
  const others = retagged === 0 ? '' : `, ${formatCount(retagged)} with new metadata only`;
  return `${pluralize(chapters.length, 'chapter')} to download${others}${least}`;
}

function updateLine(event: UpdateEvent): string {
  if (event.type === 'chapter-failed') return `failed: ${event.message}`;
  return `${event.type === 'chapter-retagged' ? 'new metadata: ' : ''}${sentenceOf(event)}`;
}

const sentenceOf = (event: UpdateEvent): string => eventText(DRY_RUN_EVENTS, event);

function chapterRow(planned: PlannedChapter, verbose: boolean): string {
  const { job, chapter, seriesName } = planned;
  const fields = chapter && chapterFields(chapter, seriesName);
  const why = replacementNote(job.change) ?? job.change.release.why;
  return plannedRow({ ...fields, chapter: job.id, file: job.file, why }, verbose);
}

/** What is loaded although a file has the chapter. */
function replacementNote(change: Write): string | undefined {
  if (change.kind === 'save' || change.why === 'forced') return undefined;
  if (change.why === 'lost-pages')
    return 'replaces the saved one: its compressed pages are tried again';
  if (comparedFile(change)) return 'replaces the saved one: its pages changed';
  return change.why === 'damaged'
    ? 'replaces the saved one: it is damaged'
    : 'replaces the saved one: uploaded again';
}

/** One line for each volume of a series in a language. */
function volumeRows(chapters: readonly PlannedChapter[]): string[] {
  const volumes = groupBy(chapters, ({ seriesName = '–', chapter }) => {
    const volume = volumeName(chapter ? chapterFields(chapter) : {}) || 'no volume';
    return [seriesName, volume, chapter?.language ?? ''].join('\0');
  });
  const rows = [...volumes].map(([key, list]) => {
    const [series, volume, language] = key.split('\0');
    const groups = new Set(
      list.flatMap(({ chapter }) => chapter?.groups.map(({ name }) => name) ?? []),
    );
    const numbers = list.flatMap(({ chapter }) => chapter?.number ?? []);
    const [first, last] = [numbers[0], numbers.at(-1)];
    const range =
      first === undefined ? '' : first === last ? `Ch. ${first}` : `Ch. ${first}–${last}`;
    const count = pluralize(list.length, 'chapter');
    const reasons = new Set(list.map(shortReason));
    const cells = [
      series,
      volume,
      range,
      count,
      language,
      [...groups].join(', '),
      [...reasons].join(', '),
    ];
    return printableRow(cells);
  });
  return [...rows, 'Each chapter, with its file: --verbose'];
}

/** Without the time, which differs. */
function shortReason({ job: { change } }: PlannedChapter): string {
  const [reason = ''] = (replacementNote(change) ?? change.release.why).split(', ');
  return reason;
}

/** With `verbose` the other releases of selected chapters; what was not asked for is only counted. */
function excludedLines({ excluded, fields }: Plan, verbose: boolean): string[] {
  const releases = excluded.filter(({ reason }) => reason === 'other-release');
  const others = excluded.length - releases.length;
  const shown = verbose
    ? releases.map(
        ({ chapter, explanation }) =>
          `ignored: ${chapterName(fields.get(chapter.id) ?? {}) ?? chapter.id}: ${explanation}`,
      )
    : releases.length > 0
      ? [
          `${pluralize(releases.length, 'duplicate release')} ignored (--verbose lists ${releases.length === 1 ? 'it' : 'them'})`,
        ]
      : [];
  return [
    ...shown,
    ...(others > 0 ? [`${pluralize(others, 'release')} outside the selection`] : []),
  ];
}
