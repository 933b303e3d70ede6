/** What `tankobon retag` leaves alone: other programs' files, links, changed files, taken names, hostile archives. */
import {
  chmodSync,
  lstatSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import type { Chapter } from '../../../src/service/chapters.js';
import { readIdentity } from '../../../src/library/file.js';
import { compileNameTemplate } from '../../../src/config/names.js';
import { formatIdentityComment } from '../../../src/library/mark.js';
import { planRetag, writeRetagged } from '../../../src/download/retag.js';
import { newPath, type NamedFile } from '../../../src/plan/paths.js';
import type { Title } from '../../../src/service/titles.js';
import { readArchive, readEntry, writeArchive } from '../../support/archive.js';
import { testImage } from '../../support/chapter-files.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { posixTest } from '../../support/platform.js';
import {
  numberedId,
  numberedLibrary,
  retagFolder,
  retagNumbered,
  saveNumbered,
} from '../../support/retag-harness.js';

let harness: DownloadHarness;
let output: string;
beforeEach(async () => {
  harness = await DownloadHarness.start({ library: numberedLibrary() });
  ({ output } = harness);
  mkdirSync(output, { recursive: true });
});
afterEach(() => harness.stop());

const names = () => readdirSync(output).sort();
const summary = (fields: object) =>
  expect.objectContaining({ type: 'retag-summary', ...fields }) as unknown;

async function expectNumbers(...numbers: readonly string[]): Promise<void> {
  for (const number of numbers) {
    const file = join(output, `${number}.cbz`);
    expect(await readIdentity(file)).toMatchObject({ chapterId: numberedId(number) });
    expect(await readEntry(file, 'ComicInfo.xml')).toContain(`<Number>${number}</Number>`);
  }
}

test('numbers that move round (1 → 2 → 3 → 1) end with the right names, and then nothing changes', async () => {
  await saveNumbered(output, '2', '1');
  await saveNumbered(output, '3', '2');
  await saveNumbered(output, '1', '3');
  const preview = await retagNumbered(harness, '--dry-run');
  expect(preview.events.at(-1)).toEqual(summary({ changed: 3, nameTaken: 0 }));
  const { code, events } = await retagNumbered(harness);
  expect([code, events.at(-1)]).toEqual([0, summary({ changed: 3, nameTaken: 0, failed: 0 })]);
  expect(names()).toEqual(['1.cbz', '2.cbz', '3.cbz']);
  await expectNumbers('1', '2', '3');
  expect((await retagNumbered(harness)).events).toEqual([summary({ changed: 0, unchanged: 3 })]);
});

test('numbers that all move by one end with the right names', async () => {
  await saveNumbered(output, '2', '1');
  await saveNumbered(output, '3', '2');
  await retagNumbered(harness);
  expect(names()).toEqual(['2.cbz', '3.cbz']);
  await expectNumbers('2', '3');
});

test('a file that a killed run left under the name with its id gets its name', async () => {
  await saveNumbered(output, '1', '1', `1 (${numberedId('1')}).cbz`);
  await retagNumbered(harness);
  expect(names()).toEqual(['1.cbz']);
});

posixTest('a file that a killed run left under both names keeps the new one', async () => {
  const parked = await saveNumbered(output, '1', '1', `1 (${numberedId('1')}).cbz`);
  linkSync(parked, join(output, '1.cbz'));
  expect((await retagNumbered(harness)).code).toBe(0);
  expect(names()).toEqual(['1.cbz']);
  await expectNumbers('1');
});

posixTest.each([
  ['the name with its id', `2 (${numberedId('2')}).cbz`],
  ['the name with its short id, since another file has the new one', '2 (short).cbz'],
  ['its new name', '2.cbz'],
])('a file that a killed run left under the old name and %s has one', async (_, other) => {
  const [whole, short] = [numberedId('2'), numberedId('2').slice(0, 8)];
  const name = other.replace('short', short);
  const old = await saveNumbered(output, '2', '1');
  linkSync(old, join(output, name));
  linkSync(old, join(output, 'mine.cbz'));
  if (name.includes(short) && !name.includes(whole))
    await writeArchive(join(output, '2.cbz'), { 'mine.txt': 'mine' });
  const { code } = await retagNumbered(harness);
  const expected = name.includes(whole) ? '2.cbz' : name;
  expect([code, names()]).toEqual([0, expect.arrayContaining([expected, 'mine.cbz'])]);
  expect(names()).not.toContain('1.cbz');
  for (const file of [expected, 'mine.cbz'])
    expect(await readEntry(join(output, file), 'ComicInfo.xml')).toContain('<Number>2</Number>');
});

test('where another file has the new name, the name gets the id, and later runs keep it', async () => {
  const file = await saveNumbered(output, '2', '1');
  const taken = join(output, '2.cbz');
  const newFile = join(output, `2 (${numberedId('2').slice(0, 8)}).cbz`);
  writeFileSync(taken, 'mine');
  for (const words of [['--dry-run'], []]) {
    const { events } = await retagNumbered(harness, ...words);
    const retagged = { type: 'chapter-retagged', file, newFile, nameTaken: taken };
    expect(events).toContainEqual(expect.objectContaining(retagged));
    expect(events.at(-1)).toEqual(summary({ changed: 1, unchanged: 0, nameTaken: 1 }));
  }
  expect(names()).toEqual([basename(newFile), '2.cbz']);
  expect(readFileSync(taken, 'utf8')).toBe('mine');
  expect(await readEntry(newFile, 'ComicInfo.xml')).toContain('<Number>2</Number>');
  const last = (await retagNumbered(harness)).events.at(-1);
  expect(last).toEqual(summary({ changed: 0, unchanged: 1, nameTaken: 0 }));
});

test('a name with the id follows the number and keeps the id', async () => {
  const withId = (number: string) => `${number} (${numberedId('2').slice(0, 8)}).cbz`;
  await saveNumbered(output, '2', '1', withId('1'));
  await retagNumbered(harness);
  expect(names()).toEqual([withId('2')]);
});

test('a file of another program is never rewritten or renamed, and the message says so', async () => {
  const file = join(output, '1.cbz');
  const web = `<Web>https://mangadex.org/chapter/${numberedId('2')}</Web>`;
  const xml = `<ComicInfo><Series>Alpha</Series><Number>1</Number>${web}</ComicInfo>`;
  await writeArchive(file, { '1.png': await testImage('png'), 'ComicInfo.xml': xml });
  const before = readFileSync(file);
  const { stderr, code } = await retagFolder(harness, output, '--name', '{chapter}.cbz');
  expect(code).toBe(0);
  expect(stderr).toContain(`${file} was written by another program and is kept.`);
  expect(stderr).toContain('0 changed, 0 unchanged, 1 of other programs');
  expect([names(), readFileSync(file).equals(before)]).toEqual([['1.cbz'], true]);
});

posixTest('links below the folder are not followed, and are counted in one line', async () => {
  const elsewhere = join(harness.folder, 'elsewhere');
  const linked = await saveNumbered(elsewhere, '2', '1');
  const before = readFileSync(linked);
  const own = await saveNumbered(output, '3', '3');
  symlinkSync(linked, join(output, '1.cbz'));
  symlinkSync(elsewhere, join(output, 'folder'));
  symlinkSync(join(harness.folder, 'nowhere'), join(output, 'broken.cbz'));
  const { code, stderr } = await retagFolder(harness, output, '--name', '{chapter}.cbz');
  expect([code, stderr.trim().split('\n').at(-1)]).toEqual([
    0,
    expect.stringMatching(/^\d changed, \d unchanged, 3 symbolic links skipped$/),
  ]);
  expect(names()).toEqual(['1.cbz', basename(own), 'broken.cbz', 'folder']);
  expect(lstatSync(join(output, '1.cbz')).isSymbolicLink()).toBe(true);
  expect(readFileSync(linked).equals(before)).toBe(true);
});

posixTest('a new folder is not made through a link, and the file keeps its name', async () => {
  const file = await saveNumbered(output, '2', '1', 'old 1.cbz');
  const victim = join(harness.folder, 'victim');
  mkdirSync(victim);
  symlinkSync(victim, join(output, 'new 2'));
  const words = ['--name', 'new {chapter}/{chapter}.cbz'];
  await saveNumbered(output, '3', '1', 'new 1/1.cbz');
  symlinkSync(victim, join(output, 'new 3'));
  const { code, stderr } = await retagFolder(harness, output, ...words);
  expect([code, stderr]).toEqual([3, expect.stringContaining('is a symbolic link')]);
  expect(readdirSync(victim)).toEqual([]);
  expect(readdirSync(join(output, 'new 1'))).toEqual(['1.cbz']);
  expect(await readIdentity(file)).toMatchObject({ chapterId: numberedId('2') });
});

posixTest('a file that is rewritten keeps its mode', async () => {
  const renamed = await saveNumbered(output, '2', '1');
  const rewritten = await saveNumbered(output, '3', '1', 'by hand.cbz');
  chmodSync(renamed, 0o600);
  chmodSync(rewritten, 0o664);
  await retagNumbered(harness);
  const modes = ['2.cbz', 'by hand.cbz'].map((name) => statSync(join(output, name)).mode & 0o7777);
  expect(modes).toEqual([0o600, 0o664]);
});

describe('a file that another process changes meanwhile', () => {
  const chapter = { id: numberedId('2'), number: '2', language: 'en', groups: [] };
  const title = { name: 'Alpha', description: {}, authors: [], artists: [] };
  const options = {
    maxNameBytes: 255,
    volumeField: 'number' as const,
    titleField: 'plain' as const,
    localizedSeries: false,
    force: false,
    hasComparedPages: false,
  };
  const plan = async (file: string) => {
    const known = { chapter: chapter as unknown as Chapter, title: title as unknown as Title };
    const naming = {
      templates: [compileNameTemplate('{chapter}')],
      numbersRestart: false,
      renameTo: undefined,
      keeps: 'people' as const,
    };
    const pathOf = (named: NamedFile) => newPath(file, named, naming);
    const stays = { titleName: undefined, isMoved: false, removes: [], pathOf };
    const planned = await planRetag({ file, ...stays, ...known }, options);
    if (!('to' in planned)) throw new Error('nothing to retag');
    return planned;
  };
  const { signal } = new AbortController();

  test.each(['1.cbz', '2.cbz'])('keeps its new content, also if it becomes %s', async (name) => {
    const file = await saveNumbered(output, '2', '1');
    const planned = await plan(file);
    await saveNumbered(output, '2', '9', '1.cbz');
    const updated = readFileSync(file);
    const writing = writeRetagged(planned, [join(output, name)], signal);
    await expect(writing).rejects.toMatchObject({ code: 'file-changed' });
    expect([names(), readFileSync(file).equals(updated)]).toEqual([['1.cbz'], true]);
  });

  posixTest('and that became a link is not replaced', async () => {
    const file = await saveNumbered(output, '2', '1');
    const planned = await plan(file);
    const elsewhere = await saveNumbered(harness.folder, '2', '1', 'elsewhere.cbz');
    const before = readFileSync(elsewhere);
    rmSync(file);
    symlinkSync(elsewhere, file);
    const writing = writeRetagged(planned, planned.to, signal);
    await expect(writing).rejects.toMatchObject({ code: 'archive-damaged' });
    expect(readFileSync(elsewhere).equals(before)).toBe(true);
  });
});

describe('a hostile archive with the mark', () => {
  const comment = formatIdentityComment({ chapterId: numberedId('2') });
  const xml = '<ComicInfo><Series>Alpha</Series><Number>1</Number></ComicInfo>';

  test('that would inflate to 300 MB is refused by its directory, before anything is inflated', async () => {
    const file = join(output, '1.cbz');
    const entries = { '1.png': await testImage('png'), 'ComicInfo.xml': xml };
    await writeArchive(file, entries, comment);
    const bytes = readFileSync(file);
    const record = bytes.indexOf('PK\x01\x02', 0, 'latin1');
    bytes.writeUInt32LE(300 * 2 ** 20, record + 24);
    writeFileSync(file, bytes);
    const { code, events } = await retagNumbered(harness);
    const failed = { type: 'chapter-failed', file, reason: 'archive-damaged' };
    expect([code, events[0]]).toEqual([
      3,
      expect.objectContaining({
        ...failed,
        message: expect.stringMatching(/its entries would have 3145\d+ bytes/) as unknown,
      }),
    ]);
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  test('whose record is not one keeps the entry as it is', async () => {
    const record = '{"chapters":[{"chapterId":"../../x"}]}';
    const image = await testImage('png');
    const entries = { '1.png': image, 'META-INF/tankobon.json': record, 'ComicInfo.xml': xml };
    await writeArchive(join(output, '1.cbz'), entries, comment);
    expect((await retagNumbered(harness)).code).toBe(0);
    const file = join(output, '2.cbz');
    expect(await readEntry(file, 'META-INF/tankobon.json')).toBe(record);
    expect(await readEntry(file, 'ComicInfo.xml')).toContain('<PageCount>1</PageCount>');
    expect(await readArchive(file)).toHaveLength(3);
  });
});
