/** Contrast and gamma as a table of 256 tones. Pure. */

/** The share of the darkest and of the brightest pixels that may become black and white. */
const BLACK_SHARE = 0.005;
const WHITE_SHARE = 0.01;
/** A page without darker tones is pale by intent: a memory, a dream, snow. */
const MAX_BLACK_POINT = 128;
/** A page without brighter tones is dark by intent. */
const MIN_WHITE_POINT = 160;

/** The new tone of each tone from 0 to 255. `gamma` above 1 makes middle tones darker. */
export function tones(histogram: readonly number[], gamma: number): Uint8Array {
  const { black, white } = stretch(histogram);
  return Uint8Array.from({ length: 256 }, (_, tone) => {
    const share = Math.min(Math.max((tone - black) / (white - black), 0), 1);
    return Math.round(255 * share ** gamma);
  });
}

/** The tones that become black and white; 0 and 255 leave the contrast as it is. */
export function stretch(histogram: readonly number[]): {
  readonly black: number;
  readonly white: number;
} {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  const black = firstAbove(histogram, total * BLACK_SHARE);
  const white = 255 - firstAbove([...histogram].reverse(), total * WHITE_SHARE);
  const isPale = black > MAX_BLACK_POINT;
  const isDark = white < MIN_WHITE_POINT;
  return isPale || isDark || total === 0 ? { black: 0, white: 255 } : { black, white };
}

/** The first index up to which more than `count` are counted. */
function firstAbove(histogram: readonly number[], count: number): number {
  let sum = 0;
  return histogram.findIndex((each) => (sum += each) > count);
}
