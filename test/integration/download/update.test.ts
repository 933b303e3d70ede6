/**
 * `--update`: what changed on the service since a chapter was downloaded. The service's `version` counts edits of the
 * metadata too, so pages are compared by the sha256 in their names, and only changed pages are loaded.
 */
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { download } from '../../../src/cli/commands/download.js';
import { readIdentity } from '../../../src/library/file.js';
import { parseRecords } from '../../../src/library/record.js';
import { interruptedError } from '../../../src/core/errors.js';
import type { DownloadEvent } from '../../../src/events/download-events.js';
import {
  createLibrary,
  editChapter,
  EXAMPLE_CHAPTERS,
  generateChapter,
  reuploadChapter,
  type Library,
  type LibraryChapter,
} from '../../../src/practice-server/library/library.js';
import { createTitle } from '../../../src/practice-server/library/story-chapter.js';
import { uuidOf } from '../../../src/practice-server/library/digests.js';
import { readEntry, readPages, writeArchive } from '../../support/archive.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { parseTexts } from '../../support/option-texts.js';
import { editEntry, replaced } from '../../support/owner-edits.js';
import { retagFolder } from '../../support/retag-harness.js';
import { SavedRuns } from '../../support/saved-runs.js';

const AT = '2024-01-05T12:00:00+00:00';
const LATER = '2025-03-01T12:00:00+00:00';
const LAST = '2025-04-01T12:00:00+00:00';
const COMIC_INFO = 'ComicInfo.xml';
const RECORD = 'META-INF/tankobon.json';
const TITLE = uuidOf('title', 'Gulls');

type PageNames = 'with-digest' | 'plain';

/** Chapters with pages by `seed`: another seed is another upload. */
function chapterOf(number: string, seed = 1, pages = 3, pageNames: PageNames = 'with-digest') {
  const id = uuidOf('chapter', number);
  const generated = generateChapter({ id, pages, bytesPerPage: 2_000, seed, pageNames });
  const attributes = { ...generated.attributes, chapter: number, updatedAt: AT };
  return { ...generated, titleId: TITLE, attributes };
}

let harness: DownloadHarness;
let onAtHome: () => void = () => undefined;
const practiceOf = (chapters: readonly LibraryChapter[]) => {
  const title = createTitle({ id: TITLE, title: { en: 'Gulls' }, createdAt: AT, updatedAt: AT });
  return {
    library: createLibrary({ titles: [title], chapters }),
    onRequest: ({ path }: { readonly path: string }) => {
      if (path.startsWith('/at-home/')) onAtHome();
    },
  };
};
const start = async (...chapters: readonly LibraryChapter[]) => {
  harness = await DownloadHarness.start(practiceOf(chapters));
};
const runs = new SavedRuns();
/** The chapters are saved. */
const startSaved = async (...chapters: readonly LibraryChapter[]) => {
  const pages = chapters.map((each) => each.pages('data').map(({ fileName }) => fileName));
  harness = await runs.start(JSON.stringify([chapters, pages]), practiceOf(chapters), (started) =>
    started.download({ targets: [TITLE], language: 'en' }),
  );
  seen = harness.service.log.length;
};
afterEach(async () => {
  onAtHome = () => undefined;
  await harness.stop();
});

const library = (): Library => harness.service.library;
const update = (options = {}) =>
  harness.download({ targets: [TITLE], language: 'en', update: true, ...options });
const first = () => harness.download({ targets: [TITLE], language: 'en' });

