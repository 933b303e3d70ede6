/** `1 of 3` as an SVG for the cover of a part. Its figures are lines: fonts differ between machines. */
import type { ImageDimensions } from '../../core/image-dimensions.js';
import type { BookPart } from '../book-copy.js';

/** Lines in a box 6 wide and 10 high. */
const GLYPHS: Readonly<Record<string, string>> = {
  '0': 'M3 0Q6 0 6 5T3 10Q0 10 0 5T3 0Z',
  '1': 'M1 2L4 0V10',
  '2': 'M0 2Q1 0 3 0Q6 0 6 3Q6 5 0 10H6',
  '3': 'M0 1Q6 -2 6 2.5Q6 5 2.5 5Q6 5 6 7.5Q6 11.5 0 9',
  '4': 'M4.5 10V0L0 7H6',
  '5': 'M6 0H1L0.5 4.5Q6 2.5 6 6.5Q6 10 3 10Q1 10 0 9',
  '6': 'M5 0Q0 2 0 7Q0 10 3 10T6 7Q6 4.5 3 4.5Q0 4.5 0 7',
  '7': 'M0 0H6L2 10',
  '8': 'M3 0Q5.5 0 5.5 2.5T3 5Q0 5 0 7.5T3 10Q6 10 6 7.5T3 5Q0.5 5 0.5 2.5T3 0Z',
  '9': 'M1 10Q6 8 6 3Q6 0 3 0T0 3Q0 5.5 3 5.5Q6 5.5 6 3',
  o: 'M3 4Q6 4 6 7T3 10Q0 10 0 7T3 4Z',
  f: 'M6 0.5Q3 -0.5 3 3V10M1 4H5',
};
const ADVANCE = 9;
const PADDING = 5;
/** The width of the badge as a share of the screen. */
const WIDTH_SHARE = 0.4;

/** Fits any cover that is made for the screen, and is drawn at its lower edge. */
export function partBadge({ number, total }: BookPart, screen: ImageDimensions): string {
  const text = Array.from(`${number} of ${total}`);
  const [width, height] = [text.length * ADVANCE - 3 + 2 * PADDING, 10 + 2 * PADDING];
  const paths = text.flatMap((letter, index) => {
    const lines = GLYPHS[letter];
    const left = PADDING + index * ADVANCE;
    return lines === undefined
      ? []
      : [`<path transform="translate(${left} ${PADDING})" d="${lines}"/>`];
  });
  const pixels = Math.round(Math.min(screen.width, screen.height) * WIDTH_SHARE);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" viewBox="0 0 ${width} ${height}"><rect width="${width}" height="${height}" fill="#000"/><g fill="none" stroke="#fff" stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round">${paths.join('')}</g></svg>`;
}
