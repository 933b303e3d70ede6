/** Pages for an e-reader: processor time for each megapixel, against sharp alone with the same images. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { writeCbz } from '../../src/cbz/cbz-writer.js';
import { comicInfoXml } from '../../src/cbz/comic-info.js';
import { record, type Measurement } from './records.js';
import { median, medianRatio, rounded } from './statistics.js';
import { tankobon, timed } from './timed-process.js';

const RUNS = 3;
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
    const scaled = () => sharp(image).greyscale().resize({ ...${JSON.stringify(SCREEN)}, fit: 'inside', kernel: 'lanczos3' });
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
      await createPages(folder);
      const cpuMs = new Map<string, number[]>();
      for (let run = 0; run < RUNS; run += 1)
        for (const name of ['sharp, JPEG', 'sharp, JPEG and PNG', 'bind --for kobo-libra']) {
          const result = await timed(commandFor(name, folder));
          cpuMs.set(name, [...(cpuMs.get(name) ?? []), result.cpuMs]);
          rmSync(join(folder, 'out'), { recursive: true, force: true });
        }
      report(cpuMs);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Gradients with noise, as scans have it: 1.5 to 2 MB each. */
async function createPages(folder: string): Promise<void> {
  mkdirSync(join(folder, 'pages'));
  const pixels = Buffer.alloc(WIDTH * HEIGHT);
  const pages = [];
  for (let page = 0; page < PAGES; page += 1) {
    let state = page + 1;
    for (let index = 0; index < pixels.length; index += 1) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
      pixels[index] = 40 + ((index % WIDTH) / WIDTH) * 180 + ((state >> 16) & 15);
    }
    const raw = { width: WIDTH, height: HEIGHT, channels: 1 } as const;
    const image = await sharp(pixels, { raw }).jpeg({ quality: 93 }).toBuffer();
    const file = join(folder, 'pages', `${page}.jpg`);
    writeFileSync(file, image);
    pages.push({ file, bytes: image.length });
  }
  const comicInfo = await comicInfoXml({ series: 'Large', number: '1', volume: '1', pages: [] });
  await writeCbz({ file: join(folder, 'in', '1.cbz'), pages, comicInfo });
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

function report(cpuMs: ReadonlyMap<string, readonly number[]>): void {
  const megapixels = (PAGES * WIDTH * HEIGHT) / 1e6;
  const tankobonMs = cpuMs.get('bind --for kobo-libra') ?? [];
  const rows = [...cpuMs].map(([program, each]) => ({
    program,
    cpuMsPerMegapixel: rounded(median(each) / megapixels),
    timesOfBind: rounded(medianRatio(tankobonMs, each)),
    allMs: each.map(Math.round),
  }));
  record('device-pages', {
    what: `${PAGES} pages of ${WIDTH} × ${HEIGHT} pixels for a screen of ${SCREEN.width} × ${SCREEN.height}, processor time, ${RUNS} runs each, in turn`,
    rows,
  });
}