/** The requests for delivery metadata and for pages since the last call. */
function requests() {
  const fresh = harness.service.log.slice(seen).map(({ path }) => path);
  seen += fresh.length;
  const atHome = fresh.filter((path) => path.startsWith('/at-home/')).length;
  return { atHome, pages: fresh.filter((path) => /\/data(-saver)?\//.test(path)).length };
}
let seen = 0;
beforeEach(() => {
  seen = 0;
});

function change(number: string, act: (chapter: LibraryChapter) => LibraryChapter): void {
  const chapter = library().chapter(uuidOf('chapter', number));
  if (!chapter) throw new Error(`no chapter ${number}`);
  library().putChapter(act(chapter));
}
const edit = (number: string, attributes: Parameters<typeof editChapter>[2], at = LATER) => {
  change(number, (chapter) => editChapter(chapter, at, attributes));
};
const upload = (number: string, next: LibraryChapter) => {
  change(number, (chapter) => reuploadChapter(chapter, LATER, next));
};

const file = (name: string) => join(harness.output, 'Gulls', `${name}.cbz`);
const recordIn = async (path: string) => parseRecords(await readEntry(path, RECORD))?.[0];
const NAME_1 = 'Gulls Ch.001 [Measured Scans]';

test('an edit of the metadata: ComicInfo and name follow, after one request and no page', async () => {
  await startSaved(chapterOf('1'), chapterOf('2'));
  const before = await recordIn(file(NAME_1));
  edit('1', { title: 'Salt', volume: '4' });
  requests();
  const { code, events } = await update();
  expect([code, requests()]).toEqual([0, { atHome: 1, pages: 0 }]);
  const newFile = file('Gulls Ch.001 Vol.04 - Salt [Measured Scans]');
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'chapter-retagged',
      chapter: uuidOf('chapter', '1'),
      number: '1',
      changed: ['title', 'volume'],
      kept: [],
      newFile,
    }),
  );
  expect(events.at(-1)).toMatchObject({ saved: 0, retagged: 1, skipped: 1, failed: 0 });
  expect(harness.archives()).toHaveLength(2);
  expect(await readEntry(newFile, COMIC_INFO)).toContain('<Title>Salt</Title>');
  const record = await recordIn(newFile);
  expect(record).toMatchObject({ version: 2, updatedAt: new Date(LATER), pages: before?.pages });
  expect(await readIdentity(newFile)).toMatchObject({ version: 2, proof: 'mark' });
});

test('what was asked about once is not asked about again, also when nothing of it shows', async () => {
  await startSaved(chapterOf('1'));
  edit('1', {});
  requests();
  for (const atHome of [1, 0]) {
    const { events } = await update();
    expect(requests()).toEqual({ atHome, pages: 0 });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'chapter-skipped', reason: 'already-there' }),
    );
  }
  expect(await recordIn(file(NAME_1))).toMatchObject({ version: 2 });
});

test('other pages under the same id are loaded and replace the old ones', async () => {
  await startSaved(chapterOf('1'));
  const old = await readPages(file(NAME_1));
  upload('1', chapterOf('1', 2, 4));
  requests();
  const { events } = await update();
  expect(requests()).toEqual({ atHome: 1, pages: 4 });
  expect(events.at(-1)).toMatchObject({ saved: 1, retagged: 0, skipped: 0 });
  const pages = await readPages(file(NAME_1));
  expect([old.length, pages.length]).toEqual([3, 4]);
  expect(pages[0]?.equals(old[0] ?? Buffer.alloc(0))).toBe(false);
});

test('without --update, the file stays and the change is named; nothing is asked', async () => {
  await startSaved(chapterOf('1'));
  edit('1', { title: 'Salt' });
  requests();
  const { events } = await first();
  expect(requests()).toEqual({ atHome: 0, pages: 0 });
  expect(events[0]).toMatchObject({ type: 'chapter-skipped', reason: 'newer-version' });
});

test.each([
  ['updatedAt', { updatedAt: LAST, version: 1 }],
  ['the page count', { updatedAt: AT, version: 1, pages: 9 }],
])('a chapter is asked about if only %s differs', async (_, attributes) => {
  await startSaved(chapterOf('1'));
  edit('1', attributes);
  requests();
  await update();
  expect(requests()).toEqual({ atHome: 1, pages: 0 });
});

describe('names of pages without digests', () => {
  test.each([
    ['as many pages are the same', 3, { pages: 0, retagged: 1, saved: 0 }],
    ['another number of pages is another upload', 5, { pages: 5, retagged: 0, saved: 1 }],
  ])('%s', async (_, count, expected) => {
    await startSaved(chapterOf('1', 1, 3, 'plain'));
    upload('1', chapterOf('1', 2, count, 'plain'));
    edit('1', { title: 'Salt' });
    requests();
    const { events } = await update();
    expect({ ...events.at(-1), pages: requests().pages }).toMatchObject(expected);
  });
});

