/**
 * Runs in the child process of ImageProcess, with the path of sharp and the highest number of pixels as arguments, and
 * answers each message: `open` decodes an image and keeps it; `render` encodes parts of it.
 */
import { createRequire } from 'node:module';
import { deflateSync } from 'node:zlib';
import type sharpModule from 'sharp';
import type { Sharp } from 'sharp';
import { PNG_SIGNATURE, pngChunk } from '../../core/png.js';
import type { EncodedImage, OpenOptions, Reply, RenderOptions, Request } from './image-process.js';
import { luminance, type PageStatistics } from './page-statistics.js';

const [, , sharpPath = '', limitInputPixels = ''] = process.argv;
const sharp = createRequire(import.meta.url)(sharpPath) as typeof sharpModule;
sharp.concurrency(1);
sharp.cache(false);
sharp.block({ operation: ['VipsForeignLoad'] });
const LOADERS = ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Heif'];
sharp.unblock({ operation: LOADERS.map((name) => `VipsForeignLoad${name}`) });

const JPEG = { quality: 85 };

type Channels = 1 | 3;

interface RawImage {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
  readonly channels: Channels;
}

let page: RawImage | undefined;

process.on('message', (message: Request) => {
  void answer(message).then((reply) => process.send?.(reply));
});
process.on('disconnect', () => process.exit());

async function answer(message: Request): Promise<Reply> {
  try {
    const { type, request } = message;
    return { result: await (type === 'open' ? open(request) : render(request)) };
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n');
    return { error: reason };
  }
}

async function open({ image, reduced, isColor, isBroken }: OpenOptions): Promise<PageStatistics> {
  const failOn = isBroken ? 'none' : 'error';
  const decoder = sharp(image, {
    limitInputPixels: Number(limitInputPixels),
    failOn,
  }).autoOrient();
  const { hasAlpha } = await decoder.metadata();
  const opaque = hasAlpha ? decoder.flatten({ background: '#ffffff' }) : decoder;
  page = await toRaw(opaque, isColor ? 3 : 1);
  const { data, width, height, channels } = page;
  const size = { width: Math.min(width, reduced.width), height: Math.min(height, reduced.height) };
  const small = await toRaw(
    fromRaw(page).resize({ ...size, fit: 'fill', kernel: 'linear' }),
    channels,
  );
  return {
    width,
    height,
    histogram: histogramOf(data, channels),
    reduced: { width: small.width, height: small.height, channels, pixels: small.data },
  };
}

function fromRaw({ data, width, height, channels }: RawImage): Sharp {
  return sharp(data, { raw: { width, height, channels } });
}

