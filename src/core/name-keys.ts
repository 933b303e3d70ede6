/** Which names are the same. */
import { dirname } from 'node:path';
import { cleanSegment, pathCollisionKey, SHORT_SEGMENT_BYTES } from './path-segment.js';

/** Equal for names that differ in case, spaces and forms of letters alone. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
}

/** What no folder of Windows can have in its name, what programs write in its place, and dots at the end. */
const NOT_IN_FOLDERS = /[_:?*"<>|\\/]+|\.+$/g;

/** Equal also for a name as folders can have it: `Re: Zero` and `Re_ Zero`. */
export function seriesNameKey(name: string): string {
  const key = nameKey(name);
  const inFolders = key.replace(NOT_IN_FOLDERS, ' ');
  return inFolders === key ? key : nameKey(inFolders);
}

const ASCII = /^[\x20-\x7e]*$/;

/** Equal also for names that differ in punctuation. Empty for one without letters and digits. */
export function letterKey(name: string): string {
  // Most names, in a fifth of the time.
  if (ASCII.test(name)) return name.toLowerCase().replace(/[^a-z0-9]+/g, '');
  return nameKey(name).replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Equal for names of which some file system considers the folders the same, or cuts them to the same. */
export function folderKey(name: string): string {
  return pathCollisionKey(cleanSegment(name, SHORT_SEGMENT_BYTES));
}

/** Whether `copy` may be a copy of `file`: file managers and Syncthing save it in the same folder, with a longer name. */
export function isOriginalOf(file: string, copy: string): boolean {
  return file.length < copy.length && dirname(file) === dirname(copy);
}
