/** Subscriptions to a group and to an author: their titles are found by one request for each hundred. */
import {
  createLibrary,
  uuidOf,
  type LibraryTitle,
} from '../../../src/practice-server/library/library.js';
import {
  chapterId,
  DAY_MS,
  HOUR_MS,
  savedIn,
  syncChapter,
  SyncHarness,
  syncTitle,
  titleId,
} from '../../support/sync-harness.js';

const WANTED = uuidOf('sync group', 'Wanted');
const AUTHOR = { id: uuidOf('person'), name: 'Aoi' };
const UNKNOWN = '00000000-6a0b-4e7e-9b1d-0a4c5e2f7101';

const byAuthor = (name: string): LibraryTitle => ({ ...syncTitle(name), artists: [AUTHOR] });

let harness: SyncHarness;
beforeEach(async () => {
  harness = await SyncHarness.start((nowMs) =>
    createLibrary({
      titles: [syncTitle('Alpha'), byAuthor('Beta'), syncTitle('Gamma')],
      chapters: [
        syncChapter('Alpha', '1', nowMs - 9 * DAY_MS, { group: 'Wanted' }),
        syncChapter('Alpha', '1', nowMs - 8 * DAY_MS, { group: 'Other' }),
        syncChapter('Alpha', '2', nowMs - 7 * DAY_MS, { group: 'Other' }),
        syncChapter('Beta', '1', nowMs - 7 * DAY_MS),
        syncChapter('Gamma', '1', nowMs - 7 * DAY_MS),
      ],
    }),
  );
});
afterEach(async () => {
  expect(harness.service.violations()).toEqual([]);
  await harness.stop();
});

const put = (name: string, number: string, group: string) => {
  const readableMs = harness.clock.wallMs() - HOUR_MS;
  harness.service.library.putChapter(syncChapter(name, number, readableMs, { group }));
};

test('a group: its releases of all its titles, also of later ones, and no release of others', async () => {
  harness.write(`series: [{ target: 'group:${WANTED}' }]\n`);
  const first = await harness.sync();
  expect(savedIn(first.lines)).toEqual([chapterId('Alpha', '1', 'Wanted')]);
  expect(harness.catalogueRequests()).toEqual(['/manga', `/manga/${titleId('Alpha')}/feed`]);

  harness.clock.advance(DAY_MS);
  put('Alpha', '3', 'Other');
  put('Gamma', '2', 'Wanted');
  const second = await harness.sync();
  expect(second.code).toBe(0);
  expect(savedIn(second.lines)).toEqual([chapterId('Gamma', '2', 'Wanted')]);
});

test("an author: all titles; a title's own entry takes precedence", async () => {
  harness.write(
    `series:\n  - { target: 'author:${AUTHOR.id}', chapters: 2- }\n  - { target: 'title:${titleId('Gamma')}' }\n`,
  );
  expect(savedIn((await harness.sync()).lines)).toEqual([chapterId('Gamma', '1')]);
  harness.clock.advance(DAY_MS);
  put('Beta', '2', 'Scans');
  expect(savedIn((await harness.sync()).lines)).toEqual([chapterId('Beta', '2')]);
});

test('an unknown group fails alone', async () => {
  harness.write(
    `series:\n  - { target: 'group:${UNKNOWN}' }\n  - { target: 'title:${titleId('Gamma')}' }\n`,
  );
  const { code, lines } = await harness.sync();
  expect(code).toBe(3);
  expect(savedIn(lines)).toEqual([chapterId('Gamma', '1')]);
  expect(lines.filter(({ type }) => type === 'target-failed')).toMatchObject([
    { target: `group:${UNKNOWN}` },
  ]);
});
