/**
 * A library with the names of earlier versions, which have the volume first: its files keep their names until these change
 * for another reason, and no command calls them wrong. Their record has the template that named them, as it has here.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createLibrary,
  editChapter,
  uuidOf,
} from '../../../src/practice-server/library/library.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { retagFolder, runCommand } from '../../support/retag-harness.js';
import { SavedRuns } from '../../support/saved-runs.js';
import {
  DAY_MS,
  syncChapter,
  SyncHarness,
  syncLibrary,
  titleId,
} from '../../support/sync-harness.js';
import { chapter, LATER, title } from '../../support/title-library.js';

const FORMER = '{series}/{series} Vol.{volume:02} Ch.{chapter:03} - {title} [{group}].cbz';
const targets = [`title:${uuidOf('one')}`];

const runs = new SavedRuns();
let harness: DownloadHarness;
let sync: SyncHarness | undefined;
afterEach(async () => {
  await (sync ?? harness).stop();
  sync = undefined;
});

/** Chapters 1 and 2 are in volume 1, and the newest one in none yet. */
async function start(name = FORMER): Promise<void> {
  const chapters = [
    chapter('one', '1', { volume: '1' }),
    chapter('one', '2', { volume: '1' }),
    chapter('one', '3'),
  ];
  const library = createLibrary({ titles: [title('one', 'Old')], chapters });
  harness = await runs.start(name, { library }, (started) =>
    started.download({ targets, language: 'en', name }),
  );
}

const paths = (): readonly string[] => harness.archivePaths();
const FIRST = 'Old/Old Vol.01 Ch.001 [Scans].cbz';
const SECOND = 'Old/Old Vol.01 Ch.002 [Scans].cbz';
const NEWEST = 'Old/Old Ch.003 [Scans].cbz';
const bytes = () => paths().map((path) => readFileSync(join(harness.output, path)));

/** The service names the volume of the newest chapter. */
function nameVolume(): void {
  const { library } = harness.service;
  const now = library.chapter(chapter('one', '3').id);
  if (!now) throw new Error('no chapter 3');
  library.putChapter(editChapter(now, LATER, { volume: '1' }));
}

test('no command changes them or speaks of them', async () => {
  await start();
  expect(paths()).toEqual([NEWEST, FIRST, SECOND]);
  const before = bytes();
  for (const update of [false, true]) {
    const { code, stderr } = await harness.download({
      targets,
      language: 'en',
      update,
      json: false,
    });
    expect([code, stderr.match(/^(warning|error).*/gm)]).toEqual([0, null]);
  }
  expect((await retagFolder(harness, harness.output)).stderr).toContain('0 changed, 3 unchanged');
  for (const command of ['verify', 'overview', 'adopt']) {
    const { code, stderr } = await runCommand(harness, command, harness.output);
    expect([command, code, stderr.match(/^(warning|error).*/gm)]).toEqual([command, 0, null]);
  }
  expect(paths()).toEqual([NEWEST, FIRST, SECOND]);
  expect(bytes()).toEqual(before);
});

test.each(['retag', 'update'])(
  '%s gives a file the name of now where its name changes, and none of the others',
  async (way) => {
    await start();
    nameVolume();
    if (way === 'retag') await retagFolder(harness, harness.output);
    else await harness.download({ targets, language: 'en', update: true });
    expect(paths()).toEqual(['Old/Old Ch.003 Vol.01 [Scans].cbz', FIRST, SECOND]);
    expect((await retagFolder(harness, harness.output)).stderr).toContain('0 changed, 3 unchanged');
  },
);

test('a template of the owner that is the same goes on', async () => {
  await start();
  nameVolume();
  await retagFolder(harness, harness.output, '--name', FORMER);
  expect(paths()).toEqual([FIRST, SECOND, 'Old/Old Vol.01 Ch.003 [Scans].cbz']);
});

