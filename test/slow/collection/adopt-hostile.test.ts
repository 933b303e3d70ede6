/** `tankobon adopt --apply` of hostile files: a clear message, bounded memory, and the file stays as it was. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { readComment, writeArchive } from '../../support/archive.js';
import { fileDigest } from '../../support/bind-harness.js';
import { tankobon } from '../../support/command.js';
import { PEAK_MEMORY_OPTION, peakKibIn } from '../../support/peak-memory.js';
import { posixTest } from '../../support/platform.js';
import { chapterId, DAY_MS, syncLibrary } from '../../support/sync-harness.js';

const PAGES = { '1.jpg': 'one', '2.jpg': 'two' };
const ID = chapterId('Alpha', '1');
const WEB = `<Web>https://mangadex.org/chapter/${ID}</Web>`;
const MAX_KIB = 200 * 1024;

let service: PracticeService;
let folder: string;
let manga: string;
beforeAll(async () => {
  const limits = { general: { requests: 10_000, periodMs: 1_000 }, periodScale: 0.001 };
  const library = syncLibrary(['Alpha'], Date.now() - DAY_MS);
  service = await startPracticeService({ limits, library });
});
afterAll(() => service.stop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-hostile-adopt-'));
  manga = join(folder, 'manga');
  mkdirSync(manga);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the program; `peakKib` is its largest resident set. */
const adopt = (...words: readonly string[]) => runAdopt('--apply', ...words);

async function runAdopt(...words: readonly string[]) {
  const env = {
    ...service.environment,
    TANKOBON_HOME: join(folder, 'home'),
    NODE_OPTIONS: PEAK_MEMORY_OPTION,
  };
  const { code, stdout, stderr } = await tankobon(['adopt', manga, ...words], { env });
  return { code, stdout, stderr, peakKib: peakKibIn(stderr) };
}

test('a zip bomb is refused before it is inflated', async () => {
  const file = join(manga, 'bomb.cbz');
  const zeros = Buffer.alloc(300 * 2 ** 20);
  await writeArchive(file, { '1.jpg': zeros, 'ComicInfo.xml': `<ComicInfo>${WEB}</ComicInfo>` });
  const before = await fileDigest(file);
  const { code, stderr, peakKib } = await adopt();
  expect([code, stderr]).toEqual([3, expect.stringContaining('its entries would have 3145728')]);
  expect([peakKib < MAX_KIB, await fileDigest(file)]).toEqual([true, before]);
});

test('a ComicInfo.xml that is a bomb, or has entities, names no chapter', async () => {
  const entities = Array.from({ length: 12 }, (_, index) => {
    const value = index === 0 ? 'lol' : `&l${index - 1};`.repeat(10);
    return `<!ENTITY l${index} "${value}">`;
  });
  const outside = '<!ENTITY web SYSTEM "file:///etc/passwd">';
  const files = {
    'huge.cbz': `<ComicInfo>${' '.repeat(100 * 2 ** 20)}${WEB}</ComicInfo>`,
    'laughs.cbz': `<!DOCTYPE a [${entities.join('')}]><ComicInfo><Series>&l11;</Series></ComicInfo>`,
    'outside.cbz': `<!DOCTYPE a [${outside}]><ComicInfo><Series>&web;</Series></ComicInfo>`,
    'deep.cbz': `<ComicInfo>${'<a>'.repeat(200_000)}</ComicInfo>`,
  };
  for (const [name, xml] of Object.entries(files))
    await writeArchive(join(manga, name), { ...PAGES, 'ComicInfo.xml': xml });
  const digests = () =>
    Promise.all(Object.keys(files).map((name) => fileDigest(join(manga, name))));
  const before = await digests();
  const { code, stdout, stderr, peakKib } = await adopt('--json');
  expect([0, 3]).toContain(code);
  expect(stdout).toContain('"adopted":0');
  expect(stdout + stderr).not.toMatch(/root:|lollol|RangeError|\n\s+at /);
  expect([peakKib < MAX_KIB, await digests()]).toEqual([true, before]);
});

posixTest('control characters in names of folders and files are not printed', async () => {
  const name = 'Al\u001b[31mpha\n\u0007';
  mkdirSync(join(manga, name));
  await writeArchive(join(manga, name, 'c\u001b]0;x\u0007.cbz'), PAGES);
  await writeArchive(join(manga, name, 'broken\u001b[2J.cbz'), { 'notes.txt': 'x' });
  const { code, stdout, stderr } = await adopt();
  expect(code).toBe(3);
  expect([stdout, stderr]).toEqual([
    expect.stringContaining('pha'),
    expect.stringContaining('broken'),
  ]);
  // eslint-disable-next-line no-control-regex
  expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
});

test('entries whose names leave the folder are pages, and nothing is written there', async () => {
  const file = join(manga, 'climbs.cbz');
  const xml = `<ComicInfo>${WEB}</ComicInfo>`;
  await writeArchive(file, { 'xx/xx/1.jpg': 'one', 'ComicInfo.xml': xml });
  execFileSync('sed', ['-i', 's#xx/xx/1#../../1#g', file]);
  const before = await fileDigest(file);
  const { code, stderr } = await adopt();
  expect([code, stderr]).toEqual([0, expect.stringContaining('1 adopted')]);
  expect(existsSync(join(folder, '1.jpg'))).toBe(false);
  expect((await runAdopt('--undo')).code).toBe(0);
  expect(await fileDigest(file)).toBe(before);
});

posixTest(
  'links and pipes are not opened, and a second name of a file keeps its bytes',
  async () => {
    const outside = join(folder, 'outside');
    mkdirSync(outside);
    const comicInfo = `<ComicInfo>${WEB}</ComicInfo>`;
    await writeArchive(join(outside, 'mine.cbz'), { ...PAGES, 'ComicInfo.xml': comicInfo });
    const before = await fileDigest(join(outside, 'mine.cbz'));
    symlinkSync(join(outside, 'mine.cbz'), join(manga, 'link.cbz'));
    symlinkSync(outside, join(manga, 'folder'));
    linkSync(join(outside, 'mine.cbz'), join(manga, 'second.cbz'));
    execFileSync('mkfifo', [join(manga, 'pipe.cbz')]);
    const { code, stdout } = await adopt('--json');
    expect([code, stdout]).toEqual([0, expect.stringContaining('"adopted":1')]);
    expect(stdout).toContain('"links":2');
    expect(await fileDigest(join(outside, 'mine.cbz'))).toBe(before);
    expect(await readComment(join(manga, 'second.cbz'))).toContain(ID);
    expect(readdirSync(outside)).toEqual(['mine.cbz']);
  },
);
