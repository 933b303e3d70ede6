/**
 * Files that their owner or another program changed: whole ones are edited and not damaged, what was changed stays byte for
 * byte, and what lost its mark is known by the record in it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  formatIdentityComment,
  MANIFEST_NAME,
  parseIdentityComment,
} from '../../../src/library/mark.js';
import { parseRecords } from '../../../src/library/record.js';
import { scanLibrary } from '../../../src/library/scan.js';
import { FolderStore } from '../../../src/library/store.js';
import {
  editChapter,
  EXAMPLE_CHAPTERS,
  reuploadChapter,
} from '../../../src/practice-server/library/library.js';
import type { ChapterAttributes } from '../../../src/practice-server/records.js';
import { readArchive, readComment, readEntry, writeArchive } from '../../support/archive.js';
import { fileDigest, imageDigests } from '../../support/bind-harness.js';
import { testImage } from '../../support/chapter-files.js';
import type { DownloadHarness } from '../../support/download-harness.js';
import { editEntry, replaced } from '../../support/owner-edits.js';
import { runCommand } from '../../support/retag-harness.js';
import { SavedRuns } from '../../support/saved-runs.js';
import { shortChapters } from '../../support/short-chapters.js';

const CHAPTER = EXAMPLE_CHAPTERS.first;
const LATER = '2026-01-01T00:00:00+00:00';

const runs = new SavedRuns();
let harness: DownloadHarness;
let file: string;
beforeEach(async () => {
  harness = await runs.start('the chapter', { chapters: shortChapters() }, (started) =>
    started.download({ targets: [CHAPTER] }),
  );
  file = harness.archives()[0] ?? '';
});
afterEach(() => harness.stop());

type Entries = Readonly<Record<string, Buffer>>;

/** Writes the archive again, as programs do that keep its comment or not. */
async function rewrite(
  change: (entries: Entries) => Entries | Promise<Entries>,
  comment = '',
): Promise<void> {
  const entries = (await readArchive(file)).map(({ name, bytes }) => [name, bytes] as const);
  await writeArchive(file, await change(Object.fromEntries(entries)), comment);
}

const without = (entries: Entries, name: string): Entries =>
  Object.fromEntries(Object.entries(entries).filter(([each]) => each !== name));
const withoutPage = (entries: Entries) => without(entries, '002.png');
const withOtherPage = async (entries: Entries) => ({
  ...without(entries, '002.png'),
  '002.webp': await testImage('webp'),
});

async function run(command: string, ...words: readonly string[]) {
  const { code, stdout, stderr } = await runCommand(harness, command, ...words, '--json');
  const lines = stdout.split('\n').filter((line) => line !== '');
  const events = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  return { code, events, stderr, types: events.map(({ type }) => type) };
}
const verify = (...words: readonly string[]) => run('verify', harness.output, ...words);

/** The chapter gets another title, or what is given. */
function editOnService(change: Partial<ChapterAttributes> = { title: 'Salt' }): void {
  const { library } = harness.service;
  const chapter = library.chapter(CHAPTER);
  if (chapter) library.putChapter(editChapter(chapter, LATER, change));
}

const EDITS = {
  'without a page, and without its comment, as Komga writes it': {
    edit: () => rewrite(withoutPage),
    message: '1 of 2 saved pages missing',
    pages: 1,
  },
  'with a converted page, and without its comment': {
    edit: () => rewrite(withOtherPage),
    message: '1 of 2 saved pages missing, 1 other page',
    pages: 2,
  },
  'without a page, and with its comment': {
    edit: async () => rewrite(withoutPage, await readComment(file)),
    message: '1 of 2 saved pages missing',
    pages: 1,
  },
  'with a converted page, and with its comment': {
    edit: async () => rewrite(withOtherPage, await readComment(file)),
    message: '1 of 2 saved pages missing, 1 other page',
    pages: 2,
  },
} as const;

