/** Chapters that were deleted and uploaded again under another id, or renumbered: never two files of one number. */
import { lstatSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { editChapter } from '../../../src/practice-server/library/library.js';
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

  test('with upgrade it replaces the deleted one, which the dry run and the summary say', async () => {
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
