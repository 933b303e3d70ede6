/**
 * Which image of the service each cover beside chapters has, by its path. A cover has no mark of tankobon: one that
 * differs from what was saved is the owner's, and stays. One file in the state folder; without it, a cover counts as
 * the owner's unless the service still has the same bytes.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { readCacheFile, writeCacheFile } from '../../core/cache-file.js';

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

export class SavedCovers {
  readonly #changed = new Map<string, SavedCover>();

  private constructor(
    private readonly file: string,
    private readonly known: ReadonlyMap<string, SavedCover>,
  ) {}

  /** An unreadable file counts as empty. */
  static async open(stateFolder: string): Promise<SavedCovers> {
    const file = join(stateFolder, 'covers.json');
    return new SavedCovers(file, await readCovers(file));
  }

  /** @param path absolute */
  get(path: string): SavedCover | undefined {
    return this.#changed.get(path) ?? this.known.get(path);
  }

  set(path: string, cover: SavedCover): void {
    this.#changed.set(path, cover);
  }

  /** Adds what another process saved meanwhile. */
  async save(): Promise<void> {
    if (this.#changed.size === 0) return;
    const covers = new Map([...(await readCovers(this.file)), ...this.#changed]);
    await writeCacheFile(this.file, Object.fromEntries(covers));
  }
}

async function readCovers(file: string): Promise<ReadonlyMap<string, SavedCover>> {
  const value = await readCacheFile(file, { maxBytes: MAX_FILE_BYTES });
  const { data = {} } = z.record(z.string(), savedCover).safeParse(value);
  return new Map(Object.entries(data));
}
