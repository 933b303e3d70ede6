/**
 * What is measured of an image before it is decided what becomes of it: a reduced copy and a histogram. Everything here is
 * pure, and works in the coordinates of the reduced copy.
 */
import type { ImageDimensions } from '../../core/image-dimensions.js';

export interface PageStatistics extends ImageDimensions {
  /** A copy with the same shape, or with fewer rows and columns: red, green and blue for each pixel, or gray alone. */
  readonly reduced: ImageDimensions & { readonly channels: 1 | 3; readonly pixels: Uint8Array };
  /** How many pixels of the whole image, or of a regular sample, have each luminance from 0 to 255. */
  readonly histogram: readonly number[];
}

/** Sides of a rectangle in whole pixels. */
export interface Box extends ImageDimensions {
  readonly left: number;
  readonly top: number;
}

const MAX_REDUCED_WIDTH = 480;
const MAX_REDUCED_HEIGHT = 720;
/** Strips are cut between two rows, so more rows are kept. */
const MAX_REDUCED_STRIP_HEIGHT = 12_000;
const MAX_REDUCED_STRIP_WIDTH = 120;

/** A higher image is a strip, whatever its tags. */
const MIN_STRIP_RATIO = 3;

export function hasStripShape({ width, height }: ImageDimensions): boolean {
  return height > width * MIN_STRIP_RATIO;
}

/** The size of the reduced copy. */
export function reducedSize(image: ImageDimensions, isStrip: boolean): ImageDimensions {
  const [maxWidth, maxHeight] = isStrip
    ? [MAX_REDUCED_STRIP_WIDTH, MAX_REDUCED_STRIP_HEIGHT]
    : [MAX_REDUCED_WIDTH, MAX_REDUCED_HEIGHT];
  return { width: Math.min(image.width, maxWidth), height: Math.min(image.height, maxHeight) };
}

/** The luminance of each pixel of the reduced copy, with the weights of ITU-R BT.601. */
export function luminances({ reduced }: PageStatistics): Uint8Array {
  const { channels, pixels, width, height } = reduced;
  if (channels === 1) return pixels;
  const gray = new Uint8Array(width * height);
  for (let index = 0; index < gray.length; index += 1) {
    const at = index * 3;
    gray[index] = luminance(pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0);
  }
  return gray;
}

export function luminance(red: number, green: number, blue: number): number {
  return (red * 77 + green * 150 + blue * 29) >> 8;
}

/** Bright pixels show the tint of the paper. */
const MIN_PAPER_LUMINANCE = 160;
/** A stronger tint is a color by intent. */
const MAX_PAPER_TINT = 48;
/** A pixel that differs more from the tint of the paper, in blue or in red against green, has a color. */
const MIN_COLOR_DIFFERENCE = 28;
/** A page with a larger share of such pixels is a color page: one seal or one word is enough. */
const MIN_COLORED_SHARE = 0.0008;

/** Whether the image has colors; yellowed paper and the noise of JPEG have none. */
export function hasColor(statistics: PageStatistics): boolean {
  const { channels, pixels, width, height } = statistics.reduced;
  if (channels === 1) return false;
  const paper = paperTint(pixels);
  if (Math.max(Math.abs(paper.blue), Math.abs(paper.red)) > MAX_PAPER_TINT) return true;
  let colored = 0;
  for (let at = 0; at < pixels.length; at += 3) {
    const [red = 0, green = 0, blue = 0] = [pixels[at], pixels[at + 1], pixels[at + 2]];
    // Ink on tinted paper hides the tint.
    const share = luminance(red, green, blue) / 255;
    const blueDifference = Math.abs(blue - green - paper.blue * share);
    const redDifference = Math.abs(red - green - paper.red * share);
    if (Math.max(blueDifference, redDifference) > MIN_COLOR_DIFFERENCE) colored += 1;
  }
  return colored > width * height * MIN_COLORED_SHARE;
}

/** The mean difference of blue and of red from green, on the paper. */
function paperTint(pixels: Uint8Array): { readonly blue: number; readonly red: number } {
  let [blue, red, count] = [0, 0, 0];
  for (let at = 0; at < pixels.length; at += 3) {
    const [r = 0, g = 0, b = 0] = [pixels[at], pixels[at + 1], pixels[at + 2]];
    if (luminance(r, g, b) < MIN_PAPER_LUMINANCE) continue;
    [blue, red, count] = [blue + b - g, red + r - g, count + 1];
  }
  return count === 0 ? { blue: 0, red: 0 } : { blue: blue / count, red: red / count };
}
