/** The settings file: read as JSON, written by conf, which loads only then. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { hasCode, thrownMessage, UsageError } from '../core/errors.js';
import { isSystemError, makeFolders, readFileIfExists, toStorageError } from '../core/files.js';
import { PRIVATE_FOLDER_MODE } from '../core/own-folder.js';
import { currentSchema } from './editor-schema.js';

/** In the config folder. */
export const SETTINGS_FILE = 'settings.json';
/** The key that names the schema of the file, for editors. */
export const SCHEMA_KEY = '$schema';
const FILE_MODE = 0o600;
const MAX_FILE_BYTES = 2 ** 20;

/**
 * The values in the file, which may be invalid; none without a file. Throws UsageError('bad-setting') for a file that is
 * not a JSON object, and leaves it as it is: a run by night must not continue with the defaults.
 */
export async function readSettingsFile(
  configFolder: string,
): Promise<Readonly<Record<string, unknown>>> {
  const file = join(configFolder, SETTINGS_FILE);
  try {
    const bytes = await readFileIfExists(file, { maxBytes: MAX_FILE_BYTES });
    return bytes ? parseObject(bytes.toString()) : {};
  } catch (cause) {
    throw unusable(cause, file);
  }
}

function parseObject(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SyntaxError('it is not a JSON object');
  }
  return value as Record<string, unknown>;
}

function unusable(cause: unknown, file: string): UsageError {
  const reason = thrownMessage(cause);
  if (cause instanceof SyntaxError) {
    return new UsageError('bad-setting', `The settings file is damaged, ${reason}: ${file}`, {
      path: file,
      cause,
      hint: 'Repair it, or move it away to continue with the defaults.',
    });
  }
  const hint = hasCode(cause) ? 'Move it away' : 'Check its permissions';
  return new UsageError('bad-setting', `The settings file cannot be used: ${reason}`, {
    cause,
    hint: `${hint}, or set TANKOBON_HOME to another folder.`,
  });
}

/**
 * Stores a value, or restores the default. Throws as readSettingsFile does, and the signal's reason if that is aborted
 * before the file is changed.
 */
export async function storeSetting(
  configFolder: string,
  name: string,
  value: string | number | boolean | undefined,
  signal: AbortSignal,
): Promise<void> {
  const file = join(configFolder, SETTINGS_FILE);
  const stored = await readSettingsFile(configFolder);
  const { default: Conf } = await importConf(configFolder);
  signal.throwIfAborted();
  try {
    makeFolders(configFolder, PRIVATE_FOLDER_MODE);
    const conf = new Conf<Record<string, unknown>>({
      cwd: configFolder,
      configName: SETTINGS_FILE.replace(/\.json$/, ''),
      projectName: 'tankobon',
      configFileMode: FILE_MODE,
      deserialize: parseObject,
    });
    if (value === undefined) conf.delete(name);
    else {
      const named = { isNew: Object.keys(stored).length === 0, named: stored[SCHEMA_KEY] };
      const schema = currentSchema('settings', named);
      conf.set({ ...(schema !== undefined && { [SCHEMA_KEY]: schema }), [name]: value });
    }
  } catch (cause) {
    const error = toStorageError(cause, file);
    if (hasCode(error, 'disk-full')) throw error;
    throw unusable(cause, file);
  }
}

const OWN_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/**
 * A dependency of conf listens for signals and sends each to the process a second time, which ends it at once: its
 * listeners are removed. conf also reads the home folder and fails without one, although nothing is stored there.
 */
async function importConf(configFolder: string) {
  const ours = OWN_SIGNALS.map((signal) => [signal, process.listeners(signal)] as const);
  const isHomeless = !hasHomeFolder();
  if (isHomeless) process.env['HOME'] = configFolder;
  try {
    return await import('conf');
  } finally {
    if (isHomeless) delete process.env['HOME'];
    for (const [signal, listeners] of ours) {
      for (const listener of process.listeners(signal))
        if (!listeners.includes(listener)) process.off(signal, listener);
    }
  }
}

function hasHomeFolder(): boolean {
  try {
    homedir();
    return true;
  } catch (error) {
    if (isSystemError(error, 'ERR_SYSTEM_ERROR')) return false;
    throw error;
  }
}
