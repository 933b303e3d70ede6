/** Titles that MangaDex merged into others: their subscriptions follow, with folder and history. */
import {
  DAY_MS,
  chapterId,
  HOUR_MS,
  savedIn,
  syncChapter,
  SyncHarness,
  syncLibrary,
  titleId,
  type SyncLine,
} from '../../support/sync-harness.js';

let harness: SyncHarness;
afterEach(() => harness.stop());

const start = async (subscriptions: string): Promise<void> => {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha', 'Beta'], nowMs - 9 * HOUR_MS));
  harness.write(`series:\n${subscriptions}`);
};
const subscription = (name: string, more = '') =>
  `  - { target: 'title:${titleId(name)}'${more} }\n`;

/** A chapter of the title that took the place of Alpha. */
const upload = (number: string): void => {
  harness.clock.advance(DAY_MS);
  harness.service.library.putChapter(syncChapter('Beta', number, harness.clock.wallMs() - HOUR_MS));
};

const warnings = (lines: readonly SyncLine[]) =>
  lines.flatMap(({ type, message }) => (type === 'warning' ? [message] : []));
const paths = (): readonly string[] => harness.base.archivePaths();

test('a merge is said once; nothing is downloaded twice, and new chapters go to the folder of before', async () => {
  await start(subscription('Alpha'));
  expect((await harness.sync()).code).toBe(0);
  const before = paths();
  harness.service.library.removeChapter(chapterId('Beta', '1'));
  harness.service.library.removeChapter(chapterId('Beta', '2'));
  harness.service.library.mergeTitle(titleId('Alpha'), titleId('Beta'));
  upload('3');
  const first = await harness.sync();
  expect(first.code).toBe(0);
  const message = `Alpha (title:${titleId('Alpha')}) was merged into Beta (title:${titleId('Beta')}), which takes its place.`;
  expect(warnings(first.lines)).toEqual([message]);
  expect(savedIn(first.lines)).toEqual([chapterId('Beta', '3')]);
  expect(paths()).toEqual([...before, 'Alpha/Alpha Ch.003 [en] [Scans].cbz']);
  upload('4');
  harness.catalogueRequests();
  const second = await harness.sync();
  expect([second.code, warnings(second.lines)]).toEqual([0, []]);
  expect(savedIn(second.lines)).toEqual([chapterId('Beta', '4')]);
  expect(harness.catalogueRequests()).toEqual(['/manga', `/manga/${titleId('Beta')}/feed`]);
});

test('a merge of two subscribed titles leaves the subscription of the one that stays', async () => {
  await start(subscription('Alpha', ', folder: One') + subscription('Beta', ', folder: Two'));
  await harness.sync();
  harness.service.library.mergeTitle(titleId('Alpha'), titleId('Beta'));
  upload('3');
  const { code, lines } = await harness.sync();
  expect([code, lines.at(-1)]).toEqual([0, expect.objectContaining({ titles: 1, saved: 1 })]);
  expect(paths()).toContain('Two/Beta Ch.003 [en] [Scans].cbz');
});

test('a title that is gone is still a failure', async () => {
  await start(subscription('Alpha'));
  await harness.sync();
  harness.service.library.mergeTitle(titleId('Alpha'), titleId('Gone'));
  const { code, lines } = await harness.sync();
  expect(code).toBe(3);
  expect(lines).toContainEqual(expect.objectContaining({ type: 'target-failed' }));
});

test.each([['Alpha'], ['Alpha', 'Gone']])('download of %s follows a merge', async (...names) => {
  await start(subscription('Alpha'));
  harness.service.library.mergeTitle(titleId('Alpha'), titleId('Beta'));
  const targets = names.map((name) => `title:${titleId(name)}`);
  const { code, events } = await harness.base.download({ targets, language: 'en' });
  expect(code).toBe(names.length === 1 ? 0 : 3);
  const saved = events.filter(({ type }) => type === 'chapter-saved');
  expect(saved).toHaveLength(2);
  const said = events.filter(
    (event) => event.type === 'warning' && event.message.includes('was merged'),
  );
  expect(said).toHaveLength(1);
});
