/** Runs of `tankobon sync` over time: what is new, once, in the right release. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import {
  chapterId,
  DAY_MS,
  HOUR_MS,
  savedIn,
  syncChapter,
  SyncHarness,
  syncLibrary,
  syncTitle,
  titleId,
} from '../../support/sync-harness.js';
import { writeArchive, readArchive } from '../../support/archive.js';
import { tankobonHere } from '../../support/in-process.js';
import { workspaceName } from '../../../src/download/save/workspace.js';
import { scanLibrary } from '../../../src/library/scan.js';
import { readIdentity } from '../../../src/library/file.js';
import { createLibrary, uuidOf } from '../../../src/practice-server/library/library.js';
import { interruptedError } from '../../../src/core/errors.js';
import { lockSync, readSyncState } from '../../../src/sync/history.js';
import { archiveFile, syncFolder } from '../../../src/sync/history/history-folder.js';
import { leaveLines } from '../../support/left-sync-lines.js';

const SERIES = `series:\n  - target: title:${titleId('Alpha')}\n  - target: title:${titleId('Beta')}\n`;

let harness: SyncHarness;
afterEach(() => harness.stop());

test('a chapter that a killed run saved, and whose file was moved since, is not downloaded again', async () => {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * DAY_MS));
  harness.write(`series:\n  - target: title:${titleId('Alpha')}\n`);
  const folder = await syncFolder(join(harness.base.folder, 'home'), harness.file);
  const id = chapterId('Alpha', '2');
  const file = join(harness.base.output, 'Alpha', 'moved.cbz');
  const chapter = { id, language: 'en', groups: [], file };
  await leaveLines(
    folder,
    { started: id },
    { saved: { titleId: titleId('Alpha'), series: 'Alpha', chapter } },
  );
  expect(savedIn((await harness.sync()).lines)).toEqual([chapterId('Alpha', '1')]);
  expect(readFileSync(archiveFile(folder), 'utf8')).toContain(id);
});

describe('two runs with a release between them', () => {
  test('each chapter arrives once, and a run without news asks one request for all titles, and reads its share', async () => {
    harness = await SyncHarness.start((nowMs) =>
      syncLibrary(['Alpha', 'Beta'], nowMs - 9 * DAY_MS),
    );
    harness.write(SERIES);
    const first = await harness.sync();
    expect(first.code).toBe(0);
    expect(first.lines.at(-1)).toMatchObject({ type: 'summary', saved: 4, failed: 0, titles: 2 });
    harness.catalogueRequests();

    const second = await harness.sync();
    expect(second.lines).toMatchObject([{ type: 'summary', saved: 0, skipped: 0 }]);
    expect(harness.catalogueRequests()).toEqual(['/manga', expect.stringMatching(/feed$/)]);

    harness.clock.advance(DAY_MS);
    harness.service.library.putChapter(syncChapter('Beta', '3', harness.clock.wallMs() - HOUR_MS));
    const third = await harness.sync();
    expect(savedIn(third.lines)).toEqual([chapterId('Beta', '3')]);
    expect(third.lines).toContainEqual(
      expect.objectContaining({ type: 'series-synced', name: 'Beta', new: 1, skipped: 2 }),
    );
    const feeds = ['Alpha', 'Beta'].map((name) => `/manga/${titleId(name)}/feed`);
    expect([...harness.catalogueRequests()].sort()).toEqual(['/manga', ...feeds].sort());
    for (const file of harness.base.archives()) await readArchive(file);
    expect(harness.base.archives()).toHaveLength(5);
    expect(harness.service.violations()).toEqual([]);
  });

  test('a chapter whose file was moved or deleted does not come again', async () => {
    harness = await SyncHarness.start((nowMs) =>
      syncLibrary(['Alpha', 'Beta'], nowMs - 9 * DAY_MS),
    );
    harness.write(SERIES);
    await harness.sync();
    const [moved = '', deleted = ''] = harness.base.archives();
    renameSync(moved, join(harness.base.folder, 'elsewhere.cbz'));
    rmSync(deleted);
    harness.clock.advance(8 * DAY_MS);
    const { lines } = await harness.sync();
    expect(savedIn(lines)).toEqual([]);
    expect(lines.at(-1)).toMatchObject({ saved: 0, failed: 0 });
  });
});

test('a chapter that a killed run saved without recording it is added to the history, and its workspace removed', async () => {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha', 'Beta'], nowMs - 9 * DAY_MS));
  harness.write(SERIES);
  await harness.sync();
  const folder = await syncFolder(join(harness.base.folder, 'home'), harness.file);
  const history = archiveFile(folder);
  const lines = readFileSync(history, 'utf8').split('\n').filter(Boolean);
  expect(lines).toHaveLength(5);
  writeFileSync(history, `${lines.slice(2).join('\n')}\n`);
  for (const name of readdirSync(folder)) if (name.endsWith('.journal')) rmSync(join(folder, name));
  const workspace = workspaceName(chapterId('Alpha', '1'), 'data');
  mkdirSync(join(harness.base.output, 'Alpha', workspace));
  expect(savedIn((await harness.sync()).lines)).toEqual([]);
  expect(readdirSync(join(harness.base.output, 'Alpha'))).not.toContain(workspace);
  const after = readFileSync(history, 'utf8').split('\n').filter(Boolean);
  expect(after.sort()).toEqual(lines.sort());
});

test('bind makes a book of each volume after a series got something', async () => {
  harness = await SyncHarness.start((nowMs) => {
    const readableMs = nowMs - 9 * DAY_MS;
    return createLibrary({
      titles: [syncTitle('Alpha')],
      chapters: ['1', '2'].map((number) =>
        syncChapter('Alpha', number, readableMs, { volume: '1' }),
      ),
      lists: [],
    });
  });
  harness.write(
    `series:\n  - target: title:${titleId('Alpha')}\n    bind: { by: volume, format: epub }\n`,
  );
  expect((await harness.sync()).code).toBe(0);
  const books = harness.base.files().filter((file) => file.endsWith('.epub'));
  expect(books).toHaveLength(1);
  const pages = (await readArchive(books[0] ?? '')).filter(({ name }) => name.endsWith('.xhtml'));
  expect(pages.length).toBeGreaterThanOrEqual(4);
  expect(harness.base.archives()).toHaveLength(2);
  // A run that is killed before it binds leaves this.
  rmSync(books[0] ?? '');
  rmSync(join(harness.base.folder, 'home', 'sync'), { recursive: true });
  expect(savedIn((await harness.sync()).lines)).toEqual([]);
  expect(harness.base.files()).toEqual(expect.arrayContaining(books));
});

test("bind prefers the groups of the title's subscription among saved releases", async () => {
  const groups = ['Preferred', 'Other'];
  harness = await SyncHarness.start((nowMs) =>
    createLibrary({
      titles: [syncTitle('Alpha')],
      chapters: groups.map((group, index) =>
        syncChapter('Alpha', '1', nowMs - (9 - index) * DAY_MS, { group, volume: '1' }),
      ),
      lists: [],
    }),
  );
  const releases = groups.map((group) => chapterId('Alpha', '1', group));
  await harness.base.download({ targets: releases });
  const target = `series:\n  - target: title:${titleId('Alpha')}`;
  harness.write(`${target}\n    group: [Preferred]\n    bind: { by: volume }\n`);
  expect((await harness.sync()).code).toBe(0);
  const library = await scanLibrary(harness.base.output);
  const bound = library.archives.filter(({ isBound }) => isBound);
  expect(bound.map(({ chapterId: id }) => id)).toEqual([releases[0]]);
});

describe('a group that comes late', () => {
  const options = (rest: string) =>
    `series:\n  - target: title:${titleId('Alpha')}\n    group: [Preferred]\n    ${rest}\n`;
  const start = async () => {
    harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * DAY_MS));
  };
  const release = (group: string, agoMs = HOUR_MS) => {
    const chapter = syncChapter('Alpha', '3', harness.clock.wallMs() - agoMs, { group });
    harness.service.library.putChapter(chapter);
  };

  test('within the wait it is taken; the other group is not', async () => {
    await start();
    harness.write(options('wait-for-group: 2d'));
    await harness.sync();
    release('Other');
    const waiting = await harness.sync();
    expect(savedIn(waiting.lines)).toEqual([]);
    expect(waiting.lines).toContainEqual(
      expect.objectContaining({
        type: 'chapter-waiting',
        chapter: chapterId('Alpha', '3', 'Other'),
      }),
    );
    harness.clock.advance(DAY_MS);
    release('Preferred');
    expect(savedIn((await harness.sync()).lines)).toEqual([chapterId('Alpha', '3', 'Preferred')]);
    harness.clock.advance(5 * DAY_MS);
    expect(savedIn((await harness.sync()).lines)).toEqual([]);
  });

  test('after the wait the other group is taken, and replaced when the preferred one comes; its file is kept', async () => {
    await start();
    harness.write(options('wait-for-group: 2d\n    upgrade: true'));
    await harness.sync();
    release('Other');
    await harness.sync();
    harness.clock.advance(2 * DAY_MS);
    expect(savedIn((await harness.sync()).lines)).toEqual([chapterId('Alpha', '3', 'Other')]);
    const [old = ''] = harness.base.archives().filter((file) => file.includes('Other'));
    const bytes = readFileSync(old);
    harness.clock.advance(3 * DAY_MS);
    release('Preferred');
    const { lines } = await harness.sync();
    expect(lines).toContainEqual(
      expect.objectContaining({ type: 'series-synced', new: 0, replaced: 1 }),
    );
    expect(existsSync(old)).toBe(false);
    const { output } = harness.base;
    const day = new Date(harness.clock.wallMs()).toISOString().slice(0, 10);
    const kept = join(output, '.tankobon-replaced', day, `${relative(output, old)}.replaced`);
    expect(readFileSync(kept).equals(bytes)).toBe(true);
    expect(harness.base.archives().filter((file) => file.includes('Preferred'))).toHaveLength(1);
    expect(harness.base.archives()).toHaveLength(3);
  });

  test('a file of another program is kept beside its replacement, and the run says so', async () => {
    await start();
    harness.write(options('upgrade: true'));
    release('Other');
    const theirs = join(harness.base.output, 'theirs.cbz');
    mkdirSync(harness.base.output, { recursive: true });
    const web = `https://mangadex.org/chapter/${chapterId('Alpha', '3', 'Other')}`;
    await writeArchive(theirs, { 'ComicInfo.xml': `<ComicInfo><Web>${web}</Web></ComicInfo>` });
    const before = readFileSync(theirs);
    expect(savedIn((await harness.sync()).lines)).not.toContain(chapterId('Alpha', '3', 'Other'));
    release('Preferred');
    const { code, stderr, lines } = await harness.sync();
    expect([code, savedIn(lines)]).toEqual([0, [chapterId('Alpha', '3', 'Preferred')]]);
    const message = `${theirs} was written by another program and is kept.`;
    expect(`${stderr}${JSON.stringify(lines)}`).toContain(message);
    expect(readFileSync(theirs).equals(before)).toBe(true);
    expect(JSON.stringify((await harness.sync()).lines)).not.toContain(message);
  });

  test('a replacement takes over the name, if names have no group', async () => {
    await start();
    harness.write(options('upgrade: true\n    folder: "My: Series"\n    name: "{chapter:03}"'));
    release('Other');
    await harness.sync();
    const before = harness.base.archives();
    expect(before).toContain(join(harness.base.output, 'My_ Series', '003.cbz'));
    release('Preferred');
    await harness.sync();
    expect(harness.base.archives()).toEqual(before);
    const identity = await readIdentity(join(harness.base.output, 'My_ Series', '003.cbz'));
    expect(identity).toMatchObject({ chapterId: chapterId('Alpha', '3', 'Preferred') });
  });
});

test('an official release on another site is listed, not failed', async () => {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * DAY_MS));
  harness.write(`series:\n  - target: title:${titleId('Alpha')}\n`);
  const official = syncChapter(
    'Alpha',
    '3',
    harness.clock.wallMs() - HOUR_MS,
    { group: 'Official', externalUrl: 'https://example.org/read' },
    0,
  );
  harness.service.library.putChapter(official);
  const { code, lines } = await harness.sync();
  expect(code).toBe(0);
  expect(lines).toContainEqual(
    expect.objectContaining({
      type: 'chapter-skipped',
      chapter: official.id,
      reason: 'chapter-external',
      number: '3',
      externalUrl: 'https://example.org/read',
    }),
  );
});

test('a language that the title does not have is a warning with its languages whenever its releases are read', async () => {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha', 'Beta'], nowMs - 9 * DAY_MS));
  harness.write(
    `series:\n  - { target: title:${titleId('Alpha')}, language: de }\n  - target: title:${titleId('Beta')}\n`,
  );
  const warning =
    'warning: Alpha: no releases match --language de; available: en\n' +
    `hint: Change it: tankobon sync add title:${titleId('Alpha')} --language en --file ${harness.file}\n`;
  expect((await harness.sync()).stderr).toBe(warning);
  expect((await harness.sync()).stderr).toBe('');
  harness.clock.advance(8 * DAY_MS);
  expect((await harness.sync()).stderr).toBe(warning);
});

describe('options of a run', () => {
  test('--dry-run decides and changes nothing; --from-now starts with the next chapter', async () => {
    harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * DAY_MS));
    harness.write(`series:\n  - target: title:${titleId('Alpha')}\n`);
    const planned = await harness.sync({ dryRun: true });
    expect(planned.lines.filter(({ type }) => type === 'planned')).toMatchObject([
      {
        series: 'Alpha',
        number: '1',
        file: expect.stringMatching(/Alpha Ch\.001 \[en\] \[Scans\]\.cbz$/),
      },
      {
        series: 'Alpha',
        number: '2',
        file: expect.stringMatching(/Alpha Ch\.002 \[en\] \[Scans\]\.cbz$/),
      },
    ]);
    expect(savedIn((await harness.sync({ fromNow: true })).lines)).toEqual([]);
    harness.clock.advance(DAY_MS);
    harness.service.library.putChapter(syncChapter('Alpha', '3', harness.clock.wallMs() - 1_000));
    expect(savedIn((await harness.sync()).lines)).toEqual([chapterId('Alpha', '3')]);
  });

  test('--dry-run of sync and of download print the same rows, each with the reason', async () => {
    harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * DAY_MS));
    harness.write(`series:\n  - target: title:${titleId('Alpha')}\n`);
    const rows = ['1', '2'].map((number) => `Alpha  Ch. ${number}  en  Scans  the only release`);
    const words = ['download', `title:${titleId('Alpha')}`, '--language', 'en', '-n'];
    const { environment } = harness.service;
    const env = { ...environment, TANKOBON_HOME: join(harness.base.folder, 'plain') };
    const { clock } = harness;
    const download = await tankobonHere([...words, '-o', harness.base.folder], { env, clock });
    expect(download.stdout.split('\n').slice(0, 2)).toEqual(rows);
    const file = join(harness.base.folder, 'plain.yaml');
    const { output } = harness.base;
    writeFileSync(file, `series:\n  - target: title:${titleId('Alpha')}\n    output: ${output}\n`);
    const sync = await tankobonHere(['sync', '-n', '--file', file], { env, clock });
    expect(sync).toMatchObject({ code: 0, stdout: `${rows.join('\n')}\n` });
    const verbose = await tankobonHere(['sync', '-nv', '--file', file], { env, clock });
    expect(verbose.stdout).toContain(`${rows[0]}\n  ${chapterId('Alpha', '1')}\n  /`);
    expect(verbose.stderr).not.toContain('takes at least');
    const nowMs = clock.wallMs();
    for (let number = 3; number <= 81; number += 1)
      harness.service.library.putChapter(syncChapter('Alpha', String(number), nowMs - DAY_MS));
    const many = await tankobonHere(['sync', '-n', '--file', file], { env, clock });
    expect(many.stderr).toMatch(/: 81 new chapters\.\nDownloading takes at least 2 min\.\n$/);
  });

  test('chapters outside since and until, and of the excluded groups of a setting, are left out', async () => {
    harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * DAY_MS));
    const { library } = harness.service;
    const nowMs = harness.clock.wallMs();
    for (const [number, daysAgo] of [
      ['3', 7],
      ['4', 5],
      ['5', 3],
    ] as const)
      library.putChapter(syncChapter('Alpha', number, nowMs - daysAgo * DAY_MS));
    library.putChapter(syncChapter('Alpha', '6', nowMs - 5 * DAY_MS, { group: 'Unwanted' }));
    const day = (daysAgo: number) =>
      new Date(nowMs - daysAgo * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);
    harness.write(
      `series:\n  - target: title:${titleId('Alpha')}\n    since: ${day(6)}\n    until: ${day(4)}\n`,
    );
    const { lines } = await harness.sync({}, { env: { TANKOBON_EXCLUDE_GROUP: 'unwanted' } });
    expect(savedIn(lines)).toEqual([chapterId('Alpha', '4')]);
    // The next run has nothing to do.
    const again = await harness.sync({}, { env: { TANKOBON_EXCLUDE_GROUP: 'unwanted' } });
    expect(savedIn(again.lines)).toEqual([]);
  });

  test('--only takes part of the subscriptions, and a paused one is left out', async () => {
    harness = await SyncHarness.start((nowMs) =>
      syncLibrary(['Alpha', 'Beta'], nowMs - 9 * DAY_MS),
    );
    harness.write(`${SERIES}    paused: true\n`);
    expect((await harness.sync()).lines.at(-1)).toMatchObject({ saved: 2, titles: 1 });
    harness.write(SERIES);
    expect((await harness.sync({ only: ['alpha'] })).lines.at(-1)).toMatchObject({ titles: 1 });
    expect((await harness.sync()).lines.at(-1)).toMatchObject({ saved: 2, titles: 2 });
  });

  test('--only reads each title that it names, also where it is not its turn', async () => {
    harness = await SyncHarness.start((nowMs) =>
      syncLibrary(['Alpha', 'Beta'], nowMs - 9 * DAY_MS),
    );
    harness.write(SERIES);
    await harness.sync();
    // Chapters that are new without an upload.
    const { library } = harness.service;
    for (const name of ['Alpha', 'Beta'])
      library.putChapter(syncChapter(name, '0.5', harness.clock.wallMs() - 10 * DAY_MS));
    harness.clock.advance(HOUR_MS);
    const { lines } = await harness.sync({ only: ['alpha', 'beta'] });
    expect(lines.at(-1)).toMatchObject({ saved: 2, titles: 2 });
  });

  test('--only with a word that matches no subscription is a usage error, and nothing is sent', async () => {
    harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * DAY_MS));
    harness.write(`series:\n  - target: title:${titleId('Alpha')}\n    folder: Shelf\n`);
    for (const only of [['lighthuse'], ['shelf', 'lighthuse']])
      await expect(harness.sync({ only })).rejects.toMatchObject({
        code: 'bad-target',
        message: 'Not subscribed to: lighthuse',
        hint: `To see the subscriptions, run: tankobon sync list --file ${harness.file}`,
      });
    expect(harness.service.log).toEqual([]);
  });

  test('a problem of the file is reported before anything is sent', async () => {
    harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * DAY_MS));
    harness.write('series:\n  - target: chapter:nothing\n');
    await expect(harness.sync()).rejects.toMatchObject({
      code: 'bad-subscriptions',
      message: expect.stringContaining(':3:13: series[0].target:'),
    });
    expect(harness.service.log).toEqual([]);
  });

  test('a second sync of the same file says who runs', async () => {
    harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * DAY_MS));
    harness.write(`series:\n  - target: title:${titleId('Alpha')}\n`);
    const folder = await syncFolder(join(harness.base.folder, 'home'), harness.file);
    const lock = await lockSync(folder, harness.file, 'tankobon sync status');
    await expect(harness.sync()).rejects.toMatchObject({
      code: 'sync-running',
      message: expect.stringContaining(`process ${process.pid}`),
      hint: `Wait until it is done, or end it. Run: tankobon sync status --file ${harness.file}`,
    });
    lock.release();
    expect((await harness.sync()).code).toBe(0);
  });

  test('the report is a page for a browser, and a line for each title in a log', async () => {
    harness = await SyncHarness.start((nowMs) => syncLibrary(['<Alpha>'], nowMs - 9 * DAY_MS));
    harness.write(`series:\n  - target: title:${titleId('<Alpha>')}\n`);
    const html = join(harness.base.folder, 'report.html');
    const { code, stdout, stderr } = await harness.base.command(
      async (context) => {
        const { sync } = await import('../../../src/cli/commands/sync.js');
        return sync({ file: harness.file, html }, context);
      },
      { clock: harness.clock },
    );
    expect(code).toBe(0);
    expect(stderr).toContain('<Alpha>: 2 new\n');
    expect(stderr).toContain('1 title checked in');
    expect(stdout.split('\n').filter((line) => line.endsWith('.cbz'))).toHaveLength(2);
    expect(readFileSync(html, 'utf8')).toContain('<td>2</td>');
    expect(readFileSync(html, 'utf8')).not.toContain('<Alpha>');
    expect(readFileSync(html, 'utf8')).toContain('<div class="saved">Ch. 1, Ch. 2</div>');
  });

  /** The signal is aborted by the first request for a page. */
  async function startInterrupted(): Promise<AbortSignal> {
    const stop = new AbortController();
    harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * DAY_MS), {
      onRequest: ({ path }) => {
        if (path.includes('/data/')) stop.abort(interruptedError());
      },
    });
    harness.write(`series:\n  - target: title:${titleId('Alpha')}\n`);
    return stop.signal;
  }

  test('a chapter that was in progress when the run was stopped did not fail', async () => {
    const signal = await startInterrupted();
    const { code, lines } = await harness.sync({}, { signal });
    expect(code).toBe(130);
    expect(lines).toContainEqual(expect.objectContaining({ unfinished: true }));
    expect(lines.at(-1)).toMatchObject({ saved: 0, failed: 0, notStarted: 2 });
    const folder = await syncFolder(join(harness.base.folder, 'home'), harness.file);
    expect(readSyncState(folder).lastRun).toMatchObject({ failed: 0, stopped: 'interrupted' });
    expect(readSyncState(folder).lastRun?.failures).toEqual([]);
    expect((await harness.sync()).code).toBe(0);
    expect(harness.base.archives()).toHaveLength(2);
  });

  test('a title of which the run was stopped is not said to have nothing new', async () => {
    const signal = await startInterrupted();
    const { code, stderr } = await harness.text({}, { signal });
    expect(code).toBe(130);
    expect(stderr).not.toContain('nothing new');
  });

  test('an interrupted run writes its report, in a folder that did not exist', async () => {
    harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * DAY_MS));
    harness.write(`series:\n  - target: title:${titleId('Alpha')}\n`);
    const html = join(harness.base.folder, 'new', 'report.html');
    const interrupted = { signal: AbortSignal.abort(interruptedError()) };
    expect((await harness.sync({ html }, interrupted)).code).toBe(130);
    expect(readFileSync(html, 'utf8')).toContain('</html>');
    const file = join(html, 'report.html');
    await expect(harness.sync({ html: file })).rejects.toMatchObject({ code: 'bad-output' });
    const requests = harness.service.log.length;
    await expect(harness.sync({ html: harness.base.folder })).rejects.toMatchObject({
      code: 'bad-output',
      message: expect.stringContaining('is a folder'),
    });
    expect(harness.service.log).toHaveLength(requests);
  });

  test('a report that cannot be written after the run is an error beside its result', async () => {
    harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * DAY_MS));
    harness.write(`series:\n  - target: title:${titleId('Alpha')}\n`);
    const html = join(harness.base.folder, 'report.html');
    const stopIntercepting = harness.service.intercept('/', () => {
      mkdirSync(html);
      stopIntercepting();
      return { status: 503 };
    });
    const { code, lines, stderr } = await harness.sync({ html });
    expect(lines.filter(({ type }) => type === 'chapter-saved')).toHaveLength(2);
    expect([code, stderr]).toEqual([3, expect.stringContaining(`${html} is a folder`)]);
  });

  test('reports that wait are counted after a title with nothing to download too', async () => {
    harness = await SyncHarness.start((nowMs) =>
      syncLibrary(['Alpha', 'Beta'], nowMs - 9 * DAY_MS),
    );
    await harness.service.setReportHost('dead');
    harness.write(`${SERIES}    chapters: "900"\n`);
    const { lines } = await harness.sync();
    expect(lines.filter(({ type }) => type === 'series-synced')).toMatchObject([
      { name: 'Alpha', new: 2 },
      { name: 'Beta', new: 0 },
    ]);
    expect(lines.at(-1)).toMatchObject({ type: 'summary', reports: { waiting: 4 } });
  });

  test('a target that is not available is an event and an error message, also beside a failed series', async () => {
    harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * DAY_MS));
    const [missing, list] = [uuidOf('sync title', 'Missing'), uuidOf('sync list', 'Missing')];
    harness.write(
      `series:\n  - target: title:${titleId('Alpha')}\n  - target: title:${missing}\n  - target: list:${list}\n`,
    );
    const { code, lines } = await harness.sync();
    expect(code).toBe(3);
    expect(lines.filter(({ type }) => type === 'target-failed')).toMatchObject([
      { target: `list:${list}`, reason: 'title-not-found' },
      { target: `title:${missing}`, reason: 'title-not-found' },
    ]);
    expect(lines.at(-1)).toMatchObject({ type: 'summary', saved: 2, failed: 2 });
    const { stderr } = await harness.sync({ json: false });
    expect(stderr).toContain(`error: Title not found: ${missing}\n`);
    expect(stderr).toContain(`tankobon sync remove title:${missing}`);
    expect(stderr).toContain('0 new chapters, 2 failed.');
  });

  test('chapters that a killed run saved are announced by the next one, others in the folder are not', async () => {
    harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * DAY_MS));
    const announced = join(harness.base.folder, 'announced.json');
    harness.write(
      `series:\n  - target: title:${titleId('Alpha')}\nhooks:\n  exec: [sh, -c, 'cat >${announced}']\n`,
    );
    await harness.base.download({ targets: [`title:${titleId('Alpha')}`] });
    const folder = await syncFolder(join(harness.base.folder, 'home'), harness.file);
    await leaveLines(folder, { started: chapterId('Alpha', '2') });
    expect((await harness.sync()).code).toBe(0);
    expect(JSON.parse(readFileSync(announced, 'utf8'))).toMatchObject({
      series: { id: titleId('Alpha') },
      chapters: [{ id: chapterId('Alpha', '2') }],
    });
    expect(readSyncState(folder).chapters.size).toBe(0);
    rmSync(announced);
    await harness.sync();
    expect(existsSync(announced)).toBe(false);
  });
});
