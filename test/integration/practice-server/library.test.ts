import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import {
  endlessTitle,
  EXAMPLE_CHAPTERS,
  EXAMPLE_LISTS,
  EXAMPLE_TITLES,
  exampleLibrary,
  longTitle,
  generateChapter,
  type LibraryPage,
} from '../../../src/practice-server/library/library.js';
import { decodeImage } from '../../support/decode-image.js';

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const numberedNames = (pages: readonly LibraryPage[], extension: string): string[] =>
  pages.map((page, index) => `${index + 1}-${digestOf(page.bytes())}.${extension}`);

describe('a generated chapter', () => {
  test('has pages of exactly the requested size, named by their sha256', () => {
    const pages = generateChapter({ pages: 3, bytesPerPage: 50_000 }).pages('data');
    expect(pages.map((page) => page.fileName)).toEqual(numberedNames(pages, 'png'));
    for (const page of pages) {
      expect(page.mediaType).toBe('image/png');
      expect(page.bytes()).toHaveLength(50_000);
    }
  });

  test('has valid images of any size from 1,000 bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1_000, max: 400_000 }),
        fc.integer({ min: 0, max: 999 }),
        async (bytesPerPage, seed) => {
          const [page] = generateChapter({ pages: 1, bytesPerPage, seed }).pages('data');
          const bytes = page?.bytes() ?? Buffer.alloc(0);
          expect(bytes).toHaveLength(bytesPerPage);
          expect(await decodeImage(bytes)).toMatchObject({ width: 800 });
        },
      ),
      { numRuns: 25 },
    );
  });

  test('has different pages that do not compress', () => {
    const pages = generateChapter({ pages: 4 }).pages('data');
    expect(new Set(pages.map((page) => page.fileName.slice(2))).size).toBe(4);
    for (const page of pages) {
      expect(deflateSync(page.bytes()).length).toBeGreaterThan(page.bytes().length * 0.97);
    }
  });

  test('has smaller pages in data-saver', () => {
    const chapter = generateChapter({ pages: 3 });
    const [pages, saver] = [chapter.pages('data'), chapter.pages('data-saver')];
    expect(saver).toHaveLength(3);
    for (const [index, page] of saver.entries()) {
      expect(page.bytes().length).toBeLessThan((pages[index]?.bytes().length ?? 0) * 0.7);
    }
  });

  test('depends on its seed only', () => {
    const names = (seed: number): string[] =>
      generateChapter({ pages: 2, seed })
        .pages('data')
        .map((page) => page.fileName);
    expect(names(7)).toEqual(names(7));
    expect(names(7)).not.toEqual(names(8));
    expect(generateChapter({ pages: 2, seed: 7 }).id).toBe(
      generateChapter({ pages: 2, seed: 7 }).id,
    );
    expect(generateChapter({ pages: 2, seed: 7 }).id).not.toBe(
      generateChapter({ pages: 2, seed: 8 }).id,
    );
  });

  test('can have plain page names and a given id', () => {
    const id = EXAMPLE_CHAPTERS.second;
    const chapter = generateChapter({ id, pages: 2, pageNames: 'plain' });
    expect(chapter.id).toBe(id);
    expect(chapter.pages('data').map((page) => page.fileName)).toEqual(['1.png', '2.png']);
  });
});

