/** `tankobon sync add`, `remove` and `list`: edit and show the subscriptions file. They send nothing. */
import { resolve } from 'node:path';
import {
  editSubscriptions,
  readSubscriptions,
  subscriptionsPath,
} from '../../sync/subscriptions-store.js';
import { compileNameTemplate } from '../../cbz/file-name.js';
import { commaSeparated } from '../../core/comma-separated.js';
import { UsageError } from '../../core/errors.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { expandHome } from '../../core/home-folder.js';
import { isUuid } from '../../core/uuid.js';
import { parseLanguages } from '../../selection/language-codes.js';
import { parseRanges } from '../../selection/ranges.js';
import { parseTarget } from '../../selection/target.js';
import {
  addSeries,
  checkEntry,
  parseSubscriptions,
  removeSeries,
  type SeriesEntry,
} from '../../sync/subscriptions-file.js';
import type { Subscription } from '../../sync/subscriptions.js';
import { readSyncState, syncFolder, type SyncState } from '../../sync/sync-journal.js';
import type { CommandContext } from '../command-context.js';

export interface FileFlags {
  readonly file?: string;
  readonly json?: boolean;
}

export interface AddFlags extends FileFlags {
  readonly language?: string;
  readonly group?: string;
  readonly waitForGroup?: string;
  readonly upgrade?: boolean;
  readonly excludeGroup?: string;
  readonly excludeUploader?: string;
  readonly chapters?: string;
  readonly volumes?: string;
  readonly fromNow?: boolean;
  readonly output?: string;
  readonly folder?: string;
  readonly name?: string;
  readonly quality?: string;
  readonly bind?: string;
  readonly format?: string;
}

export async function syncAdd(
  target: string,
  flags: AddFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const file = subscriptionsPath(flags.file, context);
  const entry = entryOf(flags, context.clock.wallMs());
  const text = isUuid(target) ? `title:${target}` : target;
  const { isNew } = await editSubscriptions(file, context, (source) =>
    addSeries(source, text, entry),
  );
  context.stderr.write(`${isNew ? 'Subscribed' : 'Changed'}: ${target} in ${file}\n`);
  return EXIT.done;
}

/** The keys of the file. */
function entryOf(flags: AddFlags, nowMs: number): SeriesEntry {
  const list = (text: string | undefined) =>
    text === undefined ? undefined : commaSeparated(text);
  if (flags.format !== undefined && flags.bind === undefined)
    throw new UsageError('bad-option', '--format needs --bind volume or --bind title.');
  checkAsInDownload(flags);
  const entry = {
    language: list(flags.language),
    group: list(flags.group),
    'wait-for-group': flags.waitForGroup,
    upgrade: flags.upgrade,
    'exclude-group': list(flags.excludeGroup),
    'exclude-uploader': list(flags.excludeUploader),
    chapters: flags.chapters,
    volumes: flags.volumes,
    since: flags.fromNow === true ? new Date(nowMs).toISOString() : undefined,
    output: flags.output === undefined ? undefined : independentPath(flags.output),
    folder: flags.folder,
    name: flags.name,
    quality: flags.quality,
    bind: flags.bind && { by: flags.bind, ...(flags.format && { format: flags.format }) },
  };
  const given = Object.fromEntries(
    Object.entries(entry).filter(([, value]) => value !== undefined),
  );
  checkEntry(given);
  return given;
}

/** The options that download has too, with its messages. */
function checkAsInDownload({ language, chapters, volumes, name }: AddFlags): void {
  if (language !== undefined) parseLanguages(commaSeparated(language), '--language');
  if (chapters !== undefined) parseRanges(chapters, '--chapters');
  if (volumes !== undefined) parseRanges(volumes, '--volumes');
  if (name !== undefined && name !== '') compileNameTemplate(name);
}

/** Relative to the current folder, not to that of the file; `~/` is the home folder in the file too. */
function independentPath(path: string): string {
  return expandHome(path) === path ? resolve(path) : path;
}

export async function syncRemove(
  words: string,
  flags: FileFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const file = subscriptionsPath(flags.file, context);
  await readSubscriptions(file, context);
  const state = readSyncState(await syncFolder(context.paths.state, file));
  const { removed } = await editSubscriptions(file, context, (source) => {
    const { series } = parseSubscriptions(source);
    const index = onlyMatch(words, series, state, source.extraHosts);
    return { text: removeSeries(source, index), removed: series[index]?.text ?? '' };
  });
  context.stderr.write(`Removed: ${removed}\n`);
  return EXIT.done;
}

/** Throws UsageError unless exactly one subscription is meant. */
function onlyMatch(
  words: string,
  series: readonly Subscription[],
  state: SyncState,
  extraHosts: readonly string[],
): number {
  if (words.trim() === '') throw new UsageError('bad-target', 'No subscription was named.');
  const id = idOf(words, extraHosts);
  const matches = [...series.entries()].filter(([, { target, text, folder }]) => {
    if (id !== undefined) return target.id === id;
    const names = [text, folder ?? '', state.titles[target.id]?.name ?? ''];
    return names.some((name) => name.toLowerCase().includes(words.toLowerCase()));
  });
  const [match, ...others] = matches;
  if (match && others.length === 0) return match[0];
  const hint = 'To see the subscriptions, run: tankobon sync list';
  if (!match) throw new UsageError('bad-target', `Not subscribed to: ${words}`, { hint });
  const texts = matches.map(([, { text }]) => text).join(', ');
  throw new UsageError('bad-target', `Several subscriptions match: ${texts}`, { hint });
}

function idOf(words: string, extraHosts: readonly string[]): string | undefined {
  try {
    return parseTarget(words, extraHosts).id;
  } catch {
    return undefined;
  }
}

export async function syncList(flags: FileFlags, context: CommandContext): Promise<ExitCode> {
  const { stdout, stderr, paths } = context;
  const file = subscriptionsPath(flags.file, context);
  const { series, follows } = await readSubscriptions(file, context);
  const { titles } = readSyncState(await syncFolder(paths.state, file));
  const named = series.map(({ target, text, ...options }) => ({
    target: text,
    id: target.id,
    kind: target.kind,
    name: titles[target.id]?.name,
    options,
  }));
  if (flags.json) {
    stdout.write(`${JSON.stringify(named)}\n`);
    return EXIT.done;
  }
  for (const { target, name, options } of named) {
    const paused = options.paused === true ? ' (paused)' : '';
    stdout.write(`${target}${name === undefined ? '' : `  ${name}`}${paused}\n`);
  }
  if (follows) stderr.write('And the titles that the account follows.\n');
  return EXIT.done;
}
