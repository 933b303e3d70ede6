/** Which side of a spread each page is on. */
import type { ImageDimensions } from '../image/dimensions.js';

export type Spread = 'left' | 'right' | 'center';

/**
 * The cover and pages that are wider than high, which are spreads themselves, stand alone; the others alternate, beginning
 * after each of those on the side that is read first.
 */
export function assignSpreads(
  pages: readonly ImageDimensions[],
  direction: 'rtl' | 'ltr',
): readonly Spread[] {
  const first: Spread = direction === 'rtl' ? 'right' : 'left';
  const second: Spread = direction === 'rtl' ? 'left' : 'right';
  let next = first;
  return pages.map(({ width, height }, index) => {
    if (index === 0 || width > height) {
      next = first;
      return 'center';
    }
    const side = next;
    next = side === first ? second : first;
    return side;
  });
}
