/** What a title costs does not depend on the files of other titles: they are found by chapter, title and name. */
import { LibraryIndex } from '../../../src/library/scan.js';
import {
  chapterId,
  DAY_MS,
  HOUR_MS,
  savedIn,
  syncChapter,
  SyncHarness,
  syncLibrary,
  titleId,
} from '../../support/sync-harness.js';

const listing = Object.getOwnPropertyDescriptor(LibraryIndex.prototype, 'archives') ?? {};
let harness: SyncHarness;
afterEach(async () => {
  Object.defineProperty(LibraryIndex.prototype, 'archives', listing);
  await harness.stop();
});

test('a sync of titles with new chapters never lists the archives of all titles', async () => {
  const names = ['Alpha', 'Beta', 'Gamma'];
  harness = await SyncHarness.start((nowMs) => syncLibrary(names, nowMs - 9 * DAY_MS));
  const entries = names.map((name) => `  - target: title:${titleId(name)}\n`);
  harness.write(`series:\n${entries.join('')}`, ', bind: { by: title }');
  await harness.sync();
  for (const name of ['Alpha', 'Beta'])
    harness.service.library.putChapter(syncChapter(name, '3', harness.clock.wallMs() - HOUR_MS));
  harness.clock.advance(HOUR_MS);
  let listed = 0;
  Object.defineProperty(LibraryIndex.prototype, 'archives', {
    get() {
      listed += 1;
      return [];
    },
  });
  const { lines } = await harness.sync();
  expect(savedIn(lines)).toEqual([chapterId('Alpha', '3'), chapterId('Beta', '3')]);
  expect(listed).toBe(0);
});
