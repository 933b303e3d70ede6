/** Archives that are damaged on purpose, or made to harm: each is an error of its own, and nothing is written. */
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { damagedChapter } from '../../../src/formats/source-chapter.js';
import { readEntry, writeArchive } from '../../support/archive.js';
import { bindFolder, imageDigests } from '../../support/bind-harness.js';
import { chapterId, testImage, writeChapterFile } from '../../support/chapter-files.js';
import { posixTest } from '../../support/platform.js';

let folder: string;
let page: Buffer;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-hostile-'));
  mkdirSync(join(folder, 'in'));
  page = await testImage('png');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const input = (name: string) => join(folder, 'in', name);
const CHAPTER = 'Lighthouse v01 c001.cbz';
const VOLUME = join('out', 'Lighthouse', 'Lighthouse Vol.01.cbz');
const SIGNATURES = { local: 0x04034b50, directory: 0x02014b50 };

const problems = async (options: Parameters<typeof bindFolder>[1] = {}) =>
  (await bindFolder(folder, options)).errors.map(({ code, message }) => [code, message]);

/** Changes each record of an archive: `edit` gets it from its signature on. */
const editRecords = (kind: keyof typeof SIGNATURES, edit: (record: Buffer) => void) => () => {
  const bytes = readFileSync(input(CHAPTER));
  for (let at = 0; at + 46 < bytes.length; at += 1)
    if (bytes.readUInt32LE(at) === SIGNATURES[kind]) edit(bytes.subarray(at));
  writeFileSync(input(CHAPTER), bytes);
};

/** The same length, so that the rest of the archive stays as it is. */
const replaceText = (from: string, to: string) => () => {
  const text = readFileSync(input(CHAPTER), 'latin1').replaceAll(from, to);
  writeFileSync(input(CHAPTER), text, 'latin1');
};

const comicInfo = (content: string, before = '') =>
  `<?xml version="1.0"?>${before}<ComicInfo>${content}</ComicInfo>`;

describe('a damaged or hostile archive is refused', () => {
  test.each<[string, string, () => Promise<void> | void]>([
    ['an encrypted page', 'encrypted', editRecords('directory', (it) => (it[8] = 1))],
    ['names that leave the folder', 'relative path', replaceText('xx/xx/1', '../../1')],
    ['absolute names', 'absolute path', replaceText('xx/xx/1', '/etc/x1')],
    [
      'a page that claims 2 GB',
      'its pages would have',
      editRecords('directory', (it) => it.writeUInt32LE(2 ** 31, 24)),
    ],
    [
      'a page that is larger than it claims',
      'Damaged page',
      editRecords('directory', (it) => it.writeUInt32LE(10, 24)),
    ],
    [
      'an unknown compression',
      'compression method is 99',
      editRecords('directory', (it) => it.writeUInt16LE(99, 10)),
    ],
    ['no local headers', 'no header', editRecords('local', (it) => it.fill(0, 0, 4))],
    ['a page of 0 bytes', 'not an image', () => writeArchive(input(CHAPTER), { '1.png': '' })],
    [
      'a page that is a link',
      'not an image',
      () => writeArchive(input(CHAPTER), { '1.png': '/etc/passwd' }),
    ],
    [
      'a file of 0 bytes',
      'Cannot read',
      () => {
        writeFileSync(input(CHAPTER), '');
      },
    ],
    [
      'half of the file',
      'Cannot read',
      () => {
        writeFileSync(input(CHAPTER), readFileSync(input(CHAPTER)).subarray(0, -300));
      },
    ],
  ])('%s', async (_, message, damage) => {
    await writeArchive(input(CHAPTER), { 'xx/xx/1.png': page, 'xx/xx/2.png': page });
    await damage();
    expect(await problems()).toEqual([['archive-damaged', expect.stringContaining(message)]]);
    expect(readdirSync(folder)).toEqual(['in']);
  });

  test('without the right to read it: its path once, and a hint about permissions', () => {
    const system = { errno: -13, code: 'EACCES', syscall: 'open', path: 'a.cbz' };
    const cause = Object.assign(new Error("EACCES: permission denied, open 'a.cbz'"), system);
    expect(damagedChapter('a.cbz', cause)).toMatchObject({
      message: 'Cannot read the chapter (permission denied): a.cbz',
      hint: 'Check its permissions.',
    });
  });

  posixTest('a link to nothing, and a named pipe', async () => {
    symlinkSync(join(folder, 'nowhere'), input('link.cbz'));
    execFileSync('mkfifo', [input('pipe.cbz')]);
    mkdirSync(input('folder.cbz'));
    const codes = (await problems()).map(([code]) => code);
    expect(codes).toEqual(['archive-damaged', 'archive-damaged']);
  });

  test.each(['gif', 'png'] as const)('a %s that would fill the memory of a PDF', async (type) => {
    const bomb = await testImage(type, 1, { alpha: true });
    if (type === 'gif') bomb.writeUInt32LE(0xffffffff, 6);
    else bomb.writeBigUInt64BE(0x0000ffff_0000ffffn, 16);
    await writeArchive(input(CHAPTER), { '1.png': bomb });
    expect(await problems({ format: 'pdf' })).toEqual([
      ['archive-damaged', expect.stringContaining('65535 × 65535 pixels')],
    ]);
  });
});

