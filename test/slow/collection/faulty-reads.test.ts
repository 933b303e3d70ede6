/** A file that cannot be read, in each way in which reading fails: no command over its folder ends with it. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Finished } from '../../support/command.js';
import { MODULES_URL } from '../../support/build-folders.js';
import { collectionCommands, writeSubscription } from '../../support/collection-commands.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { tankobonHere } from '../../support/in-process.js';
import { longRunRows } from '../../support/long-run.js';
import { DAY_MS, syncLibrary, titleId } from '../../support/sync-harness.js';

const WORKER = 'test/support/workers/faulty-reads.js';
/** The other faults meet the same readers. */
const FAULTS = [
  'read EIO',
  'readdir EIO',
  ...longRunRows('lstat EIO', 'open EIO', 'fstat EIO', 'read TypeError'),
];

let harness: DownloadHarness;
let library: string;
beforeAll(async () => {
  const limits = { general: { requests: 100_000, periodMs: 1_000 }, periodScale: 0.001 };
  harness = await DownloadHarness.start({
    library: syncLibrary(['Alpha'], Date.now() - DAY_MS),
    limits,
  });
  library = mkdtempSync(join(tmpdir(), 'tankobon-faulty-'));
  await writeLibrary();
});
afterAll(async () => {
  rmSync(library, { recursive: true });
  await harness.stop();
});

/** A whole chapter, and files of every kind whose names say that they cannot be read. */
async function writeLibrary(): Promise<void> {
  const env = { ...harness.service.environment, TANKOBON_HOME: join(harness.folder, 'home') };
  const run = async (...words: readonly string[]): Promise<void> => {
    expect(await tankobonHere(words, { env })).toMatchObject({ code: 0 });
  };
  await harness.download({ targets: [`title:${titleId('Alpha')}`], cover: 'true' });
  const [first = '', second = ''] = harness.archives();
  for (const format of ['pdf', 'epub', 'cbz', 'folder']) {
    const books = join(harness.folder, format);
    await run('bind', harness.output, '--by', 'title', '--format', format, '-o', books);
    const [name = ''] = readdirSync(join(books, 'Alpha'));
    const extension = format === 'folder' ? ' book' : `.${format}`;
    cpSync(join(books, 'Alpha', name), join(library, 'Alpha', `faulty${extension}`), {
      recursive: true,
    });
  }
  cpSync(first, join(library, 'Alpha', 'a.cbz'));
  cpSync(second, join(library, 'Alpha', 'faulty chapter.cbz'));
  mkdirSync(join(library, 'faulty images'));
}

async function runWith(fault: string): Promise<{
  readonly results: Readonly<Record<string, Finished>>;
  readonly uncaught: readonly string[];
}> {
  const folder = mkdtempSync(join(tmpdir(), 'tankobon-faulty-'));
  try {
    const [manga, home] = [join(folder, 'manga'), join(folder, 'home')];
    cpSync(library, manga, { recursive: true });
    writeSubscription(manga, home);
    const env = { ...harness.service.environment, TANKOBON_HOME: home };
    const commands = collectionCommands(manga, home);
    const job = JSON.stringify({ modules: MODULES_URL, fault, commands, env });
    const { stdout } = await promisify(execFile)(process.execPath, [WORKER, job], {
      maxBuffer: 2 ** 24,
    });
    return JSON.parse(stdout) as Awaited<ReturnType<typeof runWith>>;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What each command says in the end, also of the files that it could read. */
const SUMMARIES: Readonly<Record<string, RegExp>> = {
  verify: /^\d+ files checked, [1-9]\d* damaged/m,
  adopt: /recognized, .* of tankobon/,
  overview: /^1 title, \d+ chapters?/m,
  bind: /^1 book saved, 2 chapters left out/m,
  retag: /would change, [12] unchanged/,
  download: /to download|already downloaded/,
  sync: /^1 title checked/m,
  'adopt --apply': /recognized, .* of tankobon/,
  retagging: /changed, [12] unchanged/,
  'verify --repair': /^\d+ files checked, [1-9]\d* damaged/m,
};

/** What each command says of a folder that cannot be read, whose chapters `download` and `sync` would load again. */
const ABOUT_FOLDERS = /(Cannot read the folder|Not checked) \(i\/o error.*\): .*faulty/;

test.each(FAULTS)('%s', async (fault) => {
  const { results, uncaught } = await runWith(fault);
  const isFolder = fault.startsWith('readdir');
  expect(uncaught).toEqual([]);
  for (const [name, { code, stdout, stderr }] of Object.entries(results)) {
    const said = `${name}: ${stdout}${stderr}`;
    expect([code, said]).toEqual([
      expect.any(Number),
      expect.stringMatching(isFolder ? ABOUT_FOLDERS : (SUMMARIES[name] ?? '')),
    ]);
    expect([0, 3]).toContain(code);
    if (isFolder) expect([name, code]).toEqual([name, name === 'overview' ? 0 : 3]);
    // Every error names the file.
    expect(said).not.toMatch(/^error: (?!.*manga)/m);
  }
  if (fault === 'read EIO')
    expect(results['verify --repair']?.stderr).toMatch(/^warning: .*\(EIO\): .*faulty book$/m);
});
