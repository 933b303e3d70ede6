/**
 * What a measurement leaves: a table on the terminal, figures as JSON and a chart as SVG beside each other in
 * docs/bench, and the page there that shows all of them.
 */
import { mkdirSync, readdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Measurement {
  readonly name: string;
  /** What it measures, for the list. */
  readonly about: string;
  run(): Promise<void>;
}

type Cell = string | number | readonly number[] | undefined;
type Row = Readonly<Record<string, Cell>>;

export interface Findings {
  /** What was measured, in a sentence without its end. */
  readonly what: string;
  readonly rows: readonly Row[];
  /** An SVG. */
  readonly chart?: string;
}

interface Figures extends Omit<Findings, 'chart'> {
  readonly measuredOn: string;
  readonly machine: string;
  /** What has changed since. Added by hand; the next measurement removes it. */
  readonly note?: string;
}

const FOLDER = join('docs', 'bench');
/** The type of a file system in memory (tmpfs of Linux, statfs(2)). */
const TMPFS = 0x0102_1994;

export function record(name: string, { what, rows, chart }: Findings): void {
  mkdirSync(FOLDER, { recursive: true });
  const processors = `${availableParallelism()} processors (${cpus()[0]?.model.trim() ?? 'unknown'})`;
  const files = statfsSync(tmpdir()).type === TMPFS ? 'in memory' : 'on a disk';
  const machine = `${processors}, Node ${process.versions.node}, files ${files}`;
  const measuredOn = new Date().toISOString().slice(0, 10);
  const figures: Figures = { what, measuredOn, machine, rows };
  writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify(figures, undefined, 2)}\n`);
  if (chart !== undefined) writeFileSync(join(FOLDER, `${name}.svg`), chart);
  writeFileSync(join(FOLDER, 'README.md'), overview());
  process.stdout.write(`\n${name}: ${what}\n\n${table(rows)}\n`);
}

/** The page of all that was measured, as it stands in the JSON files. */
function overview(): string {
  const files = readdirSync(FOLDER).sort();
  const sections = files
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      const name = file.replace(/\.json$/, '');
      const { what, measuredOn, machine, rows, note } = JSON.parse(
        readFileSync(join(FOLDER, file), 'utf8'),
      ) as Figures;
      const chart = files.includes(`${name}.svg`) ? `\n![${what}](${name}.svg)\n` : '';
      const since = note === undefined ? '' : ` ${note}`;
      return `## ${name}\n\n${what}. Measured on ${measuredOn}; ${machine}.${since}\n\n${table(rows)}${chart}`;
    });
  const head =
    '# Measurements\n\nMade by `npm run bench`; every run of each is in the JSON file of its name. Times are medians, ratios medians of pairs.\n';
  return [head, ...sections].join('\n');
}

/** A table in Markdown; a list of all runs is left to the JSON. */
function table(rows: readonly Row[]): string {
  const all = rows.flatMap((row) => Object.keys(row).filter((name) => !Array.isArray(row[name])));
  const names = [...new Set(all)];
  const cells = [names, ...rows.map((row) => names.map((name) => cellText(row[name])))];
  const widths = names.map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  const lines = cells.map((row) => {
    const padded = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    return `| ${padded.join(' | ')} |\n`;
  });
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |\n`;
  return [lines[0] ?? '', rule, ...lines.slice(1)].join('');
}

function cellText(cell: Cell): string {
  return typeof cell === 'object' || cell === undefined ? '' : String(cell);
}
