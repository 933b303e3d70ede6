/** Makes the pages of a book for a device, on all cores. Each core decodes one image at a time. */
import { availableParallelism, totalmem } from 'node:os';
import { thrownMessage } from '../../core/errors.js';
import { imageDimensions } from '../../core/image-dimensions.js';
import { decodedBytes } from '../../core/decoded-size.js';
import { imageExtension, type ImageExtension } from '../../core/image-format.js';
import type { ZipEntry } from '../../core/zip-file.js';
import { sha256Of } from '../../core/sha256.js';
import type { Book, CoverImage, PreparedImage } from '../book.js';
import { assertDecodable, damagedPage, notAnImage, sourcePages } from '../book-pages.js';
import { ImageProcess, ImageRefused, type EncodedImage } from './image-process.js';
import type { PageProfile } from '../page-profile.js';
import type { PageSpool } from './page-spool.js';
import { reducedSize } from './page-statistics.js';
import { isStrip, planPage, type PageContext, type PageKind } from './plan-page.js';

/** One image of typical size needs about 100 MB. */
const MEMORY_PER_PROCESS_BYTES = 512 * 2 ** 20;
/** Starting a process takes as long as a few pages. */
const MIN_PAGES_PER_PROCESS = 4;
/** Images with more pixels are decoded one after the other. */
const MAX_PARALLEL_PIXELS = 24e6;

export interface PrepareOptions {
  readonly profile: PageProfile;
  readonly context: PageContext;
  /** The images that the format can contain. */
  readonly accepted: readonly ImageExtension[];
  readonly onPage: () => void;
  /** Called with a sentence for people about each page that is broken as it was uploaded. */
  readonly onBrokenPage: (message: string) => void;
  readonly signal: AbortSignal;
}

type Images = ReadonlyMap<ZipEntry, readonly PreparedImage[]>;

/**
 * Resolves with what became of each page of the group. A page that is broken as it was uploaded does not end the book,
 * since no download mends it: as much of it as can be decoded is in the book, or it is there as it is. Throws StorageError
 * `archive-damaged` for a page that is damaged here, and the signal's reason. Call assertConverter first.
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
        const { entry } = next.value;
        const { pages: saved, acceptedPages = [] } =
          group.chapters[next.value.chapter]?.record ?? {};
        const recorded = saved && [...saved, ...acceptedPages];
        const made = await processPage(decoder, next.value, recorded, {
          ...options,
          signal,
          largeImages,
        });
        images.set(entry, await keep(made, spool));
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

/**
 * Resolves with the pages of the cover. `overlay` is an SVG that is drawn over it. Throws StorageError `archive-damaged`
 * for one that cannot be decoded, and the signal's reason.
 */
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
    const image = { data: cover.data, location: cover.file, isBroken: false };
    const made = await processImage(decoder, image, {
      ...options,
      profile,
      overlay,
      largeImages: new Turns(),
    });
    return await keep(made, spool);
  } catch (error) {
    throw error instanceof BrokenImage ? damagedPage(error.message, cover.file, error) : error;
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

/** What became of a page. */
interface MadePage {
  readonly images: readonly (Omit<EncodedImage, 'extension'> & {
    readonly extension: ImageExtension;
    readonly kind: PageKind;
  })[];
  readonly background: 'black' | 'white';
}

interface DecodedPage {
  readonly data: Buffer;
  /** For errors. */
  readonly location: string;
}

/** @param recorded the sha256 of each page of the chapter, if its record has them */
async function processPage(
  decoder: ImageProcess,
  page: DecodedPage,
  recorded: readonly string[] | undefined,
  options: ProcessOptions,
): Promise<MadePage> {
  const { data, location } = page;
  try {
    return await processImage(decoder, { ...page, isBroken: false }, options);
  } catch (error) {
    if (!(error instanceof BrokenImage)) throw error;
    const digest = sha256Of(data);
    if (recorded && !recorded.includes(digest)) throw damagedPage(error.message, location, error);
    const made = await processBroken(decoder, page, options);
    options.onBrokenPage(`${made.sentence}: ${location} (${error.message})`);
    return made;
  }
}

/** What can be decoded; otherwise the page as it is, or an empty one where the format cannot have that. */
async function processBroken(
  decoder: ImageProcess,
  source: DecodedPage,
  options: ProcessOptions,
): Promise<MadePage & { readonly sentence: string }> {
  const { data } = source;
  try {
    const made = await processImage(decoder, { ...source, isBroken: true }, options);
    const sentence = 'A page is broken as it was uploaded; what can be read of it is in the book';
    return { ...made, sentence };
  } catch (error) {
    if (!(error instanceof BrokenImage)) throw error;
  }
  const extension = imageExtension(data);
  const { width, height } = (await imageDimensions(data)) ?? options.profile.screen;
  const page = { kind: 'single', width, height } as const;
  if (extension === undefined || !options.accepted.includes(extension)) {
    const images = [{ ...page, data: EMPTY_PAGE, extension: 'png' as const }];
    const sentence = 'A page is broken as it was uploaded; an empty page is in its place';
    return { images, background: 'white', sentence };
  }
  const sentence = 'A page is broken as it was uploaded; it is in the book as it is';
  return { images: [{ ...page, data, extension }], background: 'white', sentence };
}

/** A PNG of one white pixel, which readers show in the size of the page. */
const EMPTY_PAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAACklEQVQImWP4DwABAQEADeY2wwAAAABJRU5ErkJggg==',
  'base64',
);

/** The bytes are an image of a type that is supported, but the decoder refuses it. */
class BrokenImage extends Error {}

async function processImage(
  decoder: ImageProcess,
  { data: image, location, isBroken }: DecodedPage & { readonly isBroken: boolean },
  { profile, context, overlay, largeImages, signal }: ProcessOptions,
): Promise<MadePage> {
  if (!imageExtension(image)) throw notAnImage(location);
  const dimensions = await imageDimensions(image);
  if (!dimensions || (await decodedBytes(image)) === undefined)
    throw new BrokenImage('its size cannot be read');
  await assertDecodable(image, location);
  const reduced = reducedSize(dimensions, isStrip(dimensions, context));
  const run = async () => {
    const statistics = await decoder.open(image, { reduced, isColor: profile.isColor, isBroken });
    const plan = planPage(statistics, profile, context);
    const { grayLevels } = profile;
    const encoded = await decoder.render({ ...plan, grayLevels, overlay });
    const kinds = plan.parts.map(({ kind }) => kind);
    const images = encoded.map((each, index) => ({ ...each, kind: kinds[index] ?? 'single' }));
    return { images, background: plan.background };
  };
  try {
    const isLarge = dimensions.width * dimensions.height > MAX_PARALLEL_PIXELS;
    return await (isLarge ? largeImages.next(run) : run());
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ImageRefused) throw new BrokenImage(error.message);
    throw damagedPage(thrownMessage(error), location, error);
  }
}

async function keep(
  { images, background }: MadePage,
  spool: PageSpool,
): Promise<readonly PreparedImage[]> {
  const kept: PreparedImage[] = [];
  for (const { data, extension, width, height, kind } of images)
    kept.push({
      extension,
      dimensions: { width, height },
      bytes: data.length,
      kind,
      background,
      read: await spool.append(data),
    });
  return kept;
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
