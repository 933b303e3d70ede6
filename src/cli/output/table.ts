/** Tables as text. A column is as wide as its longest cell. */
import stringWidth from 'string-width';
import { fitToWidth } from './progress-line.js';
import { maxOf } from '../../core/extremes.js';

interface TableOptions {
  /** The indexes of columns that are aligned to the right. */
  readonly numeric?: readonly number[];
  /** The width of a column, in place of that of its longest cell; longer cells are cut. */
  readonly widths?: readonly (number | undefined)[];
  /** The width of the terminal; without it no line is cut. */
  readonly columns?: number | undefined;
}

export const GAP_COLUMNS = 2;
const GAP = ' '.repeat(GAP_COLUMNS);

export function tableLines(
  rows: readonly (readonly string[])[],
  { numeric = [], widths = [], columns }: TableOptions = {},
): string[] {
  const count = maxOf(rows.map((cells) => cells.length));
  const all = Array.from({ length: count }, (_, index) => widths[index] ?? longest(rows, index));
  return rows.map((cells) => {
    const line = cells
      .map((cell, index) => alignCell(cell, all[index] ?? 0, numeric.includes(index)))
      .join(GAP)
      .trimEnd();
    return columns === undefined ? line : fitToWidth(line, columns - 1).trimEnd();
  });
}

/** The width of the longest cell of a column. */
export function longest(rows: readonly (readonly string[])[], index: number): number {
  return maxOf(rows.map((cells) => stringWidth(cells[index] ?? '')));
}

function alignCell(cell: string, width: number, isNumeric: boolean): string {
  return isNumeric
    ? ' '.repeat(Math.max(0, width - stringWidth(cell))) + cell
    : fitToWidth(cell, width);
}
