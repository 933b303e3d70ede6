/** The covers of titles: drawn like a title page, in sixteen shades of a colour; thumbnails are JPEG. */
import { drawTitlePage, type TitlePage } from '../pictures/comic-page.js';
import { resized } from '../pictures/grey-picture.js';
import { encodeJpeg } from '../pictures/jpeg.js';
import { encodePng } from '../pictures/png.js';
import { uuidOf } from './made-chapter.js';
import type { LibraryCover } from './records.js';

type Colour = readonly [number, number, number];

/** Sixteen steps from a dark tint of the colour to white. */
function shadesOf([red, green, blue]: Colour): Colour[] {
  const mix = (part: number, step: number): number =>
    Math.round(part * 0.35 + (255 - part * 0.35) * (step / 15));
  return Array.from({ length: 16 }, (_, step) => [
    mix(red, step),
    mix(green, step),
    mix(blue, step),
  ]);
}

/** The cover of one volume. Its file name is a UUID with an extension, as the live service has it. */
export function drawnCover(
  titleId: string,
  volume: string | null,
  picture: Omit<TitlePage, 'lines'>,
  colour: Colour,
): LibraryCover {
  const name = volume ?? 'none';
  return {
    id: uuidOf('cover', titleId, name),
    fileName: `${uuidOf('cover file', titleId, name)}.png`,
    volume,
    locale: 'ja',
    createdAt: '2023-03-01T09:00:00+00:00',
    picture(width) {
      const canvas = drawTitlePage({
        ...picture,
        lines: [volume === null ? '' : `Volume ${volume}`],
      });
      return width === undefined
        ? {
            mediaType: 'image/png',
            bytes: encodePng({
              width: canvas.width,
              height: canvas.height,
              pixels: canvas.pixels,
              palette: shadesOf(colour),
            }),
          }
        : { mediaType: 'image/jpeg', bytes: encodeJpeg(resized(canvas, width), 70) };
    },
  };
}
