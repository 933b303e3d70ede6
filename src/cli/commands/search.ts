/** `tankobon search`: titles by their names, as a table, as JSON, or to choose one from and fetch it. */
import { searchTitles } from '../../api/search-titles.js';
import type { Title } from '../../api/titles.js';
import { interruption } from '../../core/errors.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { printableLine } from '../../core/printable.js';
import { withService } from '../with-service.js';
import { titleLines } from '../output/title-table.js';
import type { CommandContext } from '../command-context.js';
import { commaSeparated } from '../../app/download-request.js';
import { rawStream } from '../output/safe-stream.js';

export interface SearchOptions {
  readonly words: readonly string[];
  /** Languages between commas: only titles that have chapters in one of them. */
  readonly language?: string;
  /** How many at most, 1 to 100. */
  readonly limit?: number;
  /** One JSON array on standard output, and no question. */
  readonly json?: boolean;
}

/** One request. Throws UsageError('bad-option') for empty words. */
export async function search(options: SearchOptions, run: CommandContext): Promise<ExitCode> {
  const { stdin, stdout, stderr, signal } = run;
  const languages = commaSeparated(options.language ?? run.settings.language);
  const titles = await withService(run, (service) =>
    searchTitles(service.anonymous, options.words.join(' '), {
      languages: languages.map((code) => code.toLowerCase()),
      signal,
      warn: (message) => void stderr.write(`tankobon: ${message}\n`),
      ...(options.limit !== undefined && { limit: options.limit }),
    }),
  );
  if (options.json === true) {
    stdout.write(`${JSON.stringify(titles.map(asJson))}\n`);
    return EXIT.done;
  }
  if (titles.length === 0) {
    const where = languages.length === 0 ? '' : ` with chapters in ${languages.join(' or ')}`;
    stderr.write(`No title${where} has a name like that.\n`);
    return EXIT.done;
  }
  const lines = titleLines(titles, stdout.isTTY ? stdout.columns || undefined : undefined);
  stdout.write(`${lines.join('\n')}\n`);
  return stdin.isTTY && stdout.isTTY && stderr.isTTY
    ? fetchChosen(titles, options, run)
    : EXIT.done;
}

function asJson({ id, name, year, status, languages }: Title): unknown {
  return { id, title: name, year: year ?? null, status: status ?? null, languages };
}

async function fetchChosen(
  titles: readonly Title[],
  { language }: SearchOptions,
  run: CommandContext,
): Promise<ExitCode> {
  const chosen = await choose(titles, run);
  if (chosen === undefined) return EXIT.done;
  const { download } = await import('./download.js');
  const wish = language === undefined ? {} : { language };
  return download({ targets: [`title:${chosen.id}`], ...wish }, run);
}

async function choose(titles: readonly Title[], run: CommandContext): Promise<Title | undefined> {
  const { stdin: input, signal } = run;
  const output = rawStream(run.stderr);
  const { select } = await import('@inquirer/prompts');
  const choices = titles.map((title) => ({
    name:
      title.year === undefined
        ? printableLine(title.name)
        : `${printableLine(title.name)} (${title.year})`,
    value: title,
  }));
  try {
    return await select<Title | undefined>(
      { message: 'Fetch one?', choices: [{ name: 'none', value: undefined }, ...choices] },
      { input, output, signal },
    );
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && error.name === 'ExitPromptError') throw interruption();
    throw error;
  }
}
