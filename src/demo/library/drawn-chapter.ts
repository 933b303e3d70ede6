/**
 * The pages of a drawn chapter: a title page, pages of panels, and a last page that says how it ends. The
 * original is a PNG of 800 by 1200 pixels, data-saver a smaller and coarser JPEG. A page is drawn when it
 * is first asked for; a shelf keeps the latest files, so that naming and serving a chapter draws it once.
 */
import { drawComicPage, drawTitlePage, type Beat } from '../pictures/comic-page.js';
import { resized } from '../pictures/grey-picture.js';
import { encodeJpeg } from '../pictures/jpeg.js';
import { panels } from '../pictures/layout.js';
import { encodePng } from '../pictures/png.js';
import type { Scene } from '../pictures/scenery.js';
import type { CastName } from '../pictures/figure.js';
import { nameWithDigest } from './made-chapter.js';
import type { LibraryPage, Quality } from './records.js';

export interface Drawing {
  /** The title in letters that the lettering knows. */
  readonly title: string;
  readonly chapterLine: string;
  readonly chapterName: string;
  readonly credit: string;
  readonly story: readonly Beat[];
  readonly opening: {
    readonly scene: Scene;
    readonly cast: readonly CastName[];
    readonly cat: boolean;
  };
  readonly rightToLeft: boolean;
  readonly pages: number;
  readonly seed: number;
  /** Where in the story the chapter begins, counted in panels. */
  readonly startsAt: number;
}

const SAVER_WIDTH = 368;
const SAVER_QUALITY = 14;
/** A shorter layout for the last page. */
const LAST_LAYOUT = 7;

type Files = Readonly<Record<Quality, Buffer>>;

/** Keeps the files of the pages asked for last. */
export interface PageKeeper {
  files(key: string, draw: () => Files): Files;
}

/** Room for a dozen chapters, some 80 kB a page: several loaded side by side do not push each other out. */
export function pageKeeper(limit = 144): PageKeeper {
  const kept = new Map<string, Files>();
  return {
    files(key, draw) {
      const files = kept.get(key) ?? draw();
      kept.delete(key);
      kept.set(key, files);
      const [oldest] = kept.keys();
      if (kept.size > limit && oldest !== undefined) {
        kept.delete(oldest);
      }
      return files;
    },
  };
}

function drawPage(drawing: Drawing, page: number): Files {
  const { story, seed, startsAt, rightToLeft, pages } = drawing;
  const layoutOf = (number: number): number => number + seed * 3;
  const before = Array.from(
    { length: Math.max(0, page - 2) },
    (_, index) => panels(layoutOf(index + 2), false).length,
  );
  const start = before.reduce((sum, count) => sum + count, startsAt) % story.length;
  const beats = [...story.slice(start), ...story.slice(0, start)];
  const last = page === pages && page > 1;
  const ending: Beat = {
    scene: 'stars',
    cast: drawing.opening.cast,
    shot: 'far',
    mood: 'glad',
    caption: 'To be continued in the next chapter.',
  };
  const canvas =
    page === 1
      ? drawTitlePage({
          ...drawing,
          ...drawing.opening,
          lines: [drawing.chapterLine, drawing.chapterName],
        })
      : drawComicPage({
          number: page,
          layout: last ? LAST_LAYOUT : layoutOf(page),
          rightToLeft,
          seed: seed * 100 + page,
          beats: last ? [beats[0] ?? ending, ending] : beats,
        });
  return {
    data: encodePng(canvas),
    'data-saver': encodeJpeg(resized(canvas, SAVER_WIDTH), SAVER_QUALITY),
  };
}

/** The pages of one quality; `id` tells the chapter from others on the shelf. */
export function drawnPages(
  id: string,
  drawing: Drawing,
  quality: Quality,
  keeper: PageKeeper,
): LibraryPage[] {
  const extension = quality === 'data' ? 'png' : 'jpg';
  return Array.from({ length: drawing.pages }, (_, index) => {
    const page = index + 1;
    const bytes = (): Buffer =>
      keeper.files(`${id}/${page}`, () => drawPage(drawing, page))[quality];
    return {
      fileName: nameWithDigest(page, bytes(), extension),
      mediaType: quality === 'data' ? 'image/png' : 'image/jpeg',
      bytes,
    };
  });
}