describe('compressed pages', () => {
  const saver = { quality: 'data-saver' };

  test('are compared by their own names, whatever quality the run asks for', async () => {
    await start(chapterOf('1'));
    await harness.download({ targets: [TITLE], language: 'en', ...saver });
    edit('1', { title: 'Salt' });
    requests();
    const { events } = await update({ quality: 'data' });
    expect(requests()).toEqual({ atHome: 1, pages: 0 });
    expect(events.at(-1)).toMatchObject({ retagged: 1, saved: 0 });
    upload('1', chapterOf('1', 2));
    await update(saver);
    expect(requests()).toEqual({ atHome: 1, pages: 3 });
  });
});

describe('a file without a record', () => {
  const withoutRecord = async () => {
    await startSaved(chapterOf('1'));
    await editEntry(file(NAME_1), RECORD, () => undefined);
  };

  test('is compared by its own pages, and gets a record', async () => {
    await withoutRecord();
    edit('1', { volume: '2' });
    requests();
    expect((await update()).events.at(-1)).toMatchObject({ retagged: 1, saved: 0 });
    expect(requests()).toEqual({ atHome: 1, pages: 0 });
    const [path = ''] = harness.archives();
    const id = uuidOf('chapter', '1');
    expect(await recordIn(path)).toMatchObject({ chapterId: id, titleId: TITLE, version: 2 });
    await update();
    expect(requests()).toEqual({ atHome: 0, pages: 0 });
  });

  test('whose pages are others is replaced', async () => {
    await withoutRecord();
    upload('1', chapterOf('1', 2));
    expect((await update()).events.at(-1)).toMatchObject({ retagged: 0, saved: 1 });
  });
});

test('edits of the owner survive both: new metadata and new pages', async () => {
  await startSaved(chapterOf('1'));
  await editEntry(file(NAME_1), COMIC_INFO, (xml) =>
    replaced(
      xml,
      ['<Translator>Measured Scans</Translator>', '<Translator>Us</Translator><Notes>mine</Notes>'],
      ['<Page Image="0"', '<Page Image="0" Bookmark="mine"'],
    ),
  );
  edit('1', { title: 'Salt' });
  const retagged = (await update()).events.find(({ type }) => type === 'chapter-retagged');
  expect(retagged).toMatchObject({ changed: ['title'], kept: ['translators', 'Notes'] });
  const [path = ''] = harness.archives();
  expect(await readEntry(path, COMIC_INFO)).toContain('Bookmark="mine"');
  upload('1', chapterOf('1', 2, 2));
  const saved = (await update()).events.find(({ type }) => type === 'chapter-saved');
  expect(saved).toMatchObject({ file: path, kept: ['translators', 'Notes'] });
  const xml = await readEntry(path, COMIC_INFO);
  expect(xml).toContain('<Title>Salt</Title>');
  expect(xml).toMatch(/<Translator>Us<\/Translator>\s*<Notes>mine</);
  expect(xml).toContain('<PageCount>2</PageCount>');
  expect(xml).not.toContain('Bookmark');
});

test('retag and both ways of --update report the same edits, in JSON and as text', async () => {
  const numbers = ['1', '2', '3'];
  await start(...numbers.map((number) => chapterOf(number)));
  await harness.download({ targets: [TITLE], language: 'en', name: '{chapter}' });
  const path = (number: string) => join(harness.output, `${number}.cbz`);
  for (const number of numbers)
    await editEntry(path(number), COMIC_INFO, (xml) =>
      replaced(
        xml,
        ['<Translator>Measured Scans</Translator>', '<Translator>Us</Translator><Notes>x</Notes>'],
        ['</ComicInfo>', '<CommunityRating>5</CommunityRating></ComicInfo>'],
      ),
    );
  for (const number of numbers) edit(number, { title: 'Salt' });
  upload('3', chapterOf('3', 9));
  edit('3', { chapter: '4', title: 'Salt' }, LAST);
  const kept = ['translators', 'Notes', 'CommunityRating'];
  const only = (...chapters: readonly string[]) => ({
    name: '{chapter}',
    chapters: chapters.join(),
  });
  const one = join(harness.folder, 'one');
  mkdirSync(one);
  renameSync(path('1'), join(one, '1.cbz'));
  const text = '\n  kept: translators, Notes, CommunityRating\n';
  const retagged = await retagFolder(harness, one, '--name', '{chapter}');
  expect(retagged.stdout).toContain(`${join(one, '1.cbz')}: title${text}`);
  const { events } = await update(only('2'));
  expect(events).toContainEqual(expect.objectContaining({ type: 'chapter-retagged', kept }));
  const { stderr } = await update({ ...only('4'), json: false });
  expect(stderr).toContain(`${path('4')}: pages${text}  renamed from ${path('3')}\n`);
});

