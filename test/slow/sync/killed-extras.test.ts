/** Runs that are killed after they saved chapters, and before what comes then: the next run of the same command does it. */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLibrary } from '../../../src/practice-server/library/library.js';
import { drawnCover } from '../../../src/practice-server/library/story-pages.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { start, tankobon } from '../../support/command.js';
import { DAY_MS, syncChapter, syncTitle, titleId } from '../../support/sync-harness.js';

const ID = titleId('Tea');
let folder: string;
let service: PracticeService;
/** Killed once it asks for covers, which is after it saved the chapters. */
let victim: ChildProcess | undefined;
beforeEach(async () => {
  victim = undefined;
  folder = mkdtempSync(join(tmpdir(), 'tankobon-killed-extras-'));
  const readableMs = Date.now() - 9 * DAY_MS;
  const chapters = ['1', '2'].map((number) =>
    syncChapter('Tea', number, readableMs, { volume: '1' }),
  );
  const covers = [drawnCover(ID, '1', 'stairs-cover')];
  service = await startPracticeService({
    library: createLibrary({ titles: [{ ...syncTitle('Tea'), covers }], chapters }),
    onRequest: ({ path }) => {
      if (path === '/cover') victim?.kill('SIGKILL');
    },
  });
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const file = () => join(folder, 'subscriptions.yaml');
const output = () => join(folder, 'comics');

test.each([
  [
    'download',
    () => ['download', `title:${ID}`, '-o', output(), '--bind', 'volume', '--keep-chapters'],
  ],
  ['sync', () => ['sync', '--file', file()]],
])('%s', async (_, command) => {
  const series = `series:\n  - { target: 'title:${ID}', language: [en], bind: { by: volume } }\n`;
  writeFileSync(file(), `defaults: { output: ${output()} }\n${series}`);
  const words = [...command(), '--cover', 'all', '--series-metadata'];
  const env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
  const { child, finished } = start(words, { env });
  victim = child;
  expect(await finished).toMatchObject({ signal: 'SIGKILL' });
  victim = undefined;
  const names = () => readdirSync(join(output(), 'Tea')).sort();
  expect(names().filter((name) => !name.startsWith('.'))).toEqual([
    'Tea Ch.001 Vol.01 [Scans].cbz',
    'Tea Ch.002 Vol.01 [Scans].cbz',
  ]);
  expect(await tankobon(words, { env })).toMatchObject({ code: 0 });
  expect(names()).toEqual([
    'Tea Ch.001 Vol.01 [Scans].cbz',
    'Tea Ch.002 Vol.01 [Scans].cbz',
    'Tea Vol.01.cbz',
    'cover Vol.01.png',
    'cover.png',
    'details.json',
    'series.json',
  ]);
  expect(service.violations()).toEqual([]);
});
