/** Checks of the folders that chapters are saved to. */
import { measureReplaced } from '../../library/replaced-files.js';
import { probeFileSystem } from '../../core/file-system.js';
import { MAX_SEGMENT_BYTES } from '../../core/path-segment.js';
import { formatBytes, pluralize } from '../../core/human-format.js';
import { durationText } from '../../core/units.js';
import { optionDefinition } from '../../config/options.js';
import {
  openDownloadArchive,
  type DownloadArchive,
  checkUsedFolder,
} from '../../download/download-archive.js';
import { hasCode } from '../../core/errors.js';
import { checkOutputFolder, nearestExisting } from '../../core/output-folder.js';
import { openHistoryArchive } from '../../sync/history.js';
import type { SubscriptionList } from '../../sync/subscription-list.js';
import { resolve } from 'node:path';
import { syncCommandLine } from '../../sync/subscriptions.js';
import type { CommandContext } from '../command-context.js';
import { failure, none, ok } from './run-checks.js';
import type { Finding } from '../../events/doctor-events.js';

/** Further folders of a subscriptions file are left out. */
const MAX_FOLDERS = 10;

/**
 * Absolute paths: `given`, or that of the settings and those of the subscriptions. With subscriptions, the current folder
 * is left out: nothing need ever be saved there.
 */
export function outputFolders(
  given: string | undefined,
  list: SubscriptionList | undefined,
  { settings }: Pick<CommandContext, 'settings'>,
): readonly string[] {
  if (given !== undefined) return [resolve(given)];
  const subscribed = list?.outputs() ?? [];
  const isDefault = settings.output === optionDefinition('output').default;
  const own = isDefault && subscribed.length > 0 ? [] : [resolve(settings.output)];
  return [...new Set([...own, ...subscribed])].slice(0, MAX_FOLDERS);
}

/**
 * Throws StorageError `output-away` for a folder of the histories.
 * @param otherFolder how another folder is chosen
 */
export async function checkOutput(
  folder: string,
  otherFolder: string,
  histories: () => Promise<readonly UsedHistory[]>,
): Promise<Finding> {
  try {
    await checkOutputFolder(folder);
  } catch (error) {
    if (!hasCode(error, 'bad-output')) throw error;
    return failure(error.message, `Make it writable, or ${otherFolder}`);
  }
  for (const { archive, syncCommand } of await histories())
    await checkUsedFolder(folder, archive, syncCommand);
  const { path } = await nearestExisting(folder);
  return path === folder ? ok(folder) : none(`${folder}: created when it is first needed`);
}

/** A history; that of a subscriptions file with the commands for the file. */
interface UsedHistory {
  readonly archive: DownloadArchive;
  readonly syncCommand?: (words: string) => string;
}

/** The history of the subscriptions file, and the download archive of the settings. */
export async function readHistories(
  file: string,
  context: CommandContext,
): Promise<readonly UsedHistory[]> {
  const { downloadArchive } = context.settings;
  return [
    {
      archive: await openHistoryArchive(file, context),
      syncCommand: (words) => syncCommandLine(words, file, context),
    },
    ...(downloadArchive === false
      ? []
      : [{ archive: await openDownloadArchive(resolve(downloadArchive)) }]),
  ];
}

/** What is kept in the folder of replaced files. */
export async function checkReplaced(
  folder: string,
  { settings: { keepReplaced } }: Pick<CommandContext, 'settings'>,
): Promise<Finding> {
  const kept = await measureReplaced(folder);
  if (!kept) return none(`no replaced files: ${folder}`);
  const size = `${pluralize(kept.files, 'file')}, ${formatBytes(kept.bytes)}`;
  const age = keepReplaced === 0 ? 'until the next run' : `for ${durationText(keepReplaced)} each`;
  return ok(`${size}, kept ${age}: ${kept.folder}`);
}

export async function checkFileSystem(folder: string): Promise<Finding> {
  const { path } = await nearestExisting(folder);
  const { hasHardLinks, hasModes, isCaseSensitive, isInUserSpace, maxNameBytes } =
    await probeFileSystem(path);
  const traits = [
    hasHardLinks ? 'hard links' : 'no hard links, so a lock protects new files',
    isCaseSensitive ? 'upper and lower case differ' : 'upper and lower case are the same',
    hasModes ? 'file modes' : 'no file modes',
    ...(maxNameBytes < MAX_SEGMENT_BYTES ? [`names of at most ${maxNameBytes} bytes`] : []),
    ...(isInUserSpace ? ['a driver in user space, so archives are read back at the end'] : []),
  ];
  return ok(`${traits.join('; ')}: ${folder}`);
}
