/** The titles that the account follows: few requests, never one for each title. */
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
const FEED = '/user/follows/manga/feed';

let harness: SyncHarness;
afterEach(() => harness.stop());

async function start(): Promise<void> {
  harness = await SyncHarness.start((nowMs) =>
    syncLibrary(['Alpha', 'Beta', 'Gamma', 'Delta'], nowMs - 9 * DAY_MS, FOLLOWED),
  );
  await harness.login();
  harness.catalogueRequests();
}

test('two runs with a release between them: the feed, the statuses, and the share of single titles', async () => {
  await start();
  harness.write('follows: { status: [reading, re_reading] }\n');
  const first = await harness.sync();
  expect(first.code).toBe(0);
  expect(first.lines.at(-1)).toMatchObject({ saved: 4, titles: 2 });
  expect([...harness.catalogueRequests()].sort()).toEqual(['/manga', '/manga/status', FEED]);

  expect((await harness.sync()).lines).toMatchObject([{ type: 'summary', saved: 0 }]);
  const ownFeed = expect.stringMatching(/^\/manga\/[^/]+\/feed$/) as unknown;
  const share = ['/manga', ownFeed, '/manga/status', FEED];
  expect([...harness.catalogueRequests()].sort()).toEqual(share);

  harness.clock.advance(3 * DAY_MS);
  const readableMs = harness.clock.wallMs() - HOUR_MS;
  for (const name of ['Alpha', 'Gamma', 'Delta'])
    harness.service.library.putChapter(syncChapter(name, '3', readableMs));
  expect(savedIn((await harness.sync()).lines)).toEqual([chapterId('Alpha', '3')]);
  expect([...harness.catalogueRequests()].sort()).toEqual(share);
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

test('waiting for a group needs no request: the releases of earlier runs are remembered', async () => {
  await start();
  harness.write('follows: true\n', ', group: [Preferred], wait-for-group: 2d');
  await harness.sync();
  harness.clock.advance(2 * DAY_MS);
  harness.service.library.putChapter(
    syncChapter('Alpha', '3', harness.clock.wallMs() - HOUR_MS, { group: 'Other' }),
  );
  expect(savedIn((await harness.sync()).lines)).toEqual([]);
  harness.catalogueRequests();
  harness.clock.advance(2 * DAY_MS);
  expect(savedIn((await harness.sync()).lines)).toEqual([chapterId('Alpha', '3', 'Other')]);
  expect(harness.catalogueRequests()).not.toContain(`/manga/${titleId('Alpha')}/feed`);
});

test('a title followed since the last run is read completely, once', async () => {
  await start();
  harness.write('follows: true\n');
  await harness.sync();
  const { library } = harness.service;
  library.follow(titleId('Delta'));
  harness.clock.advance(2 * DAY_MS);
  library.putChapter(syncChapter('Delta', '3', harness.clock.wallMs() - HOUR_MS));
  expect((await harness.sync()).lines.at(-1)).toMatchObject({ saved: 3, titles: 4 });
  harness.catalogueRequests();
  await harness.sync();
  expect(harness.catalogueRequests()).not.toContain(`/manga/${titleId('Delta')}/feed`);
});

test('without a login, nothing is downloaded, and the exit code says so', async () => {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - DAY_MS, FOLLOWED));
  harness.write('follows: true\n');
  const { code, lines } = await harness.sync();
  expect(code).toBe(4);
  expect(lines.at(-1)).toMatchObject({ saved: 0, stopped: 'not-logged-in' });
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
