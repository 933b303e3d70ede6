/** The heads of the people of the stories: hair, eyes and mouth, with a mood. */
import type { Canvas, Paint } from './canvas.js';
import { ellipse, type Outline, type Point } from './shapes.js';

export type Mood = 'calm' | 'glad' | 'shout' | 'worried' | 'closed';

export interface Character {
  readonly hair: 'short' | 'long' | 'bun' | 'cap';
  readonly hairPaint: Paint;
  readonly clothes: Paint;
}

/** The face's edge: a round skull and a narrower chin. */
function headOutline([x, y]: Point, radius: number): Outline {
  return Array.from({ length: 40 }, (_, step) => {
    const angle = (step / 40) * 2 * Math.PI;
    const [across, down] = [Math.cos(angle), Math.sin(angle)];
    return down > 0
      ? [x + radius * 0.92 * across * (1 - 0.22 * down * down), y + radius * 1.16 * down]
      : [x + radius * 0.92 * across, y + radius * down];
  });
}

function drawEyes(canvas: Canvas, [x, y]: Point, radius: number, turn: number, mood: Mood): void {
  const pen = Math.max(1.5, radius * 0.055);
  for (const side of [-1, 1]) {
    const eyeX = x + turn + side * radius * 0.38;
    const eyeY = y + radius * 0.2;
    const [wide, tall] = [radius * 0.19, radius * (mood === 'shout' ? 0.27 : 0.22)];
    const brow = mood === 'worried' ? -side * 0.1 : mood === 'shout' ? side * 0.12 : 0;
    canvas.stroke(
      [
        [eyeX - wide, eyeY - tall - radius * (0.16 + brow * -1)],
        [eyeX + wide, eyeY - tall - radius * (0.16 + brow)],
      ],
      { width: pen * 1.2 },
    );
    if (mood === 'closed' || mood === 'glad') {
      const lift = mood === 'glad' ? -0.14 : 0.1;
      canvas.stroke(
        [
          [eyeX - wide, eyeY],
          [eyeX - wide / 2, eyeY + radius * lift * 0.8],
          [eyeX, eyeY + radius * lift],
          [eyeX + wide / 2, eyeY + radius * lift * 0.8],
          [eyeX + wide, eyeY],
        ],
        { width: pen * 1.5 },
      );
      continue;
    }
    canvas.fill(ellipse([eyeX, eyeY], wide, tall), 255);
    canvas.fill(ellipse([eyeX + turn * 0.25, eyeY + tall * 0.12], wide * 0.78, tall * 0.84), 15);
    canvas.fill(
      ellipse([eyeX + turn * 0.25 + wide * 0.25, eyeY - tall * 0.25], wide * 0.3, tall * 0.28),
      255,
    );
    canvas.stroke(
      [
        [eyeX - wide * 1.1, eyeY - tall * 0.55],
        [eyeX - wide * 0.4, eyeY - tall],
        [eyeX + wide * 0.4, eyeY - tall],
        [eyeX + wide * 1.1, eyeY - tall * 0.55],
      ],
      { width: pen * 1.7 },
    );
  }
}

function drawMouth(canvas: Canvas, [x, y]: Point, radius: number, turn: number, mood: Mood): void {
  const middle = x + turn * 1.2;
  const at = y + radius * 0.72;
  const pen = Math.max(1.5, radius * 0.05);
  canvas.stroke(
    [
      [middle + turn * 0.2, y + radius * 0.38],
      [middle + turn * 0.5 + radius * 0.05, y + radius * 0.5],
    ],
    { width: pen },
  );
  if (mood === 'shout') {
    canvas.shape(ellipse([middle, at], radius * 0.24, radius * 0.25), 20, pen);
    canvas.fill(ellipse([middle, at + radius * 0.12], radius * 0.14, radius * 0.09), 150);
    return;
  }
  const curve = mood === 'worried' ? -0.09 : mood === 'calm' ? 0.02 : 0.12;
  canvas.stroke(
    [
      [middle - radius * 0.2, at],
      [middle, at + radius * curve],
      [middle + radius * 0.2, at],
    ],
    { width: pen * 1.2 },
  );
}

