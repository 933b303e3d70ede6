/** Makes the pages of a book for a device, on all cores. Each core decodes one image at a time. */
import { availableParallelism, totalmem } from 'node:os';
import { thrownMessage } from '../../core/errors.js';
import { imageDimensions } from '../../core/image-dimensions.js';
import { imageExtension } from '../../core/image-format.js';
import type { ZipEntry } from '../../core/zip-file.js';
import type { Book, CoverImage, PreparedImage } from '../book.js';
import { assertDecodable, damagedPage, sourcePages } from '../book-pages.js';
import { ImageProcess, type EncodedImage } from './image-process.js';
import type { PageProfile } from '../page-profile.js';
import type { PageSpool } from './page-spool.js';
import { reducedSize } from './page-statistics.js';
import { isStrip, planPage, type PageContext, type PagePlan } from './plan-page.js';

/** One image of typical size needs about 100 MB. */
const MEMORY_PER_PROCESS_BYTES = 512 * 2 ** 20;
/** Starting a process takes as long as a few pages. */
const MIN_PAGES_PER_PROCESS = 4;
/** Images with more pixels are decoded one after the other. */
const MAX_PARALLEL_PIXELS = 24e6;

export interface PrepareOptions {
  readonly profile: PageProfile;
  readonly context: PageContext;
  readonly onPage: () => void;
  readonly signal: AbortSignal;
}

type Images = ReadonlyMap<ZipEntry, readonly PreparedImage[]>;

/**
 * Resolves with what became of each page of the group. Throws StorageError `archive-damaged`, and the signal's reason.
 * Call assertConverter first.
 */
export async function preparePages(
  { group }: Pick<Book, 'group'>,
  spool: PageSpool,
  options: PrepareOptions,
): Promise<Images> {
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const images = new Map<ZipEntry, readonly PreparedImage[]>();
  const pages = copiedPages(group, signal);
  const largeImages = new Turns();
  const work = async (): Promise<void> => {
    const decoder = new ImageProcess(signal);
    try {
      // Each page goes to one of the workers: an iterator that is shared must not be closed by the first that ends.
      for (let next = await pages.next(); next.done !== true; next = await pages.next()) {
        const { entry, data, location } = next.value;
        const { plan, encoded } = await processImage(decoder, data, location, {
          ...options,
          signal,
          largeImages,
        });
        images.set(entry, await keep(plan, encoded, spool));
        options.onPage();
      }
    } catch (error) {
      // The reason of the others is the first error.
      stop.abort(error);
      throw error;
    } finally {
      decoder.close();
    }
  };
  const total = group.chapters.reduce((sum, chapter) => sum + chapter.pages.length, 0);
  const workers = Array.from({ length: processCount(total) }, work);
  const results = await Promise.allSettled(workers);
  await pages.return(undefined);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw stop.signal.reason;
  return images;
}

/** Resolves with the pages of the cover. `overlay` is an SVG that is drawn over it. */
export async function prepareCover(
  cover: CoverImage,
  overlay: string | undefined,
  spool: PageSpool,
  options: PrepareOptions,
): Promise<readonly PreparedImage[]> {
  const decoder = new ImageProcess(options.signal);
  // A cover is shown whole.
  const profile: PageProfile = { ...options.profile, crop: false, spread: 'keep' };
  try {
    const { plan, encoded } = await processImage(decoder, cover.data, cover.file, {
      ...options,
      profile,
      overlay,
      largeImages: new Turns(),
    });
    return await keep(plan, encoded, spool);
  } finally {
    decoder.close();
  }
}

function processCount(pages: number): number {
  const fitting = Math.floor(totalmem() / MEMORY_PER_PROCESS_BYTES);
  const useful = Math.ceil(pages / MIN_PAGES_PER_PROCESS);
  return Math.max(1, Math.min(availableParallelism(), fitting, useful));
}

async function* copiedPages(group: Book['group'], signal: AbortSignal) {
  for await (const page of sourcePages(group, signal))
    yield { ...page, data: Buffer.from(page.data) };
}

interface ProcessOptions extends PrepareOptions {
  readonly overlay?: string | undefined;
  readonly largeImages: Turns;
}

interface ProcessedImage {
  readonly plan: PagePlan;
  readonly encoded: readonly EncodedImage[];
}

async function processImage(
  decoder: ImageProcess,
  image: Buffer,
  location: string,
  { profile, context, overlay, largeImages, signal }: ProcessOptions,
): Promise<ProcessedImage> {
  if (!imageExtension(image)) throw damagedPage('it is not an image', location);
  await assertDecodable(image, location);
  const dimensions = await imageDimensions(image);
  if (!dimensions) throw damagedPage('its size cannot be read', location);
  const reduced = reducedSize(dimensions, isStrip(dimensions, context));
  const run = async (): Promise<ProcessedImage> => {
    const statistics = await decoder.open(image, reduced, profile.isColor);
    const plan = planPage(statistics, profile, context);
    const { grayLevels } = profile;
    return { plan, encoded: await decoder.render({ ...plan, grayLevels, overlay }) };
  };
  try {
    const isLarge = dimensions.width * dimensions.height > MAX_PARALLEL_PIXELS;
    return await (isLarge ? largeImages.next(run) : run());
  } catch (error) {
    signal.throwIfAborted();
    throw damagedPage(thrownMessage(error), location, error);
  }
}

async function keep(
  { parts, background }: PagePlan,
  encoded: readonly EncodedImage[],
  spool: PageSpool,
): Promise<readonly PreparedImage[]> {
  const images: PreparedImage[] = [];
  for (const [index, { data, extension, width, height }] of encoded.entries())
    images.push({
      extension,
      dimensions: { width, height },
      bytes: data.length,
      kind: parts[index]?.kind ?? 'single',
      background,
      read: await spool.append(data),
    });
  return images;
}

/** Runs one action after the other. */
class Turns {
  #last: Promise<unknown> = Promise.resolve();

  next<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#last.then(action);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
