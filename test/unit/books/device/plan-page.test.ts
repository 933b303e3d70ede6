/** What becomes of a page on a screen: margins, numbers, pale and colored pages, spreads, strips, tiny and huge ones. */
import fc from 'fast-check';
import { findDevice } from '../../../../src/config/devices.js';
import { pageProfile } from '../../../../src/books/page-profile.js';
import { planPage } from '../../../../src/books/device/plan-page.js';
import { drawnPage, gray, type Shape } from '../../../support/drawn-page.js';
import { fuzzRuns } from '../../../support/long-run.js';

const WHITE = gray(255);
const BLACK = gray(0);
const COLOR = pageProfile(findDevice('kobo-libra-colour'), {});
const GRAY = pageProfile(findDevice('kobo-libra'), {});
const MANGA = { direction: 'rtl', isLongStrip: false } as const;

/** A drawing between the margins of a page of 1,000 × 1,500. */
const drawing = (left: number, top: number, right: number, bottom: number): Shape => ({
  left,
  top,
  width: 1_000 - left - right,
  height: 1_500 - top - bottom,
  color: BLACK,
});
const number = (left: number, top: number): Shape => ({
  left,
  top,
  width: 30,
  height: 24,
  color: BLACK,
});
const PAGE = { width: 1_000, height: 1_500 };

/** How many pixels were cut at each side. */
function cuts(shapes: readonly Shape[], paper = WHITE, crop = true) {
  const profile = { ...GRAY, crop };
  const [part] = planPage(drawnPage(PAGE, paper, shapes), profile, MANGA).parts;
  const { left = 0, top = 0, width = 0, height = 0 } = part?.source ?? {};
  return [left, top, PAGE.width - left - width, PAGE.height - top - height];
}

describe('margins', () => {
  test.each([
    ['white ones are cut, but for a line', [drawing(50, 60, 70, 80)], WHITE, [50, 60, 70, 80]],
    ['at most a tenth of each side', [drawing(300, 400, 300, 400)], WHITE, [100, 150, 100, 150]],
    ['black ones too', [{ ...drawing(50, 60, 70, 80), color: WHITE }], BLACK, [50, 60, 70, 80]],
    ['yellowed ones too', [drawing(50, 60, 70, 80)], [244, 238, 214], [50, 60, 70, 80]],
    ['a drawing up to the edge stays', [drawing(0, 0, 0, 0)], WHITE, [0, 0, 0, 0]],
    ['a gray edge is a drawing', [drawing(50, 60, 70, 80)], gray(128), [0, 0, 0, 0]],
    ['an empty page stays', [], WHITE, [0, 0, 0, 0]],
    [
      'dust does not end a margin',
      [drawing(50, 80, 70, 80), { ...number(500, 20), width: 2, height: 2 }],
      WHITE,
      [50, 80, 70, 80],
    ],
    [
      'a number below is cut',
      [drawing(50, 60, 70, 120), number(480, 1_420)],
      WHITE,
      [50, 60, 70, 120],
    ],
    [
      'a number above is cut',
      [drawing(50, 120, 70, 80), number(480, 50)],
      WHITE,
      [50, 120, 70, 80],
    ],
    [
      'two numbers of a spread are cut',
      [drawing(50, 60, 70, 120), number(200, 1_420), number(800, 1_420)],
      WHITE,
      [50, 60, 70, 120],
    ],
    [
      'a line of text is not a number',
      [drawing(50, 60, 70, 120), { ...number(200, 1_420), width: 600 }],
      WHITE,
      [50, 60, 70, 56],
    ],
    [
      'a number that touches the drawing stays',
      [drawing(50, 60, 70, 100), number(480, 1_380)],
      WHITE,
      [50, 60, 70, 96],
    ],
  ] as const)('%s', (_, shapes, paper, expected) => {
    const found = cuts(shapes, paper);
    // A line of the reduced copy is up to three pixels, and one line of margin stays.
    for (const [side, cut] of found.entries()) {
      expect(cut).toBeLessThanOrEqual(expected[side] ?? 0);
      expect(cut).toBeGreaterThanOrEqual(Math.max(0, (expected[side] ?? 0) - 7));
    }
  });

  test('stay with --no-crop', () => {
    expect(cuts([drawing(50, 60, 70, 80)], WHITE, false)).toEqual([0, 0, 0, 0]);
  });

  test('of any page are cut by at most a tenth, and the part is within the page and the screen', () => {
    const side = fc.integer({ min: 1, max: 600 });
    const shape = fc.record({
      left: fc.integer({ min: 0, max: 600 }),
      top: fc.integer({ min: 0, max: 600 }),
      width: side,
      height: side,
      color: fc.integer({ min: 0, max: 255 }).map(gray),
    });
    const spread = fc.constantFrom('split', 'rotate', 'both', 'keep') as fc.Arbitrary<'split'>;
    fc.assert(
      fc.property(
        side,
        side,
        fc.array(shape, { maxLength: 4 }),
        spread,
        (width, height, shapes, mode) => {
          const profile = { ...GRAY, screen: { width: 30, height: 40 }, spread: mode };
          const page = drawnPage({ width, height }, WHITE, shapes);
          for (const { source, size, isTurned } of planPage(page, profile, MANGA).parts) {
            expect(source.left >= 0 && source.top >= 0).toBe(true);
            expect(source.width > 0 && source.height > 0).toBe(true);
            expect(source.left + source.width <= width).toBe(true);
            expect(source.top + source.height <= height).toBe(true);
            const [across, down] = isTurned ? [size.height, size.width] : [size.width, size.height];
            expect(across <= source.width && down <= source.height).toBe(true);
            const [longer, shorter] = [
              Math.max(size.width, size.height),
              Math.min(size.width, size.height),
            ];
            expect(longer <= 40 && shorter <= 30).toBe(true);
          }
        },
      ),
      { numRuns: fuzzRuns(100) },
    );
  });
});