/** The hair that hangs behind the head, and behind the shoulders. */
export function drawBackHair(canvas: Canvas, who: Character, [x, y]: Point, radius: number): void {
  if (who.hair === 'long') {
    const crown = Array.from({ length: 13 }, (_, step): Point => {
      const angle = Math.PI + (step / 12) * Math.PI;
      return [x + radius * 1.1 * Math.cos(angle), y + radius * 1.06 * Math.sin(angle)];
    });
    canvas.shape(
      [
        ...crown,
        [x + radius * 1.2, y + radius * 1.65],
        [x + radius * 0.5, y + radius * 1.5],
        [x - radius * 0.5, y + radius * 1.5],
        [x - radius * 1.2, y + radius * 1.65],
      ],
      who.hairPaint,
      Math.max(2, radius * 0.05),
    );
  }
  if (who.hair === 'bun') {
    canvas.shape(ellipse([x, y - radius * 1.2], radius * 0.42, radius * 0.36), who.hairPaint, 2);
  }
}

function drawFrontHair(
  canvas: Canvas,
  who: Character,
  [x, y]: Point,
  radius: number,
  turn: number,
): void {
  const pen = Math.max(2, radius * 0.05);
  const crown: Point[] = Array.from({ length: 15 }, (_, step) => {
    const angle = Math.PI + (step / 14) * Math.PI;
    return [
      x + radius * 1.04 * Math.cos(angle),
      y + radius * 0.05 + radius * 1.12 * Math.sin(angle),
    ];
  });
  if (who.hair === 'cap') {
    canvas.shape([...crown.map(([px, py]): Point => [px, py - radius * 0.16])], 40, pen);
    canvas.shape(
      ellipse([x + turn * 1.6, y - radius * 0.16], radius * 1.15, radius * 0.17),
      15,
      pen,
    );
    return;
  }
  const fringe: Point[] = [
    [x + radius * 1.04, y + radius * 0.32],
    [x + radius * 0.86, y - radius * 0.12],
    [x + radius * 0.66 + turn, y + radius * 0.02],
    [x + radius * 0.36 + turn, y - radius * 0.46],
    [x + radius * 0.12 + turn, y - radius * 0.08],
    [x - radius * 0.2 + turn, y - radius * 0.48],
    [x - radius * 0.5 + turn, y - radius * 0.02],
    [x - radius * 0.8, y - radius * 0.3],
    [x - radius * 1.04, y + radius * 0.32],
  ];
  canvas.shape([...crown, ...fringe], who.hairPaint, pen);
}

export interface Pose {
  readonly mood: Mood;
  /** Where the face looks: -1 to the left, 1 to the right. */
  readonly facing: number;
}

/** A head; `at` is its middle and `radius` its half width, in pixels. Returns the place just above it, where balloons point. */
export function drawHead(
  canvas: Canvas,
  who: Character,
  at: Point,
  radius: number,
  pose: Pose,
): Point {
  const turn = pose.facing * radius * 0.16;
  drawBackHair(canvas, who, at, radius);
  const pen = Math.max(2, radius * 0.055);
  for (const side of [-1, 1]) {
    const ear: Point = [at[0] + side * radius * 0.92, at[1] + radius * 0.25];
    canvas.shape(ellipse(ear, radius * 0.14, radius * 0.22), 255, pen);
  }
  canvas.shape(headOutline(at, radius), 255, pen);
  drawEyes(canvas, at, radius, turn, pose.mood);
  drawMouth(canvas, at, radius, turn, pose.mood);
  drawFrontHair(canvas, who, at, radius, turn);
  const hairTop = radius * (who.hair === 'bun' ? 1.56 : who.hair === 'cap' ? 1.3 : 1.08);
  return [at[0] + turn, at[1] - hairTop - 6];
}
