/** `tankobon overview` against a practice service: what it counts, what it asks for, and what it prints. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { formatIdentityComment } from '../../../src/library/mark.js';
import { shellQuoted } from '../../../src/core/shell-quoted.js';
import { editChapter, takeDownChapter } from '../../../src/practice-server/library/library.js';
import { writeArchive } from '../../support/archive.js';
import { testImage, writeChapterFile } from '../../support/chapter-files.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { tankobonHere } from '../../support/in-process.js';
import { runCommand } from '../../support/retag-harness.js';
import {
  chapterId,
  DAY_MS,
  syncChapter,
  syncLibrary,
  syncTitle,
  titleId,
} from '../../support/sync-harness.js';
import { virtualClock, type VirtualClock } from '../../support/virtual-clock.js';

const LIST = '5e1f0c1b-6a0b-4e7e-9b1d-0a4c5e2f7102';
const AT = '2025-01-01T00:00:00+00:00';

/** What each test begins with: chapters 1 to 4 of Alpha, and both of Beta. */
let downloaded: string;
beforeAll(async () => {
  await start();
  await harness.download({
    targets: [`title:${titleId('Alpha')}`],
    language: 'en',
    chapters: '1-4',
  });
  await harness.download({ targets: [`title:${titleId('Beta')}`], language: 'en' });
  downloaded = mkdtempSync(join(tmpdir(), 'tankobon-overview-'));
  cpSync(harness.output, downloaded, { recursive: true });
  await harness.stop();
});
afterAll(() => {
  rmSync(downloaded, { recursive: true });
});

let clock: VirtualClock;
let harness: DownloadHarness;
beforeEach(async () => {
  await start();
  cpSync(downloaded, harness.output, { recursive: true });
});
afterEach(() => harness.stop());

async function start(): Promise<void> {
  clock = virtualClock();
  const readableMs = clock.wallMs() - 9 * DAY_MS;
  const library = syncLibrary(['Alpha', 'Beta'], readableMs, {}, [
    { id: LIST, name: 'Both', visibility: 'public', titleIds: [titleId('Alpha')] },
  ]);
  for (const number of ['3', '4', '6'])
    library.putChapter(syncChapter('Alpha', number, readableMs));
  const french = { translatedLanguage: 'fr' };
  library.putChapter(editChapter(syncChapter('Alpha', '7', readableMs), AT, french));
  harness = await DownloadHarness.start({ library, clock });
}

async function overview(...words: readonly string[]) {
  const seen = harness.service.log.length;
  const { code, stdout, stderr } = await runCommand(harness, 'overview', harness.output, ...words);
  const requests = harness.service.log
    .slice(seen)
    .filter(({ host }) => host === 'api')
    .map(({ path }) => path);
  const events = words.includes('--json')
    ? stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    : [];
  return { code, stdout, stderr, events, requests };
}

const feeds = (requests: readonly string[]) => requests.filter((path) => path.endsWith('/feed'));

test('two titles of one name are called as their folders are', async () => {
  const twin = { ...syncTitle('Alpha'), id: titleId('Another') };
  harness.service.library.putTitle(twin);
  harness.service.library.putChapter(syncChapter('Another', '1', clock.wallMs() - DAY_MS));
  await harness.download({ targets: [`title:${twin.id}`], language: 'en' });
  const name = `Alpha (${twin.id.slice(0, 8)})`;
  const namesIn = ({ events }: Awaited<ReturnType<typeof overview>>) =>
    events.flatMap((event) => event['name'] ?? []);
  expect(namesIn(await overview('--json'))).toEqual(['Alpha', name, 'Beta']);
  expect(namesIn(await overview('--json', '--offline'))).toEqual(['Alpha', name, 'Beta']);
});

test('each title with what is there and what is missing and why; the exit code is 0', async () => {
  const { code, events } = await overview('--json');
  expect(code).toBe(0);
  expect(events).toMatchObject([
    {
      type: 'title-overview',
      title: titleId('Alpha'),
      name: 'Alpha',
      have: 4,
      languages: ['en'],
      missing: [
        { number: '5', reason: 'not-uploaded' },
        { number: '6', reason: 'not-downloaded' },
        { number: '7', reason: 'other-language', languages: ['fr'] },
      ],
      takenDown: [],
      duplicates: [],
    },
    { title: titleId('Beta'), have: 2, missing: [] },
    { type: 'overview-summary', titles: 2, have: 6, notDownloaded: 1, unknown: 0 },
  ]);
});

