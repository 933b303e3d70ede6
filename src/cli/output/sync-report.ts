/**
 * The report of a run of `tankobon sync`: one table for a terminal, one line a title for a log or a narrow terminal, one
 * page for a browser.
 */
import { SERIES_COUNTS } from '../../events/sync-events.js';
import type { SyncReport } from '../../sync/run-sync.js';
import {
  formatCount,
  formatDuration,
  formatLocalTime,
  pluralize,
} from '../../core/human-format.js';
import { printableLine } from '../../core/printable.js';
import { escapeXml } from '../../core/xml-text.js';
import { htmlPage } from '../../core/html-page.js';
import { GAP_COLUMNS, longest, tableLines } from './table.js';

type SeriesReport = SyncReport['series'][number];

const MIN_NAME_WIDTH = 12;

/**
 * Undefined if the terminal is too narrow for it.
 * @param columns of the terminal
 */
export function syncTable(
  series: readonly SeriesReport[],
  columns: number,
): readonly string[] | undefined {
  const rows = [
    ['title', ...SERIES_COUNTS],
    ...series.map((entry) => [
      printableLine(entry.name),
      ...SERIES_COUNTS.map((name) => formatCount(entry[name])),
    ]),
  ];
  const numeric = SERIES_COUNTS.map((_, index) => index + 1);
  const countsWidth = numeric.reduce((sum, index) => sum + GAP_COLUMNS + longest(rows, index), 0);
  const space = columns - 1 - countsWidth;
  if (space < MIN_NAME_WIDTH) return undefined;
  const widths = [Math.max(MIN_NAME_WIDTH, Math.min(longest(rows, 0), space))];
  return tableLines(rows, { numeric, widths });
}

/** Such as `The Lighthouse: 2 new, 1 failed`, without counts of zero, and without the chapters that were there before. */
export function seriesLine({ name, waiting, retired, ...counts }: SeriesReport): string {
  const parts = SERIES_COUNTS.filter((column) => column !== 'skipped' && counts[column] > 0).map(
    (column) => `${formatCount(counts[column])} ${column}`,
  );
  if (retired > 0) parts.push(`${formatCount(retired)} moved away`);
  if (waiting.length > 0) parts.push(`${formatCount(waiting.length)} waiting for a group`);
  return `${printableLine(name)}: ${parts.length === 0 ? 'nothing new' : parts.join(', ')}`;
}

/** The titles of a run that was stopped may not have been read. */
export function summaryLine(report: SyncReport): string {
  const { titles, totals, startedAtMs, endedAtMs, stoppedBy } = report;
  const retired = report.series.reduce((total, each) => total + each.retired, 0);
  const moved = retired > 0 ? `, ${formatCount(retired)} moved away` : '';
  const replaced = totals.replaced > 0 ? `, ${formatCount(totals.replaced)} replaced` : '';
  const failed = totals.failed > 0 ? `, ${formatCount(totals.failed)} failed` : '';
  const duration = formatDuration(endedAtMs - startedAtMs);
  return (
    (stoppedBy
      ? `Stopped after ${duration}: `
      : `${pluralize(titles, 'title')} checked in ${duration}: `) +
    `${pluralize(totals.new, 'new chapter')}${replaced}${failed}${moved}.`
  );
}

/** A page without scripts or external resources. */
export function syncPage(report: SyncReport): string {
  const { series, endedAtMs, errors } = report;
  const row = (entry: SeriesReport) =>
    `<tr><th scope="row">${escapeXml(entry.name)}${savedList(entry)}</th>${SERIES_COUNTS.map((name) => `<td>${formatCount(entry[name])}</td>`).join('')}</tr>`;
  const waiting = series.flatMap(({ name, waiting: chapters }) =>
    chapters.map(
      ({ number, untilMs }) =>
        `<li>${escapeXml(name)}, chapter ${escapeXml(number ?? '–')}: until ${formatLocalTime(untilMs, 0)}</li>`,
    ),
  );
  return htmlPage(
    'tankobon sync',
    STYLE,
    `<h1>tankobon sync</h1>
<p>${escapeXml(summaryLine(report))} Written at ${formatLocalTime(endedAtMs, 0)}.</p>
<table>
<thead><tr><th scope="col">Title</th>${SERIES_COUNTS.map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead>
<tbody>
${series.map(row).join('\n')}
</tbody>
</table>
${list('Waiting for a group', waiting)}
${list(
  'Errors',
  errors.map(({ message }) => `<li>${escapeXml(message)}</li>`),
)}`,
  );
}

function savedList({ saved, retired }: SeriesReport): string {
  const all = retired > 0 ? [...saved, `${pluralize(retired, 'file')} moved away`] : saved;
  return all.length === 0 ? '' : `<div class="saved">${escapeXml(all.join(', '))}</div>`;
}

function list(title: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `<h2>${title}</h2>\n<ul>\n${items.join('\n')}\n</ul>`;
}

const STYLE = `
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .4rem .6rem; text-align: right; border-top: 1px solid #8886; }
th:first-child { text-align: left; overflow-wrap: anywhere; }
.saved { font-weight: normal; font-size: .9em; opacity: .75; }
`;
