/** Screentone: the dots and lines that comics are shaded with. Each is a tone for the canvas. */
import type { Tone } from './canvas.js';

/** Taken out once: in the inner loops a module's own name is found faster than a global's member. */
const { floor, min, sqrt, PI } = Math;

const PAPER = 255;
const PEN = 40;

/** Dots on a slanted grid that repeats every `period` pixels; `darkness` from 0 (paper) to 1 (ink). */
export function dots(darkness: number, period = 10): Tone {
  return dotsByRow(() => darkness, period);
}

/** Dots that grow darker from the top of a stretch to its foot. */
export function dotsDownwards(top: number, height: number, from: number, to: number): Tone {
  return dotsByRow((y) => from + ((to - from) * (y - top)) / height, 10);
}

/** How far each pixel of one period of the grid is from the middle of the nearest dot. */
function gapsOf(period: number): Float32Array {
  const half = period / 2;
  return Float32Array.from({ length: period * period }, (_, at) => {
    const [column, row] = [at % period, floor(at / period)];
    const [x, y] = [min(column, period - column), min(row, period - row)];
    return sqrt(min(x * x + y * y, (half - x) ** 2 + (half - y) ** 2));
  });
}

/** How large the dots are, in pixels, that make a surface so dark; below 0 there is none. */
const radiusOf = (darkness: number, period: number): number =>
  darkness > 0 ? (period / sqrt(2 * PI)) * sqrt(darkness) : -1;

/** The shade of a pixel that is so far outside a dot's edge, below 0 inside. */
const shadeAt = (outside: number): number =>
  outside <= -0.5 ? 0 : outside >= 0.5 ? PAPER : (outside * PAPER + 128) | 0;

/** Dots whose darkness, 0 to 1, changes from row to row: along a row they repeat themselves. */
function dotsByRow(darknessAt: (y: number) => number, period: number): Tone {
  const gaps = gapsOf(period);
  return (into, at, x, y, count) => {
    const radius = radiusOf(darknessAt(y), period);
    const row = (y % period) * period;
    const fresh = min(count, period);
    for (let step = 0; step < fresh; step += 1) {
      into[at + step] = shadeAt((gaps[row + ((x + step) % period)] ?? 0) - radius);
    }
    for (let done = fresh; done < count; done *= 2) {
      into.copyWithin(at + done, at, at + min(done, count - done));
    }
  };
}

/** Dots that grow darker away from a point: by `growth` over `reach` pixels, from `darkness` at the point. */
export function dotsOutwards(
  [middleX, middleY]: readonly [number, number],
  reach: number,
  { darkness: start, growth }: { readonly darkness: number; readonly growth: number },
): Tone {
  const period = 10;
  const gaps = gapsOf(period);
  const slope = growth / reach;
  return (into, at, x, y, count) => {
    const row = (y % period) * period;
    const down = (y - middleY) * (y - middleY);
    let column = x % period;
    let radius = 0;
    for (let step = 0; step < count; step += 1) {
      // Within four pixels the dots hardly grow.
      if (step === 0 || ((x + step) & 3) === 0) {
        const across = x + step - middleX;
        radius = radiusOf(start + slope * sqrt(across * across + down), period);
      }
      into[at + step] = shadeAt((gaps[row + column] ?? 0) - radius);
      column = column + 1 === period ? 0 : column + 1;
    }
  };
}

/** Slanted hatching, `spacing` pixels apart. */
export function hatching(spacing = 9, penWidth = 2): Tone {
  return (into, at, x, y, count) => {
    let across = (x + y) % spacing;
    for (let to = at; to < at + count; to += 1) {
      into[to] = across < penWidth ? PEN : PAPER;
      across = across + 1 === spacing ? 0 : across + 1;
    }
  };
}
