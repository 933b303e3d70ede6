/** `retag` while a sync saves chapters of the same title: each chapter stays one file, and each volume one book. */
import { relative } from 'node:path';
import {
  createLibrary,
  editChapter,
  editTitle,
} from '../../../src/practice-server/library/library.js';
import { imageDigests } from '../../support/bind-harness.js';
import { runCommand } from '../../support/retag-harness.js';
import {
  chapterId,
  DAY_MS,
  syncChapter,
  SyncHarness,
  syncTitle,
  titleId,
} from '../../support/sync-harness.js';

type Retag = Awaited<ReturnType<typeof runCommand>>;

let harness: SyncHarness;
let retagging: Promise<Retag> | undefined;
/** The words of the retag that runs once the pages of a chapter are requested. */
let retagWords: readonly string[] | undefined;
beforeEach(async () => {
  retagging = undefined;
  retagWords = undefined;
  harness = await SyncHarness.start(
    (nowMs) =>
      createLibrary({
        titles: [syncTitle('Old')],
        chapters: ['1', '2'].map((number) =>
          syncChapter('Old', number, nowMs - 9 * DAY_MS, { volume: '1', group: 'Other' }),
        ),
      }),
    {
      latencyMs: { node: 30_000 },
      onRequest: ({ path }) => {
        if (!retagWords || retagging || !path.startsWith('/at-home/server/')) return;
        retagging = runCommand(harness.base, 'retag', harness.base.output, ...retagWords);
      },
    },
  );
});
afterEach(() => harness.stop());

const LATER = '2030-01-01T00:00:00+00:00';
const paths = () =>
  harness.base
    .files()
    .map((file) => relative(harness.base.output, file))
    .sort();
const write = (options: string) => {
  harness.write(`series:\n  - { target: 'title:${titleId('Old')}', language: [en], ${options} }\n`);
};
const putChapter = (number: string, group: string) => {
  const readableMs = harness.clock.wallMs() - DAY_MS;
  const chapter = syncChapter('Old', number, readableMs, { volume: '1', group });
  harness.service.library.putChapter(chapter);
};

test('a file that retag would rename is replaced by the better release, and the chapter stays one file', async () => {
  write('group: [Preferred], upgrade: true');
  expect(await harness.sync()).toMatchObject({ code: 0 });
  putChapter('1', 'Preferred');
  const { library } = harness.service;
  const other = library.chapter(chapterId('Old', '1', 'Other'));
  if (!other) throw new Error('no chapter');
  library.putChapter(editChapter(other, LATER, { title: 'Salt' }));
  retagWords = [];
  expect(await harness.sync()).toMatchObject({ code: 0 });
  expect(await retagging).toMatchObject({ code: 0 });
  expect(paths().filter((path) => !path.startsWith('.tankobon-replaced/'))).toEqual([
    'Old/Old Ch.001 Vol.01 [Preferred].cbz',
    'Old/Old Ch.002 Vol.01 [Other].cbz',
  ]);
});

test('a title that is renamed has all its chapters in the new folder, and one book', async () => {
  write('bind: { by: volume }');
  expect(await harness.sync()).toMatchObject({ code: 0 });
  putChapter('3', 'Other');
  const { library } = harness.service;
  library.putTitle(editTitle(syncTitle('Old'), LATER, { title: { en: 'New' } }));
  retagWords = ['--rename-titles'];
  expect(await harness.sync()).toMatchObject({ code: 0 });
  const retagged = await retagging;
  expect(retagged).toMatchObject({ code: 0 });
  expect(paths()).toEqual([
    'New/New Ch.001 Vol.01 [Other].cbz',
    'New/New Ch.002 Vol.01 [Other].cbz',
    'New/New Ch.003 Vol.01 [Other].cbz',
    'New/New Vol.01.cbz',
  ]);
  expect(retagged?.stderr).toContain('Waiting for another tankobon');
  expect(await imageDigests(`${harness.base.output}/New/New Vol.01.cbz`)).toHaveLength(6);
});