test('new chapters of the title get the name of now, in the same folder', async () => {
  await start();
  harness.service.library.putChapter(chapter('one', '4', { volume: '2' }));
  await harness.download({ targets, language: 'en' });
  expect(paths()).toEqual([NEWEST, 'Old/Old Ch.004 Vol.02 [Scans].cbz', FIRST, SECOND]);
});

test('sync leaves them as they are', async () => {
  const inVolume = (nowMs: number) => syncChapter('Alpha', '1', nowMs - DAY_MS, { volume: '1' });
  sync = await SyncHarness.start((nowMs) => {
    const library = syncLibrary(['Alpha'], nowMs - DAY_MS);
    library.putChapter(inVolume(nowMs));
    return library;
  });
  const series = `- { target: ${titleId('Alpha')}, language: en, upgrade: true`;
  sync.write(`series:\n  ${series}, name: '${FORMER}' }\n`);
  await sync.sync();
  const before = sync.base.archivePaths();
  expect(before).toEqual([
    'Alpha/Alpha Ch.002 [Scans].cbz',
    'Alpha/Alpha Vol.01 Ch.001 [Scans].cbz',
  ]);
  sync.write(`series:\n  ${series} }\n`);
  const { code, stderr } = await sync.sync();
  expect([code, stderr.match(/^(warning|error).*/gm)]).toEqual([0, null]);
  expect(sync.base.archivePaths()).toEqual(before);
});

test('one chapter of a title whose numbers begin again is named as its others are', async () => {
  await start('');
  const { library } = harness.service;
  for (const number of ['1', '2'])
    library.putChapter({
      ...chapter('one', number, { volume: '2' }),
      id: uuidOf('second season', number),
    });
  await harness.download({ targets, language: 'en' });
  const season = ['1', '2'].map((number) => `Old/Old Vol.02 Ch.00${number} [Scans].cbz`);
  const earlier = [
    'Old/Old Ch.001 Vol.01 [Scans].cbz',
    'Old/Old Ch.002 Vol.01 [Scans].cbz',
    NEWEST,
  ];
  expect(paths()).toEqual([...earlier, ...season]);
  library.putChapter({ ...chapter('one', '3', { volume: '2' }), id: uuidOf('second season', '3') });
  await harness.download({ targets: [uuidOf('second season', '3')], language: 'en' });
  expect(paths()).toContain('Old/Old Vol.02 Ch.003 [Scans].cbz');
  expect((await retagFolder(harness, harness.output)).stderr).toContain('0 changed, 6 unchanged');
});

test.each(['retag', 'update'])(
  '%s gives a file whose name changes the one that its others have there',
  async (way) => {
    await start('');
    for (const number of ['1', '2'])
      harness.service.library.putChapter({
        ...chapter('one', number, { volume: '2' }),
        id: uuidOf('second season', number),
      });
    await harness.download({ targets, language: 'en' });
    nameVolume();
    if (way === 'retag') await retagFolder(harness, harness.output);
    else await harness.download({ targets, language: 'en', update: true });
    expect(paths()).toContain('Old/Old Vol.01 Ch.003 [Scans].cbz');
  },
);

test('also where these name their language, which the chapter alone does not', async () => {
  const chapters = ['1', '2'].flatMap((volume) =>
    ['1', '2'].map((number) => ({
      ...chapter('one', number, { volume }),
      id: uuidOf('season', volume, number),
    })),
  );
  const other = chapter('one', '1', { volume: '1', translatedLanguage: 'pt-br' });
  const library = createLibrary({ titles: [title('one', 'Old')], chapters: [...chapters, other] });
  harness = await DownloadHarness.start({ library });
  await harness.download({ targets, language: 'en,pt-br', allReleases: true });
  expect(paths()).toContain('Old/Old Vol.02 Ch.002 [en] [Scans].cbz');
  const id = uuidOf('season', '2', '3');
  harness.service.library.putChapter({ ...chapter('one', '3', { volume: '2' }), id });
  await harness.download({ targets: [id] });
  expect(paths()).toContain('Old/Old Vol.02 Ch.003 [Scans].cbz');
});
