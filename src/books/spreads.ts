/** Which side of a spread each page is on. */
import type { ImageDimensions } from '../core/image-dimensions.js';
import type { PageKind } from './device/plan-page.js';

export type Spread = 'left' | 'right' | 'center';

export interface SpreadPage {
  readonly dimensions: ImageDimensions;
  /** Only of a page for a device; otherwise its shape decides. */
  readonly kind?: PageKind | undefined;
}

/**
 * The first page, unless it is half of a spread, and spreads in one piece stand alone, and the halves of a spread face
 * each other; the other pages alternate.
 * They begin on the side that is read first, or on the other one if the page before the next spread would be without
 * its neighbor: then the first of them stands alone.
 */
export function assignSpreads(
  pages: readonly SpreadPage[],
  direction: 'rtl' | 'ltr',
): readonly Spread[] {
  const first: Spread = direction === 'rtl' ? 'right' : 'left';
  const second: Spread = direction === 'rtl' ? 'left' : 'right';
  const sides: Spread[] = [];
  let run = 0;
  const placeRun = (isBeforeSpread: boolean): void => {
    const offset = isBeforeSpread ? run % 2 : 0;
    for (let page = 0; page < run; page += 1)
      sides.push((page + offset) % 2 === 0 ? first : second);
    run = 0;
  };
  for (const [index, page] of pages.entries()) {
    const kind = kindOf(page);
    if (kind === 'single' && index > 0) {
      run += 1;
      continue;
    }
    placeRun(true);
    sides.push(kind === 'first-half' ? first : kind === 'second-half' ? second : 'center');
  }
  placeRun(false);
  return sides;
}

function kindOf({ kind, dimensions: { width, height } }: SpreadPage): PageKind {
  return kind ?? (width > height ? 'whole-spread' : 'single');
}
