/** The keys `keep-latest` and `keep-unread`: chapters that are not kept leave once, and nothing of the owner's is touched. */
import { copyFileSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readFileChapters, readIdentity } from '../../../src/library/file.js';
import { editChapter } from '../../../src/practice-server/library/changes.js';
import { createLibrary, takeDownChapter } from '../../../src/practice-server/library/library.js';
import type { OptionTexts } from '../../support/option-texts.js';
import { addElement, editEntry } from '../../support/owner-edits.js';
import { writeArchive } from '../../support/archive.js';
import {
  chapterId,
  DAY_MS,
  HOUR_MS,
  savedIn,
  syncChapter,
  SyncHarness,
  syncTitle,
  titleId,
  type SyncLine,
} from '../../support/sync-harness.js';

const TEA = titleId('Tea');
const id = (number: string) => chapterId('Tea', number);
const ids = (...numbers: readonly string[]) => numbers.map(id).sort();

let harness: SyncHarness;
beforeEach(async () => {
  harness = await SyncHarness.start((nowMs) =>
    createLibrary({
      titles: [syncTitle('Tea'), syncTitle('Coffee')],
      // The last chapters were uploaded first.
      chapters: ['5', '4', '3', '2', '1'].map((number, index) =>
        syncChapter('Tea', number, nowMs - (9 - index) * DAY_MS),
      ),
    }),
  );
});
afterEach(() => harness.stop());

const entry = (keys: string) => {
  harness.write(`series:\n  - { target: 'title:${TEA}'${keys === '' ? '' : `, ${keys}`} }\n`);
};
async function chaptersOf(files: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(files.map((each) => readIdentity(each)));
  return found.flatMap((each) => (typeof each === 'object' ? each.chapterId : [])).sort();
}
const there = () => chaptersOf(harness.base.archives());
const kept = async () => {
  const files = harness.base.files().filter((file) => file.endsWith('.replaced'));
  return chaptersOf(files);
};
const retiredIn = (lines: readonly SyncLine[]) =>
  lines.filter(({ type }) => type === 'chapter-retired').map(({ chapter }) => chapter);
async function sync(flags: OptionTexts = {}) {
  const { code, lines, stderr } = await harness.sync(flags);
  expect([code, stderr]).toEqual([0, '']);
  // Chapters that load at the same time end in any order.
  return { saved: [...savedIn(lines)].sort(), retired: retiredIn(lines), lines };
}
/** Another run does nothing, says nothing, and asks for nothing but the titles, and what has been read. */
async function expectSilent(): Promise<void> {
  const before = await there();
  harness.catalogueRequests();
  const { code, stdout, stderr } = await harness.text();
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toMatch(/^1 title checked in [^:]*: 0 new chapters\.\n$/);
  expect(harness.catalogueRequests().filter((path) => !path.startsWith('/manga'))).toEqual([]);
  expect(await there()).toEqual(before);
}
/** The account reads these chapters. */
async function read(...numbers: readonly string[]): Promise<void> {
  const targets = numbers.map(id);
  const output = join(harness.base.folder, 'elsewhere');
  const { code } = await harness.base.download({ targets, output, markRead: true });
  expect(code).toBe(0);
}
const put = (number: string) => {
  const readableMs = harness.clock.wallMs() - HOUR_MS;
  harness.service.library.putChapter(syncChapter('Tea', number, readableMs));
};
const download = (...targets: readonly string[]) => harness.base.download({ targets });
const fileOf = (number: string) =>
  harness.base.archives().find((file) => basename(file).includes(`Ch.00${number}`)) ?? '';

test('only the latest chapters are downloaded, and earlier ones leave as later ones come', async () => {
  entry('keep-latest: 2');
  expect(await sync()).toMatchObject({ saved: ids('4', '5'), retired: [] });
  await expectSilent();
  put('6');
  const { saved, retired, lines } = await sync();
  expect({ saved, retired }).toEqual({ saved: [id('6')], retired: [id('4')] });
  expect(lines).toContainEqual(
    expect.objectContaining({ type: 'chapter-retired', reason: 'not-latest', number: '4' }),
  );
  expect(lines).toContainEqual(expect.objectContaining({ type: 'series-synced', retired: 1 }));
  expect(await there()).toEqual(ids('5', '6'));
  expect(await kept()).toEqual([id('4')]);
  await expectSilent();
});

