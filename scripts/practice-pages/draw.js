/**
 * Draws the pages and covers of the practice service into src/practice-server/fixtures: `npm run practice-pages`. The originals
 * are PNG with 16 colours, data-saver pages and thumbnails JPEG. The same input gives the same files.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Resvg } from '@resvg/resvg-js';
import sharp from 'sharp';
import { bicycle, cat, COLOURS, gull, parcel, path, person, place } from './figures.js';
import { scene } from './scenes.js';
import { COVERS, STORIES } from './stories.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const OUT = join(ROOT, 'src/practice-server/fixtures');
const PAGE = { width: 800, height: 1200, margin: 36, gap: 16 };
const ORIGINAL_WIDTH = 512;
const SAVER_WIDTH = 340;
const FONT = {
  loadSystemFonts: false,
  fontFiles: [
    import.meta.resolve('@expo-google-fonts/comic-neue/700Bold/ComicNeue_700Bold.ttf'),
    import.meta.resolve('@expo-google-fonts/bangers/400Regular/Bangers_400Regular.ttf'),
  ].map(fileURLToPath),
};
const { ink, paper, yellow, red } = COLOURS;

const escaped = (text) =>
  text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign]);
const letters = (text, x, y, size, { family = 'Comic Neue', fill = ink, more = '' } = {}) =>
  `<text x="${x}" y="${y}" font-family="${family}" font-size="${size}" font-weight="${family === 'Bangers' ? 400 : 700}" text-anchor="middle" fill="${fill}" ${more}>${escaped(text)}</text>`;
const document = (content) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${PAGE.width}" height="${PAGE.height}"><rect width="100%" height="100%" fill="${paper}"/>${content}</svg>`;
const widths = new Map();
function textWidth(text, size) {
  const key = `${size} ${text}`;
  if (!widths.has(key)) {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="99">${letters(text, 999, 50, size)}</svg>`;
    widths.set(key, new Resvg(svg, { font: FONT }).getBBox()?.width ?? 0);
  }
  return widths.get(key);
}

function wrapped(text, width, size) {
  const lines = [];
  for (const word of text.toUpperCase().split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && textWidth(longer, size) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

const outlined = (width) => `stroke="${ink}" stroke-width="${width}" stroke-linejoin="round"`;

/** A balloon's lines and size; where it goes is decided once all of the panel are known. */
function balloon([speaker, text, style], maxWidth) {
  const loud = style === 'shout';
  const [size, leading] = loud ? [32, 35] : [25, 28];
  const lines = wrapped(text, maxWidth, size);
  const width = Math.max(...lines.map((line) => textWidth(line, size))) + (loud ? 90 : 46);
  return {
    speaker,
    loud,
    lines,
    size,
    leading,
    width,
    height: lines.length * leading + (loud ? 60 : 28),
  };
}

function drawBalloon({ loud, lines, size, leading, width, height, x, y, aim }) {
  const [cx, cy, foot] = [x + width / 2, y + height / 2, y + height];
  const root = Math.max(x + 36, Math.min(x + width - 36, cx + (aim[0] - cx) * 0.5));
  const reach = Math.min(1, 46 / Math.max(1, aim[1] - foot));
  const tip = [root + (aim[0] - root) * reach, Math.max(foot + 18, foot + (aim[1] - foot) * reach)];
  const inside = foot - (loud ? 16 : 6);
  const spikes = Array.from({ length: 28 }, (_, index) => {
    const turn = (index / 28) * 2 * Math.PI;
    const far = index % 2 ? 0.54 : 0.43;
    return `${(cx + width * far * Math.cos(turn)).toFixed(1)} ${(cy + height * far * Math.sin(turn)).toFixed(1)}`;
  });
  const bubble = (more) =>
    loud
      ? path(`M${spikes.join('L')}Z`, paper, more)
      : `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${Math.min(height / 2, 34)}" fill="${paper}" ${more}/>`;
  return [
    bubble(outlined(3.5)),
    path(
      `M${root - 12} ${inside}L${tip[0]} ${tip[1]}L${root + 12} ${inside}`,
      paper,
      outlined(3.5),
    ),
    bubble('stroke="none"'),
    ...lines.map((line, index) =>
      letters(line, cx, cy + (index - (lines.length - 1) / 2) * leading + size * 0.34, size),
    ),
  ].join('');
}

