/** What scenery is put together from: clouds, trees, houses, a skyline, stars, a lighthouse. */
import type { Canvas } from './canvas.js';
import type { Chance } from './chance.js';
import { boxOutline, ellipse, type Box, type Point } from './shapes.js';
import { dots, hatching } from './tones.js';

export function cloud(canvas: Canvas, [x, y]: Point, size: number): void {
  const puffs: [number, number, number][] = [
    [-0.9, 0.1, 0.5],
    [-0.2, -0.2, 0.7],
    [0.6, 0, 0.55],
    [1.1, 0.2, 0.4],
  ];
  for (const grow of [3, 0]) {
    for (const [across, down, radius] of puffs) {
      const middle: Point = [x + across * size, y + down * size];
      canvas.fill(
        ellipse(middle, radius * size + grow, radius * size * 0.7 + grow),
        grow > 0 ? 0 : 255,
      );
    }
  }
}

export function tree(canvas: Canvas, [x, foot]: Point, size: number): void {
  canvas.shape(
    boxOutline({
      x: x - size * 0.09,
      y: foot - size * 0.5,
      width: size * 0.18,
      height: size * 0.5,
    }),
    90,
    2,
  );
  for (const [across, up] of [
    [-0.22, 0.6],
    [0.22, 0.62],
    [0, 0.85],
  ] as const) {
    canvas.shape(
      ellipse([x + across * size, foot - up * size], size * 0.3, size * 0.26),
      dots(0.4, 8),
      2,
    );
  }
}

export function house(canvas: Canvas, [x, foot]: Point, size: number): void {
  canvas.shape(boxOutline({ x, y: foot - size * 0.6, width: size, height: size * 0.6 }), 255, 2.5);
  canvas.shape(
    [
      [x - size * 0.15, foot - size * 0.6],
      [x + size * 0.5, foot - size * 1.05],
      [x + size * 1.15, foot - size * 0.6],
    ],
    hatching(7, 2),
    2.5,
  );
  canvas.shape(
    boxOutline({
      x: x + size * 0.14,
      y: foot - size * 0.42,
      width: size * 0.26,
      height: size * 0.2,
    }),
    40,
    2,
  );
  canvas.shape(
    boxOutline({
      x: x + size * 0.6,
      y: foot - size * 0.42,
      width: size * 0.24,
      height: size * 0.42,
    }),
    120,
    2,
  );
}

export function skyline(canvas: Canvas, box: Box, chance: Chance, lit: boolean): void {
  let x = box.x - 10;
  while (x < box.x + box.width) {
    const width = chance.between(50, 95);
    const height = box.height * chance.between(0.28, 0.62);
    const top = box.y + box.height - height;
    canvas.shape(
      boxOutline({ x, y: top, width, height: height + 5 }),
      lit ? 25 : dots(chance.between(0.1, 0.3), 8),
      2,
    );
    for (let row = top + 12; row < box.y + box.height - 18; row += 24) {
      for (let column = x + 9; column < x + width - 12; column += 20) {
        const bright = chance.next() < 0.55;
        canvas.fill(
          boxOutline({ x: column, y: row, width: 10, height: 13 }),
          bright === lit ? 250 : 90,
        );
      }
    }
    x += width + chance.between(-4, 10);
  }
}

export function starField(canvas: Canvas, box: Box, chance: Chance): void {
  for (let star = 0; star < 46; star += 1) {
    const at: Point = [box.x + chance.next() * box.width, box.y + chance.next() * box.height];
    const radius = chance.between(0.8, 2.6);
    canvas.fill(ellipse(at, radius, radius), 255);
  }
}

export function lighthouse(canvas: Canvas, [x, foot]: Point, height: number): void {
  const half = height * 0.11;
  canvas.fill(
    [
      [x, foot - height * 0.93],
      [x - height * 6, foot - height * 1.9],
      [x - height * 6, foot - height * 0.4],
    ],
    250,
  );
  const side = (share: number): number => half * (1 - share * 0.35);
  canvas.shape(
    [
      [x - side(0), foot],
      [x - side(1), foot - height * 0.84],
      [x + side(1), foot - height * 0.84],
      [x + side(0), foot],
    ],
    255,
  );
  for (const share of [0.12, 0.46]) {
    const up = share + 0.16;
    canvas.fill(
      [
        [x - side(share), foot - height * share],
        [x - side(up), foot - height * up],
        [x + side(up), foot - height * up],
        [x + side(share), foot - height * share],
      ],
      30,
    );
  }
  canvas.shape(
    boxOutline({
      x: x - half * 0.55,
      y: foot - height * 0.96,
      width: half * 1.1,
      height: height * 0.12,
    }),
    255,
  );
  canvas.shape(
    [
      [x - half * 0.8, foot - height * 0.96],
      [x, foot - height * 1.08],
      [x + half * 0.8, foot - height * 0.96],
    ],
    20,
  );
}
