/** Series downloads: a title of 700 chapters in three languages and several groups. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { formatIdentityComment } from '../../../src/library/mark.js';
import { writeCbz } from '../../../src/library/cbz-writer.js';
import { login } from '../../../src/cli/commands/login.js';
import {
  EXAMPLE_CHAPTERS,
  EXAMPLE_LISTS,
  EXAMPLE_TITLES,
  type LibraryChapter,
} from '../../../src/practice-server/library/library.js';
import type { OptionTexts } from '../../support/option-texts.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { readEntry } from '../../support/archive.js';
import { schemaErrors } from '../../support/comic-info-schema.js';
import { IS_LONG_RUN } from '../../support/long-run.js';
import { shortChapters } from '../../support/short-chapters.js';

let harness: DownloadHarness;
let releases: readonly LibraryChapter[];
beforeAll(async () => {
  harness = await DownloadHarness.start({ chapters: shortChapters() });
  releases = harness.service.library
    .chapters()
    .filter(({ titleId }) => titleId === EXAMPLE_TITLES.long);
});
afterAll(() => harness.stop());

const LONG = `title:${EXAMPLE_TITLES.long}`;

/** The releases that a dry run with these flags lists. */
async function planned(options: OptionTexts): Promise<readonly LibraryChapter[]> {
  const lines = await harness.dryRun({ targets: [LONG], ...options });
  return lines.flatMap((line) => {
    const release = releases.find(({ id }) => line.type === 'planned' && id === line.chapter);
    return release ? [release] : [];
  });
}

const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
const numbers = (chapters: readonly LibraryChapter[]) =>
  chapters.map(({ attributes }) => Number(attributes.chapter));
const upTo = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
const inLanguage =
  (code: string) =>
  ({ attributes }: LibraryChapter) =>
    attributes.translatedLanguage === code;

describe('selection flags', () => {
  test('--language takes one release for each number, in reading order, in at most 3 catalogue calls', async () => {
    const before = harness.service.log.length;
    const chapters = await planned({ language: 'en' });
    expect(numbers(chapters)).toEqual(upTo(1, 700));
    expect(chapters.every(inLanguage('en'))).toBe(true);
    const calls = harness.service.log.slice(before).map(({ path }) => path);
    expect(calls).toHaveLength(3);
  });

  test('--language in order of preference falls back where the first has no release', async () => {
    const chapters = await planned({ language: 'pt-br,en', chapters: '550-570' });
    expect(numbers(chapters.filter(inLanguage('pt-br')))).toEqual(upTo(550, 560));
    expect(numbers(chapters.filter(inLanguage('en')))).toEqual(upTo(561, 570));
  });

  test('--chapters takes ranges, open ends and decimals', async () => {
    const chapters = await planned({ language: 'en', chapters: '1-10,12.5,680-' });
    expect(numbers(chapters)).toEqual([...upTo(1, 10), ...upTo(680, 700)]);
  });

  test('--volumes takes ranges, and none for chapters without a volume', async () => {
    const chapters = await planned({ language: 'en', volumes: '1-3,none' });
    expect(numbers(chapters)).toEqual([...upTo(1, 30), ...upTo(661, 700)]);
  });

  test('--group prefers groups in order and falls back to others', async () => {
    const some = { language: 'en', chapters: '1-20' };
    const chapters = await planned({ ...some, group: '"Paper Lantern","Tidewater Scans"' });
    const by = (name: string) =>
      chapters.filter(({ groups }) => groups.some((group) => group.name === name));
    expect(chapters).toHaveLength(20);
    expect(numbers(by('Paper Lantern'))).toEqual([5, 10, 15, 20]);
    const preferred = await planned({ ...some, group: 'tidewater scans' });
    expect(
      preferred.every(({ groups }) => groups.some(({ name }) => name === 'Tidewater Scans')),
    ).toBe(true);
  });

  test('--all-releases takes every release', async () => {
    expect(await planned({ language: 'en', allReleases: true })).toHaveLength(
      releases.filter(inLanguage('en')).length,
    );
  });

  test('--latest takes the last published', async () => {
    expect(numbers(await planned({ language: 'en', latest: 5 }))).toEqual(upTo(696, 700));
  });

  test('the plan explains each selection, and has the number of requests and their least time', async () => {
    const lines = await harness.dryRun({ targets: [LONG], language: 'en', chapters: '1-60' });
    expect(lines.filter(({ type }) => type === 'planned').every(({ why }) => why.length > 5)).toBe(
      true,
    );
    const [sum] = lines.filter(({ type }) => type === 'plan');
    // 40 in the first minute, the first five of the next 20 with it: 20 more at 5 a second end 3 s into it.
    expect(sum).toMatchObject({ requests: 60, leastTimeMs: 63_000 });
  });
});

