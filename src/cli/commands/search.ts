/** `tankobon search`: finds titles by name and prints a table or JSON, or downloads the one chosen at the terminal. */
import type { Command } from 'commander';
import { resolve } from 'node:path';
import type { Title } from '../../service/titles.js';
import {
  compilePrintTemplate,
  TITLE_FIELD_NAMES,
  type PrintValues,
} from '../../config/print-template.js';
import type { GivenOptions } from '../../config/options.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { printableLine } from '../../core/printable.js';
import type { CommandContext, CommandRunner } from '../command-context.js';
import { addOptions } from '../command-options.js';
import { addExamples } from '../help-format.js';
import { canAsk } from '../prompt.js';
import { looksLikeTarget, parseTarget } from '../../selection/target.js';
import { titleWebUrl } from '../../config/service-addresses.js';
import { jsonLine } from '../output/json-line.js';
import { columnsOf } from '../output/own-terminal.js';

export function searchCommand(program: Command, { run }: CommandRunner): Command {
  const command = program
    .command('search')
    .description('find titles by name; at a terminal, choose one to download')
    .argument('<words...>', 'words of the name, or the address of a title')
    .action((words: string[], options: GivenOptions) =>
      run((context) => search(words.join(' '), options, context)),
    );
  return addExamples(addOptions(command, 'search'), [
    ['tankobon search lighthouse', 'titles with that word, the best match first'],
    ['tankobon search --first --language en -o ~/comics lighthouse', 'download the best match'],
    ['tankobon search --language pt-br --json farol', 'print the titles as JSON'],
  ]);
}

/** Lists the titles that were found, or downloads one of them. Throws UsageError('bad-option') for an empty name. */
async function search(
  words: string,
  { limit, first: takesFirst, json, ...options }: GivenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { stdout, stderr, env, settings } = context;
  const { download } = await import('./download.js');
  const { chooseTitle, findTitles, nothingFound } = await import('../find-titles.js');
  const template =
    takesFirst || options.print === undefined
      ? undefined
      : compilePrintTemplate(options.print, TITLE_FIELD_NAMES);
  // An address or a UUID that was pasted in place of words.
  const target = looksLikeTarget(words)
    ? parseTarget(words, [new URL(settings.apiUrl).hostname])
    : undefined;
  if (target && target.kind !== 'title' && target.kind !== 'any')
    return download([words], { ...options, json }, context);
  const languages = options.language ?? settings.language ?? [];
  const withPeople = template?.fields.some((field) => /^(author|artist)$/.test(field));
  const wanted = { languages, limit, target, withPeople };
  const { titles: found, total } = await findTitles(target?.id ?? words, wanted, context);
  const titles = takesFirst ? found.slice(0, 1) : found;
  if (json) stdout.write(jsonLine(titles.map(toJson)));
  const [first] = titles;
  if (!first) throw nothingFound(words, languages);
  if (json) return EXIT.done;
  if (template) {
    const { writeResult } = await import('../output/path-line.js');
    for (const title of titles) writeResult(template.format(valuesOf(title)), stdout);
    return EXIT.done;
  }
  if (takesFirst) {
    stderr.write(`${printableLine(first.name)}\n`);
    const exitCode = await download([`title:${first.id}`], options, context);
    await writeSyncCommand(first.id, options, context);
    return exitCode;
  }
  if (canAsk(context)) {
    const title = target ? first : await chooseTitle(titles, total, context);
    return downloadChosen(title, options, context);
  }
  const { moreTitlesNote, titleLines } = await import('../output/title-table.js');
  const lines = titleLines(titles, columnsOf(stdout));
  const { writeHeaded } = await import('../output/table.js');
  writeHeaded(lines, stdout, env);
  const more = moreTitlesNote(titles.length, total);
  stderr.write(`${more}To download one, run: tankobon download title:${first.id}\n`);
  return EXIT.done;
}

function valuesOf({ id, name, year, status, languages, authors, artists }: Title): PrintValues {
  const list = (texts: readonly string[]) => texts.join(', ');
  return {
    id,
    title: name,
    year,
    status,
    languages: list(languages),
    author: list(authors),
    artist: list(artists),
    url: titleWebUrl(id),
  };
}

/** Asks in which language, and whether to download. */
async function downloadChosen(
  title: Title,
  options: GivenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { download } = await import('./download.js');
  const { chooseTitleLanguage, confirmPlan } = await import('../find-titles.js');
  const language = await chooseTitleLanguage(title, options.language, context);
  const output = resolve(options.output ?? context.settings.output);
  const answer = { isYes: false };
  const exitCode = await download(
    [`title:${title.id}`],
    { ...options, language },
    context,
    async (plan) => (answer.isYes = await confirmPlan(plan, output, context)),
  );
  if (answer.isYes) await writeSyncCommand(title.id, { ...options, language }, context);
  return exitCode;
}

/** The last line says how to get new chapters. */
async function writeSyncCommand(
  titleId: string,
  options: GivenOptions,
  context: CommandContext,
): Promise<void> {
  const { syncAddCommand } = await import('./next-sync.js');
  const language = options.language ?? context.settings.language;
  const output = resolve(options.output ?? context.settings.output);
  const next = await syncAddCommand(titleId, { ...options, language, output }, context);
  if (next !== undefined) context.stderr.write(`New chapters later: ${next}\n`);
}

function toJson({ id, name, year, status, languages }: Title): unknown {
  return { id, title: name, year: year ?? null, status: status ?? null, languages };
}