test('an edit that MangaDex has otherwise is reported as retag does where nothing else changes', async () => {
  await startSaved(chapterOf('1'));
  await editEntry(file(NAME_1), COMIC_INFO, (xml) => replaced(xml, ['>Measured Scans<', '>Us<']));
  const text = `${file(NAME_1)}: unchanged\n  kept: translators\n`;
  expect((await retagFolder(harness, harness.output)).stderr).toContain(text);
  edit('1', {});
  const dryRun = await update({ dryRun: true, json: false });
  expect(dryRun.stdout).toContain(text);
  const { events } = await update({ dryRun: true });
  const skipped = { type: 'chapter-skipped', reason: 'already-there', kept: ['translators'] };
  expect(events).toContainEqual(expect.objectContaining(skipped));
  expect((await update({ json: false })).stderr).toContain(text);
});

test('--force loads the pages, and takes everything from the service', async () => {
  await startSaved(chapterOf('1'));
  await editEntry(file(NAME_1), COMIC_INFO, (xml) => replaced(xml, ['>Measured Scans<', '>Us<']));
  requests();
  await update({ force: true });
  expect(requests()).toEqual({ atHome: 1, pages: 3 });
  expect(await readEntry(file(NAME_1), COMIC_INFO)).toContain(
    '<Translator>Measured Scans</Translator>',
  );
});

test('numbers that move round end with the right names', async () => {
  await start(chapterOf('1'), chapterOf('2'), chapterOf('3'));
  await harness.download({ targets: [TITLE], language: 'en', name: '{chapter}' });
  for (const [from, to] of [
    ['1', '2'],
    ['2', '3'],
    ['3', '1'],
  ] as const)
    edit(from, { chapter: to });
  expect((await update({ name: '{chapter}' })).events.at(-1)).toMatchObject({ retagged: 3 });
  expect(harness.archives()).toHaveLength(3);
  for (const [from, to] of [
    ['1', '2'],
    ['2', '3'],
    ['3', '1'],
  ] as const)
    expect(await readIdentity(join(harness.output, `${to}.cbz`))).toMatchObject({
      chapterId: uuidOf('chapter', from),
    });
});

test('a dry run says what would be loaded and what only changes its metadata, and writes nothing', async () => {
  await startSaved(chapterOf('1'), chapterOf('2'), chapterOf('3'));
  edit('1', { volume: '4' });
  upload('2', chapterOf('2', 9));
  const before = await recordIn(file(NAME_1));
  requests();
  const lines = await harness.dryRun({ targets: [TITLE], language: 'en', update: true });
  expect(requests()).toEqual({ atHome: 2, pages: 0 });
  expect(lines).toMatchObject([
    {
      type: 'planned',
      chapter: uuidOf('chapter', '2'),
      why: `its pages changed on MangaDex; it replaces ${file(NAME_1.replace('1', '2'))}`,
    },
    { type: 'chapter-skipped', reason: 'already-there', chapter: uuidOf('chapter', '3') },
    { type: 'chapter-retagged', chapter: uuidOf('chapter', '1'), number: '1', changed: ['volume'] },
    { type: 'plan', chapters: 1, requests: 2 },
  ]);
  expect(await recordIn(file(NAME_1))).toEqual(before);
  const { stdout } = await harness.download({
    targets: [TITLE],
    language: 'en',
    update: true,
    dryRun: true,
    json: false,
  });
  expect(stdout).toContain(`new metadata: ${file(NAME_1)}: volume\n  renamed to `);
  expect(stdout).toContain(
    'Gulls  Ch. 2  en  Measured Scans  replaces the saved one: its pages changed\n',
  );
  expect(stdout).toContain('1 chapter to download, 1 with new metadata only\n');
});

