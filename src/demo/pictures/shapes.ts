/** Outlines, as lists of points in pixels, and boxes. */
import type { Chance } from './chance.js';

/** Taken out once: in the inner loops a module's own name is found faster than a global's member. */
const { abs, cos, max, min, round, sign, sin, PI } = Math;

/** `[x, y]` in pixels; y grows downwards. */
export type Point = readonly [number, number];
export type Outline = readonly Point[];

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function boxOutline({ x, y, width, height }: Box): Outline {
  return [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ];
}

/** The smallest upright box round an outline. */
export function boundsOf(outline: Outline): Box {
  const xs = outline.map(([x]) => x);
  const ys = outline.map(([, y]) => y);
  const x = min(...xs);
  const y = min(...ys);
  return { x, y, width: max(...xs) - x, height: max(...ys) - y };
}

/** An ellipse. A `squareness` above 2 fills its box better, as speech balloons do (Lamé's curve). */
export function ellipse(
  [centreX, centreY]: Point,
  radiusX: number,
  radiusY: number,
  squareness = 2,
): Outline {
  const steps = max(16, min(72, round((radiusX + radiusY) / 3)));
  const bend = (value: number): number => sign(value) * abs(value) ** (2 / squareness);
  return Array.from({ length: steps }, (_, step) => {
    const angle = (step / steps) * 2 * PI;
    return [centreX + radiusX * bend(cos(angle)), centreY + radiusY * bend(sin(angle))];
  });
}

/** A jagged star with `spikes` spikes, a little uneven. */
export function burst(centre: Point, radiusX: number, radiusY: number, chance: Chance): Outline {
  const spikes = 15;
  return Array.from({ length: spikes * 2 }, (_, step) => {
    const angle = ((step + chance.between(-0.25, 0.25)) / (spikes * 2)) * 2 * PI;
    const reach = step % 2 === 0 ? chance.between(1.12, 1.34) : 0.96;
    return [centre[0] + radiusX * reach * cos(angle), centre[1] + radiusY * reach * sin(angle)];
  });
}