/** Sets the balloons side by side where they fit, each near its speaker, or else one below the other. */
function layOut(says, cast, width, top) {
  const room = says.length > 1 ? Math.max(170, width * 0.42) : Math.min(340, width - 76);
  const made = says.map((each) => balloon(each, room));
  for (const [index, one] of made.entries()) {
    const speakerX = cast[one.speaker][1] * width;
    const centre = says.length > 1 ? speakerX : (speakerX + width / 2) / 2;
    one.x = Math.max(12, Math.min(width - one.width - 12, centre - one.width / 2));
    one.y = top + index * 12;
    const before = made[index - 1];
    if (before && one.x < before.x + before.width + 10 && before.x < one.x + one.width + 10) {
      one.y = before.y + before.height + 8;
    }
  }
  return { balloons: made, bottom: Math.max(top, ...made.map(({ y, height }) => y + height)) };
}

/** Each drawing with its height in units and how far to the side its head is. */
const DRAWINGS = {
  cat: { draw: cat, units: 116, headX: 0 },
  gull: { draw: gull, units: 88, headX: 30 },
  bicycle: { draw: bicycle, units: 90, headX: 0 },
  parcel: { draw: parcel, units: 60, headX: 0 },
};

function drawFigure([who, at, size, options = {}], width, height, free) {
  const isPerson = !(who in DRAWINGS);
  const { draw, units, headX } = DRAWINGS[who] ?? {
    draw: (more) => person(who, more),
    units: 207,
    headX: 0,
  };
  const scale = (size * height) / units;
  const x = at * width;
  const closeUp = isPerson && size > 0.9;
  // In a close-up the head is below the balloons, and the lower edge cuts off the rest.
  const y = closeUp ? free + 34 + units * scale : height * (0.965 - (options.lift ?? 0));
  const mirrored = options.left ?? false;
  return {
    svg: place(x, y, scale, draw(options), mirrored),
    aim: [x + headX * scale * (mirrored ? -1 : 1), y - units * scale - 4],
  };
}

function captionBox(caption, width, rightToLeft) {
  const lines = wrapped(caption, width - 60, 23);
  const boxWidth = Math.max(...lines.map((line) => textWidth(line, 23))) + 28;
  const boxHeight = lines.length * 27 + 14;
  const x = rightToLeft ? width - boxWidth - 12 : 12;
  return {
    bottom: 12 + boxHeight,
    svg:
      `<rect x="${x}" y="12" width="${boxWidth}" height="${boxHeight}" fill="${yellow}" ${outlined(3)}/>` +
      lines.map((line, index) => letters(line, x + boxWidth / 2, 39 + index * 27, 23)).join(''),
  };
}

function soundLetters([text, at, down], width, height) {
  const size = Math.min(150, (0.78 * width * 100) / textWidth(text, 100));
  const half = (textWidth(text, size) * 1.16) / 2 + 16;
  const x = Math.max(half, Math.min(width - half, at * width));
  const style = {
    family: 'Bangers',
    fill: yellow,
    more: `${outlined(9)} paint-order="stroke" letter-spacing="3"`,
  };
  return `<g transform="translate(${x} ${down * height}) rotate(-7)">${letters(text, 0, 0, size, style)}</g>`;
}

/** Draws a panel at the origin. */
function panelContent(
  { scene: name, cast = [], says = [], caption, sound },
  width,
  height,
  rightToLeft,
) {
  const box =
    caption === undefined ? { bottom: 0, svg: '' } : captionBox(caption, width, rightToLeft);
  const { balloons, bottom } = layOut(says, cast, width, box.bottom + 14);
  const figures = cast.map((each) => drawFigure(each, width, height, bottom));
  for (const each of balloons) each.aim = figures[each.speaker].aim;
  return [
    scene(name, width, height),
    ...figures.map(({ svg }) => svg),
    sound ? soundLetters(sound, width, height) : '',
    box.svg,
    ...balloons.map(drawBalloon),
  ].join('');
}