test('a chapter that is only in a book gets a file of its own: with the same pages, none is loaded', async () => {
  await start(chapterOf('1'), chapterOf('2'));
  edit('1', { volume: '1' });
  edit('2', { volume: '1' });
  await harness.download({ targets: [TITLE], language: 'en', bind: 'volume' });
  const [book = ''] = harness.archives();
  expect(harness.archives()).toEqual([book]);
  edit('1', { title: 'Salt' }, LAST);
  requests();
  expect((await update()).events.at(-1)).toMatchObject({ saved: 0, retagged: 1, skipped: 1 });
  expect(requests()).toEqual({ atHome: 1, pages: 0 });
  expect(harness.archives()).toHaveLength(2);
  upload('1', chapterOf('1', 2));
  expect((await update()).events.at(-1)).toMatchObject({ saved: 1, retagged: 0 });
  expect(harness.archives()).toHaveLength(2);
  expect(harness.archives()).toContain(book);
});

test('a file of another program is never asked about, rewritten or renamed', async () => {
  await startSaved(chapterOf('1'));
  const pages = await readPages(file(NAME_1));
  rmSync(file(NAME_1));
  const web = `<Web>https://mangadex.org/chapter/${uuidOf('chapter', '1')}</Web>`;
  const entries = { '1.png': pages[0] ?? '', [COMIC_INFO]: `<ComicInfo>${web}</ComicInfo>` };
  await writeArchive(file(NAME_1), entries);
  edit('1', { title: 'Salt' });
  requests();
  await update();
  expect(requests()).toEqual({ atHome: 0, pages: 0 });
  expect(await readEntry(file(NAME_1), COMIC_INFO)).toBe(entries[COMIC_INFO]);
});

test('`retag` does not count as a comparison: a later --update still finds other pages', async () => {
  await startSaved(chapterOf('1'));
  upload('1', chapterOf('1', 2));
  edit('1', { title: 'Salt' }, LAST);
  await retagFolder(harness, harness.output);
  expect((await update()).events.at(-1)).toMatchObject({ saved: 1 });
});

test.each([
  ['that shows', { title: 'Salt' }],
  ['of which only the version shows', {}],
])(
  'after retag, an edit %s is not reported by a download, and --update still compares the pages once',
  async (_, attributes) => {
    await startSaved(chapterOf('1'));
    edit('1', attributes);
    const retag = async () => (await retagFolder(harness, harness.output)).stderr;
    expect(await retag()).toContain('1 with pages that were not compared');
    const { events } = await first();
    expect(events[0]).toMatchObject({ type: 'chapter-skipped', reason: 'already-there' });
    expect(await retag()).toContain('0 changed, 1 unchanged, 1 with pages that were not compared');
    requests();
    for (const atHome of [1, 0]) {
      await update();
      expect(requests()).toEqual({ atHome, pages: 0 });
    }
    expect(await retag()).not.toContain('not compared');
    edit('1', attributes, LAST);
    expect((await first()).events[0]).toMatchObject({ reason: 'newer-version' });
  },
);

test('an archive that was saved without metadata gets none, and is asked about once', async () => {
  await start(chapterOf('1'));
  await harness.download({ targets: [`title:${TITLE}`], language: 'en', metadata: false });
  edit('1', { title: 'Salt' });
  requests();
  for (const atHome of [1, 0]) {
    const { events } = await update();
    expect(events.at(-1)).toMatchObject({ retagged: 0, skipped: 1 });
    expect(requests()).toEqual({ atHome, pages: 0 });
  }
  const [path = ''] = harness.archives();
  await expect(readEntry(path, COMIC_INFO)).rejects.toThrow('has no entry');
});