test('--language says which languages count', async () => {
  const { events } = await overview('--json', '--language', 'en,fr');
  expect(events[0]).toMatchObject({
    missing: [
      { number: '5', reason: 'not-uploaded' },
      { number: '6', reason: 'not-downloaded' },
      { number: '7', reason: 'not-downloaded' },
    ],
  });
  const all = await overview('--json', '--language', 'all');
  expect(all.events[0]).toMatchObject({ languages: ['en', 'fr'] });
});

test('files in another language than --language do not count, and were not removed', async () => {
  const { library } = harness.service;
  const translated = syncChapter('Alpha', '1', clock.wallMs() - DAY_MS, { group: 'Équipe' });
  library.putChapter(editChapter(translated, AT, { translatedLanguage: 'fr' }));
  await runCommand(harness, 'sync', 'add', `title:${titleId('Alpha')}`, '-o', harness.output);
  const { events } = await overview('--json', '--language', 'fr');
  expect(events[0]).toMatchObject({
    have: 0,
    missing: [
      { number: '1', reason: 'not-downloaded' },
      { number: '2', reason: 'other-language', languages: ['en'] },
      { number: '3', reason: 'other-language', languages: ['en'] },
      { number: '4', reason: 'other-language', languages: ['en'] },
      { number: '5', reason: 'not-uploaded' },
      { number: '6', reason: 'other-language', languages: ['en'] },
      { number: '7', reason: 'not-downloaded' },
    ],
    completedBy: 'download',
  });
});

test('people read a line for each reason, and the command that downloads what is missing', async () => {
  const { stdout, stderr } = await overview();
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(/^Alpha: 4 chapters, 3 missing, /),
    '  can be downloaded: 6',
    '  only in other languages: 7 (fr)',
    '  in no language: 5',
    expect.stringMatching(/^Beta: 2 chapters, nothing missing, ongoing$/),
    '',
  ]);
  const command = `tankobon download title:${titleId('Alpha')} --language en -o ${harness.output}`;
  expect(stderr).toContain('Reading the chapters of 2 titles from MangaDex\n');
  expect(stderr).toContain('2 titles, 6 chapters, 1 can be downloaded\n');
  expect(stderr).toContain(`To download what is missing: ${command}\n`);
});

test('what is missing of a title that was never looked up is not known', async () => {
  const { stdout } = await overview('--offline');
  expect(stdout).toMatch(/^Alpha: 4 chapters, not looked up yet$/m);
});

test('each title is downloaded in its own languages', async () => {
  const readableMs = clock.wallMs() - DAY_MS;
  const { library } = harness.service;
  const french = { translatedLanguage: 'fr' };
  library.putTitle(syncTitle('Delta'));
  for (const number of ['1', '2'])
    library.putChapter(editChapter(syncChapter('Delta', number, readableMs), AT, french));
  const target = `title:${titleId('Delta')}`;
  await harness.download({ targets: [target], language: 'fr', chapters: '1' });
  const commands = [
    `tankobon download title:${titleId('Alpha')} --language en -o ${harness.output}`,
    `tankobon download ${target} --language fr -o ${harness.output}`,
  ];
  expect((await overview()).stderr).toContain(`what is missing: ${commands.join('; ')}\n`);
  const chosen = `${target} --language en,fr -o ${harness.output}\n`;
  expect((await overview('--language', 'en,fr')).stderr).toContain(chosen);
});

