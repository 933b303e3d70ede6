/** How often the commands of a collection open each file, in processes of their own. */
import { mkdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writeArchive } from '../../support/archive.js';
import { testImage, writeChapterFile } from '../../support/chapter-files.js';
import { tankobon } from '../../support/command.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { longRunRows } from '../../support/long-run.js';
import { chapterId, syncChapter, syncLibrary } from '../../support/sync-harness.js';

const NO_LIMITS = { general: { requests: 10_000, periodMs: 1_000 }, periodScale: 0.001 };
const COUNT_OPENED = `--require=${resolve('test/support/count-opened.cjs')}`;

let harness: DownloadHarness;
let folder: string;
beforeEach(async () => {
  harness = await DownloadHarness.start({ library: syncLibrary(['Alpha'], 0), limits: NO_LIMITS });
  folder = join(harness.folder, 'manga');
  mkdirSync(folder);
});
afterEach(() => harness.stop());

async function openedBy(...words: readonly string[]): Promise<number> {
  const opened = join(harness.folder, 'opened');
  const env = {
    ...harness.service.environment,
    TANKOBON_HOME: join(harness.folder, 'home'),
    NODE_OPTIONS: COUNT_OPENED,
    OPENED: opened,
  };
  expect(await tankobon(words, { env })).toMatchObject({ code: 0 });
  return Number(readFileSync(opened, 'utf8'));
}

test('verify opens a file once', async () => {
  const images = [await testImage('jpeg', 1)];
  await writeChapterFile(join(folder, '1.cbz'), { id: chapterId('Alpha', '1'), images });
  expect(await openedBy('verify', folder)).toBe(1);
});

test('adopt opens a file once to recognize it, and then once to change it and once to keep its attributes', async () => {
  const Web = `https://mangadex.org/chapter/${chapterId('Alpha', '1')}`;
  const comicInfo = `<ComicInfo><Web>${Web}</Web></ComicInfo>`;
  await writeArchive(join(folder, '1.cbz'), { '1.jpg': 'a page', 'ComicInfo.xml': comicInfo });
  expect(await openedBy('adopt', folder)).toBe(1);
  const attributes = process.platform === 'linux' ? 1 : 0;
  expect(await openedBy('adopt', folder)).toBe(0);
  expect(await openedBy('adopt', folder, '--apply')).toBe(1 + attributes);
  for (const words of [['adopt'], ['overview'], ['verify', '--since-last']])
    expect([words, await openedBy(...words, folder)]).toEqual([
      words,
      words[0] === 'verify' ? 1 : 0,
    ]);
});

test('after adopt of several folders, however they are written, that of one of them opens no file', async () => {
  const other = join(harness.folder, 'more');
  mkdirSync(other);
  for (const each of [folder, other])
    await writeArchive(join(each, '1.cbz'), { '1.jpg': 'a page' });
  const written = ['manga', 'more'].map((name) => `${harness.folder}/./${name}`);
  expect(await openedBy('adopt', ...written)).toBe(2);
  for (const each of [folder, other])
    expect([each, await openedBy('adopt', each)]).toEqual([each, 0]);
});

test('a second dry run of retag opens only files that changed, or whose chapter or options did', async () => {
  await harness.download({ targets: [chapterId('Alpha', '1'), chapterId('Alpha', '2')] });
  const dryRun = (...words: readonly string[]) =>
    openedBy('retag', harness.output, '--dry-run', ...words);
  expect(await dryRun()).toBe(2);
  // Both would change, which is not kept.
  for (const opened of [2, 2]) expect(await dryRun('--title-field', 'numbered')).toBe(opened);
  expect(await dryRun()).toBe(0);
  const file = harness.archives()[0] ?? '';
  utimesSync(file, new Date(), new Date('2026-01-01'));
  // Its identity is read too.
  expect(await dryRun()).toBe(2);
  const library = harness.service.library;
  library.putChapter(syncChapter('Alpha', '2', 0, { title: 'Another title' }));
  expect(await dryRun()).toBe(1);
});

type CommandName = 'verify' | 'overview' | 'retag' | 'adopt' | 'since';

/** What follows each command. The tests above hold it for adopt and retag themselves. */
const OTHERS: readonly (readonly [CommandName, readonly CommandName[]])[] = [
  ['verify', ['overview', 'adopt', 'since']],
  ...longRunRows(
    ['overview', ['adopt', 'overview']] as const,
    ['adopt', ['overview', 'adopt']] as const,
  ),
  ['retag', ['overview', ...longRunRows('adopt' as const, 'retag' as const)]],
];

test('after verify, overview, retag or adopt, the others open no file that is unchanged, but retag and bind those that they never compared', async () => {
  await harness.download({ targets: [chapterId('Alpha', '1'), chapterId('Alpha', '2')] });
  const commands = {
    verify: ['verify', harness.output],
    overview: ['overview', harness.output],
    retag: ['retag', harness.output, '--dry-run'],
    adopt: ['adopt', harness.output],
    since: ['verify', harness.output, '--since-last'],
  };
  const home = join(harness.folder, 'home');
  for (const [first, others] of OTHERS) {
    rmSync(home, { recursive: true, force: true });
    expect(await openedBy(...commands[first])).toBeGreaterThanOrEqual(2);
    for (const name of others)
      expect([first, name, await openedBy(...commands[name])]).toEqual([first, name, 0]);
  }
});
