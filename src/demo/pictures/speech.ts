/**
 * What is written into a picture: speech balloons with a tail to whoever speaks, captions, and sound effects.
 * Balloons are laid out first, so that figures can be placed below them.
 */
import type { Canvas } from './canvas.js';
import { chanceFrom } from './chance.js';
import {
  letters,
  lineStep,
  widthOf,
  wrapped,
  write,
  writeCentred,
  type Hand,
} from './lettering.js';
import { burst, ellipse, type Box, type Outline, type Point } from './shapes.js';

const SPEECH: Hand = { height: 15, pen: 2.5, slant: 0.06 };
const INK = 0;
const PAPER = 255;
/** What is kept free below balloons for their tails, in pixels. */
const TAIL_ROOM = 18;

export interface Balloon {
  readonly lines: readonly string[];
  readonly centre: Point;
  readonly radiusX: number;
  readonly radiusY: number;
  /** Shouted: a jagged balloon. */
  readonly loud: boolean;
}

const blockHeight = (lines: readonly string[], hand: Hand): number =>
  (lines.length - 1) * lineStep(hand) + hand.height;

/** How large a balloon the text needs, being at most `width` pixels wide. */
function sized(text: string, width: number): Omit<Balloon, 'centre'> {
  const loud = /!!|[A-Z]{3,}!$/.test(text);
  const room = width / (loud ? 1.75 : 1.32);
  const lines = wrapped(
    text,
    Math.min(room, Math.max(120, Math.sqrt(letters(text).length) * 40)),
    SPEECH,
  );
  const textWidth = Math.max(...lines.map((line) => widthOf(line, SPEECH)));
  const [airX, airY] = loud ? [1.28, 1.7] : [1.26, 1.5];
  return {
    lines,
    loud,
    radiusX: (textWidth / 2) * airX + 12,
    radiusY: (blockHeight(lines, SPEECH) / 2) * airY + 9,
  };
}

/** How far the spikes of a loud balloon reach beyond it. */
const reachOf = (balloon: Omit<Balloon, 'centre'>): number => (balloon.loud ? 1.34 : 1);

export interface SpokenLayout {
  readonly balloons: readonly Balloon[];
  /** Where the balloons end: what is drawn below this y stays free of them. */
  readonly bottom: number;
}

/**
 * Places one or two texts at the top of the box, the first where reading begins. Side by side where there
 * is room, else one under the other; a text that leaves no room for the picture is left out.
 */
export function laidOut(texts: readonly string[], box: Box, rightToLeft: boolean): SpokenLayout {
  const air = 12;
  const half = (box.width - 3 * air) / 2;
  const sideBySide = texts.length > 1 && half > 190;
  const balloons: Balloon[] = [];
  let bottom = box.y + air;
  for (const [index, text] of texts.entries()) {
    const balloon = sized(text, sideBySide ? half : box.width - 2 * air);
    const reach = reachOf(balloon);
    const [spanX, spanY] = [balloon.radiusX * reach, balloon.radiusY * reach];
    const first = index % 2 === 0;
    const atRight = first === rightToLeft;
    const top = sideBySide ? box.y + air + (first ? 0 : 18) : bottom;
    const most = first ? 0.6 : 0.42;
    if (top + 2 * spanY > box.y + box.height * most || 2 * spanX > box.width - air) {
      break;
    }
    const x = atRight ? box.x + box.width - air - spanX : box.x + air + spanX;
    balloons.push({ ...balloon, centre: [x, top + spanY] });
    bottom = Math.max(bottom, top + 2 * spanY + 12);
  }
  return { balloons, bottom: balloons.length > 0 ? bottom + TAIL_ROOM : box.y };
}

/** A tail from the balloon's lower edge towards the head of whoever speaks; it ends before it. */
function tail({ centre, radiusX, radiusY }: Balloon, aim: Point): Outline {
  const lean = Math.max(-0.55, Math.min(0.55, (aim[0] - centre[0]) / (radiusX * 2)));
  const root: Point = [centre[0] + lean * radiusX, centre[1] + radiusY * 0.8];
  const down = Math.max(radiusY * 0.2 + 12, Math.min(radiusY * 0.2 + 60, aim[1] - root[1]));
  const across = Math.max(-down, Math.min(down, aim[0] - root[0]));
  return [
    [root[0] - 10, root[1]],
    [root[0] + across, root[1] + down],
    [root[0] + 10, root[1]],
  ];
}

/** Draws the balloon, its tail and its lettering. */
export function drawBalloon(canvas: Canvas, balloon: Balloon, aim: Point): void {
  const { centre, radiusX, radiusY, lines, loud } = balloon;
  const edge = loud
    ? burst(centre, radiusX, radiusY, chanceFrom(Math.round(centre[0] * 31 + centre[1])))
    : ellipse(centre, radiusX, radiusY, 2.5);
  const point = tail(balloon, aim);
  canvas.stroke(edge, { width: 6, closed: true });
  canvas.stroke(point, { width: 6 });
  canvas.fill(edge, PAPER);
  canvas.fill(point, PAPER);
  writeCentred(canvas, lines, [centre[0], centre[1] - blockHeight(lines, SPEECH) / 2], SPEECH);
}

/** A caption in a box at the top of the panel, where reading begins; returns where it ends. */
export function drawCaption(canvas: Canvas, text: string, box: Box, rightToLeft: boolean): number {
  const lines = wrapped(text, Math.min(box.width - 50, 330), SPEECH);
  const width = Math.max(...lines.map((line) => widthOf(line, SPEECH))) + 24;
  const height = blockHeight(lines, SPEECH) + 22;
  const left = rightToLeft ? box.x + box.width - width - 10 : box.x + 10;
  const top = box.y + 10;
  const edge: Outline = [
    [left, top],
    [left + width, top],
    [left + width, top + height],
    [left, top + height],
  ];
  canvas.shape(edge, PAPER, 2.5);
  for (const [index, line] of lines.entries()) {
    write(canvas, line, [left + 11, top + 11 + index * lineStep(SPEECH)], SPEECH);
  }
  return top + height;
}

/** A sound, large and slanted, on a burst that fills the box as far as its shape allows. */
export function drawSound(canvas: Canvas, sound: string, box: Box): void {
  const probe = widthOf(sound, { height: 100 });
  const height = Math.min(box.height * 0.36, (box.width * 0.62 * 100) / probe);
  const hand: Hand = { height, slant: 0.18 };
  const width = widthOf(sound, hand) + height * 0.18;
  const centre: Point = [box.x + box.width / 2, box.y + box.height / 2];
  const chance = chanceFrom(Math.round(box.x * 17 + box.y));
  canvas.shape(burst(centre, width * 0.6, height * 0.95, chance), PAPER, 4);
  const corner: Point = [centre[0] - width / 2, centre[1] - height / 2];
  write(canvas, sound, corner, { ...hand, pen: height / 3.6, shade: INK });
  write(canvas, sound, corner, { ...hand, pen: height / 8, shade: PAPER });
}
