/** The cat of the stories. */
import type { Canvas, Paint } from './canvas.js';
import { ellipse, type Point } from './shapes.js';

/** A sitting cat; `height` in pixels from the paws to the tips of its ears. */
export function drawCat(
  canvas: Canvas,
  [x, foot]: Point,
  height: number,
  paint: Paint = 255,
): void {
  const unit = height / 10;
  const pen = Math.max(2, unit * 0.35);
  canvas.stroke(
    [
      [x + unit * 2.2, foot - unit * 0.7],
      [x + unit * 4.4, foot - unit * 0.9],
      [x + unit * 5, foot - unit * 2.6],
      [x + unit * 4.2, foot - unit * 4],
    ],
    { width: unit * 0.9 + pen },
  );
  canvas.shape(ellipse([x, foot - unit * 2.9], unit * 2.7, unit * 2.9), paint, pen);
  for (const side of [-1, 1]) {
    canvas.shape(
      ellipse([x + side * unit * 1.1, foot - unit * 0.5], unit * 0.9, unit * 0.5),
      255,
      pen,
    );
    canvas.shape(
      [
        [x + side * unit * 2.2, foot - unit * 7],
        [x + side * unit * 2, foot - unit * 10],
        [x + side * unit * 0.5, foot - unit * 8.3],
      ],
      paint,
      pen,
    );
  }
  canvas.shape(ellipse([x, foot - unit * 6.5], unit * 2.5, unit * 2.1), paint, pen);
  for (const side of [-1, 1]) {
    canvas.fill(ellipse([x + side * unit, foot - unit * 6.8], unit * 0.35, unit * 0.55), 0);
    for (const drop of [-0.3, 0.3]) {
      canvas.stroke(
        [
          [x + side * unit * 1.2, foot - unit * (5.7 - drop * 0.4)],
          [x + side * unit * 3.3, foot - unit * (5.7 - drop * 1.6)],
        ],
        { width: Math.max(1.2, pen * 0.45) },
      );
    }
  }
  canvas.stroke(
    [
      [x - unit * 0.7, foot - unit * 5.5],
      [x, foot - unit * 5.9],
      [x + unit * 0.7, foot - unit * 5.5],
    ],
    { width: pen * 0.7 },
  );
}
