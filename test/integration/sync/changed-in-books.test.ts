/** Chapters that are only in volumes, and that change on the service: a sync treats them as chapter files. */
import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { editChapter, type LibraryChapter } from '../../../src/practice-server/library/library.js';
import { readEntry } from '../../support/archive.js';
import {
  chapterId,
  DAY_MS,
  savedIn,
  syncChapter,
  SyncHarness,
  syncLibrary,
  titleId,
  type SyncLine,
} from '../../support/sync-harness.js';

let harness: SyncHarness;
afterEach(() => harness.stop());

const one = chapterId('Alpha', '1');
let seen = 0;
/** The requests for delivery metadata and for pages since the last call. */
function requests() {
  const fresh = harness.service.log.slice(seen).map(({ path }) => path);
  seen += fresh.length;
  const atHome = fresh.filter((path) => path.startsWith('/at-home/')).length;
  return { atHome, pages: fresh.filter((path) => path.includes('/data/')).length };
}
const paths = () => harness.base.archives().map((file) => relative(harness.base.output, file));
const book = (volume: string) => join(harness.base.output, 'Alpha', `Alpha Vol.${volume}.cbz`);
function removeChapterFiles(): void {
  for (const file of harness.base.archives()) if (file.includes('Ch.0')) rmSync(file);
}
async function chaptersIn(file: string) {
  const manifest = JSON.parse(await readEntry(file, 'META-INF/tankobon.json')) as {
    readonly chapters: readonly {
      readonly chapterId: string;
      readonly version: number;
      readonly metadata: { readonly number: string };
    }[];
  };
  return manifest.chapters;
}

/** Volume 1 with the chapters 1 and 2, volume 2 with 3, without chapter files. */
async function start(keys: string): Promise<void> {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * DAY_MS));
  const { library } = harness.service;
  const atMs = harness.clock.wallMs() - 9 * DAY_MS;
  for (const number of ['1', '2'])
    library.putChapter(syncChapter('Alpha', number, atMs, { volume: '1' }));
  library.putChapter(syncChapter('Alpha', '3', atMs, { volume: '2' }));
  harness.write(
    `series:\n  - { target: 'title:${titleId('Alpha')}', language: [en], bind: { by: volume }${keys} }\n`,
  );
  expect(savedIn((await harness.sync()).lines)).toHaveLength(3);
  removeChapterFiles();
  seen = 0;
  requests();
}

const time = (): string => `${new Date(harness.clock.wallMs()).toISOString().slice(0, 19)}+00:00`;
function change(number: string, act: (chapter: LibraryChapter) => LibraryChapter): void {
  const chapter = harness.service.library.chapter(chapterId('Alpha', number));
  if (!chapter) throw new Error(number);
  harness.service.library.putChapter(act(chapter));
}
const edit = (number: string, attributes: Parameters<typeof editChapter>[2]) => {
  change(number, (chapter) => editChapter(chapter, time(), attributes));
};
function uploadAgain(): string {
  harness.clock.advance(2 * DAY_MS);
  harness.service.library.removeChapter(one);
  const nowMs = harness.clock.wallMs();
  const again = syncChapter('Alpha', '1', nowMs - DAY_MS, { group: 'Scans II', volume: '1' });
  harness.service.library.putChapter(again);
  return again.id;
}
/** Within a week, each title is read. */
const nextWeek = () => {
  harness.clock.advance(7 * DAY_MS);
  return harness.sync();
};
const NEWS = ['chapter-skipped', 'chapter-changed', 'chapter-retagged', 'chapter-saved'];
const news = (lines: readonly SyncLine[]) => lines.filter(({ type }) => NEWS.includes(type));

async function expectSettled(): Promise<void> {
  requests();
  const { code, lines, stderr } = await nextWeek();
  expect([code, news(lines), requests(), stderr]).toEqual([0, [], { atHome: 0, pages: 0 }, '']);
}

test('with upgrade, an edit of the metadata is noted in the book, without a page', async () => {
  await start(', upgrade: true');
  edit('1', { title: 'Salt' });
  const { lines } = await nextWeek();
  expect(news(lines)).toMatchObject([{ type: 'chapter-retagged', changed: ['title'] }]);
  expect(requests()).toEqual({ atHome: 1, pages: 0 });
  expect(await chaptersIn(book('01'))).toMatchObject([
    { version: 2, metadata: { title: 'Salt' } },
    { version: 1 },
  ]);
  await expectSettled();
});

test('with upgrade, a chapter that was uploaded again takes the place of the old one in the book', async () => {
  await start(', upgrade: true');
  const id = uploadAgain();
  expect(savedIn((await harness.sync()).lines)).toEqual([id]);
  expect(await chaptersIn(book('01'))).toMatchObject([
    { chapterId: id },
    { chapterId: chapterId('Alpha', '2') },
  ]);
  await expectSettled();
});

test('without upgrade, changes are reported once, and nothing is doubled', async () => {
  await start('');
  const before = paths();
  edit('2', { title: 'Salt' });
  const id = uploadAgain();
  expect(news((await nextWeek()).lines)).toMatchObject([
    { type: 'chapter-skipped', chapter: id, reason: 'uploaded-again', file: book('01') },
    { type: 'chapter-changed', chapter: chapterId('Alpha', '2'), changed: ['title'] },
  ]);
  expect(paths()).toEqual(before);
  await expectSettled();
});
