/** Outlines, as lists of points in pixels, and boxes. */
import type { Chance } from './chance.js';

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
  const x = Math.min(...xs);
  const y = Math.min(...ys);
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

/** An ellipse. A `squareness` above 2 fills its box better, as speech balloons do (Lamé's curve). */
export function ellipse(
  [centreX, centreY]: Point,
  radiusX: number,
  radiusY: number,
  squareness = 2,
): Outline {
  const steps = Math.max(16, Math.min(72, Math.round((radiusX + radiusY) / 3)));
  const bend = (value: number): number => Math.sign(value) * Math.abs(value) ** (2 / squareness);
  return Array.from({ length: steps }, (_, step) => {
    const angle = (step / steps) * 2 * Math.PI;
    return [centreX + radiusX * bend(Math.cos(angle)), centreY + radiusY * bend(Math.sin(angle))];
  });
}

/** A jagged star with `spikes` spikes, a little uneven. */
export function burst(centre: Point, radiusX: number, radiusY: number, chance: Chance): Outline {
  const spikes = 15;
  return Array.from({ length: spikes * 2 }, (_, step) => {
    const angle = ((step + chance.between(-0.25, 0.25)) / (spikes * 2)) * 2 * Math.PI;
    const reach = step % 2 === 0 ? chance.between(1.12, 1.34) : 0.96;
    return [
      centre[0] + radiusX * reach * Math.cos(angle),
      centre[1] + radiusY * reach * Math.sin(angle),
    ];
  });
}
