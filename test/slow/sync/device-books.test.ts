/** The keys `for` and `device-output`: books on an e-reader follow the subscription while it is plugged in. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readLibraryFile } from '../../../src/library/file.js';
import { editChapter } from '../../../src/practice-server/library/changes.js';
import { createLibrary } from '../../../src/practice-server/library/library.js';
import { SyncLibraries } from '../../../src/sync/sync-libraries.js';
import { editEntry } from '../../support/owner-edits.js';
import {
  chapterId,
  DAY_MS,
  HOUR_MS,
  savedIn,
  syncChapter,
  SyncHarness,
  syncTitle,
  titleId,
} from '../../support/sync-harness.js';

const TEA = titleId('Tea');
const id = (number: string) => chapterId('Tea', number);
const NEW = 'Tea/Tea (no volume yet).kepub.epub';
const FIRST = 'Tea/Tea Vol.01.kepub.epub';
const SECOND = 'Tea/Tea Vol.02.kepub.epub';

let harness: SyncHarness;
beforeEach(async () => {
  harness = await SyncHarness.start((nowMs) =>
    createLibrary({
      titles: [syncTitle('Tea')],
      chapters: ['1', '2', '3', '4'].map((number) =>
        syncChapter('Tea', number, nowMs - 9 * DAY_MS, { volume: number < '3' ? '1' : null }, 1),
      ),
    }),
  );
  entry('bind: { by: volume }');
});
afterEach(() => harness.stop());

const entry = (keys: string) => {
  harness.write(
    `series:\n  - { target: 'title:${TEA}', upgrade: true, for: kobo-libra, device-output: reader/Comics${keys === '' ? '' : `, ${keys}`} }\n`,
  );
};
const reader = () => join(harness.base.folder, 'reader');
const folder = () => join(reader(), 'Comics');
const plugIn = () => {
  if (existsSync(`${reader()}.away`)) renameSync(`${reader()}.away`, reader());
  else mkdirSync(folder(), { recursive: true });
};
const unplug = () => {
  renameSync(reader(), `${reader()}.away`);
};
const books = () =>
  readdirSync(folder(), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.epub'))
    .sort();
const states = () =>
  books().map((name) => {
    const { ino, mtimeMs } = statSync(join(folder(), name));
    return [name, ino, mtimeMs];
  });
async function chaptersIn(name: string): Promise<readonly (string | undefined)[]> {
  const file = await readLibraryFile(join(folder(), name));
  return file.kind === 'book' ? file.chapters.map(({ chapterId: each }) => each) : [];
}
async function sync() {
  const { code, lines, stderr } = await harness.sync();
  expect([code, stderr]).toEqual([0, '']);
  expect(lines.filter(({ type }) => type === 'warning')).toEqual([]);
  return lines.filter(({ type }) => type === 'device-book-saved');
}
/** Another run sends no more than it does without a reader, writes nothing and says nothing. */
async function expectSilent(): Promise<void> {
  const before = states();
  harness.catalogueRequests();
  expect(await harness.text({ quiet: true })).toMatchObject({ code: 0, stdout: '', stderr: '' });
  const routine = ['/manga', `/manga/${TEA}/feed`];
  expect(harness.catalogueRequests().filter((path) => !routine.includes(path))).toEqual([]);
  expect(states()).toEqual(before);
}
const put = (number: string, volume: string | null = null) => {
  const readableMs = harness.clock.wallMs() - HOUR_MS;
  harness.service.library.putChapter(syncChapter('Tea', number, readableMs, { volume }, 1));
};
const setVolume = (number: string, volume: string) => {
  harness.clock.advance(HOUR_MS);
  const chapter = harness.service.library.chapter(id(number));
  const at = `${new Date(harness.clock.wallMs()).toISOString().slice(0, 19)}+00:00`;
  if (chapter) harness.service.library.putChapter(editChapter(chapter, at, { volume }));
};

test('a reader that is not plugged in is skipped, and filled when it is; its books follow the volumes', async () => {
  expect(await sync()).toEqual([]);
  expect(existsSync(reader())).toBe(false);
  plugIn();
  expect(await sync()).toMatchObject([
    { file: join(folder(), FIRST), device: 'kobo-libra', title: TEA },
    { file: join(folder(), NEW) },
  ]);
  expect(await chaptersIn(NEW)).toEqual([id('3'), id('4')]);
  await expectSilent();
  unplug();
  put('5');
  expect(await sync()).toEqual([]);
  plugIn();
  expect(await sync()).toHaveLength(1);
  expect(await chaptersIn(NEW)).toEqual(['3', '4', '5'].map(id));
  for (const number of ['3', '4']) setVolume(number, '2');
  put('6');
  await sync();
  expect(books()).toEqual([NEW, FIRST, SECOND]);
  expect([await chaptersIn(SECOND), await chaptersIn(NEW)]).toEqual([
    [id('3'), id('4')],
    [id('5'), id('6')],
  ]);
  for (const number of ['5', '6']) setVolume(number, '3');
  put('7', '3');
  await sync();
  expect(books()).toEqual([FIRST, SECOND, 'Tea/Tea Vol.03.kepub.epub']);
  await expectSilent();
});

