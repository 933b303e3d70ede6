/** A chapter that would be downloaded, as a row for people: of `download` and of `sync`. */
import { printableLine } from '../../core/printable.js';
import type { ChapterFields } from '../../events/chapter-fields.js';

export interface PlannedRow extends ChapterFields {
  readonly chapter: string;
  readonly why: string;
  readonly file?: string | undefined;
}

/**
 * Such as `Endless Stairs  Vol. 1 Ch. 7  en  Tidewater Scans  the only release`; with `verbose` also the id and the file.
 */
export function plannedRow(planned: PlannedRow, verbose: boolean): string {
  const { chapter, series, number, language, group, why, file } = planned;
  const isKnown = (series ?? number ?? language) !== undefined;
  const cells = isKnown
    ? [
        series ?? '–',
        [volumeName(planned), number === undefined ? 'no number' : `Ch. ${number}`]
          .filter(Boolean)
          .join(' '),
        language,
        group ?? 'no group',
      ]
    : [chapter];
  const row = printableRow([...cells, why]);
  return verbose
    ? [row, `  ${chapter}`, ...(file === undefined ? [] : [`  ${file}`])].join('\n')
    : row;
}

export function printableRow(cells: readonly (string | undefined)[]): string {
  return cells.flatMap((cell) => (cell ? [printableLine(cell)] : [])).join('  ');
}

export function volumeName({ volume, volumeInferred }: ChapterFields): string {
  if (volume === undefined) return '';
  return `Vol. ${volume}${volumeInferred ? ' (inferred)' : ''}`;
}
