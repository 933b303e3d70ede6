/**
 * A child process that decodes and encodes images with sharp, one at a time. In a process of its own a decoder can be
 * killed in the middle of an image, and what a hostile image does to it stays there.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { childEnvironment } from '../../core/child-environment.js';
import { MAX_DECODED_PIXELS, resolveSharp } from '../convert-image.js';
import type { ImageDimensions } from '../../core/image-dimensions.js';
import type { PagePlan } from './plan-page.js';
import type { PageStatistics } from './page-statistics.js';

/** An encoded page of the book. */
export interface EncodedImage extends ImageDimensions {
  readonly data: Uint8Array;
  readonly extension: 'jpg' | 'png';
}

export interface RenderOptions extends PagePlan {
  readonly grayLevels: 16 | 256;
  /** An SVG that is drawn over the first part. */
  readonly overlay: string | undefined;
}

/**
 * Runs in the child, which has no other modules: it answers each message. `open` decodes an image and keeps it;
 * `render` encodes parts of it. A PNG of 16 levels is written here, since sharp would search for a palette, which takes
 * three times as long.
 */
const PROGRAM = `
const zlib = require('node:zlib');
const sharp = require(process.argv[1]);
const limitInputPixels = Number(process.argv[2]);
sharp.concurrency(1);
sharp.cache(false);
sharp.block({ operation: ['VipsForeignLoad'] });
const loaders = ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Heif'];
sharp.unblock({ operation: loaders.map((name) => 'VipsForeignLoad' + name) });
const JPEG = { quality: 85 };
let page;

const fromRaw = ({ data, width, height, channels }) => sharp(data, { raw: { width, height, channels } });
const toRaw = async (pipeline, channels) => {
  const space = channels === 1 ? 'b-w' : 'srgb';
  const { data, info } = await pipeline.toColourspace(space).raw().toBuffer({ resolveWithObject: true });
  if (info.channels !== channels) throw new Error('unexpected channels');
  return { data, width: info.width, height: info.height, channels };
};

async function open({ image, reduced, isColor, isBroken }) {
  const decoder = sharp(image, { limitInputPixels, failOn: isBroken ? 'none' : 'error' }).autoOrient();
  const { hasAlpha } = await decoder.metadata();
  page = await toRaw(hasAlpha ? decoder.flatten({ background: '#ffffff' }) : decoder, isColor ? 3 : 1);
  const { data, width, height, channels } = page;
  const size = { width: Math.min(width, reduced.width), height: Math.min(height, reduced.height) };
  const small = await toRaw(fromRaw(page).resize({ ...size, fit: 'fill', kernel: 'linear' }), channels);
  return {
    width, height, histogram: histogramOf(data, channels),
    reduced: { width: small.width, height: small.height, channels, pixels: small.data },
  };
}

function histogramOf(data, channels) {
  const counts = new Array(256).fill(0);
  const step = 7 * channels;
  if (channels === 1) for (let at = 0; at < data.length; at += step) counts[data[at]] += 1;
  else
    for (let at = 0; at + 2 < data.length; at += step)
      counts[(data[at] * 77 + data[at + 1] * 150 + data[at + 2] * 29) >> 8] += 1;
  return counts;
}

async function render({ parts, tones, isColor, grayLevels, overlay }) {
  const images = [];
  for (const [index, { source, size, isTurned }] of parts.entries()) {
    const [width, height] = isTurned ? [size.height, size.width] : [size.width, size.height];
    const scaler = fromRaw(page).extract(source).resize({ width, height, fit: 'fill', kernel: 'lanczos3' });
    let part = await toRaw(scaler, isColor ? 3 : 1);
    for (let at = 0; at < part.data.length; at += 1) part.data[at] = tones[part.data[at]];
    if (isTurned) part = await toRaw(fromRaw(part).rotate(90), part.channels);
    if (overlay !== undefined && index === 0) part = await withOverlay(part, overlay);
    images.push(await encode(part, isColor, grayLevels));
  }
  page = undefined;
  return images;
}

async function withOverlay(part, svg) {
  const loadSvg = { operation: ['VipsForeignLoadSvg'] };
  sharp.unblock(loadSvg);
  const bounds = { width: part.width, height: part.height, fit: 'inside', withoutEnlargement: true };
  const input = await sharp(Buffer.from(svg)).resize(bounds).png().toBuffer();
  sharp.block(loadSvg);
  return toRaw(fromRaw(part).composite([{ input, gravity: 'south' }]).flatten(), part.channels);
}

async function encode(part, isColor, grayLevels) {
  const { width, height } = part;
  const pipeline = isColor ? fromRaw(part) : fromRaw(part).toColourspace('b-w');
  const jpeg = await pipeline.jpeg(JPEG).toBuffer();
  const png = isColor ? undefined : grayLevels === 16 ? png16(part, jpeg.length) : await png256(part);
  return png && png.length < jpeg.length
    ? { data: png, extension: 'png', width, height }
    : { data: jpeg, extension: 'jpg', width, height };
}

function png256(part) {
  return fromRaw(part).toColourspace('b-w').png({ compressionLevel: 9 }).toBuffer();
}

// An eighth of the rows shows whether the PNG can become smaller than the JPEG. Of drawings, the estimate is up to a
// third too high, but only where the PNG is much smaller.
function png16(part, maxBytes) {
  const { width, height } = part;
  const sample = packed(part, (y) => y % 64 < 8);
  const estimate = (zlib.deflateSync(sample.rows, { level: 4, memLevel: 9 }).length * height) / sample.count;
  if (estimate > maxBytes * 1.25) return undefined;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 4;
  const image = zlib.deflateSync(packed(part, () => true).rows, { level: 6, memLevel: 9 });
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', image), chunk('IEND', Buffer.alloc(0))]);
}

// The rows of a PNG with two pixels in each byte.
function packed({ data, width, height }, isIncluded) {
  const rowBytes = ((width + 1) >> 1) + 1;
  const rows = Buffer.alloc(rowBytes * height);
  const levels = Uint8Array.from({ length: 256 }, (_, tone) => Math.round(tone / 17));
  let count = 0;
  for (let y = 0; y < height; y += 1) {
    if (!isIncluded(y)) continue;
    let at = count * rowBytes + 1;
    const end = (y + 1) * width;
    for (let pixel = y * width; pixel < end; pixel += 2)
      rows[at++] = (levels[data[pixel]] << 4) | (pixel + 1 < end ? levels[data[pixel + 1]] : 0);
    count += 1;
  }
  return { rows: rows.subarray(0, count * rowBytes), count };
}

function chunk(type, data) {
  const framed = Buffer.alloc(data.length + 12);
  framed.writeUInt32BE(data.length, 0);
  framed.write(type, 4, 'latin1');
  data.copy(framed, 8);
  framed.writeUInt32BE(zlib.crc32(framed.subarray(4, -4)), data.length + 8);
  return framed;
}

const answers = { open, render };
process.on('message', async ({ type, request }) => {
  try {
    process.send({ result: await answers[type](request) });
  } catch (error) {
    process.send({ error: String(error.message).split('\\n')[0] });
  }
});
process.on('disconnect', () => process.exit());
`;