describe.each(Object.entries(EDITS))('a file %s', (_, { edit, message, pages }) => {
  beforeEach(() => edit());

  test('is edited, and not damaged: no command changes it', async () => {
    const before = await fileDigest(file);
    for (const words of [[], ['--repair']]) {
      const { code, events } = await verify(...words);
      const found = { checked: 1, damaged: 0, edited: 1, repaired: 0, links: 0 };
      expect([code, events]).toEqual([
        0,
        [
          { type: 'file-edited', file, pages, message },
          { type: 'verify-summary', ...found },
        ],
      ]);
    }
    const adopted = await run('adopt', harness.output, '--apply');
    expect([adopted.code, adopted.events.at(-1)]).toMatchObject([0, { already: 1 }]);
    expect(await run('retag', harness.output)).toMatchObject({
      code: 0,
      events: [{ type: 'retag-summary', unchanged: 1, skipped: 0 }],
    });
    expect((await harness.download({ targets: [CHAPTER], update: true })).code).toBe(0);
    expect(await fileDigest(file)).toBe(before);
    expect(harness.files()).toEqual([file]);
  });

  test('keeps its pages while its metadata and its name follow the service, once', async () => {
    const digests = await imageDigests(file);
    editOnService();
    expect(await run('retag', harness.output)).toMatchObject({
      code: 0,
      events: [{ type: 'chapter-retagged', changed: ['title'] }, { changed: 1 }],
    });
    const [newFile = ''] = harness.archives();
    expect(harness.files()).toEqual([newFile]);
    expect(basename(newFile)).toContain(' - Salt [');
    expect(await imageDigests(newFile)).toEqual(digests);
    // The mark is there again.
    expect(parseIdentityComment(await readComment(newFile))).toMatchObject({ chapterId: CHAPTER });
    const before = await fileDigest(newFile);
    expect(await run('retag', harness.output)).toMatchObject({
      code: 0,
      events: [{ type: 'retag-summary', changed: 0, unchanged: 1, skipped: 0 }],
    });
    expect(await verify()).toMatchObject({ code: 0, events: [{ pages, message }, { edited: 1 }] });
    expect(await fileDigest(newFile)).toBe(before);
  });
});

const LOST = {
  'zipped again': (entries: Entries) => entries,
  'without a page': withoutPage,
  'with a converted page': withOtherPage,
} as const;

describe.each(Object.entries(LOST))('a file without its comment, %s', (_, change) => {
  beforeEach(() => rewrite(change));

  test('is neither replaced nor removed, and the run says why', async () => {
    const before = await fileDigest(file);
    const { library } = harness.service;
    const chapter = library.chapter(CHAPTER);
    const other = library.chapter(EXAMPLE_CHAPTERS.second);
    if (!chapter || !other) throw new Error('no chapters');
    library.putChapter(reuploadChapter(chapter, LATER, other));
    for (const flags of [{ force: true }, { update: true }]) {
      const { code, events } = await harness.download({ targets: [CHAPTER], ...flags });
      const message = `${file} lost the mark of tankobon to another program, and is kept.`;
      const hint = expect.stringContaining('tankobon verify --accept ') as unknown;
      expect([code, events]).toEqual([
        0,
        expect.arrayContaining([{ type: 'warning', message, hint }]),
      ]);
    }
    expect(await fileDigest(file)).toBe(before);
    expect(harness.files()).toEqual([file]);
  });

  test.each(['001.png', 'ComicInfo.xml'])(
    'is not replaced when its %s is damaged',
    async (name) => {
      const bytes = readFileSync(file);
      const at = bytes.indexOf(name) + 60;
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(file, bytes);
      const before = await fileDigest(file);
      const { code, types, stderr } = await verify('--repair');
      expect([code, types]).toEqual([3, ['file-damaged', 'verify-summary']]);
      expect(stderr).toContain('hint: ');
      await harness.download({ targets: [CHAPTER], force: true });
      expect(await fileDigest(file)).toBe(before);
    },
  );
});

test('what another program wrote in place of the comment stays when the metadata are rewritten', async () => {
  const comment = '{"appID":"calibre","ComicBookInfo/1.0":{"series":"Pokémon – 漫"}}';
  await rewrite(withoutPage, comment);
  editOnService();
  expect((await run('retag', harness.output)).types).toEqual(['chapter-retagged', 'retag-summary']);
  const [newFile = ''] = harness.archives();
  expect(await readComment(newFile)).toBe(comment);
  expect((await run('retag', harness.output)).types).toEqual(['retag-summary']);
});

