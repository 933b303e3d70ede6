/** A page that came compressed, since no node had it as uploaded, of a chapter that was bound: an update tries it again. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readLibraryFile } from '../../../src/library/file.js';
import { uuidOf } from '../../../src/practice-server/library/digests.js';
import {
  createLibrary,
  editChapter,
  generateChapter,
} from '../../../src/practice-server/library/library.js';
import { createTitle } from '../../../src/practice-server/library/story-chapter.js';
import { readPages } from '../../support/archive.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { runCommand } from '../../support/retag-harness.js';

const AT = '2024-01-05T12:00:00+00:00';
const LATER = '2026-01-01T00:00:00+00:00';
const TITLE = uuidOf('title', 'Gulls');
const saver = { lostPages: 'data-saver' } as const;
const bound = { bind: 'volume' } as const;

const chapterOf = (number: string) => {
  const generated = generateChapter({
    id: uuidOf('chapter', number),
    pages: 3,
    bytesPerPage: 2_000,
  });
  const attributes = { ...generated.attributes, chapter: number, volume: '1', updatedAt: AT };
  return { ...generated, titleId: TITLE, attributes };
};
const CHAPTERS = [chapterOf('1'), chapterOf('2')] as const;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const FULL = CHAPTERS.flatMap((each) => each.pages('data').map((page) => sha256(page.bytes())));

let harness: DownloadHarness;
let seen = 0;
beforeEach(async () => {
  seen = 0;
  const title = createTitle({ id: TITLE, title: { en: 'Gulls' }, createdAt: AT, updatedAt: AT });
  const library = createLibrary({ titles: [title], chapters: CHAPTERS });
  harness = await DownloadHarness.start({ library });
  harness.service.injectPageFaults({
    fault: 'html-page',
    chapter: CHAPTERS[1].id,
    page: 2,
    quality: 'data',
    attempts: 'always',
  });
});
afterEach(() => harness.stop());

const run = (options = {}) => harness.download({ targets: [TITLE], language: 'en', ...options });
const bind = (...words: readonly string[]) =>
  runCommand(harness, 'bind', harness.output, '-o', harness.output, '--json', ...words);
const book = (extension = 'cbz') => join(harness.output, 'Gulls', `Gulls Vol.01.${extension}`);
const digests = async () => (await readPages(book())).map(sha256);

/** The pages that were requested since the last call, such as `data 2`. */
function pageRequests(): readonly string[] {
  const fresh = harness.service.log.slice(seen);
  seen += fresh.length;
  return fresh.flatMap(
    ({ path }) => /\/(data|data-saver)\/[^/]+\/\w?(\d+)-/.exec(path)?.slice(1).join(' ') ?? [],
  );
}

async function compressedInBook(): Promise<readonly (readonly number[] | undefined)[]> {
  const file = await readLibraryFile(book());
  return file.kind === 'book' ? file.chapters.map(({ record }) => record?.dataSaverPages) : [];
}

test.each(['cbz', 'epub'] as const)(
  'a chapter that is only in a book (%s): an update loads the full page alone, and it comes into the book',
  async (format) => {
    await run({ ...saver, ...bound, format });
    expect(harness.files()).toEqual([book(format)]);
    harness.service.clearPageFaults();
    pageRequests();
    expect((await run({ ...bound, format })).code).toBe(0);
    expect(pageRequests()).toEqual([]);
    const [planned] = await harness.dryRun({ targets: [TITLE], language: 'en', update: true });
    expect(planned).toMatchObject({
      why: `its compressed pages are tried again in full quality; binding puts it into the book in place of the old one: ${book(format)}`,
    });
    const { code, events } = await run({ ...bound, format, update: true });
    expect([code, pageRequests()]).toEqual([0, ['data 2']]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'chapter-saved', pages: 3 }));
    // The book with the compressed page is kept for a while.
    const kept = (path: string) => path.includes('.tankobon-replaced');
    expect(harness.files().filter((path) => !kept(path))).toEqual([book(format)]);
    const file = await readLibraryFile(book(format));
    const records = file.kind === 'book' ? file.chapters.map(({ record }) => record) : [];
    expect(records.flatMap((record) => record?.pages ?? [])).toEqual(FULL);
    expect(records.map((record) => record?.dataSaverPages)).toEqual([undefined, undefined]);
    if (format === 'cbz') expect(await digests()).toEqual(FULL);
    await run({ ...bound, format, update: true });
    expect(pageRequests()).toEqual([]);
  },
);

test('as long as the page is lost, the book stays as it is, also without the option', async () => {
  await run({ ...saver, ...bound });
  expect(await compressedInBook()).toEqual([undefined, [2]]);
  const before = [readFileSync(book()), statSync(book()).mtimeMs];
  for (const options of [{}, saver, bound, { ...saver, ...bound }]) {
    pageRequests();
    const { code, events } = await run({ update: true, ...options });
    const requests = pageRequests();
    expect([code, new Set(requests), requests.length]).toEqual([0, new Set(['data 2']), 5]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'chapter-skipped', reason: 'already-there' }),
    );
    expect([readFileSync(book()), statSync(book()).mtimeMs]).toEqual(before);
    expect(harness.files()).toEqual([book()]);
  }
});

test('a chapter that gets other metadata while its page is lost is still tried again', async () => {
  await run({ ...saver, ...bound });
  harness.service.library.putChapter(editChapter(CHAPTERS[1], LATER, { title: 'Salt' }));
  const { events } = await run({ ...bound, update: true });
  expect(events).toContainEqual(expect.objectContaining({ type: 'chapter-retagged' }));
  expect([harness.files(), await compressedInBook()]).toEqual([[book()], [undefined, [2]]]);
  harness.service.clearPageFaults();
  await run({ ...bound, update: true });
  expect([await digests(), await compressedInBook()]).toEqual([FULL, [undefined, undefined]]);
});

test.each(['cbz', 'epub', 'pdf', 'folder'] as const)(
  'a book (%s) beside its chapters is written again once their files have the full page',
  async (format) => {
    await run(saver);
    await bind('--format', format);
    harness.service.clearPageFaults();
    await run({ update: true });
    expect((await bind('--format', format)).stdout).toContain('"saved":1,"skipped":0');
    expect((await bind('--format', format)).stdout).toContain('"saved":0,"skipped":1');
    if (format === 'cbz') expect(await digests()).toEqual(FULL);
  },
);