interface Reply {
  readonly result?: unknown;
  readonly error?: string;
  /** The process ended, or never ran, which says nothing of the image. */
  readonly hasEnded?: boolean;
}

/** The decoder refused the image. */
export class ImageRefused extends Error {}

export class ImageProcess {
  readonly #child: ChildProcess;
  #settle: ((reply: Reply) => void) | undefined;

  /** Call assertConverter first. `signal` kills the process. */
  constructor(private readonly signal: AbortSignal) {
    this.#child = spawn(
      process.execPath,
      ['-e', PROGRAM, resolveSharp(), String(MAX_DECODED_PIXELS)],
      {
        env: childEnvironment(),
        windowsHide: true,
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
        serialization: 'advanced',
      },
    );
    this.#child.on('message', (reply) => this.#settle?.(reply as Reply));
    const end = (error: string) => this.#settle?.({ error, hasEnded: true });
    this.#child.on('error', ({ message }) => end(message));
    this.#child.on('exit', (code, name) =>
      end(`the decoder ended with ${name ?? `status ${code}`}`),
    );
    signal.addEventListener('abort', this.close);
    process.once('exit', this.close);
  }

  /**
   * Decodes the image, of a broken one as much as can be, and keeps it for `render`. Throws ImageRefused for an image that
   * is damaged.
   */
  open(
    image: Buffer,
    options: {
      readonly reduced: ImageDimensions;
      readonly isColor: boolean;
      readonly isBroken: boolean;
    },
  ): Promise<PageStatistics> {
    return this.#request('open', { image, ...options }) as Promise<PageStatistics>;
  }

  render(options: RenderOptions): Promise<readonly EncodedImage[]> {
    return this.#request('render', options) as Promise<readonly EncodedImage[]>;
  }

  readonly close = (): void => {
    this.signal.removeEventListener('abort', this.close);
    process.removeListener('exit', this.close);
    this.#child.kill('SIGKILL');
  };

  async #request(type: 'open' | 'render', request: object): Promise<unknown> {
    const { error, result, hasEnded } = await new Promise<Reply>((resolve) => {
      this.#settle = resolve;
      if (!this.#child.connected) resolve({ error: 'the decoder ended', hasEnded: true });
      else
        this.#child.send({ type, request }, (sendError) => {
          if (sendError) resolve({ error: sendError.message, hasEnded: true });
        });
    });
    this.#settle = undefined;
    this.signal.throwIfAborted();
    if (error !== undefined) throw hasEnded ? new Error(error) : new ImageRefused(error);
    return result;
  }
}
