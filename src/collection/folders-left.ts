/**
 * The folders that a renamed title has left. What has no mark of tankobon stays in them, covers too; these are copied, so
 * that later books have them.
 */
import { constants, copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readdirIfReadable } from '../cbz/scan-library.js';
import { removeFile, temporaryName } from '../core/files.js';
import { publishNew } from '../core/publish.js';

export interface MovedFile {
  readonly from: string;
  readonly to: string;
}

/** A message for each folder in which other files are left. Throws errors of the file system. */
export async function tidyFoldersLeft(files: readonly MovedFile[]): Promise<readonly string[]> {
  const folders = new Map(files.map(({ from, to }) => [dirname(from), dirname(to)]));
  const messages: string[] = [];
  for (const [folder, newFolder] of folders) {
    if (folder === newFolder) continue;
    const entries = await readdirIfReadable(folder);
    const names = entries.map(({ name }) => name).sort();
    const more = names.length > MAX_NAMES ? ', …' : '';
    if (names.length > 0)
      messages.push(
        `Kept: ${folder} has other files: ${names.slice(0, MAX_NAMES).join(', ')}${more}`,
      );
    const covers = entries.filter((entry) => entry.isFile() && COVER_NAME.test(entry.name));
    for (const { name } of covers) await copyNew(join(folder, name), join(newFolder, name));
  }
  return messages;
}

const MAX_NAMES = 10;

/** The names that `download --cover` gives. */
const COVER_NAME = /^cover(?: Vol\..+)?\.(?:jpe?g|png|gif|webp|avif)$/;

/** Does not replace a file. */
async function copyNew(file: string, target: string): Promise<void> {
  const tmpFile = temporaryName(target);
  await copyFile(file, tmpFile, constants.COPYFILE_EXCL);
  if (!(await publishNew(tmpFile, target))) await removeFile(tmpFile);
}