let clips = 0;
function framed(panel, x, y, width, height, rightToLeft) {
  const id = `clip${(clips += 1)}`;
  return (
    `<clipPath id="${id}"><rect width="${width}" height="${height}"/></clipPath>` +
    `<g transform="translate(${x} ${y})"><g clip-path="url(#${id})">${panelContent(panel, width, height, rightToLeft)}</g>` +
    `<rect width="${width}" height="${height}" fill="none" stroke="${ink}" stroke-width="5"/></g>`
  );
}

function comicPage(rows, number, rightToLeft) {
  const { width, height, margin, gap } = PAGE;
  const innerWidth = width - 2 * margin;
  const innerHeight = height - 2 * margin - 24 - gap * (rows.length - 1);
  let y = margin;
  const content = rows.map((row) => {
    const rowHeight = row.height * innerHeight;
    const shared = innerWidth - gap * (row.panels.length - 1);
    let x = 0;
    const panels = row.panels.map((panel) => {
      const rest = 1 - row.panels.reduce((sum, each) => sum + (each.width ?? 0), 0);
      const panelWidth = (panel.width ?? rest) * shared;
      const left = rightToLeft ? innerWidth - x - panelWidth : x;
      x += panelWidth + gap;
      return framed(panel, margin + left, y, panelWidth, rowHeight, rightToLeft);
    });
    y += rowHeight + gap;
    return panels.join('');
  });
  return content.join('') + letters(String(number), width / 2, height - 18, 20);
}

function titlePage({ name, credit, ...art }) {
  const { width, height } = PAGE;
  const size = Math.min(84, (width * 1.9) / Math.max(...name.map((line) => line.length)));
  const top = 40 + name.length * size * 1.05;
  const bottom = credit === '' ? 30 : 74;
  return (
    name
      .map((line, index) =>
        letters(line, width / 2, 28 + size * (0.9 + index * 1.05), size, {
          family: 'Bangers',
          fill: red,
          more: `${outlined(7)} paint-order="stroke" letter-spacing="2"`,
        }),
      )
      .join('') +
    framed(art, 30, top, width - 60, height - top - bottom, false) +
    letters(credit, width / 2, height - 28, 26)
  );
}

const original = (pixels) =>
  pixels.clone().png({ palette: true, colours: 16, dither: 0, effort: 10, compressionLevel: 9 });
const dataSaver = (pixels) =>
  pixels.clone().grayscale().resize({ width: SAVER_WIDTH }).jpeg({ quality: 16, mozjpeg: true });
const thumbnail = (pixels, width) =>
  pixels.clone().resize({ width }).jpeg({ quality: 20, mozjpeg: true });

async function write(name, content, { saver = false, cover = false }) {
  const svg = new Resvg(document(content), {
    font: FONT,
    fitTo: { mode: 'width', value: ORIGINAL_WIDTH },
  });
  const pixels = sharp(svg.render().asPng()).flatten();
  const files = {
    [`${name}.png`]: original(pixels),
    ...(saver && { [`${name}.jpg`]: dataSaver(pixels) }),
    ...(cover && {
      [`${name}.512.jpg`]: thumbnail(pixels, 512),
      [`${name}.256.jpg`]: thumbnail(pixels, 256),
    }),
  };
  for (const [file, image] of Object.entries(files))
    writeFileSync(join(OUT, file), await image.toBuffer());
}

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
for (const [story, { rightToLeft, opening, pages }] of Object.entries(STORIES)) {
  if (opening) await write(`${story}-1`, titlePage(opening), { saver: true, cover: true });
  for (const [index, rows] of pages.entries()) {
    const number = index + (opening ? 2 : 1);
    await write(`${story}-${number}`, comicPage(rows, number, rightToLeft), { saver: true });
  }
}
for (const [name, cover] of Object.entries(COVERS)) {
  await write(name, titlePage(cover), { cover: true });
}
