/** Checks of the folders that chapters are saved to. */
import { measureReplaced } from '../../cbz/replaced-files.js';
import { probeFileSystem } from '../../core/file-system.js';
import { formatBytes, pluralize } from '../../core/human-format.js';
import { durationText } from '../../core/units.js';
import { expandHome } from '../../core/home-folder.js';
import { optionDefinition } from '../../config/options/options.js';
import { checkOutputFolder, nearestExisting } from '../../download/output-folder.js';
import { outputOf } from '../../sync/sync-request.js';
import type { Subscriptions } from '../../sync/subscriptions.js';
import { resolve } from 'node:path';
import type { CommandContext } from '../command-context.js';
import { ok, type Finding } from './run-checks.js';

/** Further folders of a subscriptions file are left out. */
const MAX_FOLDERS = 10;

/**
 * Absolute paths: `given`, or that of the settings and those of the subscriptions. With subscriptions, the current folder
 * is left out: nothing need ever be saved there.
 */
export function outputFolders(
  given: string | undefined,
  { series, defaults, follows }: Pick<Subscriptions, 'series' | 'defaults' | 'follows'>,
  file: string,
  { settings }: Pick<CommandContext, 'settings'>,
): readonly string[] {
  if (given !== undefined) return [resolve(expandHome(given))];
  const subscribed = [...(follows ? [defaults] : []), ...series].map((each) =>
    outputOf(each, file, settings),
  );
  const isDefault = settings.output === optionDefinition('output').default;
  const own = isDefault && subscribed.length > 0 ? [] : [resolve(expandHome(settings.output))];
  return [...new Set([...own, ...subscribed])].slice(0, MAX_FOLDERS);
}

/** Throws UsageError `bad-output`. */
export async function checkOutput(folder: string): Promise<Finding[]> {
  await checkOutputFolder(folder);
  const { path } = await nearestExisting(folder);
  return [ok(path === folder ? folder : `${folder}: created when it is first needed`)];
}

/** What is kept in the folder of replaced files. */
export async function checkReplaced(
  folder: string,
  { settings: { keepReplaced } }: Pick<CommandContext, 'settings'>,
): Promise<Finding[]> {
  const kept = await measureReplaced(folder);
  if (!kept) return [ok(`none: ${folder}`)];
  const size = `${pluralize(kept.files, 'file')}, ${formatBytes(kept.bytes)}`;
  const age = keepReplaced === 0 ? 'until the next run' : `for ${durationText(keepReplaced)} each`;
  return [ok(`${size}, kept ${age}: ${kept.folder}`)];
}

export async function checkFileSystem(folder: string): Promise<Finding[]> {
  const { path } = await nearestExisting(folder);
  const { hasHardLinks, hasModes, isCaseSensitive, isInUserSpace } = await probeFileSystem(path);
  const traits = [
    hasHardLinks ? 'hard links' : 'no hard links, so a lock protects new files',
    isCaseSensitive ? 'upper and lower case differ' : 'upper and lower case are the same',
    hasModes ? 'file modes' : 'no file modes',
    ...(isInUserSpace ? ['a driver in user space, so archives are read back at the end'] : []),
  ];
  return [ok(`${traits.join('; ')}: ${folder}`)];
}
