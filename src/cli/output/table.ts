/** Tables as text. A column is as wide as its longest cell. */
import stringWidth from 'string-width';
import { paint, usesColors } from './colors.js';
import { fitToWidth } from './progress-line.js';
import { rawStream, safeText } from './safe-stream.js';
import { maxOf } from '../../core/extremes.js';

interface TableOptions {
  /** The indexes of columns that are aligned to the right. */
  readonly numeric?: readonly number[];
  /** The width of a column, in place of that of its longest cell; longer cells are cut. */
  readonly widths?: readonly (number | undefined)[];
  /** A cell that is wider than its column is not cut: it moves the rest of its own row. */
  readonly keepsCells?: boolean;
}

export const GAP_COLUMNS = 2;
const GAP = ' '.repeat(GAP_COLUMNS);

export function tableLines(
  rows: readonly (readonly string[])[],
  { numeric = [], widths = [], keepsCells = false }: TableOptions = {},
): string[] {
  const count = maxOf(rows.map((cells) => cells.length));
  const all = Array.from({ length: count }, (_, index) => widths[index] ?? longest(rows, index));
  return rows.map((cells) => {
    return cells
      .map((cell, index) => {
        const width = all[index] ?? 0;
        if (numeric.includes(index)) return padStart(cell, width);
        return keepsCells && stringWidth(cell) > width ? cell : fitToWidth(cell, width);
      })
      .join(GAP)
      .trimEnd();
  });
}

/** Prints lines of which the first is a heading, in bold where the terminal has colors. */
export function writeHeaded(
  [heading = '', ...lines]: readonly string[],
  stream: NodeJS.WriteStream,
  env: Readonly<NodeJS.ProcessEnv>,
): void {
  const text = lines.map((line) => `${line}\n`).join('');
  if (usesColors(env, stream)) rawStream(stream).write(`${paint(safeText(heading), 'bold')}\n`);
  else stream.write(`${heading}\n`);
  if (text !== '') stream.write(text);
}

/** The width of the longest cell of a column. */
export function longest(rows: readonly (readonly string[])[], index: number): number {
  return maxOf(rows.map((cells) => stringWidth(cells[index] ?? '')));
}

function padStart(cell: string, width: number): string {
  return ' '.repeat(Math.max(0, width - stringWidth(cell))) + cell;
}
