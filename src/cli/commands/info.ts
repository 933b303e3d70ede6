/** `tankobon info`: what a title has, without a download. */
import type { Command } from 'commander';
import type { Chapter } from '../../service/chapters.js';
import type { ServiceClient } from '../../service/client.js';
import type { GivenOptions } from '../../config/options.js';
import { ChapterError, type TankobonError } from '../../core/errors.js';
import { exitCodeOf, EXIT, type ExitCode } from '../../core/exit-codes.js';
import { INFO_EVENTS, type TitleInfo } from '../../events/info-events.js';
import type { ParsedTargets } from '../target-sources.js';
import type { CommandContext, CommandRunner } from '../command-context.js';
import { addOptions } from '../command-options.js';
import { addExamples } from '../help-format.js';
import { writeError, warnTo } from '../output/error-message.js';
import { eventLine } from '../output/json-line.js';
import { columnsOf } from '../output/own-terminal.js';

export function infoCommand(program: Command, { run }: CommandRunner): Command {
  const command = program
    .command('info')
    .description('print what a title has: languages, groups, chapters, size; downloads nothing')
    .argument(
      '<target...>',
      'MangaDex URL or UUID of a title, chapter, list, group or author; follows: what the account follows',
    )
    .action((targets: string[], options: GivenOptions) =>
      run((context) => info(targets, options, context)),
    );
  return addExamples(addOptions(command, 'info'), [
    ['tankobon info https://mangadex.org/title/UUID', 'languages, groups, gaps and sizes'],
    ['tankobon info title:UUID --language en --json', 'as JSON, of the English chapters'],
  ]);
}

async function info(
  words: readonly string[],
  options: GivenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { readTargets } = await import('../target-sources.js');
  const { titleInfoLines } = await import('../output/title-info-lines.js');
  const { writeHeaded } = await import('../output/table.js');
  const { stdout, env } = context;
  const targets = await readTargets(words, options, context);
  let hasPrinted = false;
  const print = (title: TitleInfo): void => {
    if (options.json) {
      stdout.write(eventLine(INFO_EVENTS, title));
      return;
    }
    if (hasPrinted) stdout.write('\n');
    hasPrinted = true;
    writeHeaded(titleInfoLines(title, columnsOf(stdout)), stdout, env);
  };
  const failed = await describeTitles(targets, options, context, print);
  const failures = [
    ...targets.invalid.map(({ text, error }) => ({ target: text, error })),
    ...failed,
  ];
  for (const { target, error } of failures) printFailure(target, error, options, context);
  if (targets.targets.length === 0) return EXIT.usage;
  return exitCodeOf(failures.map(({ error }) => error));
}

interface Failure {
  readonly target: string;
  readonly error: TankobonError;
}

/** One request for each target, one for the titles, and one for each 500 releases. */
async function describeTitles(
  { targets }: ParsedTargets,
  { language = [], chapters, volumes, quality }: GivenOptions,
  context: CommandContext,
  print: (info: TitleInfo) => void,
): Promise<readonly Failure[]> {
  if (targets.length === 0) return [];
  const { withService } = await import('../with-service.js');
  const { loggedInClient, requireLogin } = await import('../../service/login.js');
  const { resolveTargets } = await import('../../selection/resolve-targets.js');
  const { titleInfo } = await import('../../selection/title-info.js');
  const { stderr, settings, clock, signal } = context;
  const selection = { languages: language, chapters, volumes };
  const shown = { selection, quality: quality ?? settings.quality, nowMs: clock.wallMs() };
  return withService(context, async (service) => {
    const warn = warnTo(stderr);
    const { login, client } = loggedInClient(context, service, warn);
    if (targets.some(({ kind }) => kind === 'follows'))
      await requireLogin(login, 'follows', signal);
    const resolved = await resolveTargets(targets, { client, signal, warn, languages: language });
    const { titles, error } = await resolved.loadedTitles;
    if (error) throw error;
    for (const { titleId, chapters: releases, isPartial } of resolved.series)
      print(titleInfo(titleId, titles.get(titleId), releases, { ...shown, isPartial }));
    const listed = new Set(resolved.series.map(({ titleId }) => titleId));
    for (const id of titleIdsOf(resolved.chapters)) {
      if (listed.has(id)) continue;
      const releases = await fetchReleases(client, id, language, context);
      print(titleInfo(id, titles.get(id), releases, shown));
    }
    return [
      ...resolved.failures.map(({ target, error }) => ({ target: target.id, error })),
      ...resolved.idsWithoutMetadata.map((id) => ({ target: id, error: notFound(id) })),
    ];
  });
}

async function fetchReleases(
  client: ServiceClient,
  titleId: string,
  languages: readonly string[],
  { stderr, signal }: CommandContext,
): Promise<readonly Chapter[]> {
  const { fetchTitleFeed } = await import('../../service/feeds.js');
  return fetchTitleFeed(client, titleId, { languages, signal, warn: warnTo(stderr) });
}

function titleIdsOf(chapters: readonly Chapter[]): ReadonlySet<string> {
  return new Set(chapters.flatMap(({ titleId }) => titleId ?? []));
}

function notFound(id: string): ChapterError {
  return new ChapterError('chapter-not-found', `Not found: ${id}`);
}

function printFailure(
  target: string,
  error: TankobonError,
  { json }: GivenOptions,
  context: CommandContext,
): void {
  const { code, message } = error;
  if (json)
    context.stdout.write(
      eventLine(INFO_EVENTS, { type: 'target-failed', target, reason: code, message, error }),
    );
  writeError(error, context);
}
