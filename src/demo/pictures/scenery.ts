/** What stands behind the figures: a scene fills the box of its panel. */
import type { Canvas } from './canvas.js';
import type { Chance } from './chance.js';
import { cloud, house, lighthouse, skyline, starField, tree } from './landmarks.js';
import { boxOutline, burst, ellipse, type Box, type Point } from './shapes.js';
import { dots, dotsDownwards, dotsOutwards, hatching } from './tones.js';

export type Scene = 'city' | 'harbour' | 'hills' | 'room' | 'rain' | 'speed' | 'tone' | 'stars';

type Painter = (canvas: Canvas, box: Box, chance: Chance) => void;

const strip = (box: Box, from: number, to: number): Box => ({
  ...box,
  y: box.y + box.height * from,
  height: box.height * (to - from),
});

const city: Painter = (canvas, box, chance) => {
  const night = chance.next() < 0.6;
  canvas.fillBox(box, night ? dotsDownwards(box.y, box.height, 0.95, 0.25) : 255);
  const moon: Point = [box.x + box.width * chance.between(0.3, 0.7), box.y + box.height * 0.3];
  if (night) {
    canvas.fill(ellipse(moon, 38, 38), 255);
  } else {
    cloud(canvas, moon, 34);
  }
  skyline(canvas, box, chance, night);
};

/** Planks to stand on. */
function drawPier(canvas: Canvas, deck: Box): void {
  canvas.shape(boxOutline({ ...deck, x: deck.x - 9, width: deck.width + 18 }), 238);
  for (let x = deck.x + 20; x < deck.x + deck.width; x += 44) {
    canvas.stroke(
      [
        [x, deck.y],
        [x - 14, deck.y + deck.height],
      ],
      { width: 2 },
    );
  }
}

const harbour: Painter = (canvas, box, chance) => {
  canvas.fillBox(box, dotsDownwards(box.y, box.height * 0.6, 0.42, 0.02));
  const sea = strip(box, 0.62, 1);
  lighthouse(
    canvas,
    [box.x + box.width * 0.82, sea.y + 8],
    Math.min(box.height * 0.5, box.width * 0.6),
  );
  canvas.shape(
    [
      [box.x + box.width * 0.62, sea.y + 12],
      [box.x + box.width * 0.7, sea.y - 12],
      [box.x + box.width * 0.96, sea.y - 8],
      [box.x + box.width + 9, sea.y + 12],
    ],
    70,
  );
  canvas.fillBox(sea, dotsDownwards(sea.y, sea.height, 0.12, 0.55));
  canvas.stroke(
    [
      [sea.x, sea.y],
      [sea.x + sea.width, sea.y],
    ],
    { width: 2.5 },
  );
  for (let wave = 0; wave < 16; wave += 1) {
    const [x, y] = [sea.x + chance.next() * sea.width, sea.y + 8 + chance.next() * sea.height];
    const size = 8 + ((y - sea.y) / sea.height) * 26;
    canvas.stroke(
      [
        [x - size, y],
        [x - size / 2, y - size / 4],
        [x, y],
        [x + size / 2, y - size / 4],
        [x + size, y],
      ],
      { width: 2.5, shade: 255 },
    );
  }
  drawPier(canvas, strip(box, 0.86, 1.05));
};

const hills: Painter = (canvas, box, chance) => {
  canvas.fillBox(box, 255);
  cloud(canvas, [box.x + box.width * chance.between(0.15, 0.4), box.y + box.height * 0.22], 26);
  cloud(canvas, [box.x + box.width * chance.between(0.6, 0.85), box.y + box.height * 0.32], 20);
  for (const [level, paint] of [
    [0.55, dots(0.12, 10)],
    [0.66, dots(0.28, 10)],
    [0.8, 245],
  ] as const) {
    const phase = chance.between(0, 6);
    const ridge: Point[] = Array.from({ length: 25 }, (_, step) => [
      box.x + (step / 24) * box.width,
      box.y + box.height * (level + 0.05 * Math.sin(phase + step / 3.4)),
    ]);
    canvas.shape(
      [
        ...ridge,
        [box.x + box.width + 5, box.y + box.height + 5],
        [box.x - 5, box.y + box.height + 5],
      ],
      paint,
      2.5,
    );
    if (level === 0.66) {
      const size = Math.min(90, box.height * 0.2);
      house(canvas, [box.x + box.width * 0.14, box.y + box.height * 0.8], size);
      tree(canvas, [box.x + box.width * 0.86, box.y + box.height * 0.84], size * 1.5);
      tree(canvas, [box.x + box.width * 0.7, box.y + box.height * 0.82], size * 1.1);
    }
  }
};

