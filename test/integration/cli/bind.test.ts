/** `tankobon bind`: exit codes, output, and what a kill leaves. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { spawnSync } from 'node:child_process';
import { readArchive, readEntry, writeArchive } from '../../support/archive.js';
import { chapterId, testImage, writeChapterFile } from '../../support/chapter-files.js';
import { PROGRAM, start, tankobon } from '../../support/command.js';
import { tankobonHere } from '../../support/in-process.js';
import { IS_LONG_RUN } from '../../support/long-run.js';

const KILLS = Number(process.env['TANKOBON_KILLS'] ?? (IS_LONG_RUN ? 8 : 1));
/** The kills at each change of killed-bind.test.ts have all formats. */
const KILLED_FORMATS = IS_LONG_RUN ? ['cbz', 'epub', 'pdf', 'folder'] : ['pdf'];
const PAGES = 12;
const REPOSITORY = resolve('.');

let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-bind-cli-'));
  env = { TANKOBON_HOME: join(folder, 'home') };
  process.chdir(folder);
  const image = await testImage('png', 3, { width: 200, height: 300 });
  for (const number of [1, 2, 4]) {
    await writeChapterFile(join(folder, 'in', `${number}.cbz`), {
      id: chapterId(number),
      number: String(number),
      volume: number === 4 ? undefined : '1',
      images: Array.from({ length: PAGES }, () => image),
    });
  }
});
afterAll(() => {
  process.chdir(REPOSITORY);
  rmSync(folder, { recursive: true, force: true });
});

const bind = (...words: readonly string[]) => tankobonHere(['bind', ...words], { env });

test('prints what is missing, the saved files, and exits with 0', async () => {
  const dryRun = await bind('in', '-o', 'dry', '--by', 'title', '--dry-run');
  expect(dryRun.stderr).toContain(
    `Lighthouse (all).cbz: 3 chapters, ${3 * PAGES} pages; missing: chapter 3\n`,
  );
  expect(readdirSync(folder)).not.toContain('dry');
  const { code, stdout, stderr } = await bind('in', '-o', 'out');
  expect([code, stdout]).toEqual([0, 'out/Lighthouse/Lighthouse Vol.01.cbz\n']);
  expect(stderr).toContain('left out: in/4.cbz: no volume');
});

test('archives of kinds that are not read are named', async () => {
  await writeChapterFile(join(folder, 'kinds', '1.cbz'), {
    id: chapterId(1),
    number: '1',
    volume: '1',
    images: [await testImage('png', 1)],
  });
  for (const name of ['2.cbr', '3.CB7']) writeFileSync(join(folder, 'kinds', name), 'other');
  const { code, stderr } = await bind('kinds', '-o', 'kinds-books');
  expect(code).toBe(0);
  for (const name of ['2.cbr', '3.CB7'])
    expect(stderr).toContain(`left out: kinds/${name}: a RAR, 7z or tar archive`);
  expect(stderr).toMatch(/1 book saved, 2 chapters left out\n$/);
});

test.each([
  ['in the folder that was archived', 'Chapter 5/'],
  ['with a name in lower case', ''],
])('a ComicInfo.xml %s describes the chapter', async (_, prefix) => {
  const files = join(folder, `comicinfo-${prefix.length}`);
  mkdirSync(files);
  const name = prefix === '' ? 'comicinfo.xml' : 'ComicInfo.xml';
  await writeArchive(join(files, 'scan_0815.cbz'), {
    [`${prefix}001.png`]: await testImage('png', 1),
    [`${prefix}${name}`]:
      '<ComicInfo><Series>Salt</Series><Number>5</Number><Volume>2</Volume></ComicInfo>',
    [`__MACOSX/${prefix}._${name}`]: 'attributes of macOS',
  });
  const { stderr } = await bind(files, '-o', join(files, 'books'), '--dry-run');
  expect(stderr).toContain('Salt Vol.02.cbz: 1 chapter, 1 page');
});

