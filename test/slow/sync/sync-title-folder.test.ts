/** Runs of `tankobon sync` over time: each title keeps its folder, and its books are there too. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { editChapter, editTitle } from '../../../src/practice-server/library/library.js';
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

let harness: SyncHarness;
afterEach(() => harness.stop());

const entry = (name: string, keys = '') =>
  `  - { target: 'title:${titleId(name)}', language: [en]${keys} }\n`;

const write = (...entries: readonly string[]): void => {
  harness.write(`series:\n${entries.join('')}`);
};

async function start(names: readonly string[], ...entries: readonly string[]): Promise<void> {
  harness = await SyncHarness.start((nowMs) => syncLibrary(names, nowMs - 9 * HOUR_MS));
  write(...entries);
  expect((await harness.sync()).code).toBe(0);
}

const paths = (): readonly string[] => harness.base.archivePaths();
const folders = () => [...new Set(paths().map((path) => dirname(path)))];

function rename(name: string, newName: string): void {
  const { library } = harness.service;
  const title = library.title(titleId(name));
  if (title)
    library.putTitle(editTitle(title, '2026-01-01T00:00:00+00:00', { title: { en: newName } }));
}

/** Syncs a new chapter of the title. */
async function syncNew(name: string, number: string, volume: string | null = null): Promise<void> {
  harness.clock.advance(DAY_MS);
  const readableMs = harness.clock.wallMs() - HOUR_MS;
  harness.service.library.putChapter(syncChapter(name, number, readableMs, { volume }));
  const { code, lines } = await harness.sync();
  expect([code, savedIn(lines)]).toEqual([0, [chapterId(name, number)]]);
}

const move = (from: string, to: string): void => {
  mkdirSync(dirname(join(harness.base.output, to)), { recursive: true });
  renameSync(join(harness.base.output, from), join(harness.base.output, to));
};

test('a changed folder and a changed template apply to new chapters, with the name of before', async () => {
  await start(['Alpha', 'Beta'], entry('Alpha', ', folder: One'), entry('Beta', ', folder: Two'));
  expect(folders()).toEqual(['One', 'Two']);
  rename('Alpha', 'Aleph');
  await syncNew('Alpha', '3');
  expect(paths()).toContain('One/Alpha Ch.003 [Scans].cbz');
  move('One', 'Uno');
  await syncNew('Alpha', '4');
  expect(paths()).toContain('Uno/Alpha Ch.004 [Scans].cbz');
  write(entry('Alpha', ', folder: Three'), entry('Beta', ', folder: Two'));
  await syncNew('Alpha', '5');
  expect(paths()).toContain('Three/Alpha Ch.005 [Scans].cbz');
  write(entry('Alpha', ', name: "{series} {chapter}"'), entry('Beta'));
  await syncNew('Alpha', '6');
  expect(paths()).toContain('Alpha 6.cbz');
});

test('a chapter that is downloaded by hand goes to the folder of the subscription, unless a name is given', async () => {
  await start(['Alpha'], entry('Alpha', ', folder: One'));
  rename('Alpha', 'Aleph');
  for (const number of ['3', '4'])
    harness.service.library.putChapter(
      syncChapter('Alpha', number, harness.clock.wallMs() - HOUR_MS),
    );
  await harness.base.download({ targets: [chapterId('Alpha', '3')] });
  expect(paths()).toContain('One/Alpha Ch.003 [Scans].cbz');
  await harness.base.download({ targets: [chapterId('Alpha', '4')], name: '{series}/{chapter}' });
  expect(paths()).toContain('Alpha/4.cbz');
});

test('and the folder of the subscription stays where it was moved, also after that', async () => {
  await start(['Alpha'], entry('Alpha', ', folder: One'));
  move('One', 'Uno');
  const third = syncChapter('Alpha', '3', harness.clock.wallMs() - HOUR_MS);
  harness.service.library.putChapter(third);
  await harness.base.download({ targets: [third.id] });
  await syncNew('Alpha', '4');
  expect(folders()).toEqual(['Uno']);
});

test('files that were moved out of the output folder are not loaded again, and the title starts anew', async () => {
  await start(['Alpha'], entry('Alpha'));
  renameSync(join(harness.base.output, 'Alpha'), join(harness.base.folder, 'elsewhere'));
  writeFileSync(join(harness.base.output, 'other'), '');
  rename('Alpha', 'Aleph');
  await syncNew('Alpha', '3');
  expect(paths()).toEqual(['Aleph/Aleph Ch.003 [Scans].cbz']);
});

