/** The number of requests of a run with nothing new. */
import { createLibrary } from '../../../src/practice-server/library/library.js';
import { DAY_MS, SyncHarness, syncTitle, titleId } from '../../support/sync-harness.js';

/** One more than a request asks for. */
const TITLES = 101;
const names = Array.from({ length: TITLES }, (_, index) => `Title ${index}`);

let harness: SyncHarness;
afterEach(() => harness.stop());

test('a run with nothing new asks for a hundred titles in each request, and reads three old feeds', async () => {
  harness = await SyncHarness.start(() =>
    createLibrary({ titles: names.map(syncTitle), chapters: [], lists: [] }),
  );
  harness.write(`series:\n${names.map((name) => `  - target: title:${titleId(name)}\n`).join('')}`);
  expect((await harness.sync()).code).toBe(0);
  harness.catalogueRequests();
  expect((await harness.sync()).lines.at(-1)).toMatchObject({ titles: TITLES, saved: 0 });
  expect(harness.catalogueRequests()).toEqual(['/manga', '/manga']);
  harness.clock.advance(8 * DAY_MS);
  await harness.sync();
  expect(harness.catalogueRequests()).toHaveLength(2 + 3);
});