async function toRaw(pipeline: Sharp, channels: Channels): Promise<RawImage> {
  const { data, info } = await pipeline
    .toColourspace(channels === 1 ? 'b-w' : 'srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  if (info.channels !== channels) throw new Error('unexpected channels');
  return { data, width: info.width, height: info.height, channels };
}

/** How often each value is in every seventh pixel. */
function histogramOf(data: Buffer, channels: Channels): readonly number[] {
  const counts = new Array<number>(256).fill(0);
  const step = 7 * channels;
  for (let at = 0; at + channels <= data.length; at += step) {
    const [first = 0, second = 0, third = 0] = [data[at], data[at + 1], data[at + 2]];
    const tone = channels === 1 ? first : luminance(first, second, third);
    counts[tone] = (counts[tone] ?? 0) + 1;
  }
  return counts;
}

async function render({
  parts,
  tones,
  isColor,
  grayLevels,
  overlay,
}: RenderOptions): Promise<readonly EncodedImage[]> {
  if (!page) throw new Error('no image is open');
  const images: EncodedImage[] = [];
  for (const [index, { source, size, isTurned }] of parts.entries()) {
    const [width, height] = isTurned ? [size.height, size.width] : [size.width, size.height];
    const scaler = fromRaw(page)
      .extract(source)
      .resize({ width, height, fit: 'fill', kernel: 'lanczos3' });
    let part = await toRaw(scaler, isColor ? 3 : 1);
    for (let at = 0; at < part.data.length; at += 1) part.data[at] = tones[part.data[at] ?? 0] ?? 0;
    if (isTurned) part = await toRaw(fromRaw(part).rotate(90), part.channels);
    if (overlay !== undefined && index === 0) part = await withOverlay(part, overlay);
    images.push(await encode(part, isColor, grayLevels));
  }
  page = undefined;
  return images;
}

async function withOverlay(part: RawImage, svg: string): Promise<RawImage> {
  const loadSvg = { operation: ['VipsForeignLoadSvg'] };
  sharp.unblock(loadSvg);
  const { width, height } = part;
  const input = await sharp(Buffer.from(svg))
    .resize({ width, height, fit: 'inside', withoutEnlargement: true })
    .png()
    .toBuffer();
  sharp.block(loadSvg);
  const drawn = fromRaw(part).composite([{ input, gravity: 'south' }]);
  return toRaw(drawn.flatten(), part.channels);
}

async function encode(
  part: RawImage,
  isColor: boolean,
  grayLevels: RenderOptions['grayLevels'],
): Promise<EncodedImage> {
  const { width, height } = part;
  const pipeline = isColor ? fromRaw(part) : fromRaw(part).toColourspace('b-w');
  const jpeg = await pipeline.jpeg(JPEG).toBuffer();
  const png = isColor ? undefined : await encodePng(part, grayLevels, jpeg.length);
  return png && png.length < jpeg.length
    ? { data: png, extension: 'png', width, height }
    : { data: jpeg, extension: 'jpg', width, height };
}

function encodePng(part: RawImage, grayLevels: RenderOptions['grayLevels'], maxBytes: number) {
  return grayLevels === 16
    ? encodePng16(part, maxBytes)
    : fromRaw(part).toColourspace('b-w').png({ compressionLevel: 9 }).toBuffer();
}

/** By an eighth of the rows. Of drawings it is up to a third too high, but only where the PNG is much smaller. */
const MAX_ESTIMATE_EXCESS = 1.25;
const COLOR_TYPE_GREY = 0;

/**
 * A PNG of 16 levels, unless it would be larger than `maxBytes`. It is written here, since sharp would search for a
 * palette, which takes three times as long.
 */
function encodePng16(part: RawImage, maxBytes: number): Buffer | undefined {
  const { width, height } = part;
  const sample = packRows(part, (y) => y % 64 < 8);
  const sampleBytes = deflateSync(sample.rows, { level: 4, memLevel: 9 }).length;
  if ((sampleBytes * height) / sample.count > maxBytes * MAX_ESTIMATE_EXCESS) return undefined;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 4;
  header[9] = COLOR_TYPE_GREY;
  const { rows } = packRows(part, () => true);
  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(rows, { level: 6, memLevel: 9 })),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The rows of a PNG with two pixels in each byte. */
function packRows({ data, width, height }: RawImage, isIncluded: (y: number) => boolean) {
  const rowBytes = ((width + 1) >> 1) + 1;
  const rows = Buffer.alloc(rowBytes * height);
  const levels = Uint8Array.from({ length: 256 }, (_, tone) => Math.round(tone / 17));
  const levelOf = (tone = 0): number => levels[tone] ?? 0;
  let count = 0;
  for (let y = 0; y < height; y += 1) {
    if (!isIncluded(y)) continue;
    let at = count * rowBytes + 1;
    const end = (y + 1) * width;
    for (let pixel = y * width; pixel < end; pixel += 2) {
      rows[at] = (levelOf(data[pixel]) << 4) | (pixel + 1 < end ? levelOf(data[pixel + 1]) : 0);
      at += 1;
    }
    count += 1;
  }
  return { rows: rows.subarray(0, count * rowBytes), count };
}
