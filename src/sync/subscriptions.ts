/**
 * The subscriptions file on disk: where it is, its text, who can write to it, and how it is replaced. It says what `sync`
 * downloads, and which commands it runs.
 */
import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { decodeText } from '../core/decode-text.js';
import { thrownMessage, UsageError } from '../core/errors.js';
import {
  makeFolders,
  readRegularFileIfExists,
  statIfExists,
  toStorageError,
  writeFileAtomic,
} from '../core/files.js';
import { expandHome } from '../core/home-folder.js';
import { hasModes, PRIVATE_FOLDER_MODE } from '../core/own-folder.js';
import { lockFile } from '../core/lock.js';
import { shellQuoted } from '../core/shell-quoted.js';
import { readAddresses } from '../config/service-addresses.js';
import { parseSubscriptions, type SubscriptionsText } from './subscriptions/subscriptions-file.js';
import type { Subscriptions } from './subscriptions/subscriptions-schema.js';
import {
  claimSyncFolder,
  MAX_SUBSCRIPTIONS_BYTES as MAX_BYTES,
  pathFolder,
} from './history/history-folder.js';
import { setId } from './subscriptions/edit-text.js';
import type { AppContext } from '../config/context.js';
import type { SeriesOptions, Settings } from '../config/options.js';
import { currentSchema } from '../config/editor-schema.js';
import { prepareStateFolder } from '../config/state-folder.js';

export type { Subscriptions } from './subscriptions/subscriptions-schema.js';

type Warn = (message: string, hint?: string) => void;

const FILE_NAME = 'subscriptions.yaml';
const NEW_FILE_MODE = 0o600;

/** `given`, or the file in the configuration folder. */
export function subscriptionsPath(given: string | undefined, { paths }: AppContext): string {
  return given === undefined ? join(paths.config, FILE_NAME) : resolve(given);
}

/** A command for a person to type, which names the file if it is not that of the configuration folder. */
export function syncCommandLine(words: string, file: string, context: AppContext): string {
  const isDefault = file === subscriptionsPath(undefined, context);
  return ['tankobon sync', words, isDefault ? '' : `--file ${shellQuoted(file)}`]
    .filter((part) => part !== '')
    .join(' ');
}

/** Undefined if the file is missing. Throws UsageError `bad-subscriptions` if it is invalid, or others can write to it. */
export async function readSubscriptionsIfExists(
  file: string,
  context: AppContext,
  warn?: Warn,
): Promise<Subscriptions | undefined> {
  const source = await readSource(file, context, warn);
  return source && parseSubscriptions(source);
}

/** Changes whenever the file is changed or replaced. */
export async function fileVersion(file: string): Promise<string> {
  const stats = await statIfExists(file).catch(() => undefined);
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : 'missing';
}

/** What an edit needs; a note says that a copy of another file gets a history of its own. */
export type EditContext = AppContext & { readonly stderr: Pick<NodeJS.WritableStream, 'write'> };

/**
 * Replaces the text by that which `change` returns. A missing file is empty; a link stays, and its file is replaced. A
 * file that is changed gets the id of its history.
 */
export async function editSubscriptions<T extends { readonly text: string }>(
  file: string,
  context: EditContext,
  change: (source: SubscriptionsText) => T,
): Promise<T> {
  const { changed, isWritten } = await replaceText(file, context, change);
  if (isWritten) await claimHistory(file, context);
  return changed;
}

async function replaceText<T extends { readonly text: string }>(
  file: string,
  context: AppContext,
  change: (source: SubscriptionsText) => T,
): Promise<{ readonly changed: T; readonly isWritten: boolean }> {
  prepareStateFolder(context);
  const folder = await pathFolder(context.paths.state, file);
  const lock = await lockFile(join(folder, 'edit.lock'));
  try {
    const source = (await readSource(file, context)) ?? sourceOf(file, '', context);
    const changed = change(source);
    if (changed.text === source.text) return { changed, isWritten: false };
    const text = withSchema(changed.text, source.text === '');
    if (Buffer.byteLength(text) > MAX_BYTES) throw tooLarge(file);
    makeFolders(dirname(file), PRIVATE_FOLDER_MODE);
    const path = await realpath(file).catch(() => file);
    const { mode = NEW_FILE_MODE } = (await stat(path).catch(() => undefined)) ?? {};
    await writeFileAtomic(path, text, { mode: mode & 0o777 });
    return { changed, isWritten: true };
  } catch (error) {
    throw toStorageError(error, file);
  } finally {
    lock.release();
  }
}