test('the chapters that were downloaded before leave, and none comes back with another key, or an update', async () => {
  entry('');
  expect((await sync()).saved).toHaveLength(5);
  entry('keep-latest: 2');
  const planned = await harness.text({ dryRun: true });
  expect(planned.stderr).toContain('would move to .tankobon-replaced: ');
  expect(planned.stderr.match(/would move/g)).toHaveLength(3);
  expect(await there()).toHaveLength(5);
  const { stderr } = await harness.text();
  expect(stderr).toContain(`moved to .tankobon-replaced: `);
  expect(stderr).toContain('Tea: 3 moved away');
  expect(stderr).toMatch(/0 new chapters, 3 moved away\.\n$/);
  expect(await there()).toEqual(ids('4', '5'));
  expect(await kept()).toEqual(ids('1', '2', '3'));
  await expectSilent();
  entry('keep-latest: 2, upgrade: true');
  expect(await sync()).toMatchObject({ saved: [], retired: [] });
  // What is kept again is named, once, with the command that gets it.
  entry('upgrade: true');
  const warned = await harness.sync();
  expect(savedIn(warned.lines)).toEqual([]);
  expect(warned.lines).toContainEqual(
    expect.objectContaining({ hint: expect.stringContaining('--redownload') }),
  );
});

test('a chapter that its owner asks for by name comes back, and stays', async () => {
  entry('keep-latest: 2');
  await sync();
  put('6');
  expect((await sync()).retired).toEqual([id('4')]);
  // One that left, and one that never was there.
  expect((await download(id('4'), id('1'))).code).toBe(0);
  put('7');
  expect(await sync()).toMatchObject({ saved: [id('7')], retired: [id('5')] });
  expect(await there()).toEqual(ids('1', '4', '6', '7'));
  await expectSilent();
});

test('what its owner or another program edited, renamed, moved, copied or adopted stays', async () => {
  entry('');
  await sync();
  for (const number of ['6', '7', '8']) put(number);
  await sync();
  const foreign = join(dirname(fileOf('1')), 'other.cbz');
  await writeArchive(foreign, { '001.jpg': 'not of tankobon' });
  await editEntry(fileOf('1'), '001.png', () => undefined);
  await editEntry(fileOf('2'), 'ComicInfo.xml', (text) => text?.replace('Tea', 'My tea'));
  await addElement(fileOf('3'), '<Notes>mine</Notes>');
  await editEntry(fileOf('4'), 'note.txt', () => 'mine');
  renameSync(fileOf('5'), join(dirname(fileOf('5')), 'Favourite.cbz'));
  mkdirSync(join(harness.base.output, 'Best'));
  renameSync(fileOf('6'), join(harness.base.output, 'Best', basename(fileOf('6'))));
  const before = [...harness.base.files()].sort();
  entry('keep-latest: 1');
  expect((await sync()).retired).toEqual([id('7')]);
  expect([...harness.base.files()].sort().filter((file) => !file.endsWith('.replaced'))).toEqual(
    before.filter((file) => !file.includes('Ch.007')),
  );
  await expectSilent();
});

test('a copy stays where its owner put it, and the folder of a title may have another name', async () => {
  entry('');
  await sync();
  const folder = dirname(fileOf('1'));
  copyFileSync(fileOf('1'), join(harness.base.output, basename(fileOf('1'))));
  renameSync(folder, join(harness.base.output, 'My tea'));
  entry('keep-latest: 4');
  expect((await sync()).retired).toEqual([id('1')]);
  expect(await there()).toEqual(ids('1', '2', '3', '4', '5'));
  expect(readdirSync(join(harness.base.output, 'My tea'))).toHaveLength(4);
});

test('a chapter that MangaDex does not have any more stays, and so does everything where its list is not whole', async () => {
  entry('');
  await sync();
  harness.service.library.removeChapter(id('1'));
  const second = harness.service.library.chapter(id('2'));
  if (second) harness.service.library.putChapter(takeDownChapter(second));
  entry('keep-latest: 2');
  expect((await sync()).retired).toEqual([id('3')]);
  for (const number of ['3', '4', '5']) harness.service.library.removeChapter(id(number));
  harness.service.library.removeChapter(id('2'));
  entry('keep-latest: 1');
  expect((await harness.sync()).code).toBe(0);
  expect(await there()).toEqual(ids('1', '2', '4', '5'));
});

