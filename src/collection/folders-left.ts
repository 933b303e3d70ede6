/** The folders that a renamed title has left, with files that tankobon did not write. */
import { readdirIfReadable } from '../cbz/scan-library.js';

/** A message for each of these folders that has files. */
export async function describeFoldersLeft(folders: Iterable<string>): Promise<readonly string[]> {
  const messages: string[] = [];
  for (const folder of folders) {
    const names = (await readdirIfReadable(folder)).map(({ name }) => name).sort();
    const more = names.length > MAX_NAMES ? ', …' : '';
    const some = names.slice(0, MAX_NAMES).join(', ');
    if (names.length > 0) messages.push(`Kept: ${folder} has other files: ${some}${more}`);
  }
  return messages;
}

const MAX_NAMES = 10;