test('a file without a comment of which no page is one of the record is of another program', async () => {
  await rewrite(async (entries) => ({
    ...without(without(entries, '001.png'), '002.png'),
    '1.webp': await testImage('webp', 1),
    '2.webp': await testImage('webp', 2),
  }));
  const before = await fileDigest(file);
  expect(await verify()).toMatchObject({
    code: 0,
    events: [{ type: 'file-edited', pages: 2 }, {}],
  });
  editOnService();
  expect(await run('retag', harness.output)).toMatchObject({
    code: 0,
    events: [{ type: 'chapter-skipped', reason: 'other-program' }, { changed: 0 }],
  });
  expect(await fileDigest(file)).toBe(before);
});

test('a record in a file with the pages of another chapter proves nothing', async () => {
  const entries = await readArchive(file);
  await writeArchive(file, {
    '001.jpg': await testImage('jpeg'),
    'META-INF/tankobon.json': await readEntry(file, 'META-INF/tankobon.json'),
    'ComicInfo.xml': entries.find(({ name }) => name === 'ComicInfo.xml')?.bytes ?? '',
  });
  editOnService();
  const before = await fileDigest(file);
  expect((await run('retag', harness.output)).types).toEqual(['chapter-skipped', 'retag-summary']);
  expect(await fileDigest(file)).toBe(before);
});

test.each<readonly [string, (entries: Entries) => Entries, comment?: string]>([
  [
    'with an empty ComicInfo.xml',
    (entries) => ({ ...entries, 'ComicInfo.xml': Buffer.alloc(0) }),
    formatIdentityComment({ chapterId: CHAPTER }),
  ],
  [
    'without a mark, whose record has metadata of another form',
    (entries) => ({
      ...entries,
      [MANIFEST_NAME]: Buffer.from(
        replaced(entries[MANIFEST_NAME]?.toString(), ['"series":"', '"series":1,"other":"']),
      ),
    }),
  ],
])(
  'a file %s is the same for other commands before and after a check',
  async (_, change, comment) => {
    await rewrite(change, comment);
    const found = async () => [
      await run('retag', harness.output, '--dry-run'),
      await run('bind', harness.output, '--dry-run'),
    ];
    const before = await found();
    await verify();
    expect(await found()).toEqual(before);
  },
);