test('a pack of chapters in folders is not described by the ComicInfo.xml of one of them', async () => {
  const files = join(folder, 'pack');
  mkdirSync(files);
  const image = await testImage('png', 1);
  await writeArchive(join(files, 'Salt Vol.03.cbz'), {
    'Chapter 5/001.png': image,
    'Chapter 5/ComicInfo.xml': '<ComicInfo><Series>Pepper</Series><Volume>2</Volume></ComicInfo>',
    'Chapter 6/001.png': image,
  });
  const { stderr } = await bind(files, '-o', join(files, 'books'), '--dry-run');
  expect(stderr).toContain('Salt Vol.03.cbz: 1 chapter, 2 pages');
});

test('folders of seasons, extras, languages and volumes below a series keep all chapters apart', async () => {
  const files = join(folder, 'folders');
  const image = await testImage('png', 1);
  const chapters = ['Chapters/001', 'Season 2/001', 'Season 2/Sea c002', 'Specials/001'];
  const others = ['Sea v01/002', 'Volume 2 - The Fog/003', 'Japanese/001', '../Fog/Chapters/001'];
  for (const [index, name] of [...chapters, ...others].entries()) {
    mkdirSync(join(files, 'Sea', dirname(name)), { recursive: true });
    const page = Buffer.concat([image, Buffer.alloc(index)]);
    await writeArchive(join(files, 'Sea', `${name}.cbz`), { '001.png': page });
  }
  const { stderr } = await bind(files, '-o', join(files, 'books'), '--by', 'title', '--dry-run');
  expect(stderr).not.toContain('left out');
  for (const book of [
    'Sea/Sea (all).cbz: 3 chapters',
    'Sea/Sea (all) [ja].cbz: 1 chapter',
    'Sea Season 2/Sea Season 2 (all).cbz: 2 chapters',
    'Sea Specials/Sea Specials (all).cbz: 1 chapter',
    'Fog/Fog (all).cbz: 1 chapter',
  ])
    expect(stderr).toContain(`${book}, `);
});

test('files whose names have languages are bound by language', async () => {
  const files = join(folder, 'languages');
  mkdirSync(files);
  const names = [
    'c001 [EN]',
    'c001 [FR]',
    'c002 (en)',
    'c002 (fr)',
    'c003 [Owls] [EN]',
    'c004 [es]',
  ];
  for (const [index, name] of names.entries()) {
    const page = Buffer.concat([await testImage('png', 1), Buffer.alloc(index)]);
    await writeArchive(join(files, `Qi v01 ${name}.cbz`), { '001.png': page });
  }
  const { stderr } = await bind(files, '-o', join(files, 'books'), '--dry-run');
  expect(stderr).not.toContain('left out');
  for (const book of ['[en].cbz: 3 chapters', '[es].cbz: 1 chapter', '[fr].cbz: 2 chapters'])
    expect(stderr).toContain(`Qi Vol.01 ${book}, `);
});

test.each(['v2', ' v2', ' (v2)', ' [v2]', ' - Fog v2'])(
  'of two files of one chapter, that with %p is bound',
  async (version) => {
    const files = mkdtempSync(join(folder, 'version-'));
    const page = await testImage('png', 1);
    const later = await testImage('png', 2);
    const title = version.includes('Fog') ? ' - Fog' : '';
    await writeArchive(join(files, `Sea v01 c001${title}.cbz`), { '001.png': page });
    await writeArchive(join(files, `Sea v01 c001${version}.cbz`), { '001.png': later });
    const { stderr } = await bind(files, '-o', join(files, 'books'));
    expect(stderr).toContain(`c001${title}.cbz: another release of the same chapter`);
    const entries = await readArchive(join(files, 'books', 'Sea', 'Sea Vol.01.cbz'));
    expect(entries.filter(({ bytes }) => bytes.equals(later))).toHaveLength(1);
  },
);

