import fc from 'fast-check';
import {
  copyFile,
  link,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCbz } from '../../../src/library/cbz-writer.js';
import { comicInfoXml } from '../../../src/library/comic-info.js';
import {
  formatIdentityComment,
  parseComicInfoIdentity,
  parseIdentityComment,
} from '../../../src/library/mark.js';
import { scanLibrary } from '../../../src/library/scan.js';
import { interruptedError } from '../../../src/core/errors.js';
import { SAMPLE_IMAGES } from '../../support/sample-images.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankobon-library-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

async function cbz(
  name: string,
  contents: { comment?: string; comicInfo?: string },
): Promise<string> {
  const image = join(folder, '.image');
  await writeFile(image, SAMPLE_IMAGES.png);
  const file = join(folder, name);
  const page = { file: image, bytes: SAMPLE_IMAGES.png.length };
  await writeCbz({ file, pages: [page], ...contents });
  return file;
}

const ours = (name: string, number: number, version?: number) =>
  cbz(name, {
    comment: formatIdentityComment({ chapterId: idOf(number), ...(version && { version }) }),
  });

describe('the identity of a CBZ', () => {
  test('is parsed as it was formatted', () => {
    const identities = fc.record(
      {
        chapterId: fc.uuid(),
        version: fc.integer({ min: 1, max: 999_999_999 }),
        quality: fc.constantFrom('data', 'data-saver'),
      },
      { requiredKeys: ['chapterId'] },
    );
    fc.assert(
      fc.property(identities, (identity) => {
        expect(parseIdentityComment(formatIdentityComment(identity))).toEqual(identity);
      }),
    );
  });

  test.each([
    '',
    'made by somebody',
    `tankobon chapter=${idOf(1)} version=0`,
    `x tankobon chapter=${idOf(1)}`,
  ])('is not read from %j', (comment) => {
    expect(parseIdentityComment(comment)).toBeUndefined();
  });

  test.each([
    [`<Web>https://mangadex.org/chapter/${idOf(1)}</Web>`, idOf(1)],
    [
      `<Web>https://mangadex.org/chapter/${idOf(1).toUpperCase()}/3 https://x.example</Web>`,
      idOf(1),
    ],
    [`<Web>https://mangadex.org/title/${idOf(1)}</Web>`, undefined],
    [`<Web>https://mangadex.org/chapter/${idOf(1)}0</Web>`, undefined],
    [`<Notes>https://mangadex.org/chapter/${idOf(1)}</Notes>`, undefined],
  ])('in ComicInfo %s is %s', (xml, id) => {
    expect(parseComicInfoIdentity(xml)?.chapterId).toBe(id);
  });
});

describe('scanLibrary', () => {
  test('returns an empty index for a missing folder', async () => {
    const library = await scanLibrary(join(folder, 'nowhere'));
    expect(library).toMatchObject({ archives: [], damaged: [], unidentified: [] });
  });

  test('finds chapters under any name and in subfolders', async () => {
    await ours('Series/Ch 1.cbz', 1, 3);
    const moved = await ours('b.cbz', 2);
    await mkdir(join(folder, 'deep', 'er'), { recursive: true });
    await rename(moved, join(folder, 'deep', 'er', 'völlig anders.CBZ'));
    const library = await scanLibrary(folder);
    expect(library.find(idOf(1))).toEqual({
      chapterId: idOf(1),
      version: 3,
      file: join(folder, 'Series', 'Ch 1.cbz'),
      ownership: 'own',
      isBound: false,
    });
    expect(library.find(idOf(2).toUpperCase())?.file).toBe(
      join(folder, 'deep', 'er', 'völlig anders.CBZ'),
    );
    expect(library.find(idOf(3))).toBeUndefined();
    expect(library.archives).toHaveLength(2);
  });

  test('identifies a chapter by the Web element of ComicInfo if the comment is not ours', async () => {
    const comicInfo = await comicInfoXml({
      pages: [],
      web: `https://mangadex.org/chapter/${idOf(4)}`,
    });
    await cbz('a.cbz', { comicInfo, comment: 'repacked' });
    expect((await scanLibrary(folder)).find(idOf(4))).toMatchObject({ chapterId: idOf(4) });
  });

  test('finds the newest version of a chapter with two files', async () => {
    await ours('a.cbz', 1, 1);
    await ours('b.cbz', 1, 3);
    await ours('c.cbz', 1);
    const library = await scanLibrary(folder);
    expect(library.find(idOf(1))?.version).toBe(3);
    expect(library.archives).toHaveLength(3);
  });

  test('of a file and its copies, finds the one without an addition in its name', async () => {
    const names = ['a (1).cbz', 'a copy.cbz', 'a.cbz', 'a.sync-conflict-20261101.cbz'];
    for (const name of names) await ours(name, 1);
    expect((await scanLibrary(folder)).find(idOf(1))?.file).toBe(join(folder, 'a.cbz'));
  });

  test('lists damaged files and continues', async () => {
    const whole = await ours('whole.cbz', 1);
    const bytes = await readFile(whole);
    await writeFile(join(folder, 'cut.cbz'), bytes.subarray(0, -30));
    await writeFile(join(folder, 'empty.cbz'), '');
    await writeFile(join(folder, 'page.cbz'), '<!doctype html>');
    await symlink(join(folder, 'gone'), join(folder, 'link.cbz'));
    const library = await scanLibrary(folder);
    expect(library.damaged.map(({ file }) => file)).toEqual(
      ['cut.cbz', 'empty.cbz', 'link.cbz', 'page.cbz'].map((name) => join(folder, name)),
    );
    expect(library.damaged.every(({ readError }) => readError.length > 0)).toBe(true);
    expect(library.find(idOf(1))).toBeDefined();
  });

  test('lists unidentified archives, and ignores hidden folders and other files', async () => {
    await cbz('comic.cbz', { comment: 'hello' });
    await ours('.hidden/a.cbz', 1);
    await ours('.a.cbz', 2);
    await copyFile(await ours('x/b.cbz', 3), join(folder, 'c.rar'));
    await writeFile(join(folder, 'backup.zip'), 'damaged');
    const library = await scanLibrary(folder);
    expect(library.damaged).toEqual([]);
    expect(library.unidentified).toHaveLength(1);
    expect(library.archives.map(({ chapterId }) => chapterId)).toEqual([idOf(3)]);
  });

  test('never throws for damaged archives', async () => {
    const file = await ours('a.cbz', 1);
    const whole = await readFile(file);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 4 }),
        async (changes) => {
          const garbled = Buffer.from(whole);
          for (const [at, value] of changes) garbled[at] = value;
          await writeFile(file, garbled);
          const { archives: chapters, damaged, unidentified: unknown } = await scanLibrary(folder);
          expect(chapters.length + damaged.length + unknown.length).toBe(1);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('reads only the ends of the files', async () => {
    const one = await ours('one.cbz', 1);
    await mkdir(join(folder, 'many'));
    const links = Array.from({ length: 500 }, (_, index) =>
      link(one, join(folder, 'many', `${index}.cbz`)),
    );
    await Promise.all(links);
    expect((await scanLibrary(folder)).archives).toHaveLength(501);
  });

  test('stops when aborted', async () => {
    await ours('a.cbz', 1);
    const reason = interruptedError();
    await expect(scanLibrary(folder, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
