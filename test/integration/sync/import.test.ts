/** `tankobon sync import`: what becomes subscriptions and history, and that a broken file changes nothing. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  savedIn,
  SyncHarness,
  chapterId,
  DAY_MS,
  syncLibrary,
  titleId,
} from '../../support/sync-harness.js';
import { myAnimeListExport } from '../../support/my-anime-list.js';
import { editTitle } from '../../../src/practice-server/library/library.js';
import { runCommand } from '../../support/retag-harness.js';
import { tachibk } from '../../support/tachibk.js';

let harness: SyncHarness;
let backup: string;
beforeEach(async () => {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha', 'Beta'], nowMs - DAY_MS));
  backup = join(harness.base.folder, 'mihon.tachibk');
  writeFileSync(
    backup,
    tachibk([
      { address: `/manga/${titleId('Alpha')}`, title: 'Alpha' },
      { address: `/manga/${titleId('Beta')}`, title: 'Beta: "quoted"' },
      { address: '/elsewhere/1', title: 'Elsewhere' },
      { address: `/manga/${titleId('Gamma')}`, title: 'Read once', favorite: false },
    ]),
  );
});
afterEach(() => harness.stop());

const run = (...words: readonly string[]) =>
  runCommand(harness.base, 'sync', 'import', '--file', harness.file, ...words);
const text = () => readFileSync(harness.file, 'utf8');

test('favorites are subscribed with the options, nothing twice, and then downloaded', async () => {
  harness.write(`# mine\nseries:\n  - target: title:${titleId('Alpha')}\n    group: Mine\n`);
  const first = await run(backup, '--language', 'en');
  expect([first.code, first.stdout]).toEqual([
    0,
    `Beta: "quoted"  https://mangadex.org/title/${titleId('Beta')}\n`,
  ]);
  expect(first.stderr).toContain('1 favorite of other sites left out:\n  Elsewhere\n');
  expect(first.stderr).toContain('1 title added; 1 was already subscribed.\n');
  expect(first.stderr).toMatch(
    new RegExp(`To download the chapters, run: tankobon sync --file ${harness.file}\n$`),
  );
  expect(text()).toContain('# mine');
  expect(text()).toMatch(/title: 'Beta: "quoted"'\n {4}language: \[ ?en ?\]/);
  const before = text();
  expect((await run(backup, '--language', 'fr')).stderr).toContain(
    '0 titles added; 2 were already',
  );
  expect(text()).toBe(before);
  expect(savedIn((await harness.sync()).lines)).toHaveLength(4);
});

test('--dry-run prints what would be added, and changes nothing', async () => {
  const { code, stdout, stderr } = await run(backup, '--dry-run');
  expect([code, stdout.split('\n').length]).toEqual([0, 3]);
  expect(stderr).toContain('2 titles would be added.\n');
  expect(existsSync(harness.file)).toBe(false);
});

test('without an output folder nothing is written', async () => {
  await expect(run(backup)).rejects.toMatchObject({ code: 'bad-option' });
  expect(existsSync(harness.file)).toBe(false);
  const { stderr } = await run(backup, '-o', join(harness.base.folder, 'comics'));
  expect(stderr).toContain('2 titles added.\nLanguages: all (to choose');
});

test('a broken file changes nothing, and a missing one is named', async () => {
  harness.write('series: []\n');
  const before = text();
  writeFileSync(backup, readFileSync(backup).subarray(0, 40));
  await expect(run(backup)).rejects.toMatchObject({ code: 'bad-input-file' });
  await expect(run(join(harness.base.folder, 'none'))).rejects.toMatchObject({
    code: 'bad-input-file',
    message: expect.stringContaining('none') as unknown,
  });
  expect(text()).toBe(before);
});

test('chapters of a list fill the history: sync leaves them out', async () => {
  harness.write(`series:\n  - target: title:${titleId('Alpha')}\n`);
  const list = join(harness.base.folder, 'entries.txt');
  writeFileSync(
    list,
    `mangadex${chapterId('Alpha', '1')}_1\nmangadex${chapterId('Alpha', '1')}_2\n`,
  );
  expect((await run(list)).stderr).toBe('1 chapter marked as downloaded.\n');
  expect(savedIn((await harness.sync()).lines)).toEqual([chapterId('Alpha', '2')]);
});

describe('an export of MyAnimeList', () => {
  let list: string;
  beforeEach(() => {
    list = join(harness.base.folder, 'mangalist.xml.gz');
    const { library } = harness.service;
    const setLinks = (name: string, links: Readonly<Record<string, string>>): void => {
      const title = library.title(titleId(name));
      if (title) library.putTitle(editTitle(title, '2024-02-01T00:00:00+00:00', { links }));
    };
    setLinks('Alpha', { al: '30002', mal: '2' });
    const listed = [
      { malId: '2', name: 'Alpha' },
      { malId: '13', name: 'beta', status: 'Completed' },
      { malId: '99', name: 'Nowhere\u001b[31m', status: 'Dropped' },
    ];
    writeFileSync(list, gzipSync(myAnimeListExport(listed)));
  });

  test('titles whose links name the id are subscribed, and doubts are listed', async () => {
    harness.write('series: []\n');
    const { code, stdout, stderr } = await run(list);
    expect([code, stdout]).toEqual([0, `Alpha  https://mangadex.org/title/${titleId('Alpha')}\n`]);
    expect(stderr).toContain(`Searching MangaDex for 3 titles; takes at least 1 s.
2 titles left out, since none on MangaDex names the id of MyAnimeList:
  beta  https://myanimelist.net/manga/13
    of the same name: tankobon sync add https://mangadex.org/title/${titleId('Beta')} --file ${harness.file}
  Nowhere [31m  https://myanimelist.net/manga/99
1 title added.
`);
    expect(text()).toContain(titleId('Alpha'));
    expect(text()).not.toContain(titleId('Beta'));
    expect((await run(list)).stderr).toContain('0 titles added; 1 was already subscribed.');
    const again = await run(list, '-l', 'en', '-o', '/srv/comics', '--dry-run');
    expect(again.stderr).toContain(
      `/title/${titleId('Beta')} --language en --output /srv/comics --file ${harness.file}\n`,
    );
  });

  test('--status and --dry-run', async () => {
    const { stdout, stderr } = await run(list, '--dry-run', '--status', 'completed,reading');
    expect(stdout).toBe(`Alpha  https://mangadex.org/title/${titleId('Alpha')}\n`);
    expect(stderr).toContain('Searching MangaDex for 2 titles');
    expect(existsSync(harness.file)).toBe(false);
  });

  test('a hostile one is refused before anything is sent', async () => {
    writeFileSync(
      list,
      '<!DOCTYPE a [<!ENTITY a "b">]><myanimelist><manga>&a;</manga></myanimelist>',
    );
    await expect(run(list)).rejects.toMatchObject({
      code: 'bad-input-file',
      message: `The export is broken (it declares entities or a DTD): ${list}`,
    });
    expect(harness.catalogueRequests()).toEqual([]);
  });
});

test('an archive of gallery-dl that has changes beside it is refused, and how to get them into it is said', async () => {
  const compressed = readFileSync(
    new URL('../../fixtures/gallery-dl-rowids.sqlite3.gz', import.meta.url),
  );
  const archive = join(harness.base.folder, 'it’s mine.sqlite3');
  writeFileSync(archive, gunzipSync(compressed));
  writeFileSync(`${archive}-wal`, 'pages');
  await expect(run(archive)).rejects.toMatchObject({
    code: 'bad-input-file',
    message: `Changes of the archive are not in it yet, but in: ${archive}-wal`,
    hint: `Wait for gallery-dl to end. If it was killed, run: sqlite3 '${archive}' vacuum`,
  });
  expect(existsSync(harness.file)).toBe(false);
  writeFileSync(`${archive}-wal`, '');
  expect((await run(archive)).stderr).toContain('284 chapters marked as downloaded.\n');
});