test('the contents of a book name the number of a chapter once, also where its title has it', async () => {
  const files = join(folder, 'numbered-titles');
  mkdirSync(files);
  for (const [number, title] of ['Vol.1 Ch.1 - Fog', 'Ch.2', 'Ch.2 - Storm'].entries())
    await writeArchive(join(files, `Sea v01 c00${number + 1}.cbz`), {
      '001.png': await testImage('png', number + 1),
      'ComicInfo.xml': `<ComicInfo><Title>${title}</Title></ComicInfo>`,
    });
  await bind(files, '-o', join(files, 'books'));
  const xml = await readEntry(join(files, 'books', 'Sea', 'Sea Vol.01.cbz'), 'ComicInfo.xml');
  expect(Array.from(xml.matchAll(/Bookmark="([^"]*)"/g), ([, label]) => label)).toEqual([
    'Ch. 1 – Fog',
    'Ch. 2',
    'Ch. 3 – Ch.2 - Storm',
  ]);
});

test('a RAR archive is called one, whatever its extension is', async () => {
  writeFileSync(join(folder, 'x.cbr'), 'Rar!\x1a\x07 and more');
  const { stderr } = await bind('x.cbr');
  expect(stderr).toContain('it is a RAR archive, not a ZIP archive');
});

test('says which ComicInfo.xml cannot be read, since only names count then', async () => {
  const files = join(folder, 'broken-comicinfo');
  mkdirSync(files);
  await writeArchive(join(files, 'Salt Vol.02 Ch.005.cbz'), {
    '001.png': await testImage('png', 1),
    'ComicInfo.xml': '<html>502 Bad Gateway</html>',
  });
  const { stderr } = await bind(files, '-o', join(files, 'books'), '--dry-run');
  expect(stderr).toContain(
    'warning: ComicInfo.xml cannot be read, and the names of the files and folders count in its place: Salt Vol.02 Ch.005.cbz\n',
  );
  expect(stderr).toContain('Salt Vol.02.cbz: 1 chapter, 1 page');
});