const room: Painter = (canvas, box, chance) => {
  canvas.fillBox(box, dots(0.1, 10));
  const floor = strip(box, 0.82, 1.1);
  const pane: Box = {
    x: box.x + box.width * chance.between(0.3, 0.4),
    y: box.y + box.height * 0.16,
    width: Math.min(box.width * 0.34, 200),
    height: box.height * 0.4,
  };
  canvas.shape(boxOutline(pane), 255, 4);
  cloud(canvas, [pane.x + pane.width * 0.5, pane.y + pane.height * 0.5], pane.width * 0.16);
  canvas.stroke(
    [
      [pane.x + pane.width / 2, pane.y],
      [pane.x + pane.width / 2, pane.y + pane.height],
    ],
    { width: 4 },
  );
  canvas.stroke(
    [
      [pane.x, pane.y + pane.height / 2],
      [pane.x + pane.width, pane.y + pane.height / 2],
    ],
    { width: 4 },
  );
  const shelfY = box.y + box.height * 0.5;
  let book = box.x + 14;
  while (book < box.x + box.width * 0.24) {
    const [width, height] = [chance.between(9, 17), chance.between(34, 52)];
    canvas.shape(
      boxOutline({ x: book, y: shelfY - height, width, height }),
      chance.next() < 0.5 ? 70 : dots(0.3, 8),
      2,
    );
    book += width + 1;
  }
  canvas.shape(
    boxOutline({ x: box.x - 4, y: shelfY, width: box.width * 0.28, height: 9 }),
    200,
    2.5,
  );
  canvas.shape(boxOutline(floor), hatching(26, 2), 3);
};

const rain: Painter = (canvas, box, chance) => {
  canvas.fillBox(box, dotsDownwards(box.y, box.height, 0.6, 0.3));
  skyline(canvas, box, chance, false);
  for (let drop = 0; drop < (box.width * box.height) / 2_600; drop += 1) {
    const [x, y] = [box.x + chance.next() * box.width, box.y + chance.next() * box.height];
    const length = chance.between(16, 40);
    canvas.stroke(
      [
        [x, y],
        [x - length * 0.25, y + length],
      ],
      { width: 1.6, shade: chance.next() < 0.7 ? 255 : 30 },
    );
  }
};

const speed: Painter = (canvas, box, chance) => {
  canvas.fillBox(box, 255);
  const centre: Point = [box.x + box.width / 2, box.y + box.height * 0.6];
  const reach = Math.hypot(box.width, box.height);
  const hole = Math.min(box.width, box.height) * 0.34;
  for (let ray = 0; ray < 84; ray += 1) {
    const angle = ((ray + chance.between(-0.4, 0.4)) / 84) * 2 * Math.PI;
    const spread = chance.between(0.006, 0.026);
    const start = hole * chance.between(1, 1.5);
    canvas.fill(
      [
        [centre[0] + start * Math.cos(angle), centre[1] + start * Math.sin(angle)],
        [
          centre[0] + reach * Math.cos(angle - spread),
          centre[1] + reach * Math.sin(angle - spread),
        ],
        [
          centre[0] + reach * Math.cos(angle + spread),
          centre[1] + reach * Math.sin(angle + spread),
        ],
      ],
      10,
    );
  }
};

const tone: Painter = (canvas, box, chance) => {
  const middle: Point = [box.x + box.width / 2, box.y + box.height * 0.6];
  const reach = Math.hypot(box.width, box.height) / 2;
  canvas.fill(boxOutline(box), dotsOutwards(middle, reach, { darkness: -0.1, growth: 0.55 }));
  for (let spark = 0; spark < 5; spark += 1) {
    const at: Point = [box.x + chance.next() * box.width, box.y + chance.next() * box.height];
    canvas.fill(burst(at, 5, 5, chance), 255);
  }
};

const stars: Painter = (canvas, box, chance) => {
  canvas.fillBox(box, 12);
  starField(canvas, box, chance);
  const planet: Point = [box.x + box.width * chance.between(0.2, 0.8), box.y + box.height * 0.3];
  canvas.fill(ellipse(planet, 34, 34), dots(0.25, 8));
  canvas.stroke(
    [
      [planet[0] - 58, planet[1] + 14],
      [planet[0] + 58, planet[1] - 14],
    ],
    { width: 4, shade: 230 },
  );
  const ground = strip(box, 0.8, 1.1);
  canvas.fill(
    ellipse([box.x + box.width / 2, ground.y + box.height], box.width, box.height),
    dots(0.3, 10),
  );
};

const PAINTERS: Readonly<Record<Scene, Painter>> = {
  city,
  harbour,
  hills,
  room,
  rain,
  speed,
  tone,
  stars,
};

/** Paints the scene over the whole box. */
export function drawScene(canvas: Canvas, scene: Scene, box: Box, chance: Chance): void {
  PAINTERS[scene](canvas, box, chance);
}
