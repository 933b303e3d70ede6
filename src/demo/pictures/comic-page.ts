/**
 * Draws a page of a comic: a title page, or panels in the order of reading with scenery, figures, balloons,
 * captions and sounds, and the page number at the foot.
 */
import { Canvas } from './canvas.js';
import { chanceFrom, type Chance } from './chance.js';
import { drawCat } from './cat.js';
import { CAST, drawBust, drawFigure, type CastName } from './figure.js';
import type { Mood } from './head.js';
import { PAGE_HEIGHT, PAGE_WIDTH, panels } from './layout.js';
import { lineStep, widthOf, wrapped, write, writeCentred, type Hand } from './lettering.js';
import { drawScene, type Scene } from './scenery.js';
import { boundsOf, boxOutline, type Box, type Outline, type Point } from './shapes.js';
import { drawBalloon, drawCaption, drawSound, laidOut } from './speech.js';

/** What one panel shows. */
export interface Beat {
  readonly scene: Scene;
  readonly cast: readonly CastName[];
  readonly cat?: boolean;
  /** Heads and shoulders, or whole figures. */
  readonly shot: 'near' | 'far';
  readonly mood?: Mood;
  /** What the cast says, in turn. */
  readonly says?: readonly string[];
  readonly caption?: string;
  readonly sound?: string;
}

export interface ComicPage {
  readonly number: number;
  /** Which of the layouts; any number. */
  readonly layout: number;
  readonly rightToLeft: boolean;
  readonly seed: number;
  /** One for each panel; they begin again where the layout has more panels. */
  readonly beats: readonly Beat[];
}

/** The part of a panel that lies inside whichever way its sides lean. */
function uprightPart(outline: Outline): Box {
  const bounds = boundsOf(outline);
  const middle = bounds.x + bounds.width / 2;
  const left = Math.max(...outline.map(([x]) => x).filter((x) => x < middle));
  const right = Math.min(...outline.map(([x]) => x).filter((x) => x >= middle));
  return { ...bounds, x: left, width: right - left };
}

const PLACES: Readonly<Record<number, readonly number[]>> = { 1: [0.5], 2: [0.27, 0.73] };

function drawCast(canvas: Canvas, beat: Beat, stage: Box, rightToLeft: boolean): Point[] {
  const places = PLACES[beat.cast.length] ?? [];
  const foot = stage.y + stage.height;
  return beat.cast.map((name, index) => {
    const share = places[index] ?? 0.5;
    const x = stage.x + stage.width * (rightToLeft ? 1 - share : share);
    const facing =
      beat.cast.length === 1 ? (rightToLeft ? -0.5 : 0.5) : x < stage.x + stage.width / 2 ? 1 : -1;
    const pose = { mood: index === 0 ? (beat.mood ?? 'calm') : 'calm', facing };
    const room = stage.width / Math.max(1, beat.cast.length);
    if (beat.shot === 'near') {
      const height = Math.min(stage.height - 8, room * 1.05);
      return drawBust(canvas, CAST[name], x, [foot - height, foot], pose);
    }
    const height = Math.min(stage.height * 0.94, room * 1.5);
    const action = pose.mood === 'shout' || pose.mood === 'glad';
    const stance = { ...pose, arms: action ? 0.9 : 0.15, stride: action ? 0.5 : 0.1 };
    return drawFigure(canvas, CAST[name], [x, foot - 12], height, stance);
  });
}

function drawPanel(
  canvas: Canvas,
  outline: Outline,
  beat: Beat,
  rightToLeft: boolean,
  chance: Chance,
): void {
  const box = boundsOf(outline);
  const safe = uprightPart(outline);
  canvas.inside(outline, () => {
    drawScene(canvas, beat.scene, box, chance);
    const captionEnd =
      beat.caption === undefined ? safe.y : drawCaption(canvas, beat.caption, safe, rightToLeft);
    const free: Box = { ...safe, y: captionEnd, height: safe.y + safe.height - captionEnd };
    const { balloons, bottom } = laidOut(beat.says ?? [], free, rightToLeft);
    const top = Math.max(bottom, captionEnd + 8);
    const catSide = rightToLeft ? 0.14 : 0.86;
    const stage: Box = { ...safe, y: top, height: safe.y + safe.height - top };
    const aims = drawCast(canvas, beat, stage, rightToLeft);
    if (beat.cat) {
      const size = Math.min(stage.height * 0.5, safe.width * 0.24);
      const alone = beat.cast.length === 0;
      drawCat(
        canvas,
        [safe.x + safe.width * (alone ? 0.5 : catSide), safe.y + safe.height - 12],
        alone ? Math.min(stage.height * (beat.sound ? 0.5 : 0.8), safe.width * 0.6) : size,
      );
    }
    if (beat.sound !== undefined) {
      const alone = beat.cast.length === 0;
      const withCat = alone && beat.cat === true;
      const height = withCat
        ? stage.height * 0.42
        : alone
          ? stage.height * 0.9
          : Math.min(stage.height * 0.5, 210);
      drawSound(canvas, beat.sound, {
        x: safe.x,
        y: stage.y + (stage.height - height) * (withCat ? 0.04 : alone ? 0.5 : 0.98),
        width: safe.width,
        height,
      });
    }
    for (const [index, balloon] of balloons.entries()) {
      drawBalloon(
        canvas,
        balloon,
        aims[index % Math.max(1, aims.length)] ?? [safe.x + safe.width / 2, safe.y + safe.height],
      );
    }
  });
  canvas.stroke(outline, { width: 5, closed: true });
}

