/** Chapters that were taken down, in runs of `tankobon sync`: said once, never failed, and their files stay. */
import { readFileSync } from 'node:fs';
import {
  chapterId,
  DAY_MS,
  HOUR_MS,
  savedIn,
  syncChapter,
  SyncHarness,
  syncLibrary,
  titleId,
  type SyncLine,
} from '../../support/sync-harness.js';
import { restoreChapter, takeDownChapter } from '../../../src/practice-server/library/library.js';

const ALPHA = `series:\n  - target: title:${titleId('Alpha')}\n`;
const skippedIn = (lines: readonly SyncLine[]) =>
  lines.flatMap(({ type, chapter, reason }) =>
    type === 'chapter-skipped' ? [[chapter, reason]] : [],
  );

let harness: SyncHarness;
afterEach(() => harness.stop());

const one = chapterId('Alpha', '1');
const ofAlpha = (number: string) => {
  const found = harness.service.library.chapter(chapterId('Alpha', number));
  if (!found) throw new Error(number);
  return found;
};
/** A new chapter makes the title due. */
const upload = (number: string): void => {
  harness.clock.advance(DAY_MS);
  harness.service.library.putChapter(
    syncChapter('Alpha', number, harness.clock.wallMs() - HOUR_MS),
  );
};

test('of a followed title, a chapter that was taken down is said once, with its number, and its file stays', async () => {
  harness = await SyncHarness.start((nowMs) =>
    syncLibrary(['Alpha'], nowMs - HOUR_MS * 3, { Alpha: 'reading' }),
  );
  await harness.login();
  harness.write('follows: true\n');
  await harness.sync();
  const [file = ''] = harness.base.archives();
  const before = readFileSync(file);
  harness.service.library.putChapter(takeDownChapter(ofAlpha('1')));
  upload('3');
  const first = await harness.sync();
  expect(first.code).toBe(0);
  expect(savedIn(first.lines)).toEqual([chapterId('Alpha', '3')]);
  expect(first.lines).toContainEqual({
    type: 'chapter-skipped',
    chapter: one,
    reason: 'chapter-unavailable',
    series: 'Alpha',
    number: '1',
    group: 'Scans',
    language: 'en',
  });
  upload('4');
  const second = await harness.sync();
  expect(savedIn(second.lines)).toEqual([chapterId('Alpha', '4')]);
  expect(skippedIn(second.lines)).toEqual([]);
  expect(readFileSync(file)).toEqual(before);
});

test('a chapter that was taken down before it was downloaded is said once, and downloaded when it is restored', async () => {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * DAY_MS));
  harness.write(ALPHA);
  harness.service.library.putChapter(takeDownChapter(ofAlpha('1')));
  const { code, lines } = await harness.sync();
  expect(code).toBe(0);
  expect(savedIn(lines)).toEqual([chapterId('Alpha', '2')]);
  expect(skippedIn(lines)).toEqual([[one, 'chapter-unavailable']]);
  expect(harness.service.log.map(({ path }) => path)).not.toContain(`/at-home/server/${one}`);
  upload('3');
  expect(skippedIn((await harness.sync()).lines)).toEqual([]);
  harness.service.library.putChapter(restoreChapter(ofAlpha('1')));
  upload('4');
  const restored = await harness.sync();
  expect(savedIn(restored.lines)).toEqual([one, chapterId('Alpha', '4')]);
  harness.service.library.putChapter(takeDownChapter(ofAlpha('1')));
  upload('5');
  expect(skippedIn((await harness.sync()).lines)).toEqual([[one, 'chapter-unavailable']]);
});

test('with --from-now, chapters that were taken down before are not listed', async () => {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * DAY_MS));
  harness.write(ALPHA);
  harness.service.library.putChapter(takeDownChapter(ofAlpha('1')));
  expect(skippedIn((await harness.sync({ fromNow: true })).lines)).toEqual([]);
});

test('people read the number, and the address at the publisher, once', async () => {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * DAY_MS));
  harness.write(ALPHA);
  harness.service.library.putChapter(takeDownChapter(ofAlpha('1')));
  const official = { group: 'Official', externalUrl: 'https://publisher.example/3' };
  const readableMs = harness.clock.wallMs() - HOUR_MS;
  harness.service.library.putChapter(syncChapter('Alpha', '3', readableMs, official, 0));
  const run = () =>
    harness.base.command(async (context) => {
      const { sync } = await import('../../../src/cli/commands/sync.js');
      return sync({ file: harness.file }, { ...context, clock: harness.clock });
    });
  const said = [
    "skipped: Alpha [Official] (en): Ch. 3 is only on the publisher's site: https://publisher.example/3",
    'skipped: Alpha Ch. 1 [Scans] (en): taken down, or without pages',
  ];
  const { code, stderr } = await run();
  expect(code).toBe(0);
  expect(stderr.split('\n').filter((line) => line.startsWith('skipped: '))).toEqual(said);
  upload('4');
  const next = await run();
  expect(next.stderr.split('\n').filter((line) => line.startsWith('skipped: '))).toEqual([]);
  expect(next.stdout).toContain('Ch.004');
});

test('the events of waiting and planned chapters name title, group and language', async () => {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - HOUR_MS * 3));
  harness.write(ALPHA.replace('\n  -', '\n  - group: [Others]\n    wait-for-group: 9d\n   '));
  const waiting = await harness.sync();
  harness.write(ALPHA);
  const planned = await harness.sync({ dryRun: true });
  const fields = { series: 'Alpha', number: '1', group: 'Scans', language: 'en', chapter: one };
  expect(waiting.lines).toContainEqual(
    expect.objectContaining({ type: 'chapter-waiting', ...fields }),
  );
  expect(planned.lines).toContainEqual(expect.objectContaining({ type: 'planned', ...fields }));
});