describe('a shelf of other programs', () => {
  let shelf: string;
  beforeEach(() => {
    shelf = mkdtempSync(join(folder, 'shelf-'));
  });
  const put = async (name: string, seed: number, comicInfo?: string) => {
    const file = join(shelf, name);
    mkdirSync(dirname(file), { recursive: true });
    await writeArchive(file, {
      '1.png': await testImage('png', seed),
      ...(comicInfo !== undefined && { 'ComicInfo.xml': comicInfo }),
    });
  };

  test('a volume that is there already is not bound, and the others are', async () => {
    await put('Sea/Sea Vol.01.cbz', 1);
    await put('Sea/Sea Vol.02 Ch.9.cbz', 9);
    const { code, stdout, stderr } = await bind(shelf, '-o', shelf);
    expect([code, stdout]).toEqual([0, `${join(shelf, 'Sea/Sea Vol.02.cbz')}\n`]);
    expect(stderr).toMatch(/1 book saved, 1 skipped\n$/);
  });

  test('a book that would replace one of its chapters fails alone', async () => {
    await put('Sea/Sea Vol.01.cbz', 1);
    await put('Sea/Sea Vol.01 Ch.1.cbz', 2);
    await put('Sea/Sea Vol.02 Ch.9.cbz', 9);
    const { code, stdout, stderr } = await bind(shelf, '-o', shelf);
    expect([code, stdout]).toEqual([3, `${join(shelf, 'Sea/Sea Vol.02.cbz')}\n`]);
    expect(stderr).toContain('error: The book would replace the chapter that it is made of');
  });

  test('chapters of one number are books of their own by chapter', async () => {
    await put('Sea/Vol. 1 Ch. 5.cbz', 5);
    await put('Sea/Vol. 1 Ch. 5 - Extra.cbz', 6);
    await put('Other/Vol. 1 Ch. 1.cbz', 1);
    const { code, stdout } = await bind(shelf, '-o', join(shelf, 'out'), '--by', 'chapter');
    const books = stdout.trim().split('\n');
    expect([code, books.length, new Set(books).size]).toEqual([0, 3, 3]);
    const again = await bind(shelf, '-o', join(shelf, 'out'), '--by', 'chapter');
    expect(again.stderr).toMatch(/0 books saved, 3 skipped\n$/);
  });

  test('a folder and ComicInfo.xml name one series, although a folder cannot have all characters', async () => {
    const comicInfo = '<ComicInfo><Series>Salt: Is it Sea?</Series><Volume>1</Volume></ComicInfo>';
    await put('Salt_ Is it Sea_/Vol.1 Ch.1.cbz', 1);
    await put('Salt_ Is it Sea_/Vol.1 Ch.2.cbz', 2, comicInfo);
    const { code, stderr } = await bind(shelf, '-o', join(shelf, 'out'));
    expect([code, stderr]).toEqual([0, '1 book saved\n']);
    const [book = ''] = readdirSync(join(shelf, 'out/Salt_ Is it Sea_'));
    const xml = await readEntry(join(shelf, 'out/Salt_ Is it Sea_', book), 'ComicInfo.xml');
    expect(xml).toContain('<Series>Salt: Is it Sea?</Series>');
  });

  test('a chapter that only the book has is not missing', async () => {
    for (const number of [1, 2, 3]) await put(`Sea/Sea v01 c00${number}.cbz`, number);
    await bind(shelf, '-o', join(shelf, 'out'));
    rmSync(join(shelf, 'Sea/Sea v01 c002.cbz'));
    await put('Sea/Sea v01 c005.cbz', 5);
    const { stderr } = await bind(shelf, '-o', join(shelf, 'out'));
    expect(stderr).toContain('missing: chapter 4\n');
  });

  test('the direction of pages that no file says is that of --direction, and otherwise said', async () => {
    const right = '<ComicInfo><Manga>YesAndRightToLeft</Manga></ComicInfo>';
    for (const volume of [1, 2]) await put(`Sea/Sea v0${volume} c00${volume}.cbz`, volume);
    await put('Lake/Lake v01 c001.cbz', 3, right);
    const epub = ['--format', 'epub', '--force', '-o', join(shelf, 'out')];
    const opfOf = async (series: string) =>
      readEntry(join(shelf, 'out', series, `${series} Vol.01.epub`), 'OEBPS/content.opf');
    const first = await bind(shelf, ...epub);
    expect(first.stderr.match(/^warning: .+$/gm)).toEqual([
      'warning: The files of Sea do not say how pages turn, which is from left to right in its books; for manga: --direction rtl',
    ]);
    expect(await opfOf('Sea')).toContain('page-progression-direction="ltr"');
    expect(await opfOf('Lake')).toContain('page-progression-direction="rtl"');
    const again = await bind(shelf, ...epub, '--direction', 'rtl');
    expect(again.stderr).not.toContain('warning');
    expect(await opfOf('Sea')).toContain('page-progression-direction="rtl"');
  });

  test('a file that may be the whole volume is named', async () => {
    await put('Sea/Sea v01 (2019) (Digital).cbz', 1);
    await put('Sea/Sea v01 c001.cbz', 2);
    await put('Sea/Sea v02 Extra.cbz', 3);
    await put('Sea/Sea v02 c002.cbz', 4);
    const { stderr } = await bind(shelf, '-o', join(shelf, 'out'), '--dry-run');
    expect(stderr.match(/may be the whole volume: .+/g)).toEqual([
      'may be the whole volume: Sea v01 (2019) (Digital).cbz',
    ]);
  });

  test('folders of images are named, since only archives are bound', async () => {
    const image = await testImage('png', 1);
    for (const page of [1, 2]) {
      mkdirSync(join(shelf, 'Sea/Chapter 2'), { recursive: true });
      writeFileSync(join(shelf, 'Sea/Chapter 2', `${page}.png`), image);
    }
    const none = await bind(shelf, '-o', join(shelf, 'out'));
    expect(none.stderr).toContain('hint: Zip each folder of images into a CBZ');
    await put('Sea/Sea v01 c001.cbz', 1);
    const { code, stderr } = await bind(shelf, '-o', shelf);
    expect([code, stderr]).toEqual([
      0,
      'warning: Skipped 1 folder of images, since only archives are bound: Chapter 2\n1 book saved\n',
    ]);
    // The folders in a book in a folder are its chapters.
    rmSync(join(shelf, 'Sea/Chapter 2'), { recursive: true });
    await bind(shelf, '-o', shelf, '--format', 'folder');
    expect((await bind(shelf, '-o', shelf)).stderr).not.toContain('images');
  });
});

