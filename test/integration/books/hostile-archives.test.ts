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
import { convertToPng } from '../../../src/books/convert-image.js';
import { gifToPng } from '../../../src/books/gif-to-png.js';
import { readChapters } from '../../../src/books/read-chapters.js';
import { writeBook } from '../../../src/books/write-book.js';
import { damagedChapter } from '../../../src/library/damage.js';
import { MAX_MANIFEST_BYTES } from '../../../src/library/mark.js';
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

const comicInfo = (content: string, before = '') =>
  `<?xml version="1.0"?>${before}<ComicInfo>${content}</ComicInfo>`;

describe('a damaged or hostile archive is refused', () => {
  test.each<[string, string, () => Promise<void> | void]>([
    ['an encrypted page', 'encrypted', editRecords('directory', (it) => (it[8] = 1))],
    [
      'a page that claims 2 GB',
      'its entries would have',
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
    [
      'a page of 0 bytes',
      'not a JPEG, PNG, GIF, WebP or AVIF image',
      () => writeArchive(input(CHAPTER), { '1.png': '' }),
    ],
    [
      'a page that is a link',
      'not a JPEG, PNG, GIF, WebP or AVIF image',
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

  posixTest('a named pipe', async () => {
    execFileSync('mkfifo', [input('pipe.cbz')]);
    mkdirSync(input('folder.cbz'));
    expect(await problems()).toEqual([
      ['archive-damaged', expect.stringContaining('not a regular file')],
    ]);
  });

  test('an archive whose entries inflate to gigabytes, before one of them is inflated', async () => {
    await writeArchive(input(CHAPTER), { '1.png': page, 'notes.txt': 'x', 'ComicInfo.xml': 'x' });
    editRecords('directory', (it) => it.writeUInt32LE(2 ** 30, 24))();
    expect(await problems()).toEqual([
      ['archive-damaged', expect.stringContaining(`its entries would have ${3 * 2 ** 30} bytes`)],
    ]);
  });

  test('a book whose chapters share their pages', async () => {
    const file = input(CHAPTER);
    await writeChapterFile(file, { id: chapterId(1), number: '1', volume: '1', images: [page] });
    await bindFolder(folder);
    const book = join(folder, VOLUME);
    const bytes = readFileSync(book, 'latin1');
    const manifest = /\{"named":.*\n/.exec(bytes)?.[0] ?? '';
    const { chapters } = JSON.parse(manifest) as { chapters: unknown[] };
    const shared = { chapters: Array.from({ length: 1000 }, () => chapters[0]) };
    await writeArchive(
      file,
      { 'META-INF/tankobon.json': JSON.stringify(shared), 'c001-001.png': page },
      'tankobon bound',
    );
    rmSync(join(folder, 'out'), { recursive: true });
    expect(await problems()).toEqual([
      ['archive-damaged', expect.stringContaining('its manifest names pages twice')],
    ]);
  });

  test.each(['cbz', 'pdf'] as const)(
    'chapters whose list is larger than what is read back of a %s: it is not published',
    async (format) => {
      await writeArchive(input(CHAPTER), { '1.png': page });
      const [chapter] = await readChapters(input(CHAPTER));
      if (!chapter) throw new Error('no chapter');
      const metadata = { ...chapter.metadata, summary: 'x'.repeat(MAX_MANIFEST_BYTES) };
      const chapters = [{ ...chapter, metadata }];
      const of = { by: 'title', series: 'Lighthouse', language: 'en', volume: undefined } as const;
      const book = { group: { ...of, chapters, missing: [] }, metadata: {}, cover: undefined };
      const publish = () => Promise.reject(new Error('published'));
      const ignored = () => undefined;
      const writing = writeBook(book, format, {
        tmpFile: join(folder, 'book.tmp'),
        publish,
        convert: false,
        onPage: ignored,
        onBrokenPage: ignored,
        signal: new AbortController().signal,
      });
      const message = 'The book cannot be read back: its list of chapters is too large';
      await expect(writing).rejects.toMatchObject({ code: 'archive-wrong', message });
      expect(readdirSync(folder)).toEqual(['in']);
    },
  );

  test.each(['gif', 'png'] as const)('a %s that would fill the memory of a PDF', async (type) => {
    const bomb = await testImage(type, 1, { alpha: true });
    if (type === 'gif') bomb.writeUInt32LE(0xffffffff, 6);
    else bomb.writeBigUInt64BE(0x0000ffff_0000ffffn, 16);
    await writeArchive(input(CHAPTER), { '1.png': bomb });
    expect(await problems({ format: 'pdf' })).toEqual([
      ['archive-damaged', expect.stringMatching(/it has \d+(\.\d)? GB decoded/)],
    ]);
  });

  test('a GIF of 50 bytes with a frame far larger than its screen', async () => {
    const gif = Buffer.from('474946383961010001008000000000000000ff2c', 'hex');
    const frame = Buffer.from('00000000ffffffff0002024401003b', 'hex');
    await writeArchive(input(CHAPTER), { '1.gif': Buffer.concat([gif, frame]) });
    expect(await problems({ format: 'pdf' })).toEqual([
      ['archive-damaged', expect.stringMatching(/it has \d+(\.\d)? GB decoded/)],
    ]);
  });
});

posixTest('links below the folder are skipped, and counted in one line', async () => {
  const outside = join(folder, 'outside');
  mkdirSync(outside);
  for (const name of ['Lighthouse v01 c002.cbz', 'Lighthouse v01 c003.cbz'])
    await writeArchive(join(outside, name), { '1.png': page });
  await writeArchive(input(CHAPTER), { '1.png': page });
  symlinkSync(outside, input('linked'));
  symlinkSync(join(outside, 'Lighthouse v01 c002.cbz'), input('Lighthouse v01 c002.cbz'));
  symlinkSync(join(folder, 'nowhere'), input('link.cbz'));
  symlinkSync(join(folder, 'nowhere'), input('notes.txt'));
  const { events, errors } = await bindFolder(folder);
  expect(errors).toEqual([]);
  expect(events.filter(({ type }) => type === 'warning')).toEqual([
    { type: 'warning', message: 'Skipped 3 symbolic links: only files in the folder are bound.' },
  ]);
  expect(await imageDigests(join(folder, VOLUME))).toHaveLength(1);
  // A link on the command line is what the user means.
  const named = { inputs: [input('Lighthouse v01 c002.cbz'), input('linked')], force: true };
  expect((await bindFolder(folder, named)).errors).toEqual([]);
  expect(await imageDigests(join(folder, VOLUME))).toHaveLength(3);
});

test('a ZIP archive in a folder may be anything: it is skipped, and a warning says what to do', async () => {
  await writeArchive(input('Lighthouse v01 c002.zip'), { '1.png': page });
  await expect(bindFolder(folder)).rejects.toMatchObject({
    code: 'nothing-to-bind',
    hint: 'Give ZIP archives that are comics the extension .cbz.',
  });
  await writeArchive(input(CHAPTER), { '1.png': page });
  const { events } = await bindFolder(folder);
  expect(events.filter(({ type }) => type === 'warning')).toEqual([
    {
      type: 'warning',
      message:
        'Skipped 1 ZIP archive: to bind those that are comics, give them the extension .cbz.',
    },
  ]);
});

test('a conversion ends with the interruption', async () => {
  const interrupt = new AbortController();
  const converting = convertToPng(await testImage('webp', 1, { width: 4000 }), interrupt.signal);
  interrupt.abort(new Error('interrupted'));
  await expect(converting).rejects.toThrow('interrupted');
});

test('a large GIF is decoded in steps, and an interruption ends it', async () => {
  const header = Buffer.from('474946383961401f401f8000000000000000ff2c00000000401f401f0002', 'hex');
  // The image claims 64 million pixels, and has a clear code and two pixels.
  const gif = Buffer.concat([header, Buffer.from('0244010000003b', 'hex')]);
  const interrupt = new AbortController();
  const converting = gifToPng(gif, interrupt.signal);
  let turns = 0;
  const watch = setInterval(() => {
    turns += 1;
    if (turns === 3) interrupt.abort(new Error('interrupted'));
  }, 1);
  await expect(converting).rejects.toThrow('interrupted');
  clearInterval(watch);
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
