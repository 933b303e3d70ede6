/** `tankobon search`: finds titles by name and prints a table or JSON, or downloads the one chosen at the terminal. */
import { Option, type Command } from 'commander';
import type { Title } from '../../api/titles.js';
import { commaSeparated } from '../../core/comma-separated.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { printableLine } from '../../core/printable.js';
import { parseLanguages } from '../../selection/language-codes.js';
import type { CommandContext, CommandRunner } from '../command-context.js';
import { addExamples } from '../help-format.js';
import { integerBetween, settingOption } from '../option-parsers.js';
import { warnTo } from '../output/error-message.js';
import { canAsk } from '../prompt.js';

interface SearchOptions {
  /** Comma-separated: only titles with chapters in one of these languages. */
  readonly language?: string;
  readonly limit?: number;
  /** Download the best match without a question. */
  readonly first?: boolean;
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
    .option('--first', 'take the best match, and download it without a question')
    .option('--json', 'print one JSON array to standard output; do not ask and do not download')
    .action((words: string[], options: SearchOptions) =>
      run((context) => search(words.join(' '), options, context)),
    );
  return addExamples(command, [
    ['tankobon search lighthouse', 'titles with that word, the best match first'],
    ['tankobon search --first --language en lighthouse', 'download the best match, in a script'],
    ['tankobon search --language pt-br --json farol', 'print the titles as JSON'],
  ]);
}

/** Sends one request, and downloads what is chosen. Throws UsageError('bad-option') for an empty name. */
async function search(
  name: string,
  options: SearchOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { stdout, stderr, settings } = context;
  const languages = parseLanguages(
    commaSeparated(options.language ?? settings.language),
    '--language',
  );
  const found = await findTitles(name, languages, options, context);
  const titles = options.first ? found.slice(0, 1) : found;
  if (options.json) {
    stdout.write(`${JSON.stringify(titles.map(toJson))}\n`);
    return EXIT.done;
  }
  const [first] = titles;
  if (!first) {
    const inLanguages = languages.length === 0 ? '' : ` with chapters in ${languages.join(' or ')}`;
    stderr.write(`No title${inLanguages} found: ${name}\n`);
    return EXIT.done;
  }
  const { download } = await import('./download.js');
  if (options.first) {
    stderr.write(`${printableLine(first.name)}\n`);
    return download({ targets: [`title:${first.id}`], language: options.language }, context);
  }
  const { titleLines } = await import('../output/title-table.js');
  const lines = titleLines(titles, stdout.isTTY ? stdout.columns || undefined : undefined);
  stdout.write(`${lines.join('\n')}\n`);
  if (!canAsk(context)) return EXIT.done;
  const { chooseTitle, chooseTitleLanguage, confirmPlan } = await import('./search-prompts.js');
  const title = await chooseTitle(titles, context);
  const language = title && (await chooseTitleLanguage(title, options.language, context));
  if (!title || language === undefined) return EXIT.done;
  return download({ targets: [`title:${title.id}`], language }, context, (plan) =>
    confirmPlan(plan, context),
  );
}

async function findTitles(
  name: string,
  languages: readonly string[],
  { limit }: SearchOptions,
  context: CommandContext,
): Promise<readonly Title[]> {
  const { stderr, signal } = context;
  const { withService } = await import('../with-service.js');
  const { searchTitles } = await import('../../api/titles.js');
  return withService(context, (service) =>
    searchTitles(service.anonymous, name, {
      languages,
      limit,
      signal,
      warn: warnTo(stderr),
    }),
  );
}

function toJson({ id, name, year, status, languages }: Title): unknown {
  return { id, title: name, year: year ?? null, status: status ?? null, languages };
}
