/** `tankobon search`: finds titles by name and prints a table or JSON, or downloads the one chosen at the terminal. */
import type { Command } from 'commander';
import type { Title } from '../../api/titles.js';
import type { GivenOptions } from '../../config/options/options.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { printableLine } from '../../core/printable.js';
import type { CommandContext, CommandRunner } from '../command-context.js';
import { addOptions } from '../command-options.js';
import { addExamples } from '../help-format.js';
import { warnTo } from '../output/error-message.js';
import { canAsk } from '../prompt.js';

export function searchCommand(program: Command, { run }: CommandRunner): Command {
  const command = program
    .command('search')
    .description('find titles by name; at a terminal, choose one to download')
    .argument('<words...>', 'words of the name')
    .action((words: string[], options: GivenOptions) =>
      run((context) => search(words.join(' '), options, context)),
    );
  return addExamples(addOptions(command, 'search'), [
    ['tankobon search lighthouse', 'titles with that word, the best match first'],
    ['tankobon search --first --language en lighthouse', 'download the best match, in a script'],
    ['tankobon search --language pt-br --json farol', 'print the titles as JSON'],
  ]);
}

/** Sends one request, and downloads what is chosen. Throws UsageError('bad-option') for an empty name. */
async function search(
  name: string,
  options: GivenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { stdout, stderr, settings } = context;
  const languages = options.language ?? settings.language ?? [];
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
    return download([`title:${first.id}`], { language: options.language }, context);
  }
  const { titleLines } = await import('../output/title-table.js');
  const lines = titleLines(titles, stdout.isTTY ? stdout.columns || undefined : undefined);
  stdout.write(`${lines.join('\n')}\n`);
  if (!canAsk(context)) return EXIT.done;
  const { chooseTitle, chooseTitleLanguage, confirmPlan } = await import('./search-prompts.js');
  const title = await chooseTitle(titles, context);
  const language = title && (await chooseTitleLanguage(title, options.language, context));
  if (!title || language === undefined) return EXIT.done;
  return download([`title:${title.id}`], { language }, context, (plan) =>
    confirmPlan(plan, context),
  );
}

async function findTitles(
  name: string,
  languages: readonly string[],
  { limit }: GivenOptions,
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