test('a title in another output folder has its own folder there', async () => {
  await start(['Alpha'], entry('Alpha'));
  rename('Alpha', 'Aleph');
  const other = join(harness.base.folder, 'other');
  write(entry('Alpha', `, output: ${other}`));
  harness.clock.advance(DAY_MS);
  harness.service.library.putChapter(syncChapter('Alpha', '3', harness.clock.wallMs() - HOUR_MS));
  const { lines } = await harness.sync();
  const saved = lines.find(({ type }) => type === 'chapter-saved');
  expect(saved).toMatchObject({ file: join(other, 'Aleph/Aleph Ch.003 [Scans].cbz') });
});

test('books of a renamed title are in the folder of its chapters, under the name of before', async () => {
  await start(['Alpha'], entry('Alpha', ', bind: { by: volume }'));
  await syncNew('Alpha', '3', '1');
  expect(paths()).toContain('Alpha/Alpha Vol.01.cbz');
  rename('Alpha', 'Aleph');
  move('Alpha', 'Finished/A');
  await syncNew('Alpha', '4', '1');
  await syncNew('Alpha', '5', '2');
  expect(folders()).toEqual(['Finished/A']);
  expect(paths().filter((path) => !path.includes('Ch.'))).toEqual([
    'Finished/A/Alpha Vol.01.cbz',
    'Finished/A/Alpha Vol.02.cbz',
  ]);
});

test('two titles of one name are named as their folders are, in events, reports and the state', async () => {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha', 'Beta'], nowMs - 9 * HOUR_MS));
  rename('Beta', 'Alpha');
  write(entry('Alpha'), entry('Beta'));
  const other = `Alpha (${titleId('Beta').slice(0, 8)})`;
  const namesIn = (lines: readonly SyncLine[]) =>
    lines.flatMap(({ type, name }) => (type === 'series-synced' ? [name] : []));
  const seriesIn = (lines: readonly SyncLine[]) =>
    lines.flatMap(({ type, series }) => (type === 'chapter-saved' ? [series] : []));
  const first = await harness.sync();
  expect([...folders()].sort()).toEqual(['Alpha', other]);
  expect(namesIn(first.lines)).toEqual(['Alpha', other]);
  expect(new Set(seriesIn(first.lines))).toEqual(new Set(['Alpha', other]));
  harness.clock.advance(DAY_MS);
  const readableMs = harness.clock.wallMs() - HOUR_MS;
  for (const name of ['Alpha', 'Beta'])
    harness.service.library.putChapter(syncChapter(name, '3', readableMs));
  // The order in the file does not matter any more.
  write(entry('Beta'), entry('Alpha'));
  const second = await harness.sync();
  expect([namesIn(second.lines), seriesIn(second.lines)]).toEqual([
    [other, 'Alpha'],
    [other, 'Alpha'],
  ]);
  expect(paths()).toHaveLength(6);
  expect([...folders()].sort()).toEqual(['Alpha', other]);
  expect(savedIn((await harness.sync({ only: other, redownload: true })).lines)).toEqual([]);
});

test('upgrade: a corrected language and day reach the names, in a folder of its own and after it was moved', async () => {
  const keys = ', folder: One, name: "{language}/{chapter} {date}", upgrade: true';
  await start(
    ['Alpha'],
    `  - { target: 'title:${titleId('Alpha')}', language: [en, fr]${keys} }\n`,
  );
  const [first = '', second = ''] = paths();
  expect(first).toMatch(/^One\/en\/1 \d{4}-\d\d-\d\d\.cbz$/);
  const correct = async (number: string, attributes: Parameters<typeof editChapter>[2]) => {
    harness.clock.advance(DAY_MS);
    const { library } = harness.service;
    const found = library.chapter(chapterId('Alpha', number));
    const at = new Date(harness.clock.wallMs() - HOUR_MS).toISOString().replace('.000Z', '+00:00');
    if (found) library.putChapter(editChapter(found, at, attributes));
    expect((await harness.sync()).code).toBe(0);
  };
  await correct('1', { translatedLanguage: 'fr' });
  await syncNew('Alpha', '3');
  const third = paths().find((path) => path.startsWith('One/en/3')) ?? '';
  const french = (path: string) => path.replace('/en/', '/fr/');
  expect(paths()).toEqual([second, third, french(first)]);
  move(second, 'One/en/second.cbz');
  move('One', 'Mine');
  await correct('2', { translatedLanguage: 'fr' });
  await correct('3', { readableAt: '2020-01-05T12:00:00+00:00' });
  await syncNew('Alpha', '4');
  const fourth = paths().find((path) => path.includes('/4 ')) ?? '';
  expect(paths()).toEqual(
    [
      'Mine/en/3 2020-01-05.cbz',
      fourth,
      'Mine/en/second.cbz',
      french(first).replace('One', 'Mine'),
    ].sort(),
  );
  expect(fourth).toMatch(/^Mine\/en\//);
});