test('a UUID is a chapter first, then a title; a list brings its titles; each chapter once', async () => {
  const lines = await harness.dryRun({
    targets: [
      EXAMPLE_TITLES.starlight,
      EXAMPLE_CHAPTERS.starlightFirst,
      `list:${EXAMPLE_LISTS.public}`,
    ],
    language: 'en',
  });
  const ids = lines.filter(({ type }) => type === 'planned').map(({ chapter }) => chapter);
  expect(ids).toContain(EXAMPLE_CHAPTERS.starlightFirst);
  expect(ids).toContain(EXAMPLE_CHAPTERS.starlightSecond);
  expect(new Set(ids).size).toBe(ids.length);
});

test('external, unavailable and unpublished chapters are skipped with a reason', async () => {
  const { external, unavailable, future } = EXAMPLE_CHAPTERS;
  const { code, events } = await harness.download({ targets: [external, unavailable, future] });
  expect(code).toBe(3);
  const failed = events.flatMap((event) =>
    event.type === 'chapter-failed' ? [[event.chapter, event.reason]] : [],
  );
  expect(failed).toEqual([
    [external, 'chapter-external'],
    [future, 'chapter-unavailable'],
  ]);
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'chapter-skipped',
      chapter: unavailable,
      reason: 'chapter-unavailable',
    }),
  );
  const [skip] = (await harness.dryRun({ targets: [`title:${EXAMPLE_TITLES.lighthouse}`] })).filter(
    ({ type }) => type === 'chapter-skipped',
  );
  expect(skip).toMatchObject({ chapter: external, reason: 'chapter-external' });
  expect(harness.archives()).toEqual([]);
});

test('a library of many chapters, half of them renamed and moved: nothing is loaded again', async () => {
  const count = IS_LONG_RUN ? 500 : 40;
  const output = join(harness.folder, 'old library');
  const chapters = await planned({ language: 'en', chapters: `1-${count}` });
  mkdirSync(join(output, 'moved', 'deep'), { recursive: true });
  const page = join(harness.folder, 'page.png');
  writeFileSync(page, chapters[0]?.pages('data')[0]?.bytes() ?? '');
  const bytes = readFileSync(page).length;
  for (const [index, { id, attributes }] of chapters.entries()) {
    const name =
      index % 2 === 0 ? `moved/deep/renamed ${index}.cbz` : `Ch.${attributes.chapter ?? ''}.cbz`;
    await writeCbz({
      file: join(output, name),
      pages: [{ file: page, bytes }],
      // Every 97th chapter was uploaded again since; the library has the first version.
      comment: formatIdentityComment({ chapterId: id, version: 1, quality: 'data' }),
    });
  }
  const before = harness.service.log.length;
  const { code, events } = await harness.download({
    targets: [LONG],
    language: 'en',
    chapters: `1-${count}`,
    output,
  });
  expect(code).toBe(0);
  expect(events.at(-1)).toMatchObject({ type: 'summary', saved: 0, skipped: count, failed: 0 });
  expect(harness.service.log.slice(before).every(({ path }) => path.startsWith('/manga/'))).toBe(
    true,
  );

  const newer = events.flatMap((event) =>
    event.type === 'chapter-skipped' && event.reason === 'newer-version' ? [event.chapter] : [],
  );
  expect(newer).toHaveLength(Math.floor(count / 97));
  const update = await harness.dryRun({
    targets: [LONG],
    language: 'en',
    chapters: `1-${count}`,
    output,
    update: true,
  });
  const again = update.filter(({ type }) => type === 'planned');
  expect(again.map(({ chapter }) => chapter)).toEqual(newer);
  expect(again.every(({ file }) => /renamed|Ch\./.test(file))).toBe(true);
}, 300_000);

