/**
 * The releases of followed titles: their common feed has only what is new, and a decision needs all releases of a
 * chapter. One file for each title, which is read only when there is something to decide.
 */
import { join } from 'node:path';
import { readFileIfExists, makeFolders, writeFileAtomic } from '../core/files.js';
import { PRIVATE_FOLDER_MODE } from '../core/own-folder.js';
import { parseJson } from '../core/json.js';
import type { Chapter } from '../api/chapters.js';
import { storedChapters, toStored } from '../api/stored-chapters.js';

const FILE_MODE = 0o600;
const fileOf = (folder: string, titleId: string) => join(folder, 'releases', `${titleId}.json`);

/** An unreadable file counts as empty. */
export async function readKnownReleases(folder: string, titleId: string): Promise<Chapter[]> {
  const bytes = await readFileIfExists(fileOf(folder, titleId));
  return storedChapters.safeParse(parseJson(bytes?.toString('utf8') ?? '')).data ?? [];
}

export async function writeKnownReleases(
  folder: string,
  titleId: string,
  chapters: readonly Chapter[],
): Promise<void> {
  const file = fileOf(folder, titleId);
  makeFolders(join(folder, 'releases'), PRIVATE_FOLDER_MODE);
  await writeFileAtomic(file, JSON.stringify(toStored(chapters)), { mode: FILE_MODE });
}

/** The known releases with the new ones, which replace older versions of themselves. */
export function mergeReleases(known: readonly Chapter[], fresh: readonly Chapter[]): Chapter[] {
  return [...new Map([...known, ...fresh].map((chapter) => [chapter.id, chapter])).values()];
}