describe('a subscription to the title', () => {
  const TITLE = `title:${titleId('Alpha')}`;
  const subscribe = (target: string, ...words: string[]) =>
    runCommand(harness, 'sync', 'add', target, '--language', 'en', ...words);
  const fileOf = (number: string) =>
    join(harness.output, 'Alpha', `Alpha Ch.00${number} [Scans].cbz`);

  test('leaves chapters out, which the printed command does not download', async () => {
    expect(readdirSync(join(harness.output, 'Alpha'))).toContain(basename(fileOf('1')));
    await subscribe(TITLE, '--chapters', '3-', '-o', harness.output);
    rmSync(fileOf('1'));
    rmSync(fileOf('2'));
    const { stdout, stderr } = await overview();
    expect(stdout).toContain('Alpha: 2 chapters, 3 missing, 2 left out');
    expect(stdout).toContain('  left out by your subscription: 1-2\n');
    expect(stdout).toContain('  can be downloaded: 6\n');
    expect(stderr).toContain(
      '2 titles, 4 chapters, 1 can be downloaded, 2 left out by subscriptions',
    );
    const [, command = ''] = /what is missing: tankobon (.*)/.exec(stderr) ?? [];
    expect(command).toBe(`sync --only ${titleId('Alpha')}`);
    expect((await runCommand(harness, ...command.split(' '))).code).toBe(0);
    expect(readdirSync(join(harness.output, 'Alpha')).sort()).toEqual(
      ['3', '4', '6'].map((number) => basename(fileOf(number))),
    );
    expect((await overview()).stderr).not.toContain('To download');
  });

  test('is completed by sync in the languages of the subscription, whatever files are there', async () => {
    await subscribe(TITLE, '-o', harness.output);
    const one = await overview('--json');
    expect(one.events[0]).toMatchObject({ languages: ['en'], completedBy: 'sync' });
    await runCommand(harness, 'sync', 'add', TITLE, '--language', 'fr,en');
    const { stdout, stderr } = await overview();
    expect(stdout).toContain('can be downloaded: 6-7\n');
    expect(stderr).toContain(`what is missing: tankobon sync --only ${titleId('Alpha')}\n`);
    const asked = await overview('--language', 'en');
    expect(asked.stdout).toContain('can be downloaded: 6\n');
    expect(asked.stderr).toContain('what is missing: tankobon download title:');
  });

  test.each([
    ['of its own', TITLE, `sync --only ${titleId('Alpha')}`],
    ['in a list', `list:${LIST}`, 'sync'],
  ])('%s does not keep chapters, which their owner did not remove', async (_, target, command) => {
    rmSync(join(harness.output, 'Alpha'), { recursive: true });
    await subscribe(target, '--keep-latest', '4', '-o', harness.output);
    await runCommand(harness, 'sync');
    harness.service.library.putChapter(syncChapter('Alpha', '8', clock.wallMs() - 1));
    await runCommand(harness, 'sync');
    expect(readdirSync(join(harness.output, 'Alpha')).sort()).toEqual(
      ['3', '4', '6', '8'].map((number) => basename(fileOf(number))),
    );
    const { events } = await overview('--json');
    expect(events[0]).toMatchObject({
      name: 'Alpha',
      missing: [
        { number: '1', reason: 'left-out' },
        { number: '2', reason: 'left-out' },
        { number: '5', reason: 'not-uploaded' },
        { number: '7', reason: 'other-language' },
      ],
    });
    expect(events.at(-1)).toMatchObject({ removed: 0, leftOut: 2 });
    harness.service.library.putChapter(syncChapter('Alpha', '9', clock.wallMs() - 1));
    expect((await overview()).stderr).toContain(`what is missing: tankobon ${command}\n`);
    await runCommand(harness, ...command.split(' '));
    expect(readdirSync(join(harness.output, 'Alpha'))).toContain(basename(fileOf('9')));
  });

  test('says nothing about these files while it is paused', async () => {
    await subscribe(TITLE, '--chapters', '7-', '-o', harness.output);
    const file = join(harness.folder, 'home', 'subscriptions.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('title: Alpha', 'paused: true'));
    expect((await overview()).stdout).toContain('can be downloaded: 6\n');
  });

  test('says nothing about files in another folder', async () => {
    await subscribe(TITLE, '--chapters', '7-', '-o', join(harness.folder, 'elsewhere'));
    expect((await overview()).stdout).toContain('can be downloaded: 6\n');
  });
});

test('a narrow terminal shows every number and word, on more lines', async () => {
  const words = ['overview', harness.output];
  const home = join(harness.folder, 'home');
  const env = { ...harness.service.environment, TANKOBON_HOME: home };
  const piped = await tankobonHere(words, { env, clock });
  const narrow = await tankobonHere(words, { env, clock, columns: 28 });
  const wordsOf = (text: string) => text.split(/\s+/);
  expect(wordsOf(narrow.stdout)).toEqual(wordsOf(piped.stdout));
  const lines = narrow.stdout.split('\n');
  expect(lines.slice(0, 2)).toEqual(['Alpha: 4 chapters, 3', '    missing, ongoing']);
  expect(lines.filter((line) => line.length >= 28)).toEqual([]);
});

test('the time that the lists of many titles take at least is said before', async () => {
  const { library } = harness.service;
  const names = Array.from({ length: 24 }, (_, index) => `More ${index}`);
  for (const name of names) {
    library.putTitle(syncTitle(name));
    library.putChapter(syncChapter(name, '1', clock.wallMs() - DAY_MS));
    await writeArchive(
      join(harness.output, `${name}.cbz`),
      { '1.jpg': 'one' },
      formatIdentityComment({ chapterId: chapterId(name, '1'), titleId: titleId(name) }),
    );
  }
  const { stderr } = await overview();
  expect(stderr).toContain('Reading the chapters of 26 titles from MangaDex; takes at least 5 s\n');
});

test('an archive is opened once, and again only after it was changed', async () => {
  const have = async () => (await overview('--json')).events.at(-1)?.['have'];
  const [first, second] = [chapterId('Alpha', '1'), chapterId('Alpha', '2')];
  const text = (path: string) => readFileSync(path, 'latin1');
  const file = harness.archives().find((path) => text(path).includes(first)) ?? '';
  const setTime = (seconds: number) => {
    utimesSync(file, seconds, seconds);
  };
  setTime(1_700_000_000);
  expect(await have()).toBe(6);
  writeFileSync(file, text(file).replaceAll(first, second), 'latin1');
  // Another chapter in a file of the same size and time is not seen.
  setTime(1_700_000_000);
  expect(await have()).toBe(6);
  setTime(1_700_000_001);
  expect(await have()).toBe(5);
});

test('only titles with a new chapter, and those of a week ago, are read again', async () => {
  expect(feeds((await overview()).requests)).toHaveLength(2);
  expect((await overview()).requests).toHaveLength(1);
  harness.service.library.putChapter(syncChapter('Beta', '3', clock.wallMs() - 60_000));
  const { requests } = await overview();
  expect(feeds(requests)).toEqual([`/manga/${titleId('Beta')}/feed`]);
  clock.advance(7 * DAY_MS);
  expect(feeds((await overview()).requests)).toHaveLength(2);
});

test('--offline sends nothing and answers by the last time', async () => {
  const before = await overview('--offline', '--json');
  expect(before.requests).toEqual([]);
  const alpha = before.events.find(({ title }) => title === titleId('Alpha'));
  expect(alpha).toMatchObject({ type: 'title-overview', have: 4, missing: [] });
  expect(alpha).not.toHaveProperty('checkedAt');
  await overview();
  const { events, requests } = await overview('--offline', '--json');
  expect(requests).toEqual([]);
  expect(events[0]).toMatchObject({
    name: 'Alpha',
    have: 4,
    checkedAt: expect.any(String) as unknown,
  });
  expect((events[0]?.['missing'] as readonly unknown[]).length).toBe(3);
});

test('chapters that were taken down since are named, and are not missing', async () => {
  const { library } = harness.service;
  const chapter = library.chapter(chapterId('Alpha', '2'));
  if (chapter) library.putChapter(takeDownChapter(chapter));
  const { events } = await overview('--json');
  expect(events[0]).toMatchObject({ have: 4, takenDown: ['2'] });
});

describe('a title that was merged into another one', () => {
  const merge = () => {
    harness.service.library.mergeTitle(titleId('Alpha'), titleId('Beta'));
  };
  const message = (old: string) =>
    `${old} was merged into Beta (title:${titleId('Beta')}), which takes its place.`;
  const warnings = (stderr: string) =>
    stderr.split('\n').filter((line) => line.startsWith('warning: '));
  const titles = (events: readonly Record<string, unknown>[]) =>
    events.flatMap(({ type, title, name, have }) =>
      type === 'title-overview' ? [{ title, name, have }] : [],
    );
  // The group has the numbers 1 and 2 in both titles, which may be other chapters.
  const both = [{ title: titleId('Beta'), name: 'Beta', have: 6 }];

  test('is counted with that, is said once, and is not asked about again', async () => {
    merge();
    const first = await overview('--json');
    expect(titles(first.events)).toEqual(both);
    expect(warnings(first.stderr)).toEqual([`warning: ${message(`title:${titleId('Alpha')}`)}`]);
    expect(first.requests).toContain(`/manga/${titleId('Alpha')}`);
    const second = await overview('--json');
    expect([titles(second.events), warnings(second.stderr)]).toEqual([both, []]);
    expect(second.requests).toEqual(['/manga']);
    const offline = await overview('--json', '--offline');
    expect(titles(offline.events)).toEqual(both);
  });

  test('is said with the name that it had in an earlier run', async () => {
    await overview();
    merge();
    expect((await overview()).stderr).toContain(message(`Alpha (title:${titleId('Alpha')})`));
  });

  test('a title that is gone is asked for alone, and keeps the name of before', async () => {
    await overview();
    harness.service.library.mergeTitle(titleId('Alpha'), titleId('Gone'));
    const { code, events } = await overview('--json');
    expect([code, titles(events).map(({ name }) => name)]).toEqual([0, ['Alpha', 'Beta']]);
  });
});

test('several files of a chapter are listed, and files of unknown titles counted', async () => {
  const images = [await testImage('png')];
  await writeChapterFile(join(harness.output, 'copy.cbz'), {
    id: chapterId('Alpha', '1'),
    version: 1,
    images,
  });
  await writeChapterFile(join(harness.output, 'unknown.cbz'), {
    id: '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0999',
    version: 1,
    images,
  });
  const { events } = await overview('--json');
  expect(events[0]).toMatchObject({
    have: 4,
    duplicates: [
      { number: '1', files: [expect.stringContaining('Alpha'), join(harness.output, 'copy.cbz')] },
    ],
  });
  expect(events.at(-1)).toMatchObject({ titles: 2, unknown: 1 });
  const listed = events[0]?.['duplicates'] as readonly { files: readonly string[] }[];
  const names = listed[0]?.files.map(shellQuoted).join(' ') ?? '';
  const { stderr } = await overview('--offline');
  expect(stderr).toContain(
    `To choose which files of chapters with several to delete: rm -i -- ${names}\n`,
  );
});

test('several files of a chapter name its language where the title has files in several', async () => {
  const images = [await testImage('png')];
  const copies = ['fr 1.cbz', 'fr 2.cbz'].map((name) => join(harness.output, name));
  for (const file of copies)
    await writeChapterFile(file, { id: chapterId('Alpha', '7'), version: 1, images });
  const { stdout } = await overview();
  expect(stdout).toContain(`  7 (fr) has 2 files:\n    ${copies.join('\n    ')}\n`);
});

test('damaged files are named with the command that checks them, again in the next run', async () => {
  const [first = ''] = readdirSync(join(harness.output, 'Alpha')).sort();
  const file = join(harness.output, 'Alpha', first);
  writeFileSync(file, '');
  for (let run = 0; run < 2; run += 1) {
    const { code, stderr } = await overview();
    expect(code).toBe(0);
    expect(stderr).toContain(
      `warning: Cannot be read, and not counted: ${file}\nhint: Run: tankobon verify ${harness.output}\n`,
    );
  }
});

test('a link beside the file that it leads to is not a second file of the chapter', async () => {
  const [file = ''] = readdirSync(join(harness.output, 'Alpha')).filter((name) =>
    name.endsWith('.cbz'),
  );
  const original = join(harness.output, 'Alpha', file);
  const reading = join(harness.folder, 'reading');
  for (const folder of [reading, join(harness.output, 'Reading')]) {
    mkdirSync(folder);
    symlinkSync(original, join(folder, file));
  }
  const { stdout } = await runCommand(harness, 'overview', harness.output, reading);
  expect(stdout).toContain('Alpha: 4 chapters');
  expect(stdout).not.toMatch(/has \d files/);
  const copy = join(harness.output, 'Beta', file);
  cpSync(original, copy);
  expect((await overview()).stdout).toContain(`  1 has 2 files:\n    ${original}\n    ${copy}\n`);
  rmSync(copy);
  // Only links lead to it now, one of them through another.
  renameSync(original, join(harness.folder, 'elsewhere.cbz'));
  symlinkSync(join(harness.folder, 'elsewhere.cbz'), original);
  const { stdout: linked } = await overview();
  expect(linked).toContain('Alpha: 4 chapters');
  expect(linked).not.toMatch(/has \d files/);
});

test('a title folder that is a link is named by each command, since none enters it', async () => {
  const lone = join(harness.folder, 'lone');
  const linked = join(harness.output, 'Linked');
  mkdirSync(lone);
  symlinkSync(join(harness.output, 'Alpha'), join(lone, 'Alpha'));
  symlinkSync(join(harness.output, 'Beta'), linked);
  const hint = '1 symbolic link skipped: pass what it leads to.';
  const { stderr } = await overview();
  expect(stderr).toContain(`warning: Not counted: ${linked}\nhint: ${hint}\n`);
  for (const command of ['overview', 'retag', 'verify', 'adopt'])
    await expect(runCommand(harness, command, lone)).rejects.toMatchObject({ hint });
});

test('files of other programs are counted, with the command that recognizes them', async () => {
  const [folder, lone] = [join(harness.output, 'other programs'), join(harness.folder, 'lone')];
  for (const each of [folder, lone]) {
    mkdirSync(each);
    await writeArchive(join(each, 'c006.cbz'), { '1.png': await testImage('png') });
  }
  const { events, stderr } = await overview('--json', '--offline');
  expect(events.at(-1)).toMatchObject({ unknown: 1 });
  expect(stderr).toContain(
    `To recognize what other programs saved: tankobon adopt ${shellQuoted(harness.output)}\n`,
  );
  expect((await overview('--offline')).stderr).toContain('1 file of unknown titles');
  expect((await overview(folder, '--offline')).stderr).toContain('1 file of unknown titles');
  for (const command of ['overview', 'retag'])
    await expect(runCommand(harness, command, lone)).rejects.toMatchObject({
      message: `No chapters of tankobon found: ${lone}`,
      hint: `To recognize the file of other programs, run: tankobon adopt ${shellQuoted(lone)}`,
    });
});

test('a number far above the others makes no gap, and parts of a number count as it', async () => {
  const readableMs = clock.wallMs() - 9 * DAY_MS;
  for (const number of ['8.1', '8.2', '9', '2024'])
    harness.service.library.putChapter(syncChapter('Beta', number, readableMs));
  await harness.download({ targets: [`title:${titleId('Beta')}`], language: 'en' });
  const { events } = await overview('--json');
  expect(events[1]).toMatchObject({
    name: 'Beta',
    missing: ['3', '4', '5', '6', '7'].map((number) => ({ number, reason: 'not-uploaded' })),
  });
  const info = await runCommand(harness, 'info', `title:${titleId('Beta')}`, '--json');
  expect(JSON.parse(info.stdout)).toMatchObject({ missing: ['3', '4', '5', '6', '7'] });
  const folder = join(harness.output, 'Beta');
  const bind = await runCommand(harness, 'bind', folder, '-o', harness.folder, '--by', 'title');
  expect(bind.stdout + bind.stderr).toMatch(/\b3-7\b/);
  expect(bind.stdout + bind.stderr).not.toContain('2023');
});

describe('books beside their chapters', () => {
  /** `number` of a chapter with another file. */
  const copy = async (number: string) =>
    writeChapterFile(join(harness.output, 'copy.cbz'), {
      id: chapterId('Alpha', number),
      version: 1,
      images: [await testImage('png')],
    });
  const bind = async (...words: readonly string[]): Promise<readonly string[]> => {
    const seen = new Set(harness.files());
    const folder = join(harness.output, 'Alpha');
    const options = ['-o', harness.output, '--by', 'title', ...words];
    const { code } = await runCommand(harness, 'bind', folder, ...options);
    expect(code).toBe(0);
    return harness.files().filter((file) => !seen.has(file));
  };

  test('are one line, and never among the files to delete', async () => {
    const [book = ''] = await bind();
    const { events } = await overview('--json');
    expect(events[0]).toMatchObject({
      have: 4,
      duplicates: [],
      alsoInBooks: [{ numbers: ['1', '2', '3', '4'], files: [book] }],
    });
    const { stdout, stderr } = await overview('--offline');
    expect(stdout).toContain(`\n  1-4: also in ${basename(book)}\nBeta`);
    expect(stderr).not.toContain('rm -i');
  });

  test('with two files of a chapter, these alone are offered', async () => {
    await bind();
    const chapter = harness
      .files()
      .find((file) => file.includes('Ch.002') && file.includes('Alpha'));
    const files = [chapter ?? '', await copy('2')].sort();
    const { stderr, events } = await overview('--json');
    expect(events[0]).toMatchObject({ duplicates: [{ number: '2', files }] });
    expect(stderr).toContain(`rm -i -- ${files.map(shellQuoted).join(' ')}\n`);
  });

  test('two books of the same chapters are duplicates of each other, on one line, and not offered', async () => {
    const [cbz = ''] = await bind();
    const [epub = ''] = await bind('--format', 'epub');
    const files = [cbz, epub].sort();
    const { events } = await overview('--json');
    expect(events[0]).toMatchObject({
      duplicates: ['1', '2', '3', '4'].map((number) => ({ number, files, areBooks: true })),
      alsoInBooks: [{ numbers: ['1', '2', '3', '4'], files }],
    });
    const { stdout, stderr } = await overview('--offline');
    const names = files.map((file) => basename(file)).join(', ');
    expect(stdout).toContain(
      `\n  1-4: also in ${names}\n  1-4 are in 2 books:\n    ${files.join('\n    ')}\nBeta`,
    );
    expect(stderr).not.toContain('rm -i');
  });

  test('a book of folders is named by its own', async () => {
    await bind('--format', 'folder');
    const { events } = await overview('--json');
    expect(events[0]).toMatchObject({
      duplicates: [],
      alsoInBooks: [{ files: [join(harness.output, 'Alpha', 'Alpha (all)')] }],
    });
  });

  test('are on the page too', async () => {
    const [book = ''] = await bind();
    const { stdout } = await overview('--html', '-');
    expect(stdout).toContain(`1-4: also in <code>${basename(book)}</code>`);
    expect(stdout).not.toContain('with several files');
  });

  test('of more files than fit in a command, the one that prints them leaves books out', async () => {
    await bind();
    await bind('--format', 'epub');
    const copies = Array.from({ length: 11 }, (_, index) => `copy ${index}.cbz`);
    for (const name of copies) cpSync(await copy('2'), join(harness.output, name));
    const { stderr } = await overview('--offline');
    const command = / --json \| (jq .*)\n/.exec(stderr)?.[1];
    expect(command).toBe(
      `jq -r '.duplicates // [] | .[] | select(.areBooks | not) | "rm -i -- " + (.files | @sh)'`,
    );
  });
});

test('--html writes a page without scripts, and - prints it', async () => {
  const file = join(harness.folder, 'pages', 'page.html');
  const { stdout, stderr } = await overview('--html', file);
  const page = readFileSync(file, 'utf8');
  expect([
    stdout,
    /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1],
  ]).toEqual([
    '',
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
  ]);
  expect(page).not.toMatch(/<script|javascript:|<link|<iframe|\son\w+=/i);
  expect(page).toContain(`<a href="https://mangadex.org/title/${titleId('Alpha')}"`);
  expect(page).toContain('src="data:image/');
  expect(stderr).toContain(`Page written: ${file}\n`);
  const printed = await overview('--html', '-', '--offline');
  expect(printed.stdout).toMatch(/^<!doctype html>[^]*<\/html>\n$/);
  const { events } = await overview('--html', file, '--json');
  expect(events).toHaveLength(3);
});

test('a cached list that is not readable is read again', async () => {
  await overview();
  const folder = join(harness.folder, 'home', 'listings');
  for (const name of readdirSync(folder)) writeFileSync(join(folder, name), '{"releases": 7}');
  expect(feeds((await overview()).requests)).toHaveLength(2);
});

test('a folder without chapters is a wrong command line', async () => {
  const empty = join(harness.folder, 'empty');
  mkdirSync(empty);
  await expect(runCommand(harness, 'overview', empty)).rejects.toMatchObject({
    code: 'nothing-to-bind',
  });
  // Beside another one too: a mistyped name would look like chapters that are missing.
  const missing = join(harness.folder, 'missing');
  await expect(runCommand(harness, 'overview', empty, missing)).rejects.toMatchObject({
    message: `Not found: ${missing}`,
  });
});
