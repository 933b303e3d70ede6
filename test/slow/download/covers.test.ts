/** `--cover`: a cover that changed on MangaDex is replaced; one of the owner stays; none is loaded twice. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { interruptedError } from '../../../src/core/errors.js';
import { drawnCover } from '../../../src/practice-server/library/story-pages.js';
import { createLibrary, uuidOf } from '../../../src/practice-server/library/library.js';
import { DownloadHarness } from '../../support/download-harness.js';
import {
  HOUR_MS,
  savedIn,
  syncChapter,
  SyncHarness,
  syncTitle,
  titleId,
} from '../../support/sync-harness.js';
import { chapter, title } from '../../support/title-library.js';

const NAME = 'Tea';
const TITLE = uuidOf('one');
const OLD_COVER = drawnCover(TITLE, '1', 'stairs-cover');
const NEW_COVER = drawnCover(TITLE, '2', 'lighthouse-cover-2');
const KEPT = 'Cover kept, since tankobon did not write it, or it was edited: ';

let harness: DownloadHarness;
let chapters = 0;
beforeEach(async () => {
  chapters = 0;
  const library = createLibrary({
    titles: [title('one', NAME, { covers: [OLD_COVER] })],
    chapters: [],
  });
  harness = await DownloadHarness.start({ library });
});
afterEach(() => harness.stop());

const inFolder = (name: string) => join(harness.output, NAME, name);
const bytesOf = (name: string) => readFileSync(inFolder(name)).toString('base64');
const loads = () => harness.service.log.filter(({ path }) => path.startsWith('/covers/')).length;

/** A run that saves one more chapter. */
async function download(options: Readonly<Record<string, unknown>> = {}) {
  chapters += 1;
  harness.service.library.putChapter(chapter('one', String(chapters), { volume: '1' }));
  const targets = [`title:${TITLE}`];
  const { code, stderr } = await harness.download({
    targets,
    language: 'en',
    cover: true,
    ...options,
  });
  expect(code).toBe(0);
  return stderr;
}

function changeCover(): void {
  harness.service.library.putTitle(title('one', NAME, { covers: [NEW_COVER] }));
}

test('a cover that is there is not loaded again, and one that changed is replaced', async () => {
  await download();
  const first = bytesOf('cover.png');
  await download();
  expect([loads(), bytesOf('cover.png')]).toEqual([1, first]);
  changeCover();
  await download();
  expect(loads()).toBe(2);
  expect(bytesOf('cover.png')).not.toBe(first);
  expect(harness.service.violations()).toEqual([]);
});

test.each([
  ['that the owner put there', 'none', 'cover.jpg'],
  ['that the owner edited', 'before', 'cover.png'],
])('a cover %s stays, and is named once', async (_, saved, name) => {
  if (saved === 'before') await download();
  else await download({ cover: false });
  writeFileSync(inFolder(name), 'an image of the owner');
  const mine = bytesOf(name);
  expect(await download()).toContain(`${KEPT}${inFolder(name)}`);
  const loaded = loads();
  expect(await download()).toBe('');
  expect([loads(), bytesOf(name)]).toEqual([loaded, mine]);
  changeCover();
  expect(await download()).toContain(KEPT);
  expect(bytesOf(name)).toBe(mine);
});

test('with names for Komga, the cover of a volume is beside its book too, and follows a change; one of the owner stays', async () => {
  const options = { cover: 'all', coverName: 'komga', bind: 'volume' };
  await download(options);
  const book = 'Tea Vol.01.png';
  const first = bytesOf(book);
  expect(first).toBe(bytesOf('cover Vol.01.png'));
  const changed = { ...drawnCover(TITLE, '1', 'lighthouse-cover-2'), fileName: 'new.png' };
  harness.service.library.putTitle(title('one', NAME, { covers: [changed] }));
  await download(options);
  expect(bytesOf(book)).toBe(bytesOf('cover Vol.01.png'));
  expect(bytesOf(book)).not.toBe(first);
  writeFileSync(inFolder(book), 'an image of the owner');
  harness.service.library.putTitle(title('one', NAME, { covers: [OLD_COVER] }));
  await download(options);
  expect(bytesOf('cover Vol.01.png')).toBe(first);
  expect(readFileSync(inFolder(book), 'utf8')).toBe('an image of the owner');
});