test('a chapter that failed is not one of the latest: the one that it follows stays', async () => {
  entry('keep-latest: 2');
  await sync();
  put('6');
  const restore = harness.service.intercept(`/at-home/server/${id('6')}`, () => ({
    status: 404,
    headers: { 'content-type': 'application/json' },
    body: '{"result":"error","errors":[]}',
  }));
  const { code, lines } = await harness.sync();
  expect([code, retiredIn(lines)]).toEqual([3, []]);
  expect(await there()).toEqual(ids('4', '5'));
  restore();
  put('7');
  expect(await sync()).toMatchObject({
    saved: ids('6', '7'),
    retired: [id('4'), id('5')],
  });
});

test('read chapters leave, unread ones come, and no login is an error that names the command', async () => {
  entry('keep-unread: true');
  const { code, stderr } = await harness.text();
  expect(code).toBe(4);
  expect(stderr).toContain('the key keep-unread of the subscriptions file needs a login');
  expect(stderr).toContain('tankobon login');
  expect(stderr.match(/keep-unread/g)).toHaveLength(1);
  expect(harness.base.archives()).toEqual([]);
  await harness.login();
  await read('1', '2');
  expect(await sync()).toMatchObject({ saved: ids('3', '4', '5'), retired: [] });
  await expectSilent();
  await read('4');
  harness.catalogueRequests();
  const { retired, lines } = await sync();
  expect(retired).toEqual([id('4')]);
  expect(lines).toContainEqual(expect.objectContaining({ reason: 'read', chapter: id('4') }));
  expect(await there()).toEqual(ids('3', '5'));
  await expectSilent();
  // What either of the two keeps stays.
  entry('keep-latest: 1, keep-unread: true');
  await read('3', '5');
  expect((await sync()).retired).toEqual([id('3')]);
  expect(await there()).toEqual([id('5')]);
  await expectSilent();
});

test('the marks come as a list or by title, and without them nothing leaves, and nothing comes', async () => {
  entry('keep-unread: true');
  await harness.login();
  const json = (status: number, body: unknown) => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  let answer = json(200, { result: 'ok', data: { [TEA]: [id('1').toUpperCase(), 'no id'] } });
  harness.service.intercept('/manga/read', () => answer);
  expect((await sync()).saved).toEqual(ids('2', '3', '4', '5'));
  put('6');
  const bad = [
    json(404, { result: 'error', errors: [] }),
    json(200, { result: 'ok', data: 'all' }),
    json(200, { result: 'ok', data: [[id('2')]] }),
  ];
  for (answer of bad) {
    const { code, lines } = await harness.sync();
    expect(code).toBe(3);
    expect(lines).toContainEqual(
      expect.objectContaining({ type: 'target-failed', target: 'keep-unread' }),
    );
    expect([savedIn(lines), retiredIn(lines)]).toEqual([[], []]);
  }
  answer = json(200, { result: 'ok', data: [] });
  expect(await sync()).toMatchObject({ saved: ids('1', '6'), retired: [] });
});

test('one request asks for the read chapters of all titles, and a folder that became empty is no missing disk', async () => {
  const coffee = titleId('Coffee');
  harness.service.library.putChapter(syncChapter('Coffee', '1', harness.clock.wallMs() - DAY_MS));
  harness.write(
    `series:\n${[TEA, coffee].map((each) => `  - target: 'title:${each}'\n`).join('')}`,
    ", keep-unread: true, name: '{series} {chapter}'",
  );
  await harness.login();
  expect((await sync()).saved).toHaveLength(6);
  await read('1', '2', '3', '4', '5');
  const output = join(harness.base.folder, 'elsewhere');
  await harness.base.download({ targets: [chapterId('Coffee', '1')], output, markRead: true });
  harness.catalogueRequests();
  expect((await sync()).retired).toHaveLength(6);
  expect(harness.base.archives()).toEqual([]);
  // What was moved away is removed by now.
  harness.clock.advance(40 * DAY_MS);
  await harness.login();
  expect(await harness.text({ quiet: true })).toMatchObject({ code: 0, stdout: '', stderr: '' });
  put('6');
  expect((await sync()).saved).toEqual([id('6')]);
});