test('a PNG that was uploaded cut off ends no PDF, and what can be read of it is there', async () => {
  const whole = await testImage('png', 7, { width: 200, height: 300 });
  const images = [whole, whole.subarray(0, whole.length / 2)];
  await writeChapterFile(join(folder, 'cut', '1.cbz'), { id: chapterId(1), volume: '1', images });
  const { code, stderr } = await bind('cut', '-o', 'cut-books', '--format', 'pdf');
  expect([code, stderr]).toEqual([0, expect.stringMatching(/1 book saved\n$/)]);
  expect(stderr).toMatch(/A page is broken .*002\.png \(it is truncated\), in cut-books/);
  const again = await bind('cut', '-o', 'cut-books', '--format', 'pdf');
  expect([again.code, again.stderr]).toEqual([0, expect.not.stringContaining('broken')]);
});

test('one line a book that says what it lacks, one for all chapters without a volume, none for what is bound', async () => {
  const image = await testImage('png', 1);
  for (const number of [1, 3, 4, 6, 7])
    await writeChapterFile(join(folder, 'quiet', `${number}.cbz`), {
      id: chapterId(number),
      number: String(number),
      volume: number > 5 ? undefined : String(Math.ceil(number / 3)),
      images: [image],
    });
  const leftOut =
    'left out: 2 chapters: no volume (a book of the whole title has all chapters): 6.cbz, 7.cbz\n';
  const first = await bind('quiet', '-o', 'quiet-books');
  expect(first).toMatchObject({
    code: 0,
    stdout: ['Vol.01', 'Vol.02']
      .map((volume) => `quiet-books/Lighthouse/Lighthouse ${volume}.cbz\n`)
      .join(''),
    stderr: expect.stringMatching(
      /^left out: .+\nLighthouse Vol\.01\.cbz: saved, 2 pages, .+; missing: chapter 2\n2 books saved, 2 chapters left out\n$/,
    ),
  });
  expect(first.stderr.startsWith(leftOut)).toBe(true);
  const again = await bind('quiet', '-o', 'quiet-books');
  expect(again).toMatchObject({
    code: 0,
    stdout: '',
    stderr: `${leftOut}0 books saved, 2 skipped, 2 chapters left out\n`,
  });
});

test('a chapter between two of the same volume is bound with them and marked, unless --no-infer', async () => {
  const image = await testImage('png', 3);
  for (const number of [1, 2, 3])
    await writeChapterFile(join(folder, 'between', `${number}.cbz`), {
      id: chapterId(number),
      number: String(number),
      volume: number === 2 ? undefined : '1',
      images: [image],
    });
  const dryRun = await bind('between', '-o', 'inferred', '--dry-run');
  expect(dryRun.stderr).toContain(
    'Lighthouse Vol.01.cbz: 3 chapters, 3 pages; volume inferred: chapter 2\n',
  );
  const json = await bind('between', '-o', 'inferred', '--dry-run', '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({ type: 'book-planned', volumeInferred: ['2'] });
  const off = await bind('between', '-o', 'inferred', '--dry-run', '--no-infer');
  expect(off.stderr).toContain('Lighthouse Vol.01.cbz: 2 chapters');
  expect(off.stderr).toContain('left out: between/2.cbz: no volume');
  await bind('between', '-o', 'inferred');
  const book = join(folder, 'inferred', 'Lighthouse', 'Lighthouse Vol.01.cbz');
  const bytes = readFileSync(book);
  expect(await readEntry(book, 'ComicInfo.xml')).toContain(
    '<Notes>Volume inferred: chapter 2.</Notes>',
  );
  const again = await bind('between', '-o', 'inferred', '--force');
  expect([again.code, readFileSync(book).equals(bytes)]).toEqual([0, true]);
});

test('--json prints events only, and the summary last', async () => {
  const { code, stdout, stderr } = await bind('in', '-o', 'json', '--json');
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string });
  expect([code, stderr]).toEqual([0, '']);
  expect(events.map(({ type }) => type)).toEqual([
    'chapter-left-out',
    'book-planned',
    'book-saved',
    'bind-summary',
  ]);
  expect(events.at(-1)).toMatchObject({ saved: 1, skipped: 0, failed: 0, leftOut: 1 });
});