test('covers of volumes are replaced too, and with a lost record only while they are as MangaDex has them', async () => {
  await download({ cover: 'all' });
  const first = bytesOf('cover Vol.01.png');
  writeFileSync(join(harness.folder, 'home', 'covers.json'), '{');
  expect(await download({ cover: 'all' })).toBe('');
  const image = drawnCover(TITLE, '1', 'lighthouse-cover-2');
  const covers = [{ ...image, fileName: `${uuidOf('other')}.png` }];
  harness.service.library.putTitle(title('one', NAME, { covers }));
  await download({ cover: 'all' });
  expect(bytesOf('cover Vol.01.png')).not.toBe(first);
});

test('sync --cover saves them too, beside the books that it binds', async () => {
  const sync = await SyncHarness.start((nowMs) => {
    const covers = [drawnCover(titleId('Tea'), '1', 'stairs-cover')];
    const library = createLibrary({ titles: [{ ...syncTitle('Tea'), covers }], chapters: [] });
    library.putChapter(syncChapter('Tea', '1', nowMs - 9 * HOUR_MS, { volume: '1' }));
    return library;
  });
  try {
    const entry = `{ target: 'title:${titleId('Tea')}', language: [en], bind: { by: volume } }`;
    sync.write(`series:\n  - ${entry}\n`);
    const { code, stderr } = await sync.sync({ cover: 'all', coverName: 'komga' });
    expect([code, stderr]).toEqual([0, '']);
    const names = readdirSync(join(sync.base.output, 'Tea'));
    expect(names).toEqual(
      expect.arrayContaining(['cover.png', 'cover Vol.01.png', 'Tea Vol.01.cbz', 'Tea Vol.01.png']),
    );
  } finally {
    await sync.stop();
  }
});

test('what a stopped sync did not save beside its chapters is saved by the next one, and not asked for again', async () => {
  const stop = new AbortController();
  let isStopping = true;
  const sync = await SyncHarness.start(
    (nowMs) => {
      const covers = [drawnCover(titleId('Tea'), '1', 'stairs-cover')];
      const library = createLibrary({ titles: [{ ...syncTitle('Tea'), covers }], chapters: [] });
      library.putChapter(syncChapter('Tea', '1', nowMs - 9 * HOUR_MS, { volume: '1' }));
      return library;
    },
    {
      onRequest: ({ path }) => {
        if (isStopping && path === '/cover') stop.abort(interruptedError());
      },
    },
  );
  try {
    sync.write(`series:\n  - { target: 'title:${titleId('Tea')}', language: [en] }\n`);
    const options = { cover: 'all', seriesMetadata: true };
    const { lines } = await sync.sync(options, { signal: stop.signal });
    expect(savedIn(lines)).toHaveLength(1);
    isStopping = false;
    const coverRequests = () => sync.catalogueRequests().filter((path) => path === '/cover').length;
    coverRequests();
    expect(await sync.sync(options)).toMatchObject({ code: 0, stderr: '' });
    const names = readdirSync(join(sync.base.output, 'Tea'));
    const extras = ['cover.png', 'cover Vol.01.png', 'details.json', 'series.json'];
    expect(names).toEqual(expect.arrayContaining(extras));
    expect(coverRequests()).toBe(1);
    expect(await sync.sync({ ...options, redownload: true })).toMatchObject({ code: 0 });
    expect(coverRequests()).toBe(0);
  } finally {
    await sync.stop();
  }
});