test('with bind, a file leaves once a book has its chapter, and books stay', async () => {
  for (const number of ['1', '2', '3', '4', '5']) {
    const volume = number < '4' ? '1' : null;
    const readableMs = harness.clock.wallMs() - 9 * DAY_MS;
    harness.service.library.putChapter(syncChapter('Tea', number, readableMs, { volume }));
  }
  entry('bind: { by: volume }');
  await sync();
  entry('bind: { by: volume }, keep-latest: 1');
  expect((await sync()).retired).toEqual([id('1'), id('2'), id('3')]);
  expect(harness.base.archivePaths()).toHaveLength(3);
  await expectSilent();
  const fourth = harness.service.library.chapter(id('4'));
  const at = new Date(harness.clock.wallMs()).toISOString();
  if (fourth) harness.service.library.putChapter(editChapter(fourth, at, { volume: '2' }));
  put('6');
  entry('bind: { by: volume }, keep-latest: 1, upgrade: true');
  const { retired } = await sync();
  expect(retired).toEqual([id('4')]);
  await expectSilent();
  // A book that is bound again goes on having the chapters whose files left.
  const readableMs = harness.clock.wallMs() - HOUR_MS;
  harness.service.library.putChapter(syncChapter('Tea', '7', readableMs, { volume: '2' }));
  await sync();
  const book = harness.base.archives().find((file) => file.endsWith('Vol.02.cbz')) ?? '';
  const bound = await readFileChapters(book);
  expect(bound.map(({ chapterId: each }) => each)).toEqual([id('4'), id('7')]);
});

test('a chapter that waits for its preferred group is not one of the latest: the one that it follows stays', async () => {
  entry('keep-latest: 2');
  await sync();
  const late = harness.clock.wallMs() - HOUR_MS;
  harness.service.library.putChapter(syncChapter('Tea', '6', late, { group: 'Other' }));
  entry('keep-latest: 2, group: [Scans], wait-for-group: 2d');
  expect(await sync()).toMatchObject({ saved: [], retired: [] });
  harness.clock.advance(3 * DAY_MS);
  expect(await sync()).toMatchObject({
    saved: [chapterId('Tea', '6', 'Other')],
    retired: [id('4')],
  });
});

test('a chapter that is left out since it is older than since is not one of the latest', async () => {
  harness.service.library.putChapter(syncChapter('Tea', '9', harness.clock.wallMs() - 30 * DAY_MS));
  const since = new Date(harness.clock.wallMs() - 20 * DAY_MS).toISOString().slice(0, 10);
  entry(`since: ${since}`);
  expect((await sync()).saved).toHaveLength(5);
  entry(`since: ${since}, keep-latest: 1`);
  expect((await sync()).retired).toEqual(['1', '2', '3', '4'].map(id));
  expect(await there()).toEqual([id('5')]);
});

test('a chapter that its owner got back stays, whatever languages were asked for meanwhile', async () => {
  const readableMs = harness.clock.wallMs() - HOUR_MS;
  const french = { group: 'Lecteurs', translatedLanguage: 'fr' };
  harness.service.library.putChapter(syncChapter('Tea', '5', readableMs, french));
  entry('keep-latest: 2, language: [en]');
  await sync();
  put('6');
  await sync();
  expect((await download(id('4'))).code).toBe(0);
  entry('keep-latest: 2, language: [fr]');
  await sync();
  entry('keep-latest: 2, language: [en]');
  expect((await sync()).retired).toEqual([]);
  expect(await there()).toContain(id('4'));
});

test('where no replaced file is kept, a file that leaves is said to be removed', async () => {
  const env = { TANKOBON_KEEP_REPLACED: '0' };
  entry('keep-latest: 2');
  await sync();
  put('6');
  const planned = await harness.text({ dryRun: true }, { env });
  expect(planned.stderr).toContain('would remove: Tea Ch. 4');
  expect(planned.stderr).not.toContain('.tankobon-replaced');
  const { stderr } = await harness.text({}, { env });
  expect(stderr).toMatch(/^removed: Tea Ch. 4/m);
  expect(stderr).not.toContain('.tankobon-replaced');
  expect(harness.base.files()).toHaveLength(2);
});

test.each(['Best', 'Zest'])(
  'where as many files were moved, here to %s, as were not, those that were moved stay',
  async (name) => {
    entry('keep-latest: 2');
    await sync();
    const moved = join(harness.base.output, name, basename(fileOf('4')));
    mkdirSync(join(harness.base.output, name));
    renameSync(fileOf('4'), moved);
    entry('keep-latest: 1');
    expect((await sync()).retired).toEqual([]);
    expect(harness.base.archives()).toContain(moved);
  },
);
