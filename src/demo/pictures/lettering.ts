/**
 * Hand lettering in capitals: each letter is a few strokes of a round pen on a grid of 4 by 6, written as
 * pairs of digits, x and y. It can be large or small, thick or thin, slanted or not.
 */
import type { Canvas } from './canvas.js';
import type { Point } from './shapes.js';

const STROKES: Readonly<Record<string, string>> = {
  A: '062046 1434',
  B: '0006 003041423303 3344453606',
  C: '4130100105163645',
  D: '00062645412000',
  E: '40000646 0333',
  F: '400006 0333',
  G: '413010010516364543 2343',
  H: '0006 4046 0343',
  I: '2026',
  J: '4045361605',
  K: '0006 4004 1346',
  L: '000646',
  M: '0600234046',
  N: '06004640',
  O: '103041453616050110',
  P: '06003041423303',
  Q: '103041453616050110 2446',
  R: '06003041423303 2346',
  S: '413010010213334445361605',
  T: '0040 2026',
  U: '000516364540',
  V: '002640',
  W: '0016233640',
  X: '0046 4006',
  Y: '0023 4023 2326',
  Z: '00400646',
  0: '103041453616050110',
  1: '112026 1636',
  2: '01103041420646',
  3: '01103041423313 334445361605',
  4: '36300444',
  5: '400003334445361605',
  6: '413010010516364544331304',
  7: '004016',
  8: '103041423313020110 1304051636454433',
  9: '051636454130100102133342',
  '.': '2626',
  ',': '2516',
  '!': '2024 2626',
  '?': '01103041422324 2626',
  "'": '2012',
  '"': '1012 3032',
  '-': '1333',
  ':': '2222 2525',
  '&': '460201102031320405162643',
  '(': '30111536',
  ')': '10313516',
  '/': '4006',
  '+': '2125 0343',
  '#': '1016 3036 0242 0444',
};

/** In parts of the grid: its height, and the step to the next letter, a narrow one's too, and to the next line. */
const GRID_HEIGHT = 6;
const STEP = 5.6;
const NARROW_STEP = 2.8;
const SPACE_STEP = 3.6;
const LINE_STEP = 9.2;
const NARROW = ".,!':I";
/** Narrow letters stand in the middle of the grid, and move this far to the left. */
const NARROW_SHIFT = 1.4;

export interface Hand {
  /** The height of a capital in pixels. */
  readonly height: number;
  /** The pen's width in pixels; a seventh of the height where not given. */
  readonly pen?: number;
  readonly shade?: number;
  /** How far the top leans to the right, in parts of the height. */
  readonly slant?: number;
}

/** The letters of `text` that the hand knows: capitals, without accents; the rest is left out. */
export function letters(text: string): string {
  return Array.from(text.normalize('NFKD').toUpperCase())
    .filter((letter) => letter === ' ' || letter in STROKES)
    .join('')
    .replace(/ +/g, ' ')
    .trim();
}

const stepOf = (letter: string): number => {
  if (letter === ' ') {
    return SPACE_STEP;
  }
  return NARROW.includes(letter) ? NARROW_STEP : STEP;
};

/** How wide a line of text is, in pixels. */
export function widthOf(text: string, hand: Hand): number {
  const steps = Array.from(letters(text)).reduce((sum, letter) => sum + stepOf(letter), 0);
  return Math.max(0, (steps - 1.6) * (hand.height / GRID_HEIGHT));
}

/** How far one line's top is from the next one's, in pixels. */
export function lineStep(hand: Hand): number {
  return (hand.height / GRID_HEIGHT) * LINE_STEP;
}

/** Breaks a text into lines of at most `width` pixels; a word is never broken. */
export function wrapped(text: string, width: number, hand: Hand): string[] {
  const lines: string[] = [];
  for (const word of letters(text).split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(`${last} ${word}`, hand) <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else {
      lines.push(word);
    }
  }
  return lines;
}

/** Writes one line with its top left corner at the point. */
export function write(canvas: Canvas, text: string, [left, top]: Point, hand: Hand): void {
  const unit = hand.height / GRID_HEIGHT;
  const { pen = hand.height / 7, shade = 0, slant = 0 } = hand;
  let x = left;
  for (const letter of letters(text)) {
    const shift = NARROW.includes(letter) ? NARROW_SHIFT * unit : 0;
    for (const stroke of (STROKES[letter] ?? '').split(' ')) {
      const points = (stroke.match(/\d\d/g) ?? []).map((pair): Point => {
        const [column, row] = [Number(pair[0]), Number(pair[1])];
        const lean = (GRID_HEIGHT - row) * unit * slant;
        return [x - shift + column * unit + lean, top + row * unit];
      });
      canvas.stroke(points, { width: pen, shade });
    }
    x += stepOf(letter) * unit;
  }
}

/** Writes lines one under another, each centred on the point's x; the first one's top is the point's y. */
export function writeCentred(
  canvas: Canvas,
  lines: readonly string[],
  [centre, top]: Point,
  hand: Hand,
): void {
  for (const [index, line] of lines.entries()) {
    write(canvas, line, [centre - widthOf(line, hand) / 2, top + index * lineStep(hand)], hand);
  }
}
