/**
 * Renders the drawings in scripts/practice-pages into src/practice-server/fixtures: `npm run practice-pages`. The
 * originals are PNG with few colours, data-saver pages and thumbnails JPEG. The same drawings give the same files.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Resvg } from '@resvg/resvg-js';
import sharp from 'sharp';

const DRAWINGS = new URL('practice-pages/', import.meta.url);
const FIXTURES = new URL('../src/practice-server/fixtures/', import.meta.url);
/** Pages that are covers too. */
const TITLE_PAGES = ['lighthouse-1', 'starlight-1'];
const ORIGINAL_WIDTH = 512;
const SAVER_WIDTH = 300;
const THUMBNAIL_WIDTHS = [512, 256];
const FONT = {
  loadSystemFonts: false,
  fontFiles: [
    import.meta.resolve('@expo-google-fonts/comic-neue/700Bold/ComicNeue_700Bold.ttf'),
    import.meta.resolve('@expo-google-fonts/bangers/400Regular/Bangers_400Regular.ttf'),
  ].map(fileURLToPath),
};

/** The files of one drawing by their names. */
function imagesOf(name, svg) {
  const fitTo = { mode: 'width', value: ORIGINAL_WIDTH };
  const pixels = sharp(new Resvg(svg, { font: FONT, fitTo }).render().asPng()).flatten();
  const jpeg = (width, quality) =>
    pixels.clone().resize({ width }).jpeg({ quality, mozjpeg: true });
  // The lowest quality: as few of 16 colours as the encoder accepts, a sixth smaller.
  const palette = {
    palette: true,
    colours: 16,
    quality: 1,
    dither: 0,
    effort: 10,
    compressionLevel: 9,
  };
  const isCover = name.includes('-cover');
  const thumbnails = isCover || TITLE_PAGES.includes(name) ? THUMBNAIL_WIDTHS : [];
  return {
    [`${name}.png`]: pixels.clone().png(palette),
    ...(!isCover && { [`${name}.jpg`]: jpeg(SAVER_WIDTH, 12).grayscale() }),
    ...Object.fromEntries(thumbnails.map((width) => [`${name}.${width}.jpg`, jpeg(width, 12)])),
  };
}

rmSync(FIXTURES, { recursive: true, force: true });
mkdirSync(FIXTURES, { recursive: true });
for (const file of readdirSync(DRAWINGS)) {
  const images = imagesOf(file.replace(/\.svg$/, ''), readFileSync(new URL(file, DRAWINGS)));
  for (const [name, image] of Object.entries(images))
    writeFileSync(new URL(name, FIXTURES), await image.toBuffer());
}
