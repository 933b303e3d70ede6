import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Canvas, type Tone } from '../../src/demo/pictures/canvas.js';
import { resized } from '../../src/demo/pictures/grey-picture.js';
import { encodeJpeg } from '../../src/demo/pictures/jpeg.js';
import { letters, widthOf, wrapped } from '../../src/demo/pictures/lettering.js';
import { panels } from '../../src/demo/pictures/layout.js';
import { noiseSheet } from '../../src/demo/pictures/noise-picture.js';
import { encodePng } from '../../src/demo/pictures/png.js';
import { boundsOf, boxOutline, ellipse, type Outline } from '../../src/demo/pictures/shapes.js';
import { dots } from '../../src/demo/pictures/tones.js';
import { decodedPng } from './decoded-png.js';

interface Shades {
  width: number;
  height: number;
  pixels: Buffer;
}

/** What Debian's djpeg (libjpeg-turbo) makes of a JPEG: a binary greyscale map. */
function decodedJpeg(file: Buffer): Shades {
  const map = execFileSync('djpeg', ['-pnm'], { input: file });
  const header = /^P5\n(\d+) (\d+)\n255\n/.exec(map.subarray(0, 40).toString('latin1'));
  if (header === null) {
    throw new Error('djpeg gave no greyscale map');
  }
  const [head, width, height] = header;
  return { width: Number(width), height: Number(height), pixels: map.subarray(head.length) };
}

const SQUARE = { x: 2, y: 1, width: 4, height: 5 };

function drawing(): Canvas {
  const canvas = new Canvas(61, 43);
  canvas.shape(ellipse([30, 20], 22, 15), (into, at, x, _, count) => {
    for (let step = 0; step < count; step += 1) {
      into[at + step] = (x + step) * 4;
    }
  });
  canvas.stroke(
    [
      [2, 40],
      [58, 3],
    ],
    { width: 4 },
  );
  return canvas;
}

describe('PNG', () => {
  test('a picture is read back in sixteen shades, every chunk with its right CRC', () => {
    const canvas = drawing();
    const png = decodedPng(encodePng(canvas));
    expect(png).toMatchObject({ width: 61, height: 43, bitDepth: 4 });
    expect(png.chunks).toEqual(['IHDR', 'IDAT', 'IEND']);
    const rowBytes = 1 + Math.ceil(61 / 2);
    const read = Array.from(canvas.pixels, (_, at) => {
      const [x, y] = [at % 61, Math.floor(at / 61)];
      const pair = png.rows[y * rowBytes + 1 + (x >> 1)] ?? 0;
      return 17 * (x % 2 === 0 ? pair >> 4 : pair & 15);
    });
    expect(png.rows).toHaveLength(rowBytes * 43);
    expect(read.every((shade, at) => Math.abs(shade - (canvas.pixels[at] ?? 0)) <= 8)).toBe(true);
    expect(new Set(read).size).toBeGreaterThan(8);
  });

  test('a colour print carries its palette', () => {
    const palette = Array.from({ length: 16 }, (_, step) => [step * 17, 0, 255] as const);
    const { width, height, pixels } = drawing();
    const png = decodedPng(encodePng({ width, height, pixels, palette }));
    expect(png.chunks).toEqual(['IHDR', 'PLTE', 'IDAT', 'IEND']);
  });

  test('noise of any size is a valid picture of about that many bytes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 4_500, max: 400_000 }),
        fc.integer({ min: 0, max: 999 }),
        (bytes, seed) => {
          const file = noiseSheet({ bytes, seed }).picture(seed + 1);
          const png = decodedPng(file);
          expect(png.rows).toHaveLength(png.height * (png.width + 1));
          expect(Math.abs(file.length - bytes)).toBeLessThan(900);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('JPEG', () => {
  test('another decoder reads the same picture back', () => {
    const canvas = drawing();
    const read = decodedJpeg(encodeJpeg(canvas, 95));
    expect(read).toMatchObject({ width: 61, height: 43 });
    const gaps = Array.from(canvas.pixels, (shade, at) => Math.abs(shade - (read.pixels[at] ?? 0)));
    expect(gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length).toBeLessThan(4);
  });

  test('pictures of any size and shades are read without complaint', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 100 }),
        fc.uint8Array({ minLength: 1_600, maxLength: 1_600 }),
        (width, height, quality, pixels) => {
          const read = decodedJpeg(encodeJpeg({ width, height, pixels }, quality));
          expect([read.width, read.height, read.pixels.length]).toEqual([
            width,
            height,
            width * height,
          ]);
        },
      ),
      { numRuns: 25 },
    );
  });

  test('a coarser quality is smaller', () => {
    const canvas = drawing();
    expect(encodeJpeg(canvas, 15).length).toBeLessThan(encodeJpeg(canvas, 85).length);
  });

  test('a smaller picture has the mean shades of the larger one', () => {
    const canvas = new Canvas(40, 20);
    canvas.fillBox({ x: 0, y: 0, width: 20, height: 20 }, 0);
    const small = resized(canvas, 4);
    expect(small).toMatchObject({ width: 4, height: 2 });
    expect([...small.pixels]).toEqual([0, 0, 255, 255, 0, 0, 255, 255]);
  });
});

