/**
 * Which image of the service each cover beside chapters has, by its path. A cover has no mark of tankobon: one that
 * differs from what was saved is the owner's, and stays. One file in the state folder; without it, a cover counts as
 * the owner's unless the service still has the same bytes.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { CacheFile } from '../../core/cache-file.js';

const MAX_FILE_BYTES = 64 * 2 ** 20;

const savedCover = z.object({
  /** The image that was saved, or compared, by its name on the service. */
  image: z.string(),
  /** The digest of the file beside the chapters. */
  sha256: z.string(),
  /** False for a file that another program wrote, or the owner. */
  isOwn: z.boolean(),
  /** The id of the title; older entries lack it. */
  title: z.string().optional(),
});
export type SavedCover = z.infer<typeof savedCover>;

/** By the absolute path of the cover. */
export type SavedCovers = CacheFile<SavedCover>;

export function openSavedCovers(stateFolder: string): SavedCovers {
  return CacheFile.open(join(stateFolder, 'covers.json'), {
    maxBytes: MAX_FILE_BYTES,
    parse: (value) => savedCover.safeParse(value).data,
    older: (covers) => covers,
  });
}
