/** `overview`, `bind` and `adopt` of titles in which the number alone does not say what is one chapter. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeArchive } from '../../support/archive.js';
import { bindFolder, imageDigests, sha256 } from '../../support/bind-harness.js';
import { testImage } from '../../support/chapter-files.js';
import { ONE_CHAPTER_ROWS } from '../../support/one-chapter-rows.js';
import { runCommand } from '../../support/retag-harness.js';
import { releaseId, TitleHistories, type Step } from '../../support/title-history.js';

type Overview = Readonly<Record<string, unknown>>;

/** The events of the titles, by their names. */
async function overview({ harness }: TitleHistories): Promise<ReadonlyMap<string, Overview>> {
  const { base } = harness;
  const { code, stdout } = await runCommand(base, 'overview', base.output, '--json');
  expect(code).toBe(0);
  const events = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Overview);
  return new Map(
    events.flatMap((event) => (typeof event['name'] === 'string' ? [[event['name'], event]] : [])),
  );
}

const rows = (...titles: readonly string[]) =>
  Object.fromEntries(titles.map((title) => [title, ONE_CHAPTER_ROWS[title] ?? []]));

/** What is saved, and what the service has then, without another run. */
const INCOMPLETE: Readonly<Record<string, readonly [Step, Step]>> = {
  'the second of two volumes with the same numbers': [
    {
      upload: { a: { number: '1', volume: '1' }, b: { number: '2', volume: '1' } },
      saved: '',
    },
    {
      upload: { c: { number: '1', volume: '2' }, d: { number: '2', volume: '2' } },
      saved: '',
    },
  ],
  'a later volume': [
    {
      upload: {
        a: { number: '1', volume: '1' },
        b: { number: '2', volume: '1' },
        c: { number: '3', volume: '2' },
      },
      saved: '',
    },
    { upload: { d: { number: '1', volume: '11', groups: ['Good'] } }, saved: '' },
  ],
  'the second part of a volume': [
    { upload: { a: { number: '1', volume: '1' } }, saved: '' },
    { upload: { b: { number: '2', volume: '1' } }, saved: '' },
  ],
  'a volume that only another group names': [
    {
      upload: { a: { number: '1', volume: '1' }, b: { number: '2', volume: '1' } },
      saved: '',
    },
    { upload: { other: { number: '2', volume: '2', groups: ['Other'] } }, saved: '' },
  ],
  'a part whose number another one had': [
    { upload: { part3: { number: '3' }, part4: { number: '5' } }, saved: '' },
    { edit: { part4: { number: '4' } }, upload: { part5: { number: '5' } }, saved: '' },
  ],
};

describe('overview of what is not downloaded', () => {
  let found: ReadonlyMap<string, Overview>;
  let afterwards: ReadonlyMap<string, Overview>;
  beforeAll(async () => {
    const histories = await TitleHistories.start('download', INCOMPLETE);
    try {
      await histories.runStep(0);
      for (const [title, [, step]] of Object.entries(INCOMPLETE)) histories.change(title, step);
      found = await overview(histories);
      await histories.runOnce();
      afterwards = await overview(histories);
    } finally {
      await histories.stop();
    }
  });

  const notDownloaded = (...numbers: readonly string[]) =>
    numbers.map((number) => ({ number, reason: 'not-downloaded' }));

  test.each([
    ['the second of two volumes with the same numbers', ['1', '2'], ['2']],
    ['a later volume', ['1'], ['11']],
    ['the second part of a volume', ['2'], []],
    ['a volume that only another group names', [], []],
    ['a part whose number another one had', ['5'], []],
  ])('%s', (title, numbers, missingVolumes) => {
    const { missing, ...rest } = found.get(title) ?? {};
    expect((missing as { reason: string }[]).filter(isNotDownloaded)).toMatchObject(
      notDownloaded(...numbers),
    );
    expect(rest).toMatchObject({ missingVolumes });
  });

  test.each(Object.keys(INCOMPLETE))('%s: a download gets it', (title) => {
    const { missing, ...rest } = afterwards.get(title) ?? {};
    expect((missing as { reason: string }[]).filter(isNotDownloaded)).toEqual([]);
    expect(rest).toMatchObject({ missingVolumes: [], duplicates: [] });
  });
});

test('overview knows what a download has read since the last one', async () => {
  const title = 'Salt';
  const group = { groups: ['Good'] };
  const histories = await TitleHistories.start('download', { [title]: [] });
  try {
    const early = { a: { number: '1', volume: '1' }, b: { number: '2', volume: '1' } };
    histories.change(title, { upload: { ...early, c: { number: '1', ...group } }, saved: '' });
    await histories.runOnce();
    await overview(histories);
    histories.change(title, { edit: { c: { volume: '11' } }, saved: '' });
    await histories.runOnce();
    expect(histories.resultsOf(title).at(-1)?.saved).toBe('a b c');
    const found = (await overview(histories)).get(title);
    expect(found).toMatchObject({ have: 3, duplicates: [] });
  } finally {
    await histories.stop();
  }
});

