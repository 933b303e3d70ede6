/** Chapters that were deleted and uploaded again under another id, or renumbered: never two files of one number. */
import { existsSync, lstatSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { editChapter } from '../../../src/practice-server/library/library.js';
import { readEntry } from '../../support/archive.js';
import { addElement } from '../../support/owner-edits.js';
import { posixTest } from '../../support/platform.js';
import {
  chapterId,
  DAY_MS,
  HOUR_MS,
  savedIn,
  syncChapter,
  SyncHarness,
  syncLibrary,
  titleId,
  type SyncLine,
} from '../../support/sync-harness.js';

let harness: SyncHarness;
/** What the owner does when the pages of a chapter are asked for. */
let whileLoading: (() => void) | undefined;
afterEach(() => {
  whileLoading = undefined;
  return harness.stop();
});

const write = (keys: string): void => {
  harness.write(`series:\n  - { target: 'title:${titleId('Alpha')}'${keys} }\n`);
};

/** Chapters 1 and 2 are saved. */
async function start(keys = ', language: [en]'): Promise<void> {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * HOUR_MS), {
    onRequest: ({ path }) => {
      if (path.startsWith('/at-home/')) whileLoading?.();
    },
  });
  write(keys);
  await harness.sync();
}

const paths = (): readonly string[] => harness.base.archivePaths();

const upload = (number: string, group: string, more = {}, ageMs = HOUR_MS): string => {
  const chapter = syncChapter('Alpha', number, harness.clock.wallMs() - ageMs, { group, ...more });
  harness.service.library.putChapter(chapter);
  return chapter.id;
};

/** Deletes chapter 1, and uploads it again with another id. */
function uploadAgain(): string {
  harness.clock.advance(2 * DAY_MS);
  harness.service.library.removeChapter(chapterId('Alpha', '1'));
  return upload('1', 'Scans II', { title: 'Again' });
}

const skipped = (lines: readonly SyncLine[]) =>
  lines.flatMap(({ type, chapter, reason, file }) =>
    type === 'chapter-skipped' ? [{ chapter, reason, file }] : [],
  );

const BEFORE = ['Alpha/Alpha Ch.001 [Scans].cbz', 'Alpha/Alpha Ch.002 [Scans].cbz'];
const REPLACED = ['Alpha/Alpha Ch.001 - Again [Scans II].cbz', 'Alpha/Alpha Ch.002 [Scans].cbz'];

test('a chapter that was uploaded again is reported once, and is not saved twice', async () => {
  await start();
  const [file] = harness.base.archives().filter((each) => each.includes('001'));
  const id = uploadAgain();
  const { code, lines, stderr } = await harness.sync();
  expect([code, savedIn(lines)]).toEqual([0, []]);
  expect(skipped(lines)).toEqual([{ chapter: id, reason: 'uploaded-again', file }]);
  expect(stderr).toBe('');
  upload('3', 'Scans');
  const later = await harness.sync();
  expect([skipped(later.lines), savedIn(later.lines)]).toEqual([[], [chapterId('Alpha', '3')]]);
  expect(paths()).toEqual([...BEFORE, 'Alpha/Alpha Ch.003 [Scans].cbz']);
});

test('with upgrade it replaces the deleted one', async () => {
  await start(', language: [en], upgrade: true');
  const [file = ''] = harness.base.archives().filter((each) => each.includes('001'));
  const id = uploadAgain();
  const dryRun = await harness.sync({ dryRun: true });
  expect(dryRun.lines).toContainEqual(
    expect.objectContaining({
      type: 'planned',
      chapter: id,
      replaces: chapterId('Alpha', '1'),
      why: `uploaded again; it replaces ${file}`,
    }),
  );
  const { lines } = await harness.sync();
  expect(savedIn(lines)).toEqual([id]);
  expect(lines.at(-1)).toMatchObject({ replaced: 1 });
  expect(paths()).toEqual(REPLACED);
});

test('with upgrade the file of the deleted one is kept for 30 days', async () => {
  await start(', language: [en], upgrade: true');
  const [file = ''] = harness.base.archives().filter((each) => each.includes('001'));
  const before = readFileSync(file);
  uploadAgain();
  await harness.sync();
  const day = new Date(harness.clock.wallMs()).toISOString().slice(0, 10);
  const kept = join(harness.base.output, '.tankobon-replaced', day, `${BEFORE[0]}.replaced`);
  expect(readFileSync(kept).equals(before)).toBe(true);
  harness.clock.advance(30 * DAY_MS);
  upload('3', 'Scans');
  await harness.sync();
  expect(existsSync(kept)).toBe(true);
  harness.clock.advance(DAY_MS);
  upload('4', 'Scans');
  await harness.sync();
  expect(existsSync(join(harness.base.output, '.tankobon-replaced'))).toBe(false);
  expect(paths()).toHaveLength(4);
});

