/** A book that a sync could not write, or did not come to: the exit code, and that the next run binds it. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { interruptedError } from '../../../src/core/errors.js';
import { createLibrary } from '../../../src/practice-server/library/library.js';
import type { PracticeOptions } from '../../../src/practice-server/practice-options.js';
import { readSyncState } from '../../../src/sync/history.js';
import { syncFolder } from '../../../src/sync/history/history-folder.js';
import { imageDigests } from '../../support/bind-harness.js';
import {
  DAY_MS,
  syncChapter,
  SyncHarness,
  syncTitle,
  titleId,
  type SyncLine,
} from '../../support/sync-harness.js';

let harness: SyncHarness;
afterEach(() => harness.stop());

const NAMES = ['Alpha', 'Beta'];
const entry = (name: string) =>
  `  - { target: 'title:${titleId(name)}', bind: { by: volume }, language: [en] }\n`;

async function start(options: PracticeOptions = {}): Promise<void> {
  harness = await SyncHarness.start(
    (nowMs) =>
      createLibrary({
        titles: NAMES.map(syncTitle),
        chapters: NAMES.flatMap((name) =>
          ['1', '2'].map((number) =>
            syncChapter(name, number, nowMs - 9 * DAY_MS, { volume: '1' }),
          ),
        ),
      }),
    options,
  );
  harness.write(`series:\n${NAMES.map(entry).join('')}`);
}

const book = (name: string) => join(harness.base.output, name, `${name} Vol.01.cbz`);
const addChapter = (name: string, number: string) => {
  const chapter = syncChapter(name, number, harness.clock.wallMs() - 1_000, { volume: '1' });
  harness.service.library.putChapter(chapter);
};
const warnings = (lines: readonly SyncLine[]) =>
  lines.filter(({ type }) => type === 'warning').map(({ message }) => message);

/** Each has two pages. */
const chaptersIn = async (file: string) => (await imageDigests(file)).length / 2;

test('a book that fails is exit 3, and is tried again in each run until it is written', async () => {
  await start();
  await harness.sync();
  addChapter('Alpha', '3');
  // A file of another program has the name of the book.
  rmSync(book('Alpha'));
  writeFileSync(book('Alpha'), 'mine');
  for (let run = 1; run <= 2; run += 1) {
    const { code, lines } = await harness.sync();
    // Its chapters may have been in it, and are loaded once.
    const again = run === 1 ? [expect.stringContaining('are downloaded again')] : [];
    expect([code, warnings(lines)]).toEqual([3, [...again, expect.stringContaining('Not bound')]]);
  }
  rmSync(book('Alpha'));
  expect(await harness.sync()).toMatchObject({ code: 0 });
  expect(await chaptersIn(book('Alpha'))).toBe(3);
  const folder = await syncFolder(join(harness.base.folder, 'home'), harness.file);
  expect(readSyncState(folder).unbound).toEqual(new Set());
});

test('chapters that a stopped run saved and did not bind are bound later, also after a run for another title', async () => {
  const stop = new AbortController();
  let isSaving = false;
  await start({
    onRequest: ({ path }) => {
      // The covers come after the chapters are saved, and before they are bound.
      if (isSaving && path.startsWith('/cover')) stop.abort(interruptedError());
    },
  });
  await harness.sync();
  expect(await chaptersIn(book('Alpha'))).toBe(2);
  addChapter('Alpha', '3');
  isSaving = true;
  await harness.sync({ cover: true }, { signal: stop.signal });
  expect(harness.base.archives().filter((file) => file.includes(' Ch.003'))).toHaveLength(1);
  expect(await chaptersIn(book('Alpha'))).toBe(2);
  await harness.sync({ only: ['Beta'] });
  expect(await harness.sync()).toMatchObject({ code: 0 });
  expect(await chaptersIn(book('Alpha'))).toBe(3);
});
