/** Names of the entries of archives, as other programs write them: every page is bound, in reading order. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bindFolder, imageDigests, sha256 } from '../../support/bind-harness.js';
import { testImage } from '../../support/chapter-files.js';
import { tankobonHere } from '../../support/in-process.js';
import { zipBytes, type ZipMember } from '../../support/zip-bytes.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-entries-'));
  mkdirSync(join(folder, 'in'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

type Name = ZipMember['name'];

/** The names in the order in which their pages are bound; `others` are no pages. */
async function boundOrder(names: readonly Name[], others: readonly ZipMember[] = []) {
  const pages = await Promise.all(
    names.map(async (name, index) => ({ name, content: await testImage('png', index + 1) })),
  );
  const file = join(folder, 'in', 'Salt v01 c001.cbz');
  writeFileSync(file, zipBytes([...pages, ...others]));
  const { errors } = await bindFolder(folder, { force: true });
  expect(errors).toEqual([]);
  const named = new Map(pages.map(({ name, content }) => [sha256(content), name]));
  const bound = await imageDigests(join(folder, 'out', 'Salt', 'Salt Vol.01.cbz'));
  return bound.map((digest) => named.get(digest));
}

describe('names that lead out of a folder', () => {
  test.each([
    [['/002.png', '/001.png']],
    [['C:\\Users\\me\\002.png', 'C:\\Users\\me\\001.png']],
    [['../../002.png', '..\\..\\001.png']],
    [['a/../2/002.png', 'a/../1/../1/001.png']],
    [['c:/../2:b?.png', '/C:/../c:..\\1:b?.png']],
  ])('%p', async (names) => {
    expect(await boundOrder(names)).toEqual([...names].reverse());
    expect(readdirSync(folder)).toEqual(['in', 'out']);
  });

  test('ComicInfo.xml is found below them', async () => {
    const content = Buffer.from('<ComicInfo><Series>Pepper</Series></ComicInfo>');
    writeFileSync(
      join(folder, 'in', 'Salt v01 c001.cbz'),
      zipBytes([
        { name: '/ComicInfo.xml', content },
        { name: '/001.png', content: await testImage('png') },
      ]),
    );
    await bindFolder(folder);
    expect(readdirSync(join(folder, 'out'))).toEqual(['Pepper']);
  });

  test('verify finds no damage in them', async () => {
    await boundOrder(['/1.png', '../2.png', 'C:\\3.png']);
    const env = { TANKOBON_HOME: join(folder, 'home') };
    const { code } = await tankobonHere(['verify', join(folder, 'in')], { env });
    expect(code).toBe(0);
  });
});

describe('names in an encoding that the archive does not say', () => {
  /** The bytes that are in hexadecimal between angle brackets, and ASCII. */
  const bytesOf = (text: string): Buffer =>
    Buffer.from(
      text.replace(/<(\w+)>/g, (_, hex: string) => Buffer.from(hex, 'hex').toString('latin1')),
      'latin1',
    );

  // A character of Shift-JIS, GBK and Big5 may have a backslash as its second byte, 5c.
  test.each([
    ['Shift-JIS', ['001', '002', '<975c>', '<955c>', '<97a0955c>']],
    ['Shift-JIS with kana', ['<8341>b', '<835c>1', '<835c>2', '<955c8e86>']],
    ['Shift-JIS, in folders', ['<955c>\\<91e6>2<9862>', '<955c>\\<91e6>10<9862>', '<97a0>\\1']],
    ['wide digits of Shift-JIS', ['<8251>', '<82508250>']],
    ['half-width katakana', ['<b6d7b0>1', '<b6d7b0>2', '<b6d7b0>10']],
    ['CP437', ['caf<82>s 2', 'caf<82>s 10', 'k<94>nig<81>ber']],
    ['CP437, in folders', ['caf<82>\\2', 'caf<82>\\10']],
    ['Windows-1252', ['can<e7e3>o 2', 'can<e7e3>o 10']],
    ['GBK', ['<d55c>', '<b5da>2<bbb0>', '<b5da>10<bbb0>']],
    ['Big5', ['1<a55c>', '2<b35c>', '10<bb5c>']],
    ['EUC-KR', ['<c1a6>2<c8ad>', '<c1a6>10<c8ad>']],
  ])('%s', async (_, names) => {
    const files = names.map((name) => bytesOf(`${name}.png`));
    expect(await boundOrder([...files].reverse())).toEqual(files);
  });
});

describe('the order of pages', () => {
  test.each([
    ['folders, with decimals', ['Ch 9/01', 'Ch 10/01', 'Ch 10/02', 'Ch 10.5/01', 'Ch 11/01']],
    ['folders, with words', ['Ch 001/01', 'Ch 001/02', 'Ch 001 Extra/01', 'Ch 002/01']],
    ['parts of a page', ['011', '012', '012_1', '012-2', '012a', '013']],
    ['decimals', ['1', '1.5', '2', '10']],
    ['copies', ['001', '001 (2)', '002']],
    ['marks', ['_cover', '!notes', '#credits', '001', 'a', '~a', '~credits']],
    ['folders with marks', ['!a/2', 'b/1', '~extras/1', '~extras/~2']],
    ['a file beside a folder of its name', ['1', '1/1', '1/2', '2']],
  ])('%s', async (_, names) => {
    const files = names.map((name) => `${name}.png`);
    expect(await boundOrder([...files].reverse())).toEqual(files);
  });

  test('does not depend on the type', async () => {
    const names = [
      '001.png',
      '001_1.apng',
      '001_2.pjpeg',
      '001_3.pjp',
      '001_4.jpeg_orig',
      '002',
      '002_1.gif',
      '003.jpeg',
      '003.png',
      '003a.gif',
    ];
    expect(await boundOrder([...names].reverse())).toEqual(names);
  });
});

test('chapters of one number are in the order of their names without extension', async () => {
  const pages = await Promise.all([1, 2].map((seed) => testImage('png', seed)));
  for (const [index, name] of ['Salt v01 Ch. 5', 'Salt v01 Ch. 5 - Extra'].entries()) {
    const content = pages[index] ?? Buffer.alloc(0);
    writeFileSync(join(folder, 'in', `${name}.cbz`), zipBytes([{ name: '001.png', content }]));
  }
  await bindFolder(folder);
  const bound = await imageDigests(join(folder, 'out', 'Salt', 'Salt Vol.01.cbz'));
  expect(bound).toEqual(pages.map(sha256));
});