test('with upgrade the file of a release that a preferred group replaces is kept', async () => {
  await start(', language: [en], group: [Better, Scans], upgrade: true');
  const [file = ''] = harness.base.archives().filter((each) => each.includes('001'));
  const before = readFileSync(file);
  harness.clock.advance(2 * DAY_MS);
  const id = upload('1', 'Better');
  expect(savedIn((await harness.sync()).lines)).toEqual([id]);
  const day = new Date(harness.clock.wallMs()).toISOString().slice(0, 10);
  const kept = join(harness.base.output, '.tankobon-replaced', day, `${BEFORE[0]}.replaced`);
  expect(readFileSync(kept).equals(before)).toBe(true);
  expect(paths()).toHaveLength(2);
});

test('with upgrade, the edits of the owner stay, and are reported', async () => {
  await start(', language: [en], upgrade: true');
  const [file = ''] = harness.base.archives().filter((each) => each.includes('001'));
  await addElement(file, '<CommunityRating>5</CommunityRating>');
  const id = uploadAgain();
  const { lines, stderr } = await harness.sync();
  expect(stderr).not.toContain('written by another program');
  expect(lines).toContainEqual(
    expect.objectContaining({
      type: 'chapter-saved',
      chapter: id,
      kept: ['CommunityRating'],
      replacedFile: file,
    }),
  );
  expect(paths()).toEqual(REPLACED);
  const [saved = ''] = harness.base.archives().filter((each) => each.includes('001'));
  const xml = await readEntry(saved, 'ComicInfo.xml');
  expect(xml).toContain('<CommunityRating>5</CommunityRating>');
  expect(xml).toContain('<Title>Again</Title>');
});

test('with upgrade, a name that the owner gave stays, and the next run finds the chapter', async () => {
  await start(', language: [en], upgrade: true');
  const [file = ''] = harness.base.archives().filter((each) => each.includes('001'));
  renameSync(file, file.replace(/Alpha Ch.*/, 'first.cbz'));
  uploadAgain();
  const { stderr } = await harness.sync();
  expect(stderr).not.toContain('kept');
  expect(paths()).toEqual(['Alpha/Alpha Ch.002 [Scans].cbz', 'Alpha/first.cbz']);
  expect(savedIn((await harness.sync()).lines)).toEqual([]);
});

posixTest('a link that the owner puts there meanwhile stays, and the run says so', async () => {
  await start(', language: [en], upgrade: true');
  const [file = ''] = harness.base.archives().filter((each) => each.includes('001'));
  const id = uploadAgain();
  whileLoading = () => {
    const elsewhere = join(harness.base.folder, 'elsewhere.cbz');
    renameSync(file, elsewhere);
    symlinkSync(elsewhere, file);
  };
  const { lines, stderr } = await harness.sync();
  expect(savedIn(lines)).toEqual([id]);
  expect(stderr).toContain(`${file} is a symbolic link and is kept.`);
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
});

test('a file that the owner moves meanwhile is not called one of another program', async () => {
  await start(', language: [en], upgrade: true');
  const [file = ''] = harness.base.archives().filter((each) => each.includes('001'));
  const id = uploadAgain();
  whileLoading = () => {
    renameSync(file, join(harness.base.output, 'by hand.cbz'));
  };
  const { lines, stderr } = await harness.sync();
  expect([savedIn(lines), stderr]).toEqual([[id], '']);
  expect(paths()).toEqual([...REPLACED, 'by hand.cbz']);
});

test('if upgrade is set later, the next run replaces it', async () => {
  await start();
  uploadAgain();
  await harness.sync();
  expect(paths()).toEqual(BEFORE);
  write(', language: [en], upgrade: true');
  await harness.sync();
  expect(paths()).toEqual(REPLACED);
});

test('what `download --update` replaced is not reported as available again', async () => {
  await start();
  const id = uploadAgain();
  expect(skipped((await harness.sync()).lines)).toMatchObject([{ chapter: id }]);
  const targets = [`title:${titleId('Alpha')}`];
  await harness.base.download({ targets, language: 'en', update: true }, { clock: harness.clock });
  expect(paths()).toHaveLength(2);
  upload('3', 'Scans');
  const { lines } = await harness.sync();
  expect(savedIn(lines)).toEqual([chapterId('Alpha', '3')]);
  expect(lines.filter(({ type }) => type === 'chapter-restored')).toEqual([]);
});