describe('sizes', () => {
  test.each([
    ['is scaled down to the screen', 2_528, 3_360, [1_264, 1_680]],
    ['is scaled to the height of the screen if it is narrow', 1_000, 2_000, [840, 1_680]],
    ['is never scaled up', 600, 800, [600, 800]],
    ['may have one pixel', 1, 1, [1, 1]],
    ['may be huge', 8_000, 11_000, [1_222, 1_680]],
  ])('a page %s', (_, width, height, [expectedWidth, expectedHeight]) => {
    const page = drawnPage({ width, height }, gray(128));
    expect(planPage(page, GRAY, MANGA).parts).toMatchObject([
      { kind: 'single', size: { width: expectedWidth, height: expectedHeight } },
    ]);
  });
});

describe('colors', () => {
  const small = { left: 400, top: 400, width: 60, height: 60 };
  test.each([
    ['a black and white page', WHITE, drawing(50, 50, 50, 50), false],
    ['a yellowed page', [240, 228, 196], drawing(50, 50, 50, 50), false],
    ['noise of JPEG', [255, 252, 255], { ...small, color: [90, 100, 96] }, false],
    ['a small red seal', WHITE, { ...small, color: [220, 30, 40] }, true],
    ['a page in color', [120, 180, 240], { ...small, color: [250, 210, 60] }, true],
    ['a page that is all of one color', [250, 170, 150], { ...small, color: [150, 60, 40] }, true],
  ] as const)('%s', (_, paper, shape, expected) => {
    const page = drawnPage(PAGE, paper, [shape]);
    expect(planPage(page, COLOR, MANGA).isColor).toBe(expected);
    expect(planPage(page, GRAY, MANGA).isColor).toBe(false);
  });
});

