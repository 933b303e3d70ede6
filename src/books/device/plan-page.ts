/** Decides what becomes of an image on a screen: its parts, their sizes, colors and tones. Pure. */
import type { ImageDimensions } from '../../core/image-dimensions.js';
import { contentBox } from './crop.js';
import type { PageProfile } from '../page-profile.js';
import {
  hasColor,
  hasStripShape,
  luminances,
  type Box,
  type PageStatistics,
} from './page-statistics.js';
import { stripScreens } from './strip-cuts.js';
import { tones } from './tones.js';

/** A half of a spread is the first one if it is read first. `strip`: a screen of a long strip. */
export type PageKind =
  'single' | 'first-half' | 'second-half' | 'turned-spread' | 'whole-spread' | 'strip';

/** One page of the book. */
export interface PagePart {
  readonly source: Box;
  /** After it was turned, in pixels. */
  readonly size: ImageDimensions;
  /** By a quarter, clockwise. */
  readonly isTurned: boolean;
  readonly kind: PageKind;
}

export interface PagePlan {
  readonly isColor: boolean;
  readonly tones: Uint8Array;
  readonly parts: readonly PagePart[];
  /** What surrounds the page on the screen. */
  readonly background: 'black' | 'white';
}

export interface PageContext {
  readonly direction: 'rtl' | 'ltr';
  /** The book has the tag of long strips. */
  readonly isLongStrip: boolean;
}

/** `isLongStrip` concerns pages that are higher than wide; a page that is wider is a spread in any book. */
export function isStrip(image: ImageDimensions, { isLongStrip }: PageContext): boolean {
  return hasStripShape(image) || (isLongStrip && image.height >= image.width);
}

export function planPage(
  statistics: PageStatistics,
  profile: PageProfile,
  context: PageContext,
): PagePlan {
  const { width, height } = statistics;
  const whole: Box = { left: 0, top: 0, width, height };
  const strip = isStrip(statistics, context);
  const box = strip || !profile.crop ? whole : contentBox(statistics);
  const parts = strip
    ? stripScreens(statistics, profile.screen).map((each): PagePart => ({
        ...upright(each, profile.screen),
        kind: 'strip',
      }))
    : pageParts(box, statistics, profile, context);
  return {
    isColor: profile.isColor && hasColor(statistics),
    tones: tones(statistics.histogram, profile.gamma),
    parts,
    background: borderTone(statistics) < 64 ? 'black' : 'white',
  };
}

function pageParts(
  box: Box,
  page: ImageDimensions,
  { screen, spread }: PageProfile,
  { direction }: PageContext,
): PagePart[] {
  if (page.width <= page.height) return [upright(box, screen)];
  const landscape = { width: screen.height, height: screen.width };
  if (spread === 'keep') return [{ ...upright(box, landscape), kind: 'whole-spread' }];
  const { width, height } = fit(box, landscape);
  const turned: PagePart = {
    source: box,
    size: { width: height, height: width },
    isTurned: true,
    kind: 'turned-spread',
  };
  if (spread === 'rotate') return [turned];
  // The fold is in the middle of the page, whatever its margins.
  const fold = Math.round(page.width / 2) - box.left;
  const left = { ...box, width: fold };
  const right = { ...box, left: box.left + fold, width: box.width - fold };
  const [first, second] = direction === 'rtl' ? [right, left] : [left, right];
  return [
    ...(spread === 'both' ? [turned] : []),
    { ...upright(first, screen), kind: 'first-half' },
    { ...upright(second, screen), kind: 'second-half' },
  ];
}

function upright(source: Box, screen: ImageDimensions): PagePart {
  return { source, size: fit(source, screen), isTurned: false, kind: 'single' };
}

/** Never enlarged. */
function fit({ width, height }: ImageDimensions, screen: ImageDimensions): ImageDimensions {
  const scale = Math.min(1, screen.width / width, screen.height / height);
  return {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
}

/** The median of the outermost rows and columns. */
function borderTone(statistics: PageStatistics): number {
  const { width, height } = statistics.reduced;
  const gray = luminances(statistics);
  const border: number[] = [];
  for (let x = 0; x < width; x += 1) border.push(gray[x] ?? 0, gray[(height - 1) * width + x] ?? 0);
  for (let y = 0; y < height; y += 1)
    border.push(gray[y * width] ?? 0, gray[(y + 1) * width - 1] ?? 0);
  return border.sort((a, b) => a - b)[border.length >> 1] ?? 255;
}