describe('what ComicInfo.xml says cannot harm', () => {
  const bindWith = async (xml: string) => {
    await writeArchive(input(CHAPTER), { '1.png': page, 'ComicInfo.xml': xml });
    expect(await problems()).toEqual([]);
    return readdirSync(join(folder, 'out'), { recursive: true, encoding: 'utf8' });
  };

  test.each([
    ['../../x', '/', '..'],
    ['CON', 'NUL', 'aux'],
    ['\u202Ea\u0000b', '\n', 'c\u001B[2J'],
  ])('names that leave the folder or name devices: %j', async (series, volume, title) => {
    const text = (value: string) => value.replace(/\p{Cc}/gu, (it) => `&#${it.charCodeAt(0)};`);
    const elements = `<Series>${text(series)}</Series><Volume>${text(volume)}</Volume><Title>${text(title)}</Title>`;
    const written = await bindWith(comicInfo(elements));
    for (const part of written.flatMap((name) => name.split(/[\\/]/)))
      expect(part).not.toMatch(/^(\.\.?|con|nul|aux)(\.|$)|[\p{Cc}\u202E]/iu);
    expect(readdirSync(folder).sort()).toEqual(['in', 'out']);
  });

  test('entities that expand to gigabytes, elements in each other, a file of 2 MiB', async () => {
    const entities = Array.from(
      { length: 12 },
      (_, index) => `<!ENTITY e${index + 1} "${`&e${index};`.repeat(10)}">`,
    );
    const doctype = `<!DOCTYPE ComicInfo [<!ENTITY e0 "0123456789">${entities.join('')}]>`;
    for (const xml of [
      comicInfo('<Title>&e12;</Title>', doctype),
      comicInfo('<a>'.repeat(100_000)),
      comicInfo('<__proto__><Title>x</Title></__proto__>'),
      comicInfo(`<Summary>${'a'.repeat(2 ** 21)}</Summary>`),
    ]) {
      await bindWith(xml);
      const written = await readEntry(join(folder, VOLUME), 'ComicInfo.xml');
      expect(written.length).toBeLessThan(10_000);
      rmSync(join(folder, 'out'), { recursive: true });
    }
  });
});

posixTest.each(['pipe', 'folder'])('a cover that is a %s', async (kind) => {
  await writeArchive(input(CHAPTER), { '1.png': page });
  const cover = join(folder, 'cover.jpg');
  if (kind === 'pipe') execFileSync('mkfifo', [cover]);
  else mkdirSync(cover);
  await expect(bindFolder(folder, { cover })).rejects.toMatchObject({ code: 'bad-cover' });
});

describe('books in the folder that is bound', () => {
  const output = () => join(folder, 'in');
  const countOf = (events: readonly { readonly type: string }[]) => events.at(-1);

  test.each([true, false])(
    'are neither chapters nor bound twice (identities: %s)',
    async (hasId) => {
      for (const number of [1, 2])
        await writeChapterFile(input(`Lighthouse v01 c00${number}.cbz`), {
          id: hasId ? chapterId(number) : undefined,
          number: String(number),
          volume: '1',
          images: [await testImage('png', number)],
        });
      await bindFolder(folder, { output: output() });
      const volume = join(output(), 'Lighthouse', 'Lighthouse Vol.01.cbz');
      const digests = await imageDigests(volume);
      expect(digests).toHaveLength(2);
      const again = await bindFolder(folder, { output: output() });
      expect(countOf(again.events)).toMatchObject({ saved: 0, skipped: 1, failed: 0, leftOut: 0 });
      const forced = await bindFolder(folder, { output: output(), force: true });
      expect(countOf(forced.events)).toMatchObject({ saved: 1, failed: 0, leftOut: 0 });
      expect(await imageDigests(volume)).toEqual(digests);
      await bindFolder(folder, { output: output(), format: 'epub', by: 'title' });
      const title = join(output(), 'Lighthouse', 'Lighthouse (all).epub');
      expect(await imageDigests(title)).toEqual(digests);
      const last = await bindFolder(folder, { output: output() });
      expect(countOf(last.events)).toMatchObject({ saved: 0, skipped: 1, failed: 0, leftOut: 0 });
      expect(await imageDigests(volume)).toEqual(digests);
    },
  );
});