function drawPageNumber(canvas: Canvas, page: number, rightToLeft: boolean): void {
  const hand: Hand = { height: 15, pen: 2.4 };
  const text = String(page);
  // An odd page is a right one where reading goes to the right, and a left one where it goes to the left.
  const atRight = (page % 2 === 1) !== rightToLeft;
  const x = atRight ? PAGE_WIDTH - 44 - widthOf(text, hand) : 44;
  write(canvas, text, [x, PAGE_HEIGHT - 40], hand);
}

/** A page of panels. */
export function drawComicPage(page: ComicPage): Canvas {
  const canvas = new Canvas(PAGE_WIDTH, PAGE_HEIGHT);
  for (const [index, outline] of panels(page.layout, page.rightToLeft).entries()) {
    const beat = page.beats[index % page.beats.length];
    if (beat !== undefined) {
      drawPanel(canvas, outline, beat, page.rightToLeft, chanceFrom(page.seed * 101 + index));
    }
  }
  drawPageNumber(canvas, page.number, page.rightToLeft);
  return canvas;
}

export interface TitlePage {
  readonly title: string;
  /** Under the title: `Chapter 1`, and the chapter's name. */
  readonly lines: readonly string[];
  readonly credit: string;
  readonly scene: Scene;
  readonly cast: readonly CastName[];
  readonly cat: boolean;
  readonly seed: number;
}

/** The title in the largest of the hands that gives few enough lines. */
function titleLines(title: string): { lines: readonly string[]; hand: Hand } {
  for (const height of [62, 50, 40, 30]) {
    const hand: Hand = { height, pen: height / 5, slant: 0.08 };
    const lines = wrapped(title, PAGE_WIDTH - 150, hand);
    const fits = lines.every((line) => widthOf(line, hand) <= PAGE_WIDTH - 140);
    if (lines.length <= 3 && fits) {
      return { lines, hand };
    }
  }
  const hand: Hand = { height: 20, pen: 3.4 };
  return { lines: wrapped(title, PAGE_WIDTH - 140, hand).slice(0, 9), hand };
}

/** A page of one large picture with the title above it and the chapter's name in a band below. */
export function drawTitlePage(page: TitlePage): Canvas {
  const canvas = new Canvas(PAGE_WIDTH, PAGE_HEIGHT);
  const { lines, hand } = titleLines(page.title);
  const titleHeight = lines.length * lineStep(hand);
  writeCentred(canvas, lines, [PAGE_WIDTH / 2, 62], hand);
  const top = 62 + titleHeight + 6;
  const band = 118;
  const box: Box = { x: 38, y: top, width: PAGE_WIDTH - 76, height: PAGE_HEIGHT - 62 - band - top };
  canvas.inside(boxOutline(box), () => {
    drawScene(canvas, page.scene, box, chanceFrom(page.seed));
    const stage: Box = { ...box, y: box.y + box.height * 0.34, height: box.height * 0.66 };
    drawCast(
      canvas,
      { scene: page.scene, cast: page.cast, shot: 'far', mood: 'glad' },
      stage,
      false,
    );
    if (page.cat) {
      drawCat(canvas, [PAGE_WIDTH / 2, box.y + box.height - 14], 190);
    }
  });
  canvas.stroke(boxOutline(box), { width: 5, closed: true });
  const bandTop = box.y + box.height + 28;
  const [name = '', ...rest] = page.lines;
  writeCentred(canvas, [name], [PAGE_WIDTH / 2, bandTop], { height: 26, pen: 4.6 });
  const small: Hand = { height: 16, pen: 2.6 };
  const below = wrapped(rest.join(' '), PAGE_WIDTH - 120, small).slice(0, 1);
  writeCentred(canvas, below, [PAGE_WIDTH / 2, bandTop + 42], small);
  writeCentred(canvas, [page.credit], [PAGE_WIDTH / 2, bandTop + 74], { height: 13, pen: 2 });
  return canvas;
}
