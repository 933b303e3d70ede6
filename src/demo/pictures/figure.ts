/** The people of the stories: who they are, and how they stand in a panel. */
import type { Canvas } from './canvas.js';
import { drawBackHair, drawHead, type Character, type Pose } from './head.js';
import type { Outline, Point } from './shapes.js';
import { dots, hatching } from './tones.js';

export const CAST = {
  girl: { hair: 'long', hairPaint: 12, clothes: dots(0.25, 8) },
  boy: { hair: 'short', hairPaint: dots(0.55, 7), clothes: 255 },
  keeper: { hair: 'cap', hairPaint: 225, clothes: 30 },
  aunt: { hair: 'bun', hairPaint: 60, clothes: hatching(8, 2) },
} as const satisfies Record<string, Character>;

export type CastName = keyof typeof CAST;

/** Head and shoulders, filling a box of which `top` is the hair's upper edge and `foot` the lower edge. */
export function drawBust(
  canvas: Canvas,
  who: Character,
  x: number,
  [top, foot]: readonly [number, number],
  pose: Pose,
): Point {
  const radius = (foot - top) / 3.3;
  const head: Point = [x, top + radius * (who.hair === 'bun' ? 1.6 : 1.3)];
  const pen = Math.max(2, radius * 0.055);
  if (who.hair === 'long') {
    drawBackHair(canvas, who, head, radius);
  }
  const [neck, shoulder] = [head[1] + radius * 1.05, head[1] + radius * 1.5];
  canvas.shape(
    [
      [x - radius * 0.34, neck - radius * 0.3],
      [x + radius * 0.34, neck - radius * 0.3],
      [x + radius * 0.38, shoulder + radius * 0.1],
      [x - radius * 0.38, shoulder + radius * 0.1],
    ],
    255,
    pen,
  );
  canvas.shape(
    [
      [x - radius * 0.42, shoulder - radius * 0.06],
      [x - radius * 1.2, shoulder + radius * 0.22],
      [x - radius * 1.6, shoulder + radius * 0.8],
      [x - radius * 1.75, foot + 10],
      [x + radius * 1.75, foot + 10],
      [x + radius * 1.6, shoulder + radius * 0.8],
      [x + radius * 1.2, shoulder + radius * 0.22],
      [x + radius * 0.42, shoulder - radius * 0.06],
      [x, shoulder + radius * 0.4],
    ],
    who.clothes,
    pen,
  );
  return drawHead(canvas, who, head, radius, pose);
}

/** A limb: a thick line with an edge. */
function drawLimb(canvas: Canvas, points: Outline, width: number, shade: number): void {
  canvas.stroke(points, { width: width + 5 });
  canvas.stroke(points, { width, shade });
}

/** A whole figure standing on `foot`, `height` pixels tall. `arms`: 0 hanging, 1 raised. */
export function drawFigure(
  canvas: Canvas,
  who: Character,
  [x, foot]: Point,
  height: number,
  pose: Pose & { readonly arms: number; readonly stride: number },
): Point {
  const radius = height / 9;
  const [shoulder, hip] = [foot - height + radius * 2.9, foot - height * 0.4];
  const sleeve = typeof who.clothes === 'number' ? who.clothes : 235;
  const limb = radius * 0.5;
  for (const side of [-1, 1]) {
    const step = side * radius * (0.45 + pose.stride);
    drawLimb(
      canvas,
      [
        [x + side * radius * 0.4, hip],
        [x + step, (hip + foot) / 2],
        [x + step * 1.15, foot - limb / 2],
        [x + step * 1.15 + pose.facing * radius * 0.5, foot - limb / 2],
      ],
      limb * 1.15,
      70,
    );
  }
  for (const side of [-1, 1]) {
    const raised = pose.arms * (side === Math.sign(pose.facing || 1) ? 1 : 0.2);
    drawLimb(
      canvas,
      [
        [x + side * radius * 0.8, shoulder + limb * 0.6],
        [x + side * radius * (1.35 + raised * 0.5), shoulder + radius * (1.5 - raised * 1.6)],
        [x + side * radius * (1.25 + raised * 0.9), shoulder + radius * (2.7 - raised * 4.2)],
      ],
      limb,
      sleeve,
    );
  }
  canvas.shape(
    [
      [x - radius * 1.0, shoulder],
      [x + radius * 1.0, shoulder],
      [x + radius * 0.85, hip - radius * 0.4],
      [x + radius * 1.1, hip + radius * 0.55],
      [x - radius * 1.1, hip + radius * 0.55],
      [x - radius * 0.85, hip - radius * 0.4],
    ],
    who.clothes,
  );
  return drawHead(canvas, who, [x, foot - height + radius * 1.25], radius * 1.15, pose);
}
