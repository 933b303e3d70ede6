/** JSON files that may be deleted: tankobon finds out again what is in them. */
import { dirname } from 'node:path';
import { makeFolders, readFileIfExists, writeFileAtomic } from './files.js';
import { parseJson } from './json.js';
import { PRIVATE_FOLDER_MODE } from './own-folder.js';

const FILE_MODE = 0o600;

/** Undefined for a file that is missing, not readable, too large or not JSON. */
export async function readCacheFile(
  file: string,
  options: { readonly maxBytes?: number } = {},
): Promise<unknown> {
  const bytes = await readFileIfExists(file, options).catch(() => undefined);
  return parseJson(bytes?.toString('utf8') ?? '');
}

/** Makes the folder too, and replaces the file in one step. Throws errors of the file system. */
export async function writeCacheFile(file: string, value: object): Promise<void> {
  makeFolders(dirname(file), PRIVATE_FOLDER_MODE);
  await writeFileAtomic(file, JSON.stringify(value), { mode: FILE_MODE });
}
