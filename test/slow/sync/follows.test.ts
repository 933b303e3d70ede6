/** The titles that the account follows: a request for a hundred, and those that titles of the file need too. */
import { readFileSync } from 'node:fs';
import {
  chapterId,
  DAY_MS,
  HOUR_MS,
  savedIn,
  syncChapter,
  SyncHarness,
  syncLibrary,
  syncTitle,
  titleId,
} from '../../support/sync-harness.js';

const FOLLOWED = { Alpha: 'reading', Beta: 're_reading', Gamma: 'completed' } as const;
const FOLLOWS = '/user/follows/manga';
const feedOf = (name: string) => `/manga/${titleId(name)}/feed`;

let harness: SyncHarness;
afterEach(() => harness.stop());

async function start(): Promise<void> {
  harness = await SyncHarness.start((nowMs) =>
    syncLibrary(['Alpha', 'Beta', 'Gamma', 'Delta'], nowMs - 9 * DAY_MS, FOLLOWED),
  );
  await harness.login();
  harness.catalogueRequests();
}

test('a run lists the titles and their statuses, and reads those with news and its share of the others', async () => {
  await start();
  harness.write('follows: { status: [reading, re_reading] }\n');
  const first = await harness.sync();
  expect(first.code).toBe(0);
  expect(first.lines.at(-1)).toMatchObject({ saved: 4, titles: 2 });
  const listing = ['/manga/status', FOLLOWS];
  expect([...harness.catalogueRequests()].sort()).toEqual(
    [...listing, feedOf('Alpha'), feedOf('Beta')].sort(),
  );

  expect((await harness.sync()).lines).toMatchObject([{ type: 'summary', saved: 0 }]);
  const ownFeed = expect.stringMatching(/^\/manga\/[^/]+\/feed$/) as unknown;
  expect([...harness.catalogueRequests()].sort()).toEqual([ownFeed, ...listing]);

  harness.clock.advance(3 * DAY_MS);
  const readableMs = harness.clock.wallMs() - HOUR_MS;
  for (const name of ['Alpha', 'Gamma', 'Delta'])
    harness.service.library.putChapter(syncChapter(name, '3', readableMs));
  expect(savedIn((await harness.sync()).lines)).toEqual([chapterId('Alpha', '3')]);
  expect(harness.catalogueRequests()).toEqual(
    expect.arrayContaining([...listing, feedOf('Alpha')]),
  );
  expect(harness.service.violations()).toEqual([]);
});

test('a chapter that was created long before it became readable is found', async () => {
  await start();
  harness.write('follows: true\n');
  await harness.sync();
  harness.clock.advance(20 * DAY_MS);
  const nowMs = harness.clock.wallMs();
  const createdAt = new Date(nowMs - 15 * DAY_MS).toISOString().replace(/\.\d+Z/, '+00:00');
  harness.service.library.putChapter(
    syncChapter('Gamma', '3', nowMs - HOUR_MS, { createdAt, updatedAt: createdAt }),
  );
  expect(savedIn((await harness.sync()).lines)).toEqual([chapterId('Gamma', '3')]);
});

test('a chapter of another group is downloaded when the wait for the preferred one ends', async () => {
  await start();
  harness.write('follows: true\n', ', group: [Preferred], wait-for-group: 2d');
  await harness.sync();
  harness.clock.advance(2 * DAY_MS);
  harness.service.library.putChapter(
    syncChapter('Alpha', '3', harness.clock.wallMs() - HOUR_MS, { group: 'Other' }),
  );
  expect(savedIn((await harness.sync()).lines)).toEqual([]);
  harness.clock.advance(2 * DAY_MS);
  expect(savedIn((await harness.sync()).lines)).toEqual([chapterId('Alpha', '3', 'Other')]);
});

test('a title followed since the last run is downloaded, and one that is no longer followed gets no new chapters', async () => {
  await start();
  harness.write('follows: true\n');
  await harness.sync();
  const { library } = harness.service;
  library.follow(titleId('Delta'));
  library.unfollow(titleId('Alpha'));
  harness.clock.advance(2 * DAY_MS);
  for (const name of ['Alpha', 'Delta'])
    library.putChapter(syncChapter(name, '3', harness.clock.wallMs() - HOUR_MS));
  const { lines } = await harness.sync();
  expect(lines.at(-1)).toMatchObject({ saved: 3, titles: 3 });
  expect(savedIn(lines)).not.toContain(chapterId('Alpha', '3'));
});

test('--from-now leaves out the older chapters also of titles that are followed later', async () => {
  await start();
  harness.write('follows: true\n');
  expect(savedIn((await harness.sync({ fromNow: true })).lines)).toEqual([]);
  harness.service.library.follow(titleId('Delta'));
  harness.clock.advance(2 * DAY_MS);
  const readableMs = harness.clock.wallMs() - HOUR_MS;
  harness.service.library.putChapter(syncChapter('Delta', '3', readableMs));
  expect(savedIn((await harness.sync()).lines)).toEqual([chapterId('Delta', '3')]);
});

test('without a login, nothing is downloaded, and the exit code says so', async () => {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - DAY_MS, FOLLOWED));
  harness.write('follows: true\n');
  const { code, lines } = await harness.sync();
  expect(code).toBe(4);
  expect(lines.at(-1)).toMatchObject({ saved: 0, failed: 1 });
});

test('sync import follows adds the titles with these statuses, with their names', async () => {
  await start();
  harness.write('# mine\n');
  const { syncImport } = await import('../../../src/cli/commands/sync-import.js');
  const run = (...status: readonly ('reading' | 'completed')[]) =>
    harness.base.command(
      (context) =>
        syncImport(
          'follows',
          { file: harness.file, ...(status.length > 0 && { status }) },
          context,
        ),
      { clock: harness.clock },
    );
  expect((await run('reading')).stderr).toContain('1 title added');
  expect((await run()).stderr).toContain('2 titles added');
  const text = readFileSync(harness.file, 'utf8');
  expect(text).toContain('# mine');
  for (const name of ['Alpha', 'Beta', 'Gamma'])
    expect(text).toContain(
      `https://mangadex.org/title/${syncTitle(name).id}\n    title: ${name}\n`,
    );
});
