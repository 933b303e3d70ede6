/** The rules for the pages of a chapter, without any page being loaded. */
import { ChapterError, interruptedError, StorageError } from '../../../src/core/errors.js';
import {
  assertSamePages,
  completePages,
  loadAll,
} from '../../../src/download/save/chapter-pages.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0502';
const METADATA = { baseUrl: 'https://a.example', hash: 'h', data: ['1.png'], dataSaver: ['1.jpg'] };

test('a new base URL is not a change, and neither are the pages of the other quality', () => {
  const now = { ...METADATA, baseUrl: 'https://b.example', dataSaver: ['2.jpg'] };
  expect(() => {
    assertSamePages(METADATA, now, 'data', ID);
  }).not.toThrow();
  expect(() => {
    assertSamePages(METADATA, now, 'data-saver', ID);
  }).toThrow(`The chapter changed on the service during the download: chapter ${ID}`);
});

test.each([{ hash: 'other' }, { data: ['1.png', '2.png'] }, { data: ['2.png'] }])(
  'a chapter with %j has changed',
  (change) => {
    expect(() => {
      assertSamePages(METADATA, { ...METADATA, ...change }, 'data', ID);
    }).toThrow(expect.objectContaining({ code: 'chapter-changed' }));
  },
);

const lost = (page: number) => new ChapterError('page-lost', `page ${page}`);

/** Loads pages 1 to 6 one turn after another; resolves with the pages that were loaded and with the error. */
async function load(fail: (page: number) => void, signal = new AbortController().signal) {
  const loaded: number[] = [];
  const loadPage = async (page: number, stop: AbortSignal): Promise<void> => {
    for (let turn = 0; turn < page; turn += 1) await new Promise((next) => setImmediate(next));
    stop.throwIfAborted();
    fail(page);
    loaded.push(page);
  };
  const error: unknown = await loadAll([1, 2, 3, 4, 5, 6], loadPage, signal).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { loaded, error };
}

test('a lost page does not stop the others', async () => {
  const { loaded, error } = await load((page) => {
    if (page <= 2) throw lost(page);
  });
  expect(loaded).toEqual([3, 4, 5, 6]);
  expect(error).toMatchObject({ message: 'page 1' });
});

test('the third lost page stops the others', async () => {
  const { loaded, error } = await load((page) => {
    if (page <= 3) throw lost(page);
  });
  expect(loaded).toEqual([]);
  expect(error).toMatchObject({ message: 'page 3' });
});

test('an error of the chapter stops the others, and is thrown rather than a lost page', async () => {
  const { loaded, error } = await load((page) => {
    if (page === 1) throw lost(page);
    if (page === 3) throw new StorageError('disk-full', 'full');
  });
  expect(loaded).toEqual([2]);
  expect(error).toMatchObject({ code: 'disk-full' });
});

test('after an interruption the interruption is thrown, whatever failed before', async () => {
  const stop = new AbortController();
  const { loaded, error } = await load((page) => {
    if (page === 3) stop.abort(interruptedError());
    if (page <= 3) throw lost(page);
  }, stop.signal);
  expect(loaded).toEqual([]);
  expect(error).toMatchObject({ code: 'interrupted' });
});

const kept = (...pages: number[]) =>
  new Map(pages.map((page) => [page, { page, file: `${page}`, bytes: 1, sha256: '', crc32: 1 }]));

test('a chapter is complete with exactly its pages, in their order', () => {
  expect(completePages(kept(2, 1, 3), 3, ID).map(({ page }) => page)).toEqual([1, 2, 3]);
});

test.each([[kept(1, 3)], [kept(1, 2, 4)], [kept(1, 2, 3, 4)], [kept()]])(
  'a chapter of 3 pages with %p is not complete',
  (pages) => {
    expect(() => completePages(pages, 3, ID)).toThrow(
      `${pages.size} of 3 pages are in the workspace: chapter ${ID}`,
    );
  },
);
