/** Titles that MangaDex merged into others: their subscriptions follow, with folder and history. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../support/retag-harness.js';
import { tachibk } from '../../support/tachibk.js';
import {
  DAY_MS,
  chapterId,
  HOUR_MS,
  savedIn,
  syncChapter,
  SyncHarness,
  syncLibrary,
  titleId,
  type SyncLine,
} from '../../support/sync-harness.js';

let harness: SyncHarness;
afterEach(() => harness.stop());

const start = async (subscriptions: string): Promise<void> => {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha', 'Beta'], nowMs - 9 * HOUR_MS));
  harness.write(`series:\n${subscriptions}`);
};
const subscription = (name: string, more = '') =>
  `  - { target: 'title:${titleId(name)}'${more} }\n`;

/** A chapter of the title that took the place of Alpha. */
const upload = (number: string): void => {
  harness.clock.advance(DAY_MS);
  harness.service.library.putChapter(syncChapter('Beta', number, harness.clock.wallMs() - HOUR_MS));
};

const warnings = (lines: readonly SyncLine[]) =>
  lines.flatMap(({ type, message }) => (type === 'warning' ? [message] : []));
const paths = (): readonly string[] => harness.base.archivePaths();

test('a merge is said once; nothing is downloaded twice, and new chapters go to the folder of before', async () => {
  await start(subscription('Alpha'));
  expect((await harness.sync()).code).toBe(0);
  const before = paths();
  harness.service.library.removeChapter(chapterId('Beta', '1'));
  harness.service.library.removeChapter(chapterId('Beta', '2'));
  harness.service.library.mergeTitle(titleId('Alpha'), titleId('Beta'));
  upload('3');
  const first = await harness.sync();
  expect(first.code).toBe(0);
  const message = `Alpha (title:${titleId('Alpha')}) was merged into Beta (title:${titleId('Beta')}), which takes its place.`;
  expect(warnings(first.lines)).toEqual([message]);
  expect(savedIn(first.lines)).toEqual([chapterId('Beta', '3')]);
  expect(paths()).toEqual([...before, 'Alpha/Alpha Ch.003 [en] [Scans].cbz']);
  upload('4');
  harness.catalogueRequests();
  const second = await harness.sync();
  expect([second.code, warnings(second.lines)]).toEqual([0, []]);
  expect(savedIn(second.lines)).toEqual([chapterId('Beta', '4')]);
  expect(harness.catalogueRequests()).toEqual(['/manga', `/manga/${titleId('Beta')}/feed`]);
});

test('a merge of two subscribed titles leaves the subscription of the one that stays', async () => {
  await start(subscription('Alpha', ', folder: One') + subscription('Beta', ', folder: Two'));
  await harness.sync();
  harness.service.library.mergeTitle(titleId('Alpha'), titleId('Beta'));
  upload('3');
  const { code, lines } = await harness.sync();
  expect([code, lines.at(-1)]).toEqual([0, expect.objectContaining({ titles: 1, saved: 1 })]);
  expect(paths()).toContain('Two/Beta Ch.003 [en] [Scans].cbz');
});

const sameTitle = `Alpha (title:${titleId('Alpha')}) and Beta (title:${titleId('Beta')}) are the same title by now, and the options of title:${titleId('Beta')} apply`;

test('two entries of one title are named in each run, with the command that ends one', async () => {
  await start(subscription('Alpha', ', folder: One') + subscription('Beta', ', folder: Two'));
  await harness.sync();
  harness.service.library.mergeTitle(titleId('Alpha'), titleId('Beta'));
  const first = await harness.sync();
  expect(warnings(first.lines)).toEqual([expect.stringContaining('was merged into'), sameTitle]);
  expect(first.lines).toContainEqual(
    expect.objectContaining({
      message: sameTitle,
      hint: `To keep only that one, run: tankobon sync remove title:${titleId('Alpha')} --file ${harness.file}`,
    }),
  );
  upload('3');
  const second = await harness.sync({ only: 'Alpha' });
  expect([second.code, warnings(second.lines)]).toEqual([0, [sameTitle]]);
  expect(paths()).toContain('Two/Beta Ch.003 [en] [Scans].cbz');
  harness.write(`series:\n${subscription('Beta', ', folder: Two')}`);
  expect(warnings((await harness.sync()).lines)).toEqual([]);
});

test.each([
  ['Alpha', 1],
  ['Beta', 0],
] as const)('if %s is paused, the entry of the title that stays decides', async (name, saved) => {
  const options = (each: string) => (each === name ? ', paused: true' : '');
  await start(subscription('Alpha') + subscription('Beta'));
  await harness.sync();
  harness.service.library.mergeTitle(titleId('Alpha'), titleId('Beta'));
  await harness.sync();
  harness.write(
    `series:\n${subscription('Alpha', options('Alpha'))}${subscription('Beta', options('Beta'))}`,
  );
  upload('3');
  const { lines } = await harness.sync();
  expect([warnings(lines), savedIn(lines).length]).toEqual([[sameTitle], saved]);
});

