/** How often the commands of a collection open each file, in processes of their own. */
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writeArchive } from '../../support/archive.js';
import { testImage, writeChapterFile } from '../../support/chapter-files.js';
import { tankobon } from '../../support/command.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { longRunRows } from '../../support/long-run.js';
import { chapterId, syncChapter, syncLibrary, titleId } from '../../support/sync-harness.js';
import { NO_LIMITS } from '../../support/no-limits.js';

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

test('adopt opens a file once to recognize it, once to change it, and once to restore it', async () => {
  const Web = `https://mangadex.org/chapter/${chapterId('Alpha', '1')}`;
  const comicInfo = `<ComicInfo><Web>${Web}</Web></ComicInfo>`;
  await writeArchive(join(folder, '1.cbz'), { '1.jpg': 'a page', 'ComicInfo.xml': comicInfo });
  expect(await openedBy('adopt', folder)).toBe(1);
  expect(await openedBy('adopt', folder)).toBe(0);
  expect(await openedBy('adopt', folder, '--apply')).toBe(1);
  for (const words of [['adopt'], ['overview'], ['verify', '--since-last']])
    expect([words, await openedBy(...words, folder)]).toEqual([
      words,
      words[0] === 'verify' ? 1 : 0,
    ]);
  expect(await openedBy('adopt', folder, '--undo')).toBe(1);
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

test('a dry run of retag opens only files that changed, or whose chapter or options did', async () => {
  await harness.download({ targets: [chapterId('Alpha', '1'), chapterId('Alpha', '2')] });
  const dryRun = (...words: readonly string[]) =>
    openedBy('retag', harness.output, '--dry-run', ...words);
  expect(await dryRun()).toBe(0);
  // Both would change, which is not kept.
  for (const opened of [2, 2]) expect(await dryRun('--title-field', 'numbered')).toBe(opened);
  expect(await dryRun()).toBe(0);
  const file = harness.archives()[0] ?? '';
  utimesSync(file, new Date(), new Date('2026-01-01'));
  expect(await dryRun()).toBe(1);
  const library = harness.service.library;
  library.putChapter(syncChapter('Alpha', '2', 0, { title: 'Another title' }));
  expect(await dryRun()).toBe(1);
});

test('after each command that reads a collection, every other one opens no file that is unchanged', async () => {
  await harness.download({ targets: [chapterId('Alpha', '1'), chapterId('Alpha', '2')] });
  const foreign = {
    '1.jpg': await testImage('jpeg', 1),
    'ComicInfo.xml': '<ComicInfo><Series>Beta</Series></ComicInfo>',
  };
  await writeArchive(join(harness.output, 'Beta 1.cbz'), foreign);
  const { output } = harness;
  const subscriptions = join(harness.folder, 'subscriptions.yaml');
  const series = `series:\n  - target: title:${titleId('Alpha')}\n`;
  writeFileSync(subscriptions, `defaults: { output: ${output}, language: [en] }\n${series}`);
  const download = `download title:${titleId('Alpha')} --language en --dry-run --output`;
  const commands = {
    verify: ['verify', output],
    overview: ['overview', output],
    retag: ['retag', output, '--dry-run'],
    bind: ['bind', output, '--dry-run'],
    adopt: ['adopt', output],
    download: [...download.split(' '), output],
    sync: ['sync', '--file', subscriptions],
  };
  // Each of these reads a file in its own way: `retag` and `download` scan as `overview` does.
  const first = [
    'verify' as const,
    ...longRunRows('overview' as const, 'bind' as const, 'adopt' as const, 'sync' as const),
  ];
  // What `overview` needs of a file, each of these needs too.
  const others = ['retag', 'bind', 'adopt', 'download', 'sync'] as const;
  const opened: Record<string, Record<string, number>> = {};
  for (const name of first) {
    rmSync(join(harness.folder, 'home'), { recursive: true, force: true });
    expect([name, await openedBy(...commands[name])]).toEqual([name, 3]);
    opened[name] = {};
    for (const other of others) opened[name][other] = await openedBy(...commands[other]);
    if (name === 'verify') expect(await openedBy('verify', output, '--since-last')).toBe(0);
  }
  const none = { retag: 0, bind: 0, adopt: 0, download: 0, sync: 0 };
  expect(opened).toEqual(Object.fromEntries(first.map((name) => [name, none])));
});