describe('drawing', () => {
  test('nothing is drawn outside the outline that it is kept inside', () => {
    const canvas = new Canvas(50, 50);
    canvas.inside(boxOutline({ x: 10, y: 10, width: 20, height: 20 }), () => {
      canvas.fill(ellipse([25, 25], 40, 40), 0);
      canvas.fillBox({ x: 0, y: 0, width: 50, height: 50 }, 0);
      canvas.stroke(
        [
          [0, 0],
          [49, 49],
        ],
        { width: 9 },
      );
    });
    const inked = [...canvas.pixels.entries()].filter(([, shade]) => shade < 255);
    const within = ([at]: readonly [number, number]): boolean =>
      [at % 50, Math.floor(at / 50)].every((place) => place >= 10 && place < 30);
    expect(inked).toHaveLength(400);
    expect(inked.every(within)).toBe(true);
  });

  test('a tone shades each pixel by its own place, whether the pixel is covered whole or in part', () => {
    const slope: Tone = (into, at, x, y, count) => {
      for (let step = 0; step < count; step += 1) {
        into[at + step] = 10 * (x + step) + y;
      }
    };
    const canvas = new Canvas(12, 3);
    canvas.fill(boxOutline({ x: 2.5, y: 1, width: 7, height: 2 }), slope);
    const row = (y: number): number[] => [...canvas.pixels.subarray(12 * y, 12 * y + 12)];
    const half = (shade: number): number => Math.ceil((shade + 255) / 2);
    expect(row(0)).toEqual(Array.from({ length: 12 }, () => 255));
    for (const y of [1, 2]) {
      const whole = [3, 4, 5, 6, 7, 8].map((x) => 10 * x + y);
      expect(row(y)).toEqual([255, 255, half(20 + y), ...whole, half(90 + y), 255, 255]);
    }
  });

  test.each(['to the right', 'to the left'])(
    'what an outline goes round twice %s is filled once',
    (way) => {
      const twice: Outline = [...boxOutline(SQUARE), ...boxOutline(SQUARE)];
      const canvas = new Canvas(8, 8);
      canvas.fill(way === 'to the right' ? twice : [...twice].reverse(), 40);
      const once = new Canvas(8, 8);
      once.fillBox(SQUARE, 40);
      expect(canvas.pixels).toEqual(once.pixels);
    },
  );

  test('screentone is as dark on the whole as was asked for, wherever it is begun', () => {
    const canvas = new Canvas(100, 100);
    for (const x of [0, 37]) {
      canvas.fillBox({ x, y: 0, width: 100 - x, height: 100 }, dots(0.3, 10));
    }
    const mean = canvas.pixels.reduce((sum, shade) => sum + shade, 0) / canvas.pixels.length;
    expect(mean / 255).toBeCloseTo(0.7, 1);
    const whole = new Canvas(100, 100);
    whole.fillBox({ x: 0, y: 0, width: 100, height: 100 }, dots(0.3, 10));
    expect(canvas.pixels).toEqual(whole.pixels);
  });

  test('a half covered pixel is half as dark', () => {
    const canvas = new Canvas(4, 4);
    canvas.fill(boxOutline({ x: 1, y: 1, width: 1.5, height: 1 }), 0);
    expect(canvas.pixels[5]).toBe(0);
    expect(canvas.pixels[6]).toBeGreaterThanOrEqual(127);
    expect(canvas.pixels[6]).toBeLessThanOrEqual(128);
    expect(canvas.pixels[7]).toBe(255);
  });

  test('lettering keeps within its width, word by word, and leaves out what it has no letters for', () => {
    const hand = { height: 12 };
    const lines = wrapped('Mikan! Come down from there, the boat is late.', 140, hand);
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.every((line) => widthOf(line, hand) <= 140)).toBe(true);
    expect(lines.join(' ')).toBe('MIKAN! COME DOWN FROM THERE, THE BOAT IS LATE.');
    expect(letters('Tōdai 🐈 ≠ cat')).toBe('TODAI CAT');
  });

  test.each([false, true])(
    'no two panels of a page overlap, right to left: %p',
    (rightToLeft: boolean) => {
      for (let layout = 0; layout < 8; layout += 1) {
        const canvas = new Canvas(800, 1200);
        const counts = new Uint8Array(canvas.pixels.length);
        for (const outline of panels(layout, rightToLeft)) {
          const box = boundsOf(outline);
          expect(box.x).toBeGreaterThan(20);
          expect(box.x + box.width).toBeLessThan(780);
          canvas.pixels.fill(255);
          canvas.fill(outline, 0);
          canvas.pixels.forEach(
            (shade, at) => (counts[at] = (counts[at] ?? 0) + (shade < 255 ? 1 : 0)),
          );
        }
        expect(Math.max(...new Set(counts))).toBe(1);
      }
    },
  );

  test('the first panel of a page is at the right where reading goes to the left', () => {
    const first = (rightToLeft: boolean): number => boundsOf(panels(1, rightToLeft)[0] ?? []).x;
    expect(first(false)).toBeLessThan(100);
    expect(first(true)).toBeGreaterThan(300);
  });
});