/** The state folder of the file, for a command that changes its history. */
export async function claimHistory(file: string, context: EditContext): Promise<string> {
  const note = (sentence: string): void => {
    context.stderr.write(`${sentence}\n`);
  };
  const writeId = (id: string) =>
    replaceText(file, context, (source) => ({ text: setId(source, id) }));
  return claimSyncFolder(file, context, writeId, note);
}

const SCHEMA_LINE = /^# yaml-language-server: \$schema=(.*)$/m;

/** A new file names the schema of its keys for editors, and that of a package that moved is named again. */
function withSchema(text: string, isNew: boolean): string {
  const named = SCHEMA_LINE.exec(text)?.[1];
  const schema = currentSchema('subscriptions', { isNew, named });
  if (schema === undefined) return text;
  const line = `# yaml-language-server: $schema=${schema}`;
  return named === undefined ? `${line}\n${text}` : text.replace(SCHEMA_LINE, () => line);
}

function tooLarge(file: string): UsageError {
  const message = `The subscriptions file would be larger than ${MAX_BYTES / 2 ** 20} MiB: ${file}`;
  return new UsageError('bad-subscriptions', message, {
    hint: 'Subscribe to fewer titles in one file, and to the others in another one: --file FILE',
  });
}

/** Host names whose URLs are accepted as targets, besides MangaDex. */
export function extraHostsOf({ settings }: AppContext): readonly string[] {
  return [readAddresses(settings).apiUrl.hostname];
}

function sourceOf(file: string, text: string, context: AppContext): SubscriptionsText {
  return { file, text, extraHosts: extraHostsOf(context) };
}

/** Undefined if the file is missing. */
async function readSource(
  file: string,
  context: AppContext,
  warn: Warn = () => undefined,
): Promise<SubscriptionsText | undefined> {
  const path = await realpath(file).catch(() => file);
  // The state is that of the file that is read, since others may be able to write to its folder.
  let stats: Stats | undefined;
  const onOpen = (opened: Stats) => (stats = opened);
  const options = { maxBytes: MAX_BYTES, onOpen };
  const bytes = await readRegularFileIfExists(path, options).catch((cause: unknown) => {
    const reason = thrownMessage(cause);
    throw new UsageError('bad-subscriptions', `The subscriptions file cannot be read: ${reason}`, {
      cause,
      hint: 'Check the file and its permissions, or name another: --file FILE',
    });
  });
  if (!bytes || !stats) return undefined;
  checkWriters(path, stats, warn);
  return sourceOf(file, decodeText(bytes), context);
}

const GROUP_WRITE = 0o020;
const WORLD_WRITE = 0o002;

/**
 * Throws UsageError `bad-subscriptions` if others, or a group other than the user's own, can write to the file. Warns
 * instead where the file system has no modes.
 */
function checkWriters(path: string, stats: Stats, warn: Warn): void {
  if (!isWritableByOthers(stats)) return;
  if (hasModes(dirname(path))) {
    const message = `The subscriptions file is not used: other users can write to it: ${path}`;
    throw new UsageError('bad-subscriptions', message, {
      hint: `Check its content, then type: chmod go-w ${shellQuoted(path)}`,
    });
  }
  warn(
    `The file system has no modes: other users may be able to write to the subscriptions file: ${path}`,
    'Move it to another file system, or mount this one for you alone.',
  );
}

/** Windows has no such modes. */
function isWritableByOthers({ mode, gid }: Stats): boolean {
  const ownGid = process.getegid?.();
  if (ownGid === undefined) return false;
  return (mode & WORLD_WRITE) !== 0 || ((mode & GROUP_WRITE) !== 0 && gid !== ownGid);
}

/** Empty: all. */
export function languagesOf(series: SeriesOptions, settings: Settings): readonly string[] {
  return series.language ?? settings.language ?? [];
}

/** The output folder: `~` is the home folder, and a relative path is relative to the subscriptions file. */
export function outputOf({ output }: SeriesOptions, file: string, settings: Settings): string {
  if (output === undefined) return resolve(settings.output);
  return resolve(dirname(file), expandHome(output));
}

/** The output folders of all subscriptions, absolute, each once. */
export function outputsOf(
  { series, follows }: Subscriptions,
  file: string,
  settings: Settings,
): readonly string[] {
  const all = [...(follows ? [follows.options] : []), ...series];
  return [...new Set(all.map((options) => outputOf(options, file, settings)))];
}
