/** Pages for an e-reader: processor time for each megapixel, against sharp alone with the same images. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { writeCbz } from '../../src/library/cbz-writer.js';
import { comicInfoXml } from '../../src/library/comic-info.js';
import { record, type Measurement } from './records.js';
import { median, medianRatio, rounded } from './statistics.js';
import { tankobon, timed } from './timed-process.js';

const RUNS = 3;
/** Scans become JPEG, drawings PNG: of drawings, both are encoded and compared. */
const KINDS = ['scans', 'drawings'] as const;
type Kind = (typeof KINDS)[number];
const BIND = 'bind --for kobo-libra';
const PROGRAMS = ['sharp, JPEG', 'sharp, JPEG and PNG', BIND];
const PAGES = 60;
const WIDTH = 2_000;
const HEIGHT = 3_000;
const SCREEN = { width: 1_264, height: 1_680 };

/** Decodes, makes gray, scales and encodes; with `both` as a PNG of 16 levels too, of which the smaller one would count. */
const BARE = `
const { readFileSync } = require('node:fs');
const [, sharpPath, folder, formats] = process.argv;
const sharp = require(sharpPath);
sharp.concurrency(1);
sharp.cache(false);
let page = 0;
const work = async () => {
  while (page < ${PAGES}) {
    const image = readFileSync(folder + '/' + page++ + '.jpg');
    const scaled = () => sharp(image).greyscale().toColourspace('b-w').resize({ ...${JSON.stringify(SCREEN)}, fit: 'inside', kernel: 'lanczos3' });
    await scaled().jpeg({ quality: 85 }).toBuffer();
    if (formats === 'both') await scaled().png({ palette: true, colours: 16, dither: 0 }).toBuffer();
  }
};
Promise.all([work(), work()]);`;

export const devicePages: Measurement = {
  name: 'device-pages',
  about: 'pages for an e-reader: processor time for each megapixel, against sharp alone',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'tankobon-bench-device-'));
    try {
      const rows = [];
      for (const kind of KINDS) rows.push(...(await measure(kind, join(folder, kind))));
      record('device-pages', {
        what: `${PAGES} pages of ${WIDTH} × ${HEIGHT} pixels for a screen of ${SCREEN.width} × ${SCREEN.height}, processor time, ${RUNS} runs each, in turn`,
        rows,
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function measure(kind: Kind, folder: string) {
  await createPages(kind, folder);
  const cpuMs = new Map<string, number[]>(PROGRAMS.map((program) => [program, []]));
  for (let run = 0; run < RUNS; run += 1)
    for (const [program, each] of cpuMs) {
      each.push((await timed(commandFor(program, folder))).cpuMs);
      rmSync(join(folder, 'out'), { recursive: true, force: true });
    }
  const megapixels = (PAGES * WIDTH * HEIGHT) / 1e6;
  return [...cpuMs].map(([program, each]) => ({
    pages: kind,
    program,
    cpuMsPerMegapixel: rounded(median(each) / megapixels),
    timesOfBind: rounded(medianRatio(cpuMs.get(BIND) ?? [], each)),
    allMs: each.map(Math.round),
  }));
}

async function createPages(kind: Kind, folder: string): Promise<void> {
  mkdirSync(join(folder, 'pages'), { recursive: true });
  const pages = [];
  for (let page = 0; page < PAGES; page += 1) {
    const drawn = kind === 'scans' ? scan(page) : drawing(page);
    const image = await drawn.jpeg({ quality: 93 }).toBuffer();
    const file = join(folder, 'pages', `${page}.jpg`);
    writeFileSync(file, image);
    pages.push({ file, bytes: image.length });
  }
  const comicInfo = await comicInfoXml({ series: 'Large', number: '1', volume: '1', pages: [] });
  await writeCbz({ file: join(folder, 'in', '1.cbz'), pages, comicInfo });
}

/** A gradient with noise: 1.5 to 2 MB. */
function scan(page: number) {
  const pixels = Buffer.alloc(WIDTH * HEIGHT);
  const random = randomNumbers(page);
  for (let index = 0; index < pixels.length; index += 1)
    pixels[index] = 40 + ((index % WIDTH) / WIDTH) * 180 + (random() & 15);
  return sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 1 } });
}

/** Six panels with lines, two of them with dots and one with a gradient: about 1.5 MB. */
function drawing(page: number) {
  const random = randomNumbers(page);
  const fills = ['none', 'url(#dots)', 'url(#gradient)', 'none', 'url(#dots)', 'none'];
  const panels = fills.map((fill, panel) => {
    const [left, top] = [120 + (panel % 2) * 900, 120 + (panel >> 1) * 920];
    const point = () => `${left + (random() % 860)} ${top + (random() % 880)}`;
    const lines = Array.from({ length: 60 }, () => `M${point()}Q${point()} ${point()}`);
    return `<rect x="${left}" y="${top}" width="860" height="880" fill="${fill}"/><path d="${lines.join('')}" fill="none"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><defs><pattern id="dots" width="12" height="12" patternUnits="userSpaceOnUse"><circle cx="6" cy="6" r="3"/></pattern><linearGradient id="gradient"><stop stop-color="#333"/><stop offset="1" stop-color="#eee"/></linearGradient></defs><rect width="100%" height="100%" fill="#fff"/><g stroke="#000" stroke-width="6">${panels.join('')}</g></svg>`;
  return sharp(Buffer.from(svg)).toColourspace('b-w');
}

function randomNumbers(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    return state >> 16;
  };
}

function commandFor(name: string, folder: string) {
  if (name.startsWith('sharp')) {
    const path = createRequire(import.meta.url).resolve('sharp');
    const formats = name.endsWith('PNG') ? 'both' : 'jpeg';
    return { words: [process.execPath, '-e', BARE, path, join(folder, 'pages'), formats] };
  }
  const out = join(folder, 'out');
  return {
    words: tankobon('bind', join(folder, 'in'), '--for', 'kobo-libra', '-o', out, '--quiet'),
    env: { TANKOBON_HOME: join(folder, 'home') },
  };
}
