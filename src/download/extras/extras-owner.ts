/** Whose title the covers and series files in a folder are, where no chapter says it. */
import { join, resolve } from 'node:path';
import { coversIn } from './cover.js';
import { seriesMetadataOwner } from './series-metadata.js';

/** The id of the title; undefined if none of the files is known. */
export async function extrasOwner(
  folder: string,
  stateFolder: string,
): Promise<string | undefined> {
  const owner = await seriesMetadataOwner(folder);
  if (owner !== undefined) return owner;
  const covers = await coversIn(folder);
  if (covers.length === 0) return undefined;
  // Its schema is slow to load.
  const { openSavedCovers } = await import('./saved-covers.js');
  const saved = openSavedCovers(stateFolder);
  const titles = covers.flatMap((name) => saved.get(resolve(join(folder, name)))?.title ?? []);
  return titles[0];
}