const isNotDownloaded = ({ reason }: { readonly reason: string }): boolean =>
  reason === 'not-downloaded';

describe('after all downloads, overview lists nothing missing and nothing twice', () => {
  const titles = {
    'two volumes with the same numbers': 4,
    'a later volume that begins at 1 again': 4,
    'a deleted chapter, and its number in a later volume': 4,
    'a special and a chapter of one group with one number': 3,
    'three extras of one group without number and title': 3,
    'one numbering, of which two groups draw the borders of the volumes differently': 6,
  };
  let found: ReadonlyMap<string, Overview>;
  beforeAll(async () => {
    const histories = await TitleHistories.start('download', rows(...Object.keys(titles)));
    try {
      await histories.run();
      found = await overview(histories);
    } finally {
      await histories.stop();
    }
  });

  test.each(Object.entries(titles))('%s', (title, have) => {
    const { missing, ...rest } = found.get(title) ?? {};
    expect((missing as { reason: string }[]).filter(isNotDownloaded)).toEqual([]);
    expect(rest).toMatchObject({ have, missingVolumes: [], duplicates: [] });
  });
});

describe('bind', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-one-chapter-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test('files without metadata are a chapter each, in natural order', async () => {
    const numbers = [1, 2, 3, 4, 10];
    const input = join(folder, 'in', 'Salt');
    mkdirSync(input, { recursive: true });
    const images = await Promise.all(numbers.map((number) => testImage('png', number)));
    for (const [index, number] of numbers.entries())
      await writeArchive(join(input, `${number}.cbz`), { '001.png': images[index] ?? '' });
    const { books, events } = await bindFolder(folder, { by: 'title' });
    expect(events.filter(({ type }) => type === 'chapter-left-out')).toEqual([]);
    expect(books).toHaveLength(1);
    const saved = events.flatMap((event) => (event.type === 'book-saved' ? [event] : []));
    expect(saved).toMatchObject([{ chapters: numbers.length }]);
    expect(await imageDigests(saved[0]?.file ?? '')).toEqual(images.map(sha256));
  });

  test.each([
    ['title', 1],
    ['volume', 2],
  ] as const)('two volumes with the same numbers, by %s', async (by, count) => {
    const title = 'two volumes with the same numbers';
    const histories = await TitleHistories.start('download', rows(title));
    try {
      await histories.run();
      const inputs = [histories.harness.base.output];
      const { books, events } = await bindFolder(folder, { inputs, by });
      expect(events.filter(({ type }) => type === 'chapter-left-out')).toEqual([]);
      expect(books).toHaveLength(count);
      const chapters = events.map((event) => (event.type === 'book-saved' ? event.chapters : 0));
      expect(chapters.reduce((sum, each) => sum + each, 0)).toBe(4);
    } finally {
      await histories.stop();
    }
  });
});

describe('adopt', () => {
  const volumes = (numbers: Readonly<Record<string, readonly number[]>>): Step => ({
    upload: Object.fromEntries(
      Object.entries(numbers).flatMap(([volume, all]) =>
        all.map((number) => [`${volume}.${number}`, { volume, number: String(number) }]),
      ),
    ),
    saved: '',
  });
  const seasons = volumes({ 1: [1, 2], 2: [3, 4], 3: [2, 3, 4] });

  test.each([
    ['of a volume that has the number', 'Salt Vol.03 Ch.003.cbz', '3.3'],
    ['of another volume of the same season', 'Salt Vol.02 Ch.001.cbz', '1.1'],
    ['of a later volume, whose chapter of that number is not listed', 'Salt Vol.03 Ch.001.cbz', ''],
    ['of a volume that is not listed', 'Salt Vol.04 Ch.001.cbz', ''],
  ])('a file %s', async (_, name, found) => {
    const histories = await TitleHistories.start('download', { Salt: [seasons] });
    try {
      histories.change('Salt', seasons);
      const { base } = histories.harness;
      mkdirSync(join(base.output, 'Salt'), { recursive: true });
      await writeArchive(join(base.output, 'Salt', name), { '001.png': await testImage('png', 1) });
      const { code, stdout } = await runCommand(base, 'adopt', base.output, '--json');
      const events = stdout
        .split('\n')
        .filter((line) => line.includes('"file-recognized"'))
        .map((line) => JSON.parse(line) as Overview);
      const expected = found === '' ? [] : [releaseId('Salt', found)];
      expect([code, events.map((event) => event['chapter'])]).toEqual([0, expected]);
    } finally {
      await histories.stop();
    }
  });
});
