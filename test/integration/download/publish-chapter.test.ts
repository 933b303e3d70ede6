/** The content of an existing file decides a chapter's final name. */
import {
  lstatSync,
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
import { writeCbz } from '../../../src/library/cbz-writer.js';
import { formatIdentityComment } from '../../../src/library/mark.js';
import {
  findPublished,
  publishChapter,
  type ChapterTarget,
} from '../../../src/download/save/publish-chapter.js';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import { writeArchive } from '../../support/archive.js';
import { posixTest } from '../../support/platform.js';

const OURS = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0001';
const OTHER = '1d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0002';
const THIRD = '2d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0003';
const image = generateChapter({ pages: 1, bytesPerPage: 2_000 }).pages('data')[0]?.bytes();

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-publish-chapter-'));
  file = join(folder, 'Same Name.cbz');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function archive(path: string, chapterId?: string, version?: number): Promise<string> {
  const page = join(folder, 'page.png');
  writeFileSync(page, image ?? '');
  await writeCbz({
    file: path,
    pages: [{ file: page, bytes: image?.length ?? 0 }],
    ...(chapterId !== undefined && { comment: formatIdentityComment({ chapterId, version }) }),
  });
  rmSync(page);
  return path;
}

const keep = { output: '', maxAgeMs: 0, nowMs: 0 };
const maxNameBytes = 255;
const release = { id: OURS, chapter: undefined, why: '' };
const ours = (isForced = false): ChapterTarget => {
  const change = {
    kind: 'save',
    release,
    path: file,
    recorded: {},
    betterThan: undefined,
  } as const;
  return { id: OURS, file, change, isForced, repairs: undefined, maxNameBytes, keep };
};
/** A file of another chapter makes way. */
const replacing = (old: string, chapterId: string, path = file): ChapterTarget => {
  const known = { file: old, chapterId, saved: {} };
  const placed = { release, file: known, path, recorded: {}, series: undefined, removes: [] };
  const change = { kind: 'replace', why: 'better-release', ...placed } as const;
  return { id: OURS, file: path, change, isForced: false, repairs: undefined, maxNameBytes, keep };
};
const tmpArchive = () => archive(join(folder, '.ours.tmp'), OURS);
const names = () => readdirSync(folder).sort();

test('no file: the planned name', async () => {
  expect(await findPublished(ours())).toBeUndefined();
  expect(await publishChapter(await tmpArchive(), ours())).toBe(file);
  expect(names()).toEqual(['Same Name.cbz']);
  expect(await findPublished(ours())).toBe(file);
});

test.each([
  ['another chapter', OTHER],
  ['an unknown chapter', undefined],
])(
  'an archive of %s is never replaced, even with --force; ours gets the id added',
  async (_, chapterId) => {
    await archive(file, chapterId);
    const before = readFileSync(file);
    const marked = join(folder, 'Same Name (0d5c1b62).cbz');
    expect(await findPublished(ours())).toBeUndefined();
    expect(await publishChapter(await tmpArchive(), ours(true))).toBe(marked);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(await findPublished(ours())).toBe(marked);
  },
);

test('if the name with the short id is taken too, the whole id is added', async () => {
  await archive(file, OTHER);
  await archive(join(folder, 'Same Name (0d5c1b62).cbz'), OTHER);
  const marked = join(folder, `Same Name (${OURS}).cbz`);
  expect(await publishChapter(await tmpArchive(), ours())).toBe(marked);
});

test('the same chapter from another process is replaced only if requested', async () => {
  await archive(file, OURS);
  const tmpFile = await archive(join(folder, '.ours.tmp'), OURS, 2);
  const [before, next] = [readFileSync(file), readFileSync(tmpFile)];
  expect(await publishChapter(tmpFile, ours())).toBe(file);
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(await publishChapter(tmpFile, ours(true))).toBe(file);
  expect(readFileSync(file).equals(next)).toBe(true);
});

test('an archive that only has the address in ComicInfo is present, and not replaced', async () => {
  const web = `<ComicInfo><Web>https://mangadex.org/chapter/${OURS}</Web></ComicInfo>`;
  await writeArchive(file, { '1.png': image ?? '', 'ComicInfo.xml': web });
  const before = readFileSync(file);
  expect(await findPublished(ours())).toBe(file);
  const replaced = { ...replacing(file, OURS), id: OTHER };
  for (const target of [ours(), ours(true), replaced]) {
    const published = await publishChapter(await tmpArchive(), target);
    expect(published).not.toBe(file);
    rmSync(published);
    expect(readFileSync(file).equals(before)).toBe(true);
  }
});

test('another chapter that got the name of the replaced one meanwhile stays', async () => {
  await archive(file, THIRD);
  const before = readFileSync(file);
  const ownName = join(folder, 'Own Name.cbz');
  expect(await publishChapter(await tmpArchive(), replacing(file, OTHER, ownName))).toBe(ownName);
  const marked = join(folder, 'Same Name (0d5c1b62).cbz');
  expect(await publishChapter(await tmpArchive(), replacing(file, OTHER))).toBe(marked);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('a replaced chapter that its owner moved meanwhile stays where it is', async () => {
  const moved = await archive(join(folder, 'By Hand.cbz'), OTHER);
  const target = replacing(file, OTHER);
  expect(await publishChapter(await tmpArchive(), target)).toBe(file);
  expect(names()).toEqual(['By Hand.cbz', 'Same Name.cbz']);
  // The same call replaces it where it is expected.
  const found = replacing(moved, OTHER);
  rmSync(file);
  expect(await publishChapter(await tmpArchive(), found)).toBe(file);
  expect(names()).toEqual(['Same Name.cbz']);
});

posixTest('a link to an archive of the chapter is present, and not replaced', async () => {
  const elsewhere = await archive(join(folder, 'elsewhere.zip'), OURS);
  symlinkSync(elsewhere, file);
  const before = readFileSync(elsewhere);
  expect(await findPublished(ours())).toBe(file);
  expect(await publishChapter(await tmpArchive(), ours(true))).not.toBe(file);
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(readFileSync(elsewhere).equals(before)).toBe(true);
});

test('a file that cannot be read is never replaced, even with --force', async () => {
  writeFileSync(file, 'not an archive');
  const marked = join(folder, 'Same Name (0d5c1b62).cbz');
  expect(await publishChapter(await tmpArchive(), ours())).toBe(marked);
  expect(await publishChapter(await tmpArchive(), ours(true))).toBe(marked);
  expect(names()).toEqual(['Same Name (0d5c1b62).cbz', 'Same Name.cbz']);
  expect(readFileSync(file, 'utf8')).toBe('not an archive');
});

test('a folder at the name: name-taken', async () => {
  mkdirSync(file);
  await expect(findPublished(ours())).rejects.toMatchObject({ code: 'name-taken' });
});