test('new pages without metadata: ComicInfo.xml stays, and what tankobon wrote of it still follows the service', async () => {
  await startSaved(chapterOf('1'));
  await editEntry(file(NAME_1), COMIC_INFO, (xml) =>
    replaced(xml, ['</Series>', '</Series><Tags>Mine</Tags>']),
  );
  const { metadata } = (await recordIn(file(NAME_1))) ?? {};
  upload('1', chapterOf('1', 2));
  const { events } = await update({ targets: [`title:${TITLE}`], metadata: false });
  expect(events.at(-1)).toMatchObject({ saved: 1, failed: 0 });
  const [path = ''] = harness.archives();
  expect(await recordIn(path)).toMatchObject({ metadata });
  edit('1', { volume: '4' }, LAST);
  await retagFolder(harness, harness.output);
  const xml = await readEntry(harness.archives()[0] ?? '', COMIC_INFO);
  expect(xml).toContain('<Volume>4</Volume>');
  expect(xml).toContain('<Tags>Mine</Tags>');
});

test('of two releases, the later upload is taken, though the other was edited more often', async () => {
  const [older, later] = [chapterOf('1'), chapterOf('1', 2)];
  const day = (createdAt: string) => ({ createdAt, readableAt: createdAt, publishAt: createdAt });
  await start(
    { ...older, attributes: { ...older.attributes, ...day(AT), version: 9 } },
    {
      ...later,
      id: EXAMPLE_CHAPTERS.first,
      groups: [{ id: uuidOf('others'), name: 'Others' }],
      attributes: { ...later.attributes, ...day(LATER) },
    },
  );
  const { events } = await first();
  const saved = events.filter(({ type }) => type === 'chapter-saved');
  expect(saved).toMatchObject([{ chapter: EXAMPLE_CHAPTERS.first }]);
});

describe('an interruption counts as not started what is not updated yet', () => {
  const startEdited = async () => {
    await startSaved(chapterOf('1'), chapterOf('2'));
    edit('1', { title: 'Salt' });
    edit('2', { title: 'Salt' });
  };

  /** Updates until a line of the output contains `text`. */
  async function updateUntil(text: string, options = {}) {
    const stop = new AbortController();
    const texts = { output: harness.output, json: true, language: 'en', update: true, ...options };
    const { code, stdout } = await harness.command(
      (run) => {
        const write = run.stdout.write.bind(run.stdout);
        run.stdout.write = (line: string) => {
          if (line.includes(text)) stop.abort(interruptedError());
          return write(line);
        };
        return download([TITLE], parseTexts(texts), { ...run, signal: stop.signal });
      },
      { signal: stop.signal },
    );
    const lines = stdout.split('\n').filter(Boolean);
    return { code, summary: lines.map((line) => JSON.parse(line) as DownloadEvent).at(-1) };
  }

  test('while pages are compared', async () => {
    await startEdited();
    const stop = new AbortController();
    let asked = 0;
    onAtHome = () => {
      asked += 1;
      if (asked === 2) stop.abort(interruptedError());
    };
    const targets = { targets: [TITLE], language: 'en', update: true };
    const { code, events } = await harness.download(targets, { signal: stop.signal });
    expect(code).toBe(130);
    expect(events.at(-1)).toMatchObject({ retagged: 0, skipped: 0, notStarted: 2 });
  });

  test('while chapters in a book get files of their own', async () => {
    await start(chapterOf('1'), chapterOf('2'));
    await harness.download({ targets: [TITLE], language: 'en', bind: 'title' });
    edit('1', { title: 'Salt' });
    edit('2', { title: 'Salt' });
    const { code, summary } = await updateUntil('chapter-retagged');
    expect(code).toBe(130);
    expect(summary).toMatchObject({ retagged: 1, skipped: 0, notStarted: 1 });
    expect(harness.archives()).toHaveLength(2);
  });

  test('while files are written', async () => {
    await startEdited();
    const { code, summary } = await updateUntil('chapter-retagged');
    expect(code).toBe(130);
    expect(summary).toMatchObject({ retagged: 1, skipped: 0, notStarted: 1 });
  });
});