test('ComicInfo of chapters with odd names is valid, and their paths are safe', async () => {
  const { odd, reserved, wordy, starlightFirst } = EXAMPLE_CHAPTERS;
  const output = join(harness.folder, 'odd library');
  const { code } = await harness.download({
    targets: [odd, reserved, wordy, starlightFirst],
    output,
  });
  expect(code).toBe(0);
  const files = filesBelow(output).filter((file) => file.endsWith('.cbz'));
  expect(files).toHaveLength(4);
  const texts = await Promise.all(files.map((file) => readEntry(file, 'ComicInfo.xml')));
  expect(await schemaErrors(texts)).toEqual([]);
  for (const xml of texts) expect(xml).toContain('<Translator>');
  for (const file of files) {
    expect(file).not.toMatch(/[<>:"|?*\p{Cc}\p{Bidi_Control}]/u);
  }
});

test('--cover saves the cover beside the chapters, --mark-read marks the saved chapters for the user', async () => {
  const output = join(harness.folder, 'with cover');
  const { code } = await harness.command((run) => login({ insecureStorage: true }, run), {
    env: harness.loginEnvironment(),
  });
  expect(code).toBe(0);
  const { events, stderr } = await harness.download({
    targets: [EXAMPLE_CHAPTERS.starlightFirst],
    output,
    cover: true,
    markRead: true,
  });
  expect({ stderr, last: events.at(-1) }).toMatchObject({
    stderr: '',
    last: { type: 'summary', saved: 1 },
  });
  const covers = filesBelow(output).filter((file) => basename(file).startsWith('cover.'));
  expect(covers).toEqual([expect.stringMatching(/cover\.(png|jpg)$/)]);
  expect(
    harness.service.log.some(({ method, path }) => method === 'POST' && path.endsWith('/read')),
  ).toBe(true);
  expect(harness.service.violations()).toEqual([]);
});

test('--mark-read without a login sends nothing, saves nothing and exits 4', () =>
  DownloadHarness.use({}, async (loggedOut) => {
    const { first, joint } = EXAMPLE_CHAPTERS;
    const ran = await loggedOut.download({ targets: [first, joint], markRead: true });
    const { code, events, stderr } = ran;
    expect(code).toBe(4);
    expect(stderr).toContain('tankobon login');
    expect(events[0]).toMatchObject({
      type: 'chapter-failed',
      reason: 'not-logged-in',
      message: 'Not logged in: --mark-read needs a login.',
    });
    expect(events.at(-1)).toMatchObject({ type: 'summary', saved: 0, stopped: 'not-logged-in' });
    expect(loggedOut.service.log).toEqual([]);
    expect(loggedOut.archives()).toEqual([]);
  }));

test('--force replaces the chapter’s own file only', async () => {
  const output = join(harness.folder, 'forced');
  const name = '{series} {chapter:03}.cbz';
  const { first, portuguese } = EXAMPLE_CHAPTERS;
  for (const id of [first, portuguese]) await harness.download({ targets: [id], output, name });
  const before = readdirSync(output);
  const { code } = await harness.download({ targets: [portuguese], output, name, force: true });
  expect(code).toBe(0);
  expect(readdirSync(output)).toEqual(before);
  const again = await harness.dryRun({ targets: [first, portuguese], output, name });
  expect(again.filter(({ reason }) => reason === 'already-there')).toHaveLength(2);
});

test('a title whose feed fails does not affect other targets', async () => {
  const output = join(harness.folder, 'beside a broken feed');
  const takeBack = harness.service.intercept(`/manga/${EXAMPLE_TITLES.long}/feed`, () => ({
    status: 500,
    body: 'no',
  }));
  const { code, events } = await harness.download({
    targets: [EXAMPLE_CHAPTERS.starlightSecond, LONG],
    output,
  });
  takeBack();
  expect(code).toBe(3);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'chapter-saved', chapter: EXAMPLE_CHAPTERS.starlightSecond }),
  );
  expect(events.at(-1)).toMatchObject({ saved: 1, failed: 1 });
});