test('what its owner removed on the reader stays removed, and only what is new comes', async () => {
  plugIn();
  await sync();
  rmSync(join(folder(), FIRST));
  rmSync(join(folder(), NEW));
  put('2.5', '1');
  put('5');
  await sync();
  expect(books()).toEqual([NEW]);
  expect(await chaptersIn(NEW)).toEqual([id('5')]);
  // Nothing is left, but the reader is there.
  rmSync(join(folder(), 'Tea'), { recursive: true });
  await expectSilent();
  put('6');
  await sync();
  expect(await chaptersIn(NEW)).toEqual([id('6')]);
  // All of the volume was read as single chapters.
  for (const number of ['3', '4']) setVolume(number, '2');
  put('7');
  await sync();
  expect(books()).toEqual([NEW]);
});

test('a file that is not a book of tankobon for the device, or that was edited, is not replaced', async () => {
  plugIn();
  mkdirSync(join(folder(), 'Tea'));
  writeFileSync(join(folder(), FIRST), 'mine');
  const { code, stderr } = await harness.text();
  expect(code).toBe(0);
  expect(stderr).toContain(
    'warning: Tea: not made for kobo-libra: The existing book cannot be read',
  );
  expect(readFileSync(join(folder(), FIRST), 'utf8')).toBe('mine');
  expect(books()).toEqual([NEW, FIRST]);
  await editEntry(join(folder(), NEW), 'mine.txt', () => 'mine');
  const before = readFileSync(join(folder(), NEW));
  rmSync(join(folder(), FIRST));
  put('5');
  await harness.sync();
  expect(readFileSync(join(folder(), NEW))).toEqual(before);
});

test('an empty folder where the reader was is not filled, and one that is full or read-only is a warning', async () => {
  plugIn();
  await sync();
  unplug();
  mkdirSync(folder(), { recursive: true });
  put('5');
  expect(await sync()).toEqual([]);
  expect(readdirSync(folder())).toEqual([]);
  rmSync(reader(), { recursive: true });
  plugIn();
  // Also for root, whom rights do not stop.
  rmSync(join(folder(), 'Tea'), { recursive: true });
  writeFileSync(join(folder(), 'Tea'), 'in the way');
  put('6');
  const { code, lines } = await harness.sync();
  expect([code, savedIn(lines)]).toEqual([0, [id('6')]]);
  expect(lines).toContainEqual(
    expect.objectContaining({
      type: 'warning',
      message: expect.stringContaining('Tea: not made for kobo-libra: '),
    }),
  );
  rmSync(join(folder(), 'Tea'));
});

test('a reader that is unplugged in the middle of a book is filled by the next run, and nothing is written in its place', async () => {
  plugIn();
  mkdirSync(join(folder(), 'Tea'));
  // A watcher would keep the clock of the test from leaping over waits.
  const timer = setInterval(() => {
    if (readdirSync(join(folder(), 'Tea')).length === 0) return;
    clearInterval(timer);
    unplug();
  }, 1);
  const { code, lines } = await harness.sync();
  expect(code).toBe(0);
  const warnings = lines.filter(({ type }) => type === 'warning');
  expect(warnings.map(({ message }) => message)).toEqual([
    `The device kobo-libra went away: the next sync with it goes on: ${folder()}`,
  ]);
  expect(existsSync(reader())).toBe(false);
  plugIn();
  await sync();
  expect(books()).toEqual([NEW, FIRST]);
  // The temporary file of the first run goes once its process has ended, which is this one.
  const names = readdirSync(join(folder(), 'Tea')).filter((name) => !name.endsWith('.tmp'));
  expect(names).toHaveLength(2);
  await expectSilent();
});

test('hostile names stay in the folder, and are names of FAT', async () => {
  const name = '../..\\Tea: "A" <B>|?*. ';
  harness.service.library.putTitle({
    ...syncTitle('Tea'),
    attributes: { ...syncTitle('Tea').attributes, title: { en: name } },
  });
  plugIn();
  await sync();
  for (const file of books()) expect(file).not.toMatch(/[<>:"|?*\\]|\.\.\/|[. ](\/|$)/);
  expect(books()).toHaveLength(2);
  expect(readdirSync(reader())).toEqual(['Comics']);
});

test('one of the two keys alone is said, and does nothing', async () => {
  plugIn();
  harness.write(`series:\n  - { target: 'title:${TEA}', for: kobo-libra }\n`);
  const { code, stderr } = await harness.text();
  expect(code).toBe(0);
  expect(stderr).toContain('The key for has no effect without the key device-output');
  chmodSync(folder(), 0o755);
  expect(books()).toEqual([]);
});

test('books of a reader that is unplugged before they are looked for were not removed by their owner', async () => {
  plugIn();
  await sync();
  entry('bind: { by: volume }, infer: false');
  const { prototype } = SyncLibraries;
  const forget = Object.getOwnPropertyDescriptor(prototype, 'forget') ?? {};
  Object.defineProperty(prototype, 'forget', { ...forget, value: unplug });
  const { code, lines } = await harness.sync().finally(() => {
    Object.defineProperty(prototype, 'forget', forget);
  });
  expect(code).toBe(0);
  expect(lines).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('went away') }),
  );
  plugIn();
  put('2.5', '1');
  await sync();
  expect(await chaptersIn(FIRST)).toEqual(['1', '2', '2.5'].map(id));
});
