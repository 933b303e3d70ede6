/** `tankobon verify --repair` against a practice service: what it replaces, and what it keeps. */
import {
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { FileStore } from '../../../src/library/store.js';
import { repairFiles } from '../../../src/collection/repair.js';
import type { DownloadListeners } from '../../../src/download/download-session.js';
import { editChapter, EXAMPLE_CHAPTERS } from '../../../src/practice-server/library/library.js';
import { testImage, writeChapterFile } from '../../support/chapter-files.js';
import { readArchive, readComment, writeArchive } from '../../support/archive.js';
import { fileDigest, imageDigests } from '../../support/bind-harness.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { posixTest } from '../../support/platform.js';
import { runCommand } from '../../support/retag-harness.js';
import { shortChapters } from '../../support/short-chapters.js';

const CHAPTER = EXAMPLE_CHAPTERS.first;

/** Makes the checksum of an entry wrong: the archive's directory and comment stay. */
function damage(file: string): void {
  const bytes = readFileSync(file);
  const at = 200;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

describe('in the process of the test', () => {
  let harness: DownloadHarness;
  beforeEach(async () => {
    harness = await DownloadHarness.start({ chapters: shortChapters() });
  });
  afterEach(() => harness.stop());

  async function verify(...words: readonly string[]) {
    const { code, stdout, stderr } = await runCommand(
      harness,
      'verify',
      harness.output,
      '--json',
      ...words,
    );
    const lines = stdout.split('\n').filter((line) => line !== '');
    return { code, stderr, events: lines.map((line) => JSON.parse(line) as { type: string }) };
  }

  async function saveChapter(quality: 'data' | 'data-saver' = 'data') {
    const { events } = await harness.download({ targets: [CHAPTER], quality });
    const saved = events.find(({ type }) => type === 'chapter-saved');
    const file = saved?.type === 'chapter-saved' ? saved.file : '';
    // A name that the owner gave.
    const renamed = join(dirname(file), 'mine.cbz');
    renameSync(file, renamed);
    return renamed;
  }

  test('a damaged chapter is loaded again into its place, and the damaged file is kept', async () => {
    const file = await saveChapter('data-saver');
    const whole = await fileDigest(file);
    damage(file);
    const damagedDigest = await fileDigest(file);
    expect(await verify()).toMatchObject({ code: 3 });
    const { code, events } = await verify('--repair');
    expect([code, events]).toEqual([
      0,
      [
        expect.objectContaining({ type: 'file-damaged', file, reason: 'entry-damaged' }),
        { type: 'file-repaired', file, kept: `${file}.damaged` },
        { type: 'verify-summary', checked: 1, damaged: 1, edited: 0, repaired: 1, links: 0 },
      ],
    ]);
    expect([await fileDigest(file), await fileDigest(`${file}.damaged`)]).toEqual([
      whole,
      damagedDigest,
    ]);
    expect(await verify()).toMatchObject({ code: 0 });
    // The same bytes are kept once.
    damage(file);
    await verify('--repair');
    expect(readdirSync(dirname(file)).sort()).toEqual(['mine.cbz', 'mine.cbz.damaged']);
    truncateSync(file, 9_000);
    await verify('--repair');
    expect(readdirSync(dirname(file)).sort()).toEqual([
      'mine.cbz',
      'mine.cbz.2.damaged',
      'mine.cbz.damaged',
    ]);
  });

  test.each([248, 255])('a file whose name has %i bytes is repaired', async (bytes) => {
    const whole = await saveChapter();
    const file = join(dirname(whole), `${'漫'.repeat(80)}${'x'.repeat(bytes - 244)}.cbz`);
    renameSync(whole, file);
    for (const count of [1, 2]) {
      if (count === 1) damage(file);
      else truncateSync(file, 9_000);
      const { code, events } = await verify('--repair');
      const ending = count === 1 ? '.cbz.damaged' : '.cbz.2.damaged';
      const kept = expect.stringContaining(ending) as unknown;
      expect([code, events[1]]).toEqual([0, { type: 'file-repaired', file, kept }]);
    }
    expect(readdirSync(dirname(file))).toHaveLength(3);
    expect(await verify()).toMatchObject({ code: 0 });
  });

  test('another file of the same chapter, which its owner changed, stays as it is', async () => {
    const file = await saveChapter();
    const copies = ['a.cbz', 'sub/a.cbz'].map((name) => join(dirname(file), name));
    mkdirSync(join(dirname(file), 'sub'));
    for (const copy of copies) {
      const comment = await readComment(file);
      const entries = (await readArchive(file)).map(({ name, bytes }) => [name, bytes] as const);
      await writeArchive(copy, { ...Object.fromEntries(entries), 'notes.txt': 'mine' }, comment);
    }
    damage(file);
    const before = await Promise.all(copies.map(fileDigest));
    const { code, events } = await verify('--repair');
    expect([code, events[1]]).toEqual([
      0,
      { type: 'file-repaired', file, kept: `${file}.damaged` },
    ]);
    expect(await Promise.all(copies.map(fileDigest))).toEqual(before);
  });

  test('one that is called otherwise by now gets its new name', async () => {
    await harness.download({ targets: [CHAPTER] });
    const [file = ''] = harness.archives();
    damage(file);
    const { library } = harness.service;
    const now = library.chapter(CHAPTER);
    if (!now) throw new Error('no chapter');
    library.putChapter(editChapter(now, '2026-01-01T00:00:00+00:00', { title: 'Salt' }));
    const { code, events } = await verify('--repair');
    const repaired = events[1];
    expect([code, repaired]).toMatchObject([
      0,
      { type: 'file-repaired', file, kept: `${file}.damaged` },
    ]);
    const newFile = repaired && 'newFile' in repaired ? repaired.newFile : undefined;
    expect(newFile).toContain(' - Salt [');
    expect(harness.archives()).toEqual([newFile]);
  });

  test('one that a failed rename left under both names is repaired once, and both count', async () => {
    await harness.download({ targets: [CHAPTER] });
    const [file = ''] = harness.archives();
    const { library } = harness.service;
    const now = library.chapter(CHAPTER);
    if (!now) throw new Error('no chapter');
    library.putChapter(editChapter(now, '2026-01-01T00:00:00+00:00', { title: 'Salt' }));
    cpSync(file, `${file}.old`);
    damage(file);
    const { events } = await verify('--repair');
    const newFile = events[1] && 'newFile' in events[1] ? String(events[1].newFile) : '';
    renameSync(`${file}.old`, file);
    damage(file);
    rmSync(newFile);
    linkSync(file, newFile);
    const { code, events: again } = await verify('--repair');
    expect([code, again.at(-1)]).toMatchObject([0, { damaged: 2, repaired: 2 }]);
    expect(harness.archives()).toEqual([newFile]);
    expect(await verify()).toMatchObject({ code: 0 });
  });

  test('a file that its owner replaces meanwhile stays as it is', async () => {
    const file = await saveChapter();
    const backup = readFileSync(file);
    const later = new Date('2020-01-01');
    damage(file);
    const errors: string[] = [];
    await harness.command(async (context) => {
      const observe: DownloadListeners['observe'] = (event) => {
        if (event.type === 'chapter-failed') errors.push(event.reason);
        if (event.type !== 'chapter-started') return;
        writeFileSync(`${file}.new`, backup);
        utimesSync(`${file}.new`, later, later);
        renameSync(`${file}.new`, file);
      };
      const store = new FileStore(context.paths.state);
      const { signal } = new AbortController();
      expect(await repairFiles([file], [], context, { observe }, signal, store)).toEqual([]);
      return 0;
    });
    expect([errors, statSync(file).mtime]).toEqual([['file-changed'], later]);
  });

  test('a damaged file that was replaced before the run was interrupted is kept', async () => {
    const file = await saveChapter();
    damage(file);
    const damagedDigest = await fileDigest(file);
    const stop = new AbortController();
    await harness.command(async (context) => {
      const observe: DownloadListeners['observe'] = ({ type }) => {
        if (type !== 'chapter-started') return;
        // The download renames its new file to the path, too.
        writeFileSync(`${file}.new`, 'whole');
        renameSync(`${file}.new`, file);
        stop.abort();
      };
      const store = new FileStore(context.paths.state);
      await repairFiles([file], [], context, { observe }, stop.signal, store);
      return 0;
    });
    expect([readFileSync(file, 'utf8'), await fileDigest(`${file}.damaged`)]).toEqual([
      'whole',
      damagedDigest,
    ]);
  });

  test('files of other programs, and those whose chapter is not known, stay as they are', async () => {
    const file = await saveChapter();
    const foreign = join(dirname(file), 'foreign.cbz');
    await writeArchive(foreign, { '1.jpg': (await testImage('jpeg')).subarray(0, 900) });
    truncateSync(file, 9_000);
    const before = [await fileDigest(file), await fileDigest(foreign)];
    const { code, stderr, events } = await verify('--repair');
    expect([code, events.at(-1)]).toEqual([
      3,
      { type: 'verify-summary', checked: 2, damaged: 2, edited: 0, repaired: 0, links: 0 },
    ]);
    expect(stderr).toContain('hint: Files of other programs, and files of which nothing says');
    expect([await fileDigest(file), await fileDigest(foreign)]).toEqual(before);
    expect(readdirSync(dirname(file)).sort()).toEqual(['foreign.cbz', 'mine.cbz']);
  });

  posixTest('a named pipe is only reported', async () => {
    mkdirSync(harness.output, { recursive: true });
    execFileSync('mkfifo', [join(harness.output, 'pipe.cbz')]);
    const { code, stderr } = await verify('--repair');
    expect([code, stderr]).toEqual([3, expect.stringMatching(/^hint: Files of other programs/)]);
  });

  test('a chapter whose end is lost is loaded again if an earlier check saw its mark there', async () => {
    const file = await saveChapter('data-saver');
    const whole = await imageDigests(file);
    await verify();
    for (const bytes of [0, 9_000]) {
      truncateSync(file, bytes);
      await verify();
      const lost = await fileDigest(file);
      const { code, events } = await verify('--repair', '--since-last');
      expect([code, events[0]]).toEqual([0, expect.objectContaining({ reason: 'unreadable' })]);
      const [repaired] = events.filter(({ type }) => type === 'file-repaired');
      expect(repaired).toMatchObject({ file });
      const { kept } = repaired as unknown as { readonly kept: string };
      expect([await imageDigests(file), await fileDigest(kept)]).toEqual([whole, lost]);
    }
    expect(readdirSync(dirname(file)).sort()).toEqual([
      'mine.cbz',
      'mine.cbz.2.damaged',
      'mine.cbz.damaged',
    ]);
  });

  test('a chapter whose end is lost is loaded again if the scan of a download saw its mark there', async () => {
    const file = await saveChapter();
    const whole = await imageDigests(file);
    await harness.download({ targets: [CHAPTER] });
    truncateSync(file, 9_000);
    // A scan of the damaged file keeps what an earlier one found.
    await harness.dryRun({ targets: [EXAMPLE_CHAPTERS.second] });
    const { code, events } = await verify('--repair');
    expect([code, events[0]]).toEqual([0, expect.objectContaining({ reason: 'unreadable' })]);
    expect(await imageDigests(file)).toEqual(whole);
  });

  test('a file of another program at the path of a chapter stays as it is', async () => {
    const file = await saveChapter();
    await verify();
    const page = (await testImage('jpeg')).subarray(0, 900);
    await writeArchive(file, { '1.jpg': page });
    const before = await fileDigest(file);
    expect(await verify('--repair')).toMatchObject({ code: 3 });
    expect(await fileDigest(file)).toBe(before);
  });

  test('a chapter that cannot be loaded stays as it was, and the reason is printed', async () => {
    await writeChapterFile(join(harness.output, 'gone.cbz'), {
      id: '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0999',
      version: 1,
      images: [await testImage('png', 1, { width: 90 })],
    });
    const file = join(harness.output, 'gone.cbz');
    damage(file);
    const { code, stderr } = await verify('--repair');
    expect([code, stderr]).toEqual([3, expect.stringMatching(/not found|unavailable/i)]);
    expect(readdirSync(harness.output)).toEqual(['gone.cbz']);
  });
});