test('with upgrade, the renumbered chapter gets its new name, and the new one its number', async () => {
  await start(', language: [en], upgrade: true');
  harness.clock.advance(2 * DAY_MS);
  const second = harness.service.library.chapter(chapterId('Alpha', '2'));
  if (!second) throw new Error('no chapter 2');
  harness.service.library.putChapter(
    editChapter(second, '2026-01-01T00:00:00+00:00', { chapter: '3' }),
  );
  const id = upload('2', 'Scans II');
  const first = await harness.sync();
  const later = await harness.sync();
  expect([...savedIn(first.lines), ...savedIn(later.lines)]).toEqual([id]);
  expect(paths()).toEqual([
    'Alpha/Alpha Ch.001 [Scans].cbz',
    'Alpha/Alpha Ch.002 [Scans II].cbz',
    'Alpha/Alpha Ch.003 [Scans].cbz',
  ]);
});

describe('a saved chapter that gets the number of a deleted one', () => {
  function renumber(): void {
    harness.clock.advance(2 * DAY_MS);
    const { library } = harness.service;
    const second = library.chapter(chapterId('Alpha', '2'));
    if (!second) throw new Error('no chapter 2');
    library.removeChapter(chapterId('Alpha', '1'));
    library.putChapter(editChapter(second, '2026-01-01T00:00:00+00:00', { chapter: '1' }));
    // A title with a new chapter is read.
    upload('3', 'Scans');
  }
  const THIRD = 'Alpha/Alpha Ch.003 [Scans].cbz';

  test('is reported, and nothing is renamed', async () => {
    await start();
    renumber();
    const { lines } = await harness.sync();
    expect(lines).toContainEqual(
      expect.objectContaining({
        type: 'chapter-changed',
        chapter: chapterId('Alpha', '2'),
        changed: ['number'],
      }),
    );
    expect(paths()).toEqual([...BEFORE, THIRD]);
  });

  test('with upgrade it replaces that, with the edits of the owner, and the next run is silent', async () => {
    await start(', language: [en], upgrade: true');
    const [deleted = ''] = harness.base.archives().filter((each) => each.includes('001'));
    await addElement(deleted, '<CommunityRating>5</CommunityRating>');
    renumber();
    const { lines } = await harness.sync();
    expect(lines).toContainEqual(
      expect.objectContaining({
        type: 'chapter-retagged',
        chapter: chapterId('Alpha', '2'),
        removedFile: deleted,
        kept: ['CommunityRating'],
      }),
    );
    expect(paths()).toEqual([BEFORE[0], THIRD]);
    expect(await readEntry(deleted, 'ComicInfo.xml')).toContain('<CommunityRating>5');
    harness.clock.advance(8 * DAY_MS);
    const later = await harness.sync();
    expect(later.lines.map(({ type }) => type)).toEqual(['summary']);
    expect(paths()).toEqual([BEFORE[0], THIRD]);
  });
});

describe('a followed title', () => {
  async function startFollowed(keys = ''): Promise<void> {
    harness = await SyncHarness.start((nowMs) =>
      syncLibrary(['Alpha'], nowMs - 9 * HOUR_MS, { Alpha: 'reading' }),
    );
    await harness.login();
    harness.write('follows: true\n', `, language: [en]${keys}`);
    await harness.sync();
  }

  test('a chapter that was uploaded again is reported once, and is not saved twice', async () => {
    await startFollowed();
    const [file] = harness.base.archives().filter((each) => each.includes('001'));
    const id = uploadAgain();
    const { lines } = await harness.sync();
    expect(skipped(lines)).toEqual([{ chapter: id, reason: 'uploaded-again', file }]);
    harness.catalogueRequests();
    upload('3', 'Scans');
    const later = await harness.sync();
    expect([skipped(later.lines), savedIn(later.lines)]).toEqual([[], [chapterId('Alpha', '3')]]);
    expect(paths()).toEqual([...BEFORE, 'Alpha/Alpha Ch.003 [Scans].cbz']);
  });

  test('with upgrade it replaces the deleted one', async () => {
    await startFollowed(', upgrade: true');
    const id = uploadAgain();
    const dryRun = await harness.sync({ dryRun: true });
    expect(dryRun.lines).toContainEqual(
      expect.objectContaining({ type: 'planned', chapter: id, replaces: chapterId('Alpha', '1') }),
    );
    const { lines } = await harness.sync();
    expect([savedIn(lines), lines.at(-1)]).toMatchObject([[id], { replaced: 1 }]);
    expect(paths()).toEqual(REPLACED);
  });
});
