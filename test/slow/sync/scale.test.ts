/** The number of requests of a run with nothing new, and how long a title waits until it is read again. */
import { IS_LONG_RUN } from '../../support/long-run.js';
import { readWithinWeek, subscribeMany } from '../../support/many-titles.js';
import { DAY_MS, type SyncHarness } from '../../support/sync-harness.js';

let harness: SyncHarness;
afterEach(() => harness.stop());

test('a run with nothing new asks for a hundred titles in each request, and reads its share of the feeds', async () => {
  // One more than a request asks for.
  harness = await subscribeMany(101);
  expect((await harness.sync()).code).toBe(0);
  harness.catalogueRequests();
  expect((await harness.sync()).lines.at(-1)).toMatchObject({ titles: 101, saved: 0 });
  const [first, second, ...others] = harness.catalogueRequests();
  expect([first, second]).toEqual(['/manga', '/manga']);
  // Hardly any time has passed.
  expect(others.length).toBeLessThanOrEqual(1);
  harness.clock.advance(2 * DAY_MS);
  await harness.sync();
  expect([29, 30]).toContain(harness.catalogueRequests().length - 2);
});

test('a sync reads each title within a week, and no more than two shares in a run', async () => {
  const titles = IS_LONG_RUN ? 120 : 14;
  harness = await subscribeMany(titles);
  await readWithinWeek(harness, titles, DAY_MS);
});