describe('contrast', () => {
  const ends = (paper: number, ink: number, share = 0.5) => {
    const height = PAGE.height * share;
    const shape = { left: 0, top: 0, width: 1_000, height, color: gray(ink) };
    const { tones } = planPage(drawnPage(PAGE, gray(paper), [shape]), GRAY, MANGA);
    return [tones[ink], tones[paper]];
  };
  test.each([
    ['a faded scan is stretched', ends(225, 60), [0, 255]],
    ['full contrast stays', ends(255, 0), [0, 255]],
    ['a page that is pale by intent stays pale', ends(240, 180), [180, 240]],
    ['a page that is dark by intent stays dark', ends(120, 10), [10, 120]],
    ['a few dark specks do not count', ends(240, 60, 0.002), [60, 240]],
    ['an empty page stays', ends(200, 200), [200, 200]],
  ])('%s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });

  test('--gamma makes middle tones darker above 1, and keeps black and white', () => {
    const page = drawnPage(PAGE, WHITE, [drawing(100, 100, 100, 100)]);
    const { tones } = planPage(page, { ...GRAY, gamma: 2 }, MANGA);
    expect([tones[0], tones[128], tones[255]]).toEqual([0, 64, 255]);
  });
});

describe('spreads', () => {
  const SPREAD = { width: 3_000, height: 2_000 };
  /** The left half is dark, and the margins differ. */
  const page = drawnPage(SPREAD, WHITE, [
    { left: 120, top: 100, width: 1_380, height: 1_800, color: gray(30) },
    { left: 1_500, top: 100, width: 1_260, height: 1_800, color: gray(220) },
  ]);
  const parts = (spread: 'split' | 'rotate' | 'both' | 'keep', direction: 'rtl' | 'ltr' = 'rtl') =>
    planPage(page, { ...GRAY, spread }, { direction, isLongStrip: false }).parts;

  test('the half that is read first comes first', () => {
    const [right, left] = parts('split');
    expect([right?.kind, left?.kind]).toEqual(['first-half', 'second-half']);
    expect(right?.source.left).toBe(1_500);
    expect((left?.source.left ?? 0) + (left?.source.width ?? 0)).toBe(1_500);
    const [first] = parts('split', 'ltr');
    expect((first?.source.left ?? 0) + (first?.source.width ?? 0)).toBe(1_500);
  });

  test('both halves have the height, the tones and the colors of the whole', () => {
    const [first, second] = parts('split');
    expect(first?.source.top).toBe(second?.source.top);
    expect(first?.source.height).toBe(second?.source.height);
  });

  test('a turned spread fills the screen on its side', () => {
    const [turned, ...others] = parts('rotate');
    expect(others).toEqual([]);
    expect(turned).toMatchObject({ kind: 'turned-spread', isTurned: true });
    expect(turned?.size.height).toBeGreaterThan(turned?.size.width ?? Infinity);
    expect(parts('both').map(({ kind }) => kind)).toEqual([
      'turned-spread',
      'first-half',
      'second-half',
    ]);
  });

  test('a kept spread has the size of a screen on its side', () => {
    expect(parts('keep')).toMatchObject([{ kind: 'whole-spread', isTurned: false }]);
    expect(parts('keep')[0]?.size.width).toBeGreaterThan(1_264);
  });
});

describe('long strips', () => {
  const size = { width: 800, height: 6_000, isStrip: true };
  const panel = (top: number, height: number): Shape[] => [
    { left: 100, top, width: 600, height, color: BLACK },
    { left: 300, top: top + 50, width: 200, height: height - 100, color: WHITE },
  ];
  const heights = (shapes: readonly Shape[]) =>
    planPage(drawnPage(size, WHITE, shapes), GRAY, MANGA).parts.map(({ source, kind }) => {
      expect(kind).toBe('strip');
      expect([source.left, source.width]).toEqual([0, 800]);
      return [source.top, source.top + source.height] as const;
    });

  test('are cut at empty rows into screens in reading order', () => {
    const found = heights([
      ...panel(0, 900),
      ...panel(1_100, 900),
      ...panel(2_400, 900),
      ...panel(4_000, 1_900),
    ]);
    // A screen of 1,264 × 1,680 shows 1,680 rows of a strip that is 800 wide.
    expect(found[0]?.[0]).toBe(0);
    expect(found.at(-1)?.[1]).toBe(6_000);
    for (const [index, [top, bottom]] of found.entries()) {
      if (index > 0) expect(top).toBeLessThanOrEqual(found[index - 1]?.[1] ?? 0);
      expect(bottom - top).toBeLessThanOrEqual(1_680 * 1.08);
    }
    // The first cut is between the first two panels.
    expect(found[0]?.[1]).toBeGreaterThan(900);
    expect(found[0]?.[1]).toBeLessThan(1_100);
    expect(found[1]?.[0]).toBe(found[0]?.[1]);
  });

  test('overlap where no row is empty', () => {
    const stripes = Array.from({ length: 3 }, (_, index) => ({
      left: 100 + index * 250,
      top: 0,
      width: 60,
      height: 6_000,
      color: BLACK,
    }));
    const found = heights(stripes);
    expect(found.slice(0, 2)).toEqual([
      [0, 1_680],
      [1_512, 3_192],
    ]);
    expect(found.at(-1)?.[1]).toBe(6_000);
  });

  test('are found by their shape or by the tag of the book, and margins stay', () => {
    const plain = drawnPage({ width: 800, height: 1_200 }, WHITE, [
      { left: 70, top: 80, width: 650, height: 1_000, color: BLACK },
    ]);
    const tagged = planPage(plain, GRAY, { direction: 'ltr', isLongStrip: true });
    expect(tagged.parts).toMatchObject([
      { kind: 'strip', source: { left: 0, top: 0, width: 800, height: 1_200 } },
    ]);
    const untagged = planPage(plain, GRAY, { direction: 'ltr', isLongStrip: false });
    expect(untagged.parts).toMatchObject([{ kind: 'single' }]);
    expect(untagged.parts[0]?.source.left).toBeGreaterThan(0);
  });
});
