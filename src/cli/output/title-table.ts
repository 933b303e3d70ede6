/** Titles found by a search: one row each, or a few lines each on a narrow terminal. */
import type { Title } from '../../api/titles.js';
import { printableLine } from '../../core/printable.js';
import { fitToWidth } from './progress-line.js';

/** A narrower row has no space for the name. */
const MIN_ROW_COLUMNS = 110;
const LANGUAGES_COLUMNS = 22;
const STATUS_COLUMNS = 9;
const YEAR_COLUMNS = 4;
const ID_COLUMNS = 36;
const GAP = '  ';

type Shown = Pick<Title, 'id' | 'name' | 'year' | 'status' | 'languages'>;

/** @param columns of the terminal; without them nothing is cut */
export function titleLines(titles: readonly Shown[], columns?: number): string[] {
  if (columns !== undefined && columns < MIN_ROW_COLUMNS) {
    return titles.flatMap((title) => stacked(title, columns));
  }
  const head = ['id', 'year', 'status', 'languages', 'title'] as const;
  return [
    row(head, columns),
    ...titles.map((title) =>
      row([title.id, ...details(title), printableLine(title.name)], columns),
    ),
  ];
}

function row(cells: readonly string[], columns: number | undefined): string {
  const [id = '', year = '', status = '', languages = '', name = ''] = cells;
  const fixed = [
    fitToWidth(id, ID_COLUMNS),
    fitToWidth(year, YEAR_COLUMNS),
    fitToWidth(status, STATUS_COLUMNS),
    columns === undefined ? languages : fitToWidth(languages, LANGUAGES_COLUMNS),
  ].join(GAP);
  const whole = `${fixed}${GAP}${name}`;
  return columns === undefined ? whole : fitToWidth(whole, columns - 1).trimEnd();
}

function stacked(title: Shown, columns: number): string[] {
  const [year, status, languages] = details(title);
  const lines = [
    printableLine(title.name),
    `  ${title.id}`,
    `  ${year}, ${status}, in ${languages}`,
  ];
  return lines.map((line) => fitToWidth(line, columns - 1).trimEnd());
}

function details({
  year,
  status,
  languages,
}: Shown): [year: string, status: string, languages: string] {
  const languageList = languages.length === 0 ? '–' : languages.join(', ');
  return [
    year === undefined ? '–' : String(year),
    printableLine(status ?? '–'),
    printableLine(languageList),
  ];
}
