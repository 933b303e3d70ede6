/** The cover of a book: a file that the user names, or the one that `download --cover` saved beside the chapters. */
import { dirname, join } from 'node:path';
import { readdirIfReadable } from '../core/read-folder.js';
import { hasCode, UsageError } from '../core/errors.js';
import { readRegularFileIfExists } from '../core/files.js';
import { imageExtension, MAX_IMAGE_BYTES } from '../core/image-format.js';
import { hasValidTrailer } from '../core/image-trailer.js';
import type { CoverImage } from './book.js';
import type { ChapterGroup } from './group-volumes.js';

/** `cover Vol.03.jpg`, as `download --cover all` names it. */
const VOLUME_COVER = /^cover vol\.?\s*0*(\d+(?:\.\d+)?)\.(?:jpe?g|png|gif|webp)$/i;
const COVER = /^cover\.(?:jpe?g|png|gif|webp)$/i;

/** The names of covers among these, that of the title first, and then by volume. */
export function coverNames(names: readonly string[]): readonly string[] {
  const volumeOf = (name: string) => Number(VOLUME_COVER.exec(name)?.[1] ?? -1);
  return names
    .filter((name) => COVER.test(name) || VOLUME_COVER.test(name))
    .sort((a, b) => volumeOf(a) - volumeOf(b) || (a < b ? -1 : 1));
}

/** Throws UsageError `bad-cover` for a file that is missing or not a whole image. */
export async function readCover(file: string): Promise<CoverImage> {
  const data = await readRegularFileIfExists(file, { maxBytes: MAX_IMAGE_BYTES }).catch(
    (cause: unknown) => {
      throw new UsageError('bad-cover', `Cannot read the cover: ${file}`, { cause, path: file });
    },
  );
  if (!data) throw new UsageError('bad-cover', `The cover does not exist: ${file}`);
  const extension = imageExtension(data);
  if (!extension || !hasValidTrailer(extension, data))
    throw new UsageError('bad-cover', `The cover is not an image: ${file}`, { path: file });
  return { file, data, extension };
}

/**
 * The cover beside the chapters of this book: that of its volume, otherwise the one of the folder if the folder has
 * chapters of this book only. `hasOthers`: whether a folder has chapters of other books. A cover that cannot be used is
 * passed to `warn`.
 */
export async function findCover(
  { by, volume, chapters }: ChapterGroup,
  hasOthers: (folder: string) => boolean,
  warn: (message: string) => void,
): Promise<CoverImage | undefined> {
  if (by === 'chapter') return undefined;
  const folders = [...new Set(chapters.map(({ file }) => dirname(file)))];
  for (const folder of folders) {
    const names = (await readdirIfReadable(folder)).map(({ name }) => name).sort();
    const name =
      names.find((each) => volume !== undefined && VOLUME_COVER.exec(each)?.[1] === volume) ??
      (by === 'title' || !hasOthers(folder) ? names.find((each) => COVER.test(each)) : undefined);
    if (name === undefined) continue;
    try {
      return await readCover(join(folder, name));
    } catch (error) {
      if (!hasCode(error, 'bad-cover')) throw error;
      warn(error.message);
    }
  }
  return undefined;
}