test('a usage error exits with 2; a file that is not an archive with 3 and a fitting hint', async () => {
  writeFileSync(join(folder, 'package.json'), '{}');
  const missing = await bind('nowhere');
  expect([missing.code, missing.stderr]).toEqual([
    2,
    'error: Not found: nowhere\nhint: Pass CBZ files or folders that contain them.\n',
  ]);
  const damaged = join(folder, 'Lighthouse v09 c001.cbz');
  writeFileSync(damaged, 'not an archive');
  const { code, stderr } = await bind(damaged, '-o', 'damaged');
  expect(code).toBe(3);
  expect(stderr).toContain(
    `error: Cannot read the chapter (it is not a ZIP archive, or is damaged): ${damaged}\n`,
  );
  expect(stderr).toContain(
    'hint: To load a chapter again that tankobon saved, run: tankobon verify ',
  );
  const noArchive = await bind(join(folder, 'package.json'), '-o', 'damaged');
  expect(noArchive.stderr).toContain('hint: Pass CBZ files or folders that contain them.');
});

test.each([['--convert'], ['--for', 'kobo-libra']])('%s without sharp is an error', (...flags) => {
  const copy = join(folder, 'copy', 'dist', 'program');
  cpSync(dirname(PROGRAM), copy, { recursive: true });
  cpSync(join(REPOSITORY, 'package.json'), join(folder, 'copy', 'package.json'));
  const words = [join(copy, 'main.js'), 'bind', 'in', '-o', 'converted', ...flags];
  const { status, stderr } = spawnSync(process.execPath, words, {
    cwd: folder,
    env: { ...env, PATH: process.env['PATH'], DEBUG: 'tankobon' },
    encoding: 'utf8',
  });
  const code = /^code: (.*)$/m.exec(stderr)?.[1];
  expect([status, code]).toEqual([2, 'no-converter']);
  expect(stderr).toContain('npm install --global sharp');
  expect(stderr).toContain('npx -p tankobon -p sharp tankobon bind');
  expect(readdirSync(folder)).not.toContain('converted');
});

test.each(KILLED_FORMATS)(
  '%s: killed at any moment, the book is whole or absent, and the next run leaves nothing else',
  async (format) => {
    const output = join(folder, `killed-${format}`);
    const args = ['bind', 'in', '-o', output, '--format', format];
    const startedAt = performance.now();
    await tankobon([...args, '-o', `${output}-timed`], { cwd: folder, env });
    const wholeMs = performance.now() - startedAt;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { child, finished } = start([...args, '--force'], { cwd: folder, env });
      await delay(wholeMs * Math.random());
      child.kill('SIGKILL');
      await finished;
      await expectWholeOrAbsent(join(output, 'Lighthouse'));
    }
    const { code } = await tankobon(args, { cwd: folder, env });
    const expected = readdirSync(join(`${output}-timed`, 'Lighthouse'));
    expect([code, readdirSync(join(output, 'Lighthouse'))]).toEqual([0, expected]);
  },
  120_000 + KILLS * 10_000,
);

async function expectWholeOrAbsent(place: string): Promise<void> {
  for (const name of namesIn(place)) {
    const file = join(place, name);
    if (/\.(cbz|epub)$/.test(name)) {
      const entries = await readArchive(file);
      expect(entries.filter((entry) => entry.name.endsWith('.png'))).toHaveLength(2 * PAGES);
    } else if (name.endsWith('.pdf')) {
      expect(readFileSync(file, 'latin1').endsWith('%%EOF\n')).toBe(true);
    } else {
      const files = readdirSync(file, { recursive: true });
      expect(files.filter((each) => String(each).endsWith('.png'))).toHaveLength(2 * PAGES);
    }
  }
}

function namesIn(place: string): string[] {
  try {
    return readdirSync(place).filter((name) => !name.startsWith('.'));
  } catch {
    return [];
  }
}