test('--only and the other commands find a merged title by its old name and both ids', async () => {
  await start(subscription('Alpha'));
  await harness.sync();
  harness.service.library.mergeTitle(titleId('Alpha'), titleId('Beta'));
  await harness.sync();
  for (const only of ['alpha', 'beta', titleId('Alpha'), titleId('Beta')]) {
    upload(String(3 + harness.base.archives().length));
    const { code, lines } = await harness.sync({ only });
    expect([code, savedIn(lines).length]).toEqual([0, 1]);
  }
  const remove = await runCommand(
    harness.base,
    'sync',
    'remove',
    `title:${titleId('Beta')}`,
    '--file',
    harness.file,
  );
  expect([remove.code, remove.stderr]).toEqual([0, expect.stringContaining('Beta')]);
});

test('sync add of a title that was merged into a subscribed one says so, and adds nothing', async () => {
  await start(subscription('Beta'));
  harness.service.library.mergeTitle(titleId('Alpha'), titleId('Beta'));
  const before = readFileSync(harness.file, 'utf8');
  const add = (...words: readonly string[]) =>
    runCommand(harness.base, 'sync', 'add', ...words, '--file', harness.file);
  const { code, stderr } = await add(`title:${titleId('Alpha')}`, '--upgrade');
  expect([code, stderr]).toEqual([
    0,
    `Already subscribed: title:${titleId('Alpha')} was merged into Beta (title:${titleId('Beta')}).\n` +
      `hint: To change its options, run: tankobon sync edit title:${titleId('Beta')} --file ${harness.file}\n`,
  ]);
  expect(readFileSync(harness.file, 'utf8')).toBe(before);
});

test('sync add of the title into which a subscribed one was merged changes that subscription', async () => {
  await start(subscription('Alpha'));
  await harness.sync();
  harness.service.library.mergeTitle(titleId('Alpha'), titleId('Beta'));
  await harness.sync();
  const words = ['sync', 'add', titleId('Beta'), '--upgrade', '--file', harness.file];
  expect((await runCommand(harness.base, ...words)).stderr).toBe('Changed: Beta\n');
  const text = readFileSync(harness.file, 'utf8');
  expect(text.match(/target:/g)).toHaveLength(1);
  expect(text).toContain('upgrade: true');
});

test('sync import leaves out a title that was merged into a subscribed one, and the other way round', async () => {
  await start(subscription('Alpha'));
  await harness.sync();
  harness.service.library.mergeTitle(titleId('Alpha'), titleId('Beta'));
  await harness.sync();
  const backup = join(harness.base.folder, 'mihon.tachibk');
  const favorites = ['Alpha', 'Beta'].map((name) => ({
    address: `/manga/${titleId(name)}`,
    title: name,
  }));
  writeFileSync(backup, tachibk(favorites));
  const importBackup = async () =>
    (await runCommand(harness.base, 'sync', 'import', backup, '--file', harness.file)).stderr;
  expect(await importBackup()).toBe('0 titles added; 2 were already subscribed.\n');
  harness.write('series: []\n');
  expect(await importBackup()).toContain('1 title added; 1 was already subscribed.\n');
  const text = readFileSync(harness.file, 'utf8');
  expect(text.match(/target:.*/g)).toEqual([expect.stringContaining(titleId('Beta'))]);
});

test('download of a merged title and the other one reads their chapters once in each way', async () => {
  await start(subscription('Alpha'));
  harness.service.library.mergeTitle(titleId('Alpha'), titleId('Beta'));
  harness.catalogueRequests();
  const targets = [`title:${titleId('Alpha')}`, `title:${titleId('Beta')}`];
  const { code } = await harness.base.download({ targets, language: 'en' });
  const feeds = harness.catalogueRequests().filter((path) => path.endsWith('/feed'));
  // Their group has each number twice without a volume, so the releases in all languages are read too.
  const feed = `/manga/${titleId('Beta')}/feed`;
  expect([code, feeds]).toEqual([0, [feed, feed]]);
});

test('a title that is gone is still a failure', async () => {
  await start(subscription('Alpha'));
  await harness.sync();
  harness.service.library.mergeTitle(titleId('Alpha'), titleId('Gone'));
  const { code, lines } = await harness.sync();
  expect(code).toBe(3);
  expect(lines).toContainEqual(expect.objectContaining({ type: 'target-failed' }));
});

test.each([['Alpha'], ['Alpha', 'Gone']])('download of %s follows a merge', async (...names) => {
  await start(subscription('Alpha'));
  harness.service.library.mergeTitle(titleId('Alpha'), titleId('Beta'));
  const targets = names.map((name) => `title:${titleId(name)}`);
  const { code, events } = await harness.base.download({ targets, language: 'en' });
  expect(code).toBe(names.length === 1 ? 0 : 3);
  const saved = events.filter(({ type }) => type === 'chapter-saved');
  // The group has the numbers 1 and 2 in both titles, which may be other chapters.
  expect(saved).toHaveLength(4);
  const said = events.filter(
    (event) => event.type === 'warning' && event.message.includes('was merged'),
  );
  expect(said).toHaveLength(1);
});
