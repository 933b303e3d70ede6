/**
 * A sheet of greyscale pixels to draw on: filled outlines and strokes with soft edges, inside a stencil.
 * Shades go from 0 (ink) to 255 (paper).
 */
import { Coverage, FULL } from './coverage.js';
import type { Box, Outline, Point } from './shapes.js';
import { cutOut, wholeSheet, type Stencil } from './stencil.js';

/** Taken out once: in the inner loops a module's own name is found faster than a global's member. */
const { ceil, floor, max, min, round, sqrt } = Math;

/** Writes the shades of `count` pixels of row `y`, from column `x` on, into `into` from `at` on. */
export type Tone = (into: Uint8Array, at: number, x: number, y: number, count: number) => void;

/** One shade, or screentone. */
export type Paint = number | Tone;

export interface Stroke {
  /** The pen's width in pixels. */
  readonly width: number;
  readonly shade?: number;
  readonly closed?: boolean;
}

const INK = 0;
const PAPER = 255;

export class Canvas {
  readonly pixels: Uint8Array;
  readonly #coverage: Coverage;
  #stencil: Stencil;
  /** One pixel's shade, where a tone is laid on in part. */
  readonly #drop = new Uint8Array(1);

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.pixels = new Uint8Array(width * height).fill(PAPER);
    this.#coverage = new Coverage(width, height);
    this.#stencil = wholeSheet(width, height);
  }

  /** Draws with all that follows kept inside the outline, to whole pixels; see `cutOut`. */
  inside(outline: Outline, draw: () => void): void {
    const saved = this.#stencil;
    this.#stencil = cutOut(saved, outline);
    draw();
    this.#stencil = saved;
  }

  /** Fills the outline; where it crosses itself, all that it goes round is filled. */
  fill(outline: Outline, paint: Paint): void {
    this.#coverage.rows(outline, this.#stencil, (y, first, end) => {
      this.#layRow(y, first, end, paint);
    });
  }

  /** Fills an upright box, to whole pixels. */
  fillBox({ x, y, width, height }: Box, paint: Paint): void {
    const { top, bottom, lefts, rights } = this.#stencil;
    const end = min(bottom, round(y + height));
    for (let row = max(top, round(y)); row < end; row += 1) {
      const left = max(lefts[row] ?? 0, round(x));
      const right = min(rights[row] ?? 0, round(x + width));
      if (left < right) {
        this.#layRun(left, row, right - left, paint);
      }
    }
  }

  /** Draws along the points with a round pen. */
  stroke(points: Outline, { width, shade = INK, closed = false }: Stroke): void {
    let previous = closed ? points.at(-1) : points[0];
    for (const point of points) {
      if (previous !== undefined) {
        this.#segment(previous, point, width / 2, shade);
      }
      previous = point;
    }
  }

  /** Fills an outline and draws its edge. */
  shape(outline: Outline, paint: Paint, penWidth = 3): void {
    this.fill(outline, paint);
    this.stroke(outline, { width: penWidth, closed: true });
  }

  /** Lays paint on a row as far as it is covered; the changes of coverage are in the columns up to `end`. */
  #layRow(y: number, first: number, end: number, paint: Paint): void {
    const { changes } = this.#coverage;
    let sum = 0;
    let x = first;
    while (x < end) {
      sum += changes[x] ?? 0;
      changes[x] = 0;
      const coverage = sum < 0 ? -sum : sum;
      let next = x + 1;
      if (coverage === 0 || coverage >= FULL) {
        next = this.#nextChange(next, end);
      }
      if (coverage >= FULL) {
        this.#layRun(x, y, next - x, paint);
      } else if (coverage > 0) {
        this.#layPart(x, y, coverage, paint);
      }
      x = next;
    }
  }

  /** Where the coverage changes next, or `end`. */
  #nextChange(from: number, end: number): number {
    const { changes } = this.#coverage;
    let x = from;
    while (
      x + 4 <= end &&
      ((changes[x] ?? 0) |
        (changes[x + 1] ?? 0) |
        (changes[x + 2] ?? 0) |
        (changes[x + 3] ?? 0)) ===
        0
    ) {
      x += 4;
    }
    while (x < end && changes[x] === 0) {
      x += 1;
    }
    return x;
  }

  #layRun(x: number, y: number, count: number, paint: Paint): void {
    const at = y * this.width + x;
    if (typeof paint === 'number') {
      this.pixels.fill(paint, at, at + count);
    } else {
      paint(this.pixels, at, x, y, count);
    }
  }

  #layPart(x: number, y: number, coverage: number, paint: Paint): void {
    const { pixels } = this;
    const at = y * this.width + x;
    let shade = paint;
    if (typeof shade !== 'number') {
      shade(this.#drop, 0, x, y, 1);
      shade = this.#drop[0] ?? PAPER;
    }
    const old = pixels[at] ?? PAPER;
    pixels[at] = old + (((shade - old) * coverage + FULL / 2) >> 8);
  }

  #segment(from: Point, to: Point, radius: number, shade: number): void {
    const { pixels, width } = this;
    const { top, bottom, lefts, rights } = this.#stencil;
    const startX = from[0];
    const startY = from[1];
    const acrossX = to[0] - startX;
    const acrossY = to[1] - startY;
    // By these a pixel's place becomes its share of the way from one end to the other.
    const perX = acrossX / (acrossX * acrossX + acrossY * acrossY || 1);
    const perY = acrossY / (acrossX * acrossX + acrossY * acrossY || 1);
    // A pixel whose middle is nearer than `inner` is covered whole, one farther than `outer` not at all.
    const outer = radius + 0.5;
    const inner = max(0, radius - 0.5);
    const innerSquared = inner * inner;
    const outerSquared = outer * outer;
    const end = min(bottom, ceil(max(startY, to[1]) + outer));
    for (let y = max(top, floor(min(startY, to[1]) - outer)); y < end; y += 1) {
      const offY = y + 0.5 - startY;
      // Only the part of the segment that is near enough to this row can reach it.
      const near = acrossY === 0 ? 0 : max(0, min(1, (offY - outer) / acrossY));
      const far = acrossY === 0 ? 1 : max(0, min(1, (offY + outer) / acrossY));
      const nearX = startX + near * acrossX;
      const farX = startX + far * acrossX;
      const row = y * width;
      const right = min(rights[y] ?? 0, ceil(max(nearX, farX) + outer));
      for (let x = max(lefts[y] ?? 0, floor(min(nearX, farX) - outer)); x < right; x += 1) {
        const offX = x + 0.5 - startX;
        const share = offX * perX + offY * perY;
        const along = share < 0 ? 0 : share > 1 ? 1 : share;
        const gapX = offX - along * acrossX;
        const gapY = offY - along * acrossY;
        const gapSquared = gapX * gapX + gapY * gapY;
        if (gapSquared <= innerSquared) {
          pixels[row + x] = shade;
        } else if (gapSquared < outerSquared) {
          const old = pixels[row + x] ?? PAPER;
          pixels[row + x] = (old + (shade - old) * min(1, outer - sqrt(gapSquared)) + 0.5) | 0;
        }
      }
    }
  }
}