test('names that begin with ./, as the tar of Windows and macOS writes them, are those of pages', async () => {
  await rewrite((entries) =>
    Object.fromEntries(Object.entries(entries).map(([name, bytes]) => [`./${name}`, bytes])),
  );
  expect((await readArchive(file))[0]?.name).toMatch(/^\.\//);
  expect(await verify()).toMatchObject({ code: 0, types: ['verify-summary'] });
});

test('two pages with one name are two pages', async () => {
  const renamed = readFileSync(file, 'latin1').replaceAll('002.png', '001.png');
  writeFileSync(file, renamed, 'latin1');
  expect(new Set((await readArchive(file)).map(({ name }) => name)).size).toBe(3);
  expect(await verify()).toMatchObject({ code: 0, types: ['verify-summary'] });
});

test('names that zip on Linux writes in UTF-8, without saying so, stay', async () => {
  await rewrite(
    (entries) => ({ ...withoutPage(entries), 'xx/xx.txt': Buffer.from('mine') }),
    await readComment(file),
  );
  const inUtf8 = Buffer.from('ü').toString('latin1');
  const bytes = readFileSync(file, 'latin1').replaceAll('xx/xx.txt', `${inUtf8}/${inUtf8}.txt`);
  writeFileSync(file, bytes, 'latin1');
  const namesIn = async () => (await readArchive(file)).map(({ name }) => name);
  expect(await namesIn()).not.toContain('ü/ü.txt');
  expect((await verify('--accept')).types).toContain('file-accepted');
  expect(await namesIn()).toContain('ü/ü.txt');
});

test('a flipped bit and a lost end stay damage', async () => {
  const whole = readFileSync(file);
  const flipped = Buffer.from(whole);
  flipped[200] = (flipped[200] ?? 0) ^ 1;
  for (const [bytes, reason] of [
    [flipped, 'entry-damaged'],
    [whole.subarray(0, -40), 'unreadable'],
  ] as const) {
    writeFileSync(file, bytes);
    expect(await verify()).toMatchObject({
      code: 3,
      events: [{ type: 'file-damaged', reason }, {}],
    });
  }
});

/** Makes the checksum of the first page wrong. */
function damage(): void {
  const bytes = readFileSync(file);
  bytes[200] = (bytes[200] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

describe('edits of ComicInfo.xml', () => {
  const COMIC_INFO = 'ComicInfo.xml';
  const edits: readonly [string | RegExp, string][] = [
    [/<Title>[^<]*<\/Title>/, '<Title>Mine – é 漫</Title>'],
    ['</ComicInfo>', '<Notes>mine too</Notes></ComicInfo>'],
  ];
  const ENCODINGS = {
    'in UTF-8': (xml: string) => Buffer.from(xml),
    'in UTF-8 with a mark': (xml: string) => Buffer.from(`\uFEFF${xml}`),
    'in UTF-16, little-endian': (xml: string) =>
      Buffer.from(`\uFEFF${xml.replace('utf-8', 'utf-16')}`, 'utf16le'),
    'in UTF-16, big-endian': (xml: string) =>
      Buffer.from(`\uFEFF${xml.replace('utf-8', 'utf-16')}`, 'utf16le').swap16(),
    'in UTF-16 without a mark': (xml: string) =>
      Buffer.from(xml.replace('utf-8', 'utf-16le'), 'utf16le'),
  } as const;

  test.each(Object.entries(ENCODINGS))('%s survive a repair and a retag', async (_, encode) => {
    await rewrite(
      (entries) => ({
        ...entries,
        [COMIC_INFO]: encode(replaced(entries[COMIC_INFO]?.toString(), ...edits)),
      }),
      await readComment(file),
    );
    const expectEdits = async () => {
      [file = ''] = harness.archives();
      const xml = await readEntry(file, COMIC_INFO);
      expect(xml).toContain('<Title>Mine – é 漫</Title>');
      expect(xml).toContain('<Notes>mine too</Notes>');
    };
    expect((await verify()).types).toEqual(['verify-summary']);
    damage();
    expect((await verify('--repair')).types).toContain('file-repaired');
    await expectEdits();
    editOnService({ volume: '7' });
    expect((await run('retag', harness.output)).types).toContain('chapter-retagged');
    await expectEdits();
    expect(await readEntry(file, COMIC_INFO)).toContain('<Volume>7</Volume>');
    expect((await run('retag', harness.output)).types).toEqual(['chapter-kept', 'retag-summary']);
  });

  test('stay where no metadata are written', async () => {
    writeFileSync(join(harness.folder, 'home', 'config.json'), '{ "metadata": false }');
    await rewrite(
      (entries) => ({
        ...entries,
        [COMIC_INFO]: ENCODINGS['in UTF-16, little-endian'](
          replaced(entries[COMIC_INFO]?.toString(), ...edits),
        ),
      }),
      await readComment(file),
    );
    damage();
    expect((await verify('--repair')).types).toContain('file-repaired');
    const xml = await readEntry(harness.archives()[0] ?? '', COMIC_INFO);
    for (const each of [
      'encoding="utf-8"',
      '<Title>Mine – é 漫</Title>',
      '<Notes>mine too</Notes>',
    ])
      expect(xml).toContain(each);
  });

  test.each(Object.entries(ENCODINGS))('%s survive a retag', async (_, encode) => {
    await rewrite(
      (entries) => ({
        ...entries,
        [COMIC_INFO]: encode(replaced(entries[COMIC_INFO]?.toString(), ...edits)),
      }),
      await readComment(file),
    );
    editOnService({ volume: '7' });
    expect((await run('retag', harness.output)).types).toContain('chapter-retagged');
    [file = ''] = harness.archives();
    const xml = await readEntry(file, COMIC_INFO);
    for (const each of ['<Title>Mine – é 漫</Title>', '<Notes>mine too</Notes>', '<Volume>7<'])
      expect(xml).toContain(each);
  });
});

describe('verify --accept', () => {
  const accept = () => verify('--accept');
  const recordOf = async () =>
    parseRecords(await readEntry(file, 'META-INF/tankobon.json'))?.[0] ?? {};

  test.each(Object.entries(EDITS))('takes a file %s as it is for good', async (_, each) => {
    await each.edit();
    const saved = (await recordOf()).pages;
    const [digests, comicInfo] = [await imageDigests(file), await readEntry(file, 'ComicInfo.xml')];
    const { code, events } = await accept();
    expect([code, events]).toMatchObject([
      0,
      [
        { type: 'file-edited' },
        { type: 'file-accepted', file, pages: each.pages },
        { type: 'verify-summary', damaged: 0, edited: 1, accepted: 1 },
      ],
    ]);
    expect([await imageDigests(file), await readEntry(file, 'ComicInfo.xml')]).toEqual([
      digests,
      comicInfo,
    ]);
    expect(await recordOf()).toMatchObject({ pages: saved, acceptedPages: digests });
    expect(parseIdentityComment(await readComment(file))).toMatchObject({ chapterId: CHAPTER });
    const before = await fileDigest(file);
    expect(await accept()).toMatchObject({ code: 0, types: ['verify-summary'] });
    expect(await verify('--repair')).toMatchObject({ code: 0, types: ['verify-summary'] });
    // The pages that were saved are those of the service still: only the metadata follow.
    editOnService();
    const { events: updated } = await harness.download({ targets: [CHAPTER], update: true });
    expect(updated.at(-1)).toMatchObject({ saved: 0, retagged: 1 });
    file = harness.archives()[0] ?? '';
    expect(await fileDigest(file)).not.toBe(before);
    expect([await imageDigests(file), harness.files()]).toEqual([digests, [file]]);
    expect(await verify()).toMatchObject({ code: 0, types: ['verify-summary'] });
  });

  test('gives a file that was zipped again its mark, without which it is whole all the same', async () => {
    await rewrite((entries) => entries);
    expect(await verify()).toMatchObject({ code: 0, types: ['verify-summary'] });
    expect((await accept()).types).toEqual(['file-accepted', 'verify-summary']);
    expect(await recordOf()).not.toHaveProperty('acceptedPages');
    expect(await readComment(file)).toContain(CHAPTER);
    expect((await accept()).types).toEqual(['verify-summary']);
  });

  test('leaves a whole file with the comment of another program as it is', async () => {
    await rewrite((entries) => entries, '{"appID":"calibre"}');
    const before = await fileDigest(file);
    expect(await accept()).toMatchObject({ code: 0, types: ['verify-summary'] });
    expect(await fileDigest(file)).toBe(before);
  });

  test('leaves a damaged file and one of another program as they are', async () => {
    await rewrite(async (entries) => ({
      ...without(without(entries, '001.png'), '002.png'),
      '1.webp': await testImage('webp', 1),
    }));
    const theirs = await fileDigest(file);
    expect((await accept()).types).toEqual(['file-edited', 'warning', 'verify-summary']);
    expect(await fileDigest(file)).toBe(theirs);
    writeFileSync(file, readFileSync(file).subarray(0, -40));
    const cut = await fileDigest(file);
    expect(await accept()).toMatchObject({ code: 3, types: ['file-damaged', 'verify-summary'] });
    expect(await fileDigest(file)).toBe(cut);
  });

  test('an accepted file whose bit flips later is damaged, and is loaded again', async () => {
    await rewrite(withoutPage, await readComment(file));
    await accept();
    const bytes = readFileSync(file);
    bytes[200] = (bytes[200] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const { code, types } = await verify('--repair');
    expect([code, types]).toEqual([0, ['file-damaged', 'file-repaired', 'verify-summary']]);
    expect(await imageDigests(file)).toHaveLength(2);
  });
});

describe('verify --repair --edited', () => {
  const repair = () => verify('--repair', '--edited');

  test.each([
    ['without a page', withoutPage],
    ['with a converted page', withOtherPage],
  ] as const)(
    'loads a file %s again, and keeps it and the edits of its metadata',
    async (_, edit) => {
      const saved = await imageDigests(file);
      await rewrite(edit, await readComment(file));
      await editEntry(file, 'ComicInfo.xml', (xml) =>
        replaced(xml, [/<Title>[^<]*</, '<Title>Mine<'], [/<PageCount>2</, '<PageCount>1<']),
      );
      const before = await fileDigest(file);
      expect(await verify('--repair')).toMatchObject({
        code: 0,
        types: ['file-edited', 'verify-summary'],
      });
      const kept = `${file}.edited`;
      expect(await repair()).toMatchObject({
        code: 0,
        events: [
          { type: 'file-edited' },
          { type: 'file-repaired', file, kept },
          { damaged: 0, edited: 1, repaired: 1 },
        ],
      });
      expect([await imageDigests(file), await fileDigest(kept)]).toEqual([saved, before]);
      expect(await readEntry(file, 'ComicInfo.xml')).toContain('<Title>Mine<');
      expect(await repair()).toMatchObject({ code: 0, types: ['verify-summary'] });
      expect(harness.files()).toHaveLength(2);
    },
  );

  test('leaves a file without the mark as it is, and says so', async () => {
    await rewrite(withoutPage);
    const before = await fileDigest(file);
    const { code, types, stderr } = await repair();
    expect([code, types]).toEqual([3, ['file-edited', 'verify-summary']]);
    expect(stderr).toContain(`Not repaired, since it lost the mark of tankobon`);
    // The hint for damaged files is wrong here.
    expect(stderr).not.toContain('Files of other programs');
    expect([await fileDigest(file), harness.files()]).toEqual([before, [file]]);
  });

  test('needs --repair', async () => {
    await expect(verify('--edited')).rejects.toMatchObject({ code: 'bad-option' });
  });
});

describe('the comment of a chapter file', () => {
  test('names the chapter alone, and leaves the end of the archive within its last 80 bytes', async () => {
    expect(await readComment(file)).toBe(`tankobon chapter=${CHAPTER}`);
    expect(readFileSync(file).subarray(-80).includes('PK\u0005\u0006')).toBe(true);
    // Title, version and quality are in the record, also for a scan, which the store keeps.
    const titleId = /"titleId":"([^"]+)"/.exec(
      await readEntry(file, 'META-INF/tankobon.json'),
    )?.[1];
    for (let scan = 0; scan < 2; scan += 1) {
      const store = FolderStore.open(join(harness.folder, 'state'), harness.output);
      const index = await scanLibrary(harness.output, { store });
      await store.save();
      const known = { chapterId: CHAPTER, titleId, version: 1, quality: 'data' };
      expect(index.archives).toMatchObject([known]);
    }
  });

  test.each([true, false])(
    'may lack its record: the quality stays known (verified: %s)',
    async (isVerified) => {
      await harness.download({ targets: [CHAPTER], quality: 'data-saver', force: true });
      file = harness.archives()[0] ?? '';
      const digests = await imageDigests(file);
      if (isVerified) await verify();
      const bytes = readFileSync(file);
      const at = bytes.indexOf('"chapterId"');
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(file, bytes);
      for (const words of [[], ['--repair']])
        expect((await verify(...words)).types).toContain('file-damaged');
      expect(await imageDigests(file)).toEqual(digests);
      expect((await verify()).types).toEqual(['verify-summary']);
    },
  );

  test('is read where it is longer, as in earlier versions, and shortened with a rewrite', async () => {
    const comment = formatIdentityComment({ chapterId: CHAPTER, version: 1, quality: 'data' });
    await rewrite((entries) => entries, comment);
    expect((await verify()).types).toEqual(['verify-summary']);
    editOnService();
    expect((await run('retag', harness.output)).types).toContain('chapter-retagged');
    expect(await readComment(harness.archives()[0] ?? '')).toBe(`tankobon chapter=${CHAPTER}`);
  });
});