describe('the example library', () => {
  const library = exampleLibrary();

  test('contains every example id exactly once', () => {
    for (const id of Object.values(EXAMPLE_TITLES)) {
      expect(library.title(id)?.id).toBe(id);
    }
    for (const id of Object.values(EXAMPLE_CHAPTERS)) {
      expect(library.chapter(id.toUpperCase())?.id).toBe(id);
    }
    for (const id of Object.values(EXAMPLE_LISTS)) {
      expect(library.list(id)?.id).toBe(id);
    }
    const ids = [...library.chapters(), ...library.titles(), ...library.lists()].map(
      ({ id }) => id,
    );
    expect(new Set(ids).size).toBe(ids.length);
    const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
    expect(ids.filter((id) => !uuid.test(id))).toEqual([]);
  });

  test('every chapter belongs to an existing title', () => {
    const orphans = library.chapters().filter(({ titleId }) => !library.title(titleId ?? ''));
    expect(orphans).toEqual([]);
  });

  test('its first chapter has twelve drawn pages in both qualities, named by their sha256', async () => {
    const chapter = library.chapter(EXAMPLE_CHAPTERS.first);
    const [pages, saver] = [chapter?.pages('data') ?? [], chapter?.pages('data-saver') ?? []];
    expect(pages.map((page) => page.fileName)).toEqual(numberedNames(pages, 'png'));
    expect(saver.map((page) => page.fileName)).toEqual(numberedNames(saver, 'jpg'));
    expect(pages).toHaveLength(12);
    expect(saver).toHaveLength(12);
    expect(chapter?.attributes.pages).toBe(12);
    for (const [index, page] of pages.entries()) {
      expect(await decodeImage(page.bytes())).toMatchObject({ width: 512, height: 768 });
      const small = saver[index]?.bytes() ?? Buffer.alloc(0);
      expect(await decodeImage(small)).toMatchObject({ width: 300, height: 450 });
      expect(small.length).toBeLessThan(page.bytes().length);
    }
  });

  test('chapters share drawings, but not the bytes of a page', async () => {
    const firstPages = (quality: 'data' | 'data-saver') =>
      library
        .chapters()
        .slice(0, 20)
        .flatMap((chapter) => chapter.pages(quality).slice(0, 1));
    for (const quality of ['data', 'data-saver'] as const) {
      const names = firstPages(quality).map((page) => page.fileName);
      expect(names.length).toBeGreaterThan(15);
      expect(new Set(names).size).toBe(names.length);
      const drawings = await Promise.all(
        firstPages(quality).map(async (page) => digestOf((await decodeImage(page.bytes())).pixels)),
      );
      expect(new Set(drawings).size).toBeLessThan(5);
    }
  });

  test('every page of a story is a different drawing', async () => {
    for (const id of [EXAMPLE_CHAPTERS.first, EXAMPLE_CHAPTERS.starlightFirst]) {
      const pages = library.chapter(id)?.pages('data') ?? [];
      const drawings = await Promise.all(
        pages.map(async (page) => digestOf((await decodeImage(page.bytes())).pixels)),
      );
      expect(new Set(drawings).size).toBe(pages.length);
    }
  });

  test('the same page has the same bytes in every instance', () => {
    const names = (quality: 'data' | 'data-saver'): (string | undefined)[] =>
      [library, exampleLibrary()].map(
        (each) => each.chapter(EXAMPLE_CHAPTERS.starlightFirst)?.pages(quality)[1]?.fileName,
      );
    for (const [first, again] of [names('data'), names('data-saver')]) {
      expect(first).toBeDefined();
      expect(again).toBe(first);
    }
  });

  test('its images take less than 600 kB', () => {
    const folder = new URL('../../../src/practice-server/fixtures/', import.meta.url);
    const sizes = readdirSync(folder).map((name) => statSync(new URL(name, folder)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(450_000);
  });

  test('has chapters hosted elsewhere, unavailable, and not yet published', () => {
    const of = (id: string) => library.chapter(id);
    expect(of(EXAMPLE_CHAPTERS.external)?.attributes).toMatchObject({
      pages: 0,
      externalUrl: 'https://publisher.example/lighthouse/5',
    });
    expect(of(EXAMPLE_CHAPTERS.external)?.pages('data')).toEqual([]);
    expect(of(EXAMPLE_CHAPTERS.externalWithPages)?.attributes.externalUrl).toMatch(/^https:/);
    expect(of(EXAMPLE_CHAPTERS.externalWithPages)?.attributes.pages).toBe(12);
    expect(of(EXAMPLE_CHAPTERS.unavailable)?.attributes.isUnavailable).toBe(true);
    expect(of(EXAMPLE_CHAPTERS.future)?.attributes.publishAt).toMatch(/^2099-/);
    expect(of(EXAMPLE_CHAPTERS.decimal)?.attributes.chapter).toBe('10.5');
    expect(of(EXAMPLE_CHAPTERS.bare)?.attributes).toMatchObject({
      volume: null,
      chapter: null,
      title: null,
    });
    expect(of(EXAMPLE_CHAPTERS.joint)?.groups).toHaveLength(2);
    expect(of(EXAMPLE_CHAPTERS.reuploaded)?.attributes.version).toBe(2);
  });

  test('has titles with names that need escaping', () => {
    const nameOf = (id: string): string =>
      Object.values(library.title(id)?.attributes.title ?? {})[0] ?? '';
    expect(nameOf(EXAMPLE_TITLES.wordy)).toHaveLength(300);
    expect(nameOf(EXAMPLE_TITLES.reserved)).toBe('CON');
    for (const odd of ['&', '<', '"', '/', '🍜', '\u200f', ']]>']) {
      expect(nameOf(EXAMPLE_TITLES.odd)).toContain(odd);
    }
  });

  test('covers are available in full size and as thumbnails', async () => {
    for (const cover of library.titles().flatMap(({ covers }) => covers)) {
      expect(cover.image().mediaType).toBe('image/png');
      expect(await decodeImage(cover.image().bytes)).toMatchObject({ width: 512, height: 768 });
      for (const width of [256, 512] as const) {
        expect(cover.image(width).mediaType).toBe('image/jpeg');
        expect(await decodeImage(cover.image(width).bytes)).toMatchObject({ width });
      }
    }
  });
});

describe('the long title', () => {
  test('has 700 chapters in three languages, with competing releases and re-uploads', () => {
    const chapters = longTitle().chapters();
    const of = (language: string): typeof chapters =>
      chapters.filter(({ attributes }) => attributes.translatedLanguage === language);
    expect(chapters).toHaveLength(1_806);
    expect(new Set(of('en').map(({ attributes }) => attributes.chapter)).size).toBe(700);
    expect([of('en').length, of('pt-br').length, of('es-la').length]).toEqual([826, 560, 420]);
    expect(chapters.filter(({ groups }) => groups.length === 2)).toHaveLength(14);
    expect(chapters.filter(({ attributes }) => attributes.version === 2).length).toBeGreaterThan(
      10,
    );
    expect(chapters[0]?.pages('data')).toHaveLength(2);
  });

  test("can exceed a feed's window", () => {
    expect(endlessTitle().chapters().length).toBeGreaterThan(10_000);
  });
});
