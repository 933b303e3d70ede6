/**
 * Runs in the child process of convertToPng, with the path of sharp and the highest number of pixels as arguments: reads
 * an image from standard input and writes it as PNG to standard output.
 */
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import type sharpModule from 'sharp';

const [, , sharpPath = '', limitInputPixels = ''] = process.argv;

async function convert(): Promise<void> {
  const image = await buffer(process.stdin);
  const sharp = createRequire(import.meta.url)(sharpPath) as typeof sharpModule;
  const options = { limitInputPixels: Number(limitInputPixels) };
  process.stdout.write(await sharp(image, options).png().toBuffer());
}

convert().catch((error: unknown) => {
  process.stderr.write((error as Error).message);
  process.exitCode = 1;
});
