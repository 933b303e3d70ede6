/** Titles found by a search: one row each, or a few lines each on a narrow terminal. */
import type { Title } from '../../service/titles.js';
import { formatCount } from '../../core/human-format.js';
import { printableLine } from '../../core/printable.js';
import { fitToWidth } from './progress-line.js';
import { GAP_COLUMNS, longest, tableLines } from './table.js';

/** A narrower row has no space for the name. */
const MIN_ROW_COLUMNS = 110;
/** Where nothing is cut, a longer name does not make the other rows longer. */
const MAX_NAME_COLUMNS = 60;
/** The most that one search can have. */
const MAX_LIMIT = 100;
const LANGUAGES_COLUMNS = 22;
const STATUS_COLUMNS = 9;
const YEAR_COLUMNS = 4;
const ID_COLUMNS = 36;
/** All but the title, with the gaps. */
const OTHER_COLUMNS =
  YEAR_COLUMNS + STATUS_COLUMNS + LANGUAGES_COLUMNS + ID_COLUMNS + 4 * GAP_COLUMNS;

/** @param columns of the terminal; without them nothing is cut */
export function titleLines(titles: readonly Title[], columns?: number): string[] {
  if (columns !== undefined && columns < MIN_ROW_COLUMNS) {
    return titles.flatMap((title) => multiLineTitle(title, columns));
  }
  const rows = [
    ['title', 'year', 'status', 'languages', 'id'],
    ...titles.map((title) => [printableLine(title.name), ...details(title), title.id]),
  ];
  const space = columns === undefined ? MAX_NAME_COLUMNS : columns - 1 - OTHER_COLUMNS;
  const widths = [
    Math.min(longest(rows, 0), space),
    YEAR_COLUMNS,
    STATUS_COLUMNS,
    columns === undefined ? undefined : LANGUAGES_COLUMNS,
  ];
  return tableLines(rows, { widths, keepsCells: columns === undefined });
}

/** Says that more titles match than are shown; empty if none do. */
export function moreTitlesNote(shown: number, total: number): string {
  return total > shown
    ? `${formatCount(shown)} of ${formatCount(total)} titles; more: --limit ${Math.min(total, MAX_LIMIT)}, or more words\n`
    : '';
}

/** One title in a list to choose from. */
export function titleChoice(title: Title, columns: number): string {
  const year = title.year === undefined ? '' : ` (${title.year})`;
  const languages = printableLine(title.languages.join(', '));
  const text = `${printableLine(title.name)}${year}${languages === '' ? '' : `  ${languages}`}`;
  return fitToWidth(text, columns).trimEnd();
}

function multiLineTitle(title: Title, columns: number): string[] {
  const [year, status, languages] = details(title);
  const lines = [
    printableLine(title.name),
    `  ${title.id}`,
    `  ${year}, ${status}, in ${languages}`,
  ];
  return lines.map((line) => fitToWidth(line, columns - 1).trimEnd());
}

/** Year, status and languages. */
function details({ year, status, languages }: Title) {
  const languageList = languages.length === 0 ? '–' : languages.join(', ');
  return [
    year === undefined ? '–' : String(year),
    printableLine(status ?? '–'),
    printableLine(languageList),
  ] as const;
}
