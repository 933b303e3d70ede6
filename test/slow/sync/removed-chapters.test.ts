/** Chapters that the owner removed after reading: reported once, apart from what is missing, and back after `sync forget`. */
import { rmSync, symlinkSync, truncateSync } from 'node:fs';
import { readSyncState } from '../../../src/sync/history.js';
import { syncFolder } from '../../../src/sync/history/history-folder.js';
import { leaveLines } from '../../support/left-sync-lines.js';
import { tankobonHere } from '../../support/in-process.js';
import { posixTest } from '../../support/platform.js';
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

let harness: SyncHarness;
beforeEach(async () => {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 90 * DAY_MS));
  harness.write(`series:\n  - { target: 'title:${titleId('Alpha')}', language: [en] }\n`);
  expect(savedIn((await harness.sync()).lines)).toHaveLength(2);
});
afterEach(() => harness.stop());

const remove = (number: string) => {
  for (const file of harness.base.archives()) if (file.includes(`Ch.00${number}`)) rmSync(file);
};
/** Four weeks with a new chapter each. Returns the warnings. */
async function fourWeeks(from: number): Promise<readonly unknown[]> {
  const warnings: unknown[] = [];
  for (let number = from; number < from + 4; number += 1) {
    harness.clock.advance(7 * DAY_MS);
    const readableMs = harness.clock.wallMs() - HOUR_MS;
    harness.service.library.putChapter(syncChapter('Alpha', String(number), readableMs));
    const { code, lines } = await harness.sync();
    expect([code, savedIn(lines)]).toEqual([0, [chapterId('Alpha', String(number))]]);
    warnings.push(...lines.filter(({ type }) => type === 'warning'));
  }
  return warnings;
}
const command = (...words: readonly string[]) =>
  tankobonHere(words, {
    env: { ...harness.service.environment, TANKOBON_HOME: `${harness.base.folder}/home` },
    clock: harness.clock,
  });

test('are reported once each, however many runs follow', async () => {
  remove('1');
  expect(await fourWeeks(3)).toMatchObject([
    { message: expect.stringContaining('Alpha: 1 chapter skipped: downloaded before') as unknown },
  ]);
  remove('2');
  remove('3');
  expect(await fourWeeks(7)).toMatchObject([
    {
      message: expect.stringContaining('Alpha: 2 chapters skipped: downloaded before') as unknown,
      hint: expect.stringContaining('To download all 3 chapters that are gone again') as unknown,
    },
  ]);
  expect(await fourWeeks(11)).toEqual([]);
});

test('that an older version reported for the title as a whole are not reported again', async () => {
  remove('1');
  const folder = await syncFolder(`${harness.base.folder}/home`, harness.file);
  const known = readSyncState(folder).titles[titleId('Alpha')];
  if (!known) throw new Error('not read');
  const state = { ...known, isRemovalReported: true };
  await leaveLines(folder, { title: titleId('Alpha'), state });
  expect(await fourWeeks(3)).toEqual([]);
  remove('2');
  expect(await fourWeeks(7)).toHaveLength(1);
});

test('are counted apart in overview and left out of its command, and sync forget brings them back', async () => {
  remove('1');
  const overview = () => command('overview', harness.base.output, '--json');
  const { code, stdout, stderr } = await overview();
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.not.stringContaining('tankobon download') as unknown,
  });
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(lines).toMatchObject([
    { have: 1, missing: [{ number: '1', reason: 'removed' }] },
    { type: 'overview-summary', have: 1, notDownloaded: 0, removed: 1 },
  ]);
  const { stdout: text } = await command('overview', harness.base.output);
  expect(text).toContain('Alpha: 1 chapter, nothing missing, 1 removed');
  expect(text).toContain('  you removed it: 1\n');

  expect((await command('sync', 'forget', 'Alpha', '--file', harness.file)).code).toBe(0);
  expect(savedIn((await harness.sync()).lines)).toEqual([chapterId('Alpha', '1')]);
  remove('1');
  expect(await fourWeeks(3)).toHaveLength(1);
});

test('a chapter whose file is damaged was not removed by its owner', async () => {
  await command('overview', harness.base.output);
  const file = harness.base.archives().find((each) => each.includes('Ch.001')) ?? '';
  truncateSync(file, 200);
  const { stdout, stderr } = await command('overview', harness.base.output);
  expect(stderr).toContain(`Cannot be read, and not counted: ${file}`);
  expect(stdout).toContain('Alpha: 1 chapter, 1 missing');
  expect(stdout).toContain('  can be downloaded: 1\n');
});

posixTest('are counted apart in overview also through a link to the folder', async () => {
  remove('1');
  const link = `${harness.base.folder}/link`;
  symlinkSync(harness.base.output, link);
  const { stdout, stderr } = await command('overview', link);
  expect(stdout).toContain('  you removed it: 1\n');
  expect(stderr).not.toContain('tankobon download');
});

test('overview says that its command for the others of the title brings them back too', async () => {
  remove('1');
  const readableMs = harness.clock.wallMs() - HOUR_MS;
  harness.service.library.putChapter(syncChapter('Alpha', '3', readableMs));
  harness.clock.advance(DAY_MS);
  const { stderr } = await command('overview', harness.base.output);
  const download = `tankobon download title:${titleId('Alpha')} --language en`;
  expect(stderr).toContain(
    `To download what is missing, and what you removed of the same titles: ${download}`,
  );
});
