/** Chapters that MangaDex moved from one subscribed title to another one. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../support/retag-harness.js';
import { readIdentity } from '../../../src/library/file.js';
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

const moved = chapterId('Alpha', '2');
const subscription = (name: string, more = '') =>
  `  - { target: 'title:${titleId(name)}'${more} }\n`;

async function start(alpha = '', beta = ''): Promise<void> {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha', 'Beta'], nowMs - 9 * DAY_MS));
  harness.service.library.removeChapter(chapterId('Beta', '2'));
  harness.write(`series:\n${subscription('Alpha', alpha)}${subscription('Beta', beta)}`);
  expect(savedIn((await harness.sync()).lines)).toHaveLength(3);
  move();
}

/** The service moves a chapter of Alpha to Beta, where another one is uploaded. */
function move(): void {
  const { library } = harness.service;
  const found = library.chapter(moved);
  if (!found) throw new Error(moved);
  library.putChapter({ ...found, titleId: titleId('Beta') });
  upload('3');
}

function upload(number: string): void {
  harness.clock.advance(DAY_MS);
  harness.service.library.putChapter(syncChapter('Beta', number, harness.clock.wallMs() - HOUR_MS));
}

const about = (lines: readonly SyncLine[], id = moved) =>
  lines.filter(({ chapter }) => chapter === id).map(({ type }) => type);
const warnings = (lines: readonly SyncLine[]) =>
  lines.flatMap(({ type, message }) => (type === 'warning' ? [message] : []));
const file = (title: string, number: string) => `${title}/${title} Ch.00${number} [en] [Scans].cbz`;
const paths = (): readonly string[] => harness.base.archivePaths();

test('with upgrade the file goes to the folder of the other title, and the next run is silent', async () => {
  await start('', ', upgrade: true');
  const { code, lines } = await harness.sync();
  expect([code, about(lines)]).toEqual([0, ['chapter-retagged']]);
  const files = [file('Alpha', '1'), file('Beta', '1'), file('Beta', '2'), file('Beta', '3')];
  expect([...paths()].sort()).toEqual(files);
  const moved = await readIdentity(join(harness.base.output, file('Beta', '2')));
  expect(moved).toMatchObject({ titleId: titleId('Beta'), proof: 'mark' });
  upload('4');
  const second = await harness.sync();
  expect([second.code, about(second.lines), warnings(second.lines)]).toEqual([0, [], []]);
  expect(savedIn(second.lines)).toEqual([chapterId('Beta', '4')]);
});

test('without upgrade the change is reported once, and the file stays where it is', async () => {
  await start();
  const { lines } = await harness.sync();
  expect(about(lines)).toEqual(['chapter-changed']);
  expect(paths()).toContain(file('Alpha', '2'));
  expect(paths()).toContain(file('Beta', '3'));
  upload('4');
  const second = await harness.sync();
  expect([about(second.lines), warnings(second.lines)]).toEqual([[], []]);
  harness.write(`series:\n${subscription('Alpha')}${subscription('Beta', ', upgrade: true')}`);
  upload('5');
  expect(about((await harness.sync()).lines)).toEqual(['chapter-retagged']);
  expect(paths()).toContain(file('Beta', '2'));
});

test('with upgrade and a folder for each, the file goes to that of the other title', async () => {
  await start(', folder: One', ', folder: Two, upgrade: true');
  await harness.sync();
  expect(paths()).toContain('Two/Beta Ch.002 [en] [Scans].cbz');
  expect(paths()).not.toContain('One/Alpha Ch.002 [en] [Scans].cbz');
});

describe.each(['', ', upgrade: true'])('between two output folders%s', (more) => {
  const there = () => join(harness.base.folder, 'two', file('Beta', '2'));
  const sentence = () =>
    `Ch. 2 was moved from Alpha to Beta on MangaDex: it is saved for Beta too, and this file stays: ${join(harness.base.output, file('Alpha', '2'))}`;
  const startTwo = async () => {
    await start(more, `, output: two${more}`);
    const { code, lines } = await harness.sync();
    expect([code, warnings(lines)]).toEqual([0, [sentence()]]);
    expect(savedIn(lines)).toContain(moved);
  };

  test('the new place gets its own file and the old one stays, which is said once', async () => {
    await startTwo();
    expect(existsSync(there())).toBe(true);
    expect(paths()).toContain(file('Alpha', '2'));
    for (const number of ['4', '5']) {
      upload(number);
      const { lines } = await harness.sync();
      expect([about(lines), warnings(lines)]).toEqual([[], []]);
      expect(savedIn(lines)).toEqual([chapterId('Beta', number)]);
    }
  });

  test('a dry run says what would be done, and a later run does it', async () => {
    await start(more, `, output: two${more}`);
    const { lines } = await harness.sync({ dryRun: true });
    expect(about(lines)).toEqual(['planned']);
    expect(savedIn((await harness.sync()).lines)).toContain(moved);
  });

  test('a file of its own that its owner removed is not loaded again', async () => {
    await startTwo();
    rmSync(there());
    upload('4');
    const { lines } = await harness.sync();
    expect(savedIn(lines)).toEqual([chapterId('Beta', '4')]);
    expect(warnings(lines)).toEqual([expect.stringContaining('not in the folder any more')]);
  });

  test('overview counts it for the other title, and nothing as taken down', async () => {
    await startTwo();
    const folders = [harness.base.output, join(harness.base.folder, 'two')];
    const { stdout } = await runCommand(harness.base, 'overview', ...folders, '--json');
    const lines = stdout.split('\n').filter(Boolean);
    const [alpha, beta] = lines.map((line) => JSON.parse(line) as SyncLine);
    expect(alpha).toMatchObject({ name: 'Alpha', have: 1, takenDown: [], missing: [] });
    expect(beta).toMatchObject({ name: 'Beta', have: 3, takenDown: [], missing: [] });
  });
});

test('the folder of the titles that the account follows is one of the other output folders', async () => {
  harness = await SyncHarness.start((nowMs) =>
    syncLibrary(['Alpha', 'Beta'], nowMs - 9 * DAY_MS, { Alpha: 'reading' }),
  );
  await harness.login();
  harness.service.library.removeChapter(chapterId('Beta', '2'));
  harness.write(`follows: true\nseries:\n${subscription('Beta', ', output: two')}`);
  expect(savedIn((await harness.sync()).lines)).toHaveLength(3);
  move();
  expect(savedIn((await harness.sync()).lines)).toContain(moved);
  expect(existsSync(join(harness.base.folder, 'two', file('Beta', '2')))).toBe(true);
});
