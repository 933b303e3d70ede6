/** `tankobon search`: finds titles by name and prints a table or JSON, or downloads the one chosen at the terminal. */
import { Option, type Command } from 'commander';
import type { Title } from '../../api/titles.js';
import { commaSeparated } from '../../core/comma-separated.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { printableLine } from '../../core/printable.js';
import type { CommandContext } from '../command-context.js';
import type { CommandRunner } from '../command-runner.js';
import { addExamples } from '../help-format.js';
import { integerBetween, settingOption } from '../option-parsers.js';
import { warningMessage } from '../output/error-message.js';
import { prompt } from '../prompt.js';

interface SearchOptions {
  /** Comma-separated: only titles with chapters in one of these languages. */
  readonly language?: string;
  readonly limit?: number;
  readonly json?: boolean;
}

/** The API's maximum page size. */
const MAX_LIMIT = 100;

export function searchCommand(program: Command, { run }: CommandRunner): Command {
  const command = program
    .command('search')
    .description('find titles by name; at a terminal, choose one to download')
    .argument('<words...>', 'words of the name')
    .addOption(settingOption('language', '--language <codes>'))
    .addOption(
      new Option(
        '--limit <n>',
        `maximum number of titles, 1 to ${MAX_LIMIT} (default: 20)`,
      ).argParser(integerBetween(1, MAX_LIMIT)),
    )
    .option('--json', 'print one JSON array to standard output, and do not ask')
    .action((words: string[], options: SearchOptions) =>
      run((context) => search(words.join(' '), options, context)),
    );
  return addExamples(command, [
    ['tankobon search lighthouse', 'titles with that word, the best match first'],
    ['tankobon search --language pt-br --json farol', 'for a script'],
  ]);
}

/** Sends one request. Throws UsageError('bad-option') for an empty name. */
async function search(
  name: string,
  options: SearchOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { stdin, stdout, stderr, signal, settings } = context;
  const { withService } = await import('../with-service.js');
  const { searchTitles } = await import('../../api/titles.js');
  const languages = commaSeparated(options.language ?? settings.language);
  const titles = await withService(context, (service) =>
    searchTitles(service.anonymous, name, {
      languages: languages.map((code) => code.toLowerCase()),
      limit: options.limit,
      signal,
      warn: (message) => void stderr.write(warningMessage(message)),
    }),
  );
  if (options.json) {
    stdout.write(`${JSON.stringify(titles.map(toJson))}\n`);
    return EXIT.done;
  }
  if (titles.length === 0) {
    const inLanguages = languages.length === 0 ? '' : ` with chapters in ${languages.join(' or ')}`;
    stderr.write(`No title${inLanguages} found: ${name}\n`);
    return EXIT.done;
  }
  const { titleLines } = await import('../output/title-table.js');
  const lines = titleLines(titles, stdout.isTTY ? stdout.columns || undefined : undefined);
  stdout.write(`${lines.join('\n')}\n`);
  if (!stdin.isTTY || !stdout.isTTY || !stderr.isTTY) return EXIT.done;
  const chosen = await chooseTitle(titles, context);
  if (!chosen) return EXIT.done;
  const { download } = await import('./download.js');
  return download({ targets: [`title:${chosen.id}`], language: options.language }, context);
}

function toJson({ id, name, year, status, languages }: Title): unknown {
  return { id, title: name, year: year ?? null, status: status ?? null, languages };
}

async function chooseTitle(
  titles: readonly Title[],
  context: CommandContext,
): Promise<Title | undefined> {
  const { select } = await import('@inquirer/prompts');
  const choices = titles.map((title) => {
    const name = printableLine(title.name);
    return { name: title.year === undefined ? name : `${name} (${title.year})`, value: title };
  });
  return prompt(context, (streams) =>
    select<Title | undefined>(
      { message: 'Download one?', choices: [{ name: 'none', value: undefined }, ...choices] },
      streams,
    ),
  );
}
