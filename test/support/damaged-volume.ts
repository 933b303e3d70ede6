/** A volume whose book is damaged, for `verify --repair`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { createLibrary } from '../../src/practice-server/library/library.js';
import { readArchive } from './archive.js';
import { DAY_MS, syncChapter, syncTitle } from './sync-harness.js';

/** The chapters of the volume. */
export const NUMBERS = ['1', '2', '3'];

/** Three chapters of one volume. */
const readableMs = Date.now() - DAY_MS;
export function volumeLibrary() {
  const chapters = NUMBERS.map((number) =>
    syncChapter('Alpha', number, readableMs, { volume: '1' }),
  );
  return createLibrary({ titles: [syncTitle('Alpha')], chapters });
}

/** Makes the checksum of the first page of a chapter wrong. */
export async function damagePage(file: string, prefix: string): Promise<void> {
  const page = (await readArchive(file)).find(
    ({ name }) => basename(name).startsWith(prefix) && /\.(jpg|png)$/.test(name),
  );
  const bytes = readFileSync(file);
  const at = page ? bytes.indexOf(page.bytes) + 40 : 0;
  if (at < 40) throw new Error(`${prefix} is not in ${file}`);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}
