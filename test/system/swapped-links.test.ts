/**
 * Two users of one folder: one swaps a file and a link to a private file of the other, who reads and copies what is in
 * the folder. Nothing of the private file may end up in a file that the first one can read.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readArchive } from '../support/archive.js';
import { sha256 } from '../support/bind-harness.js';
import { MODULES_URL } from '../support/build-folders.js';
import { chapterId, testImage, writeChapterFile } from '../support/chapter-files.js';
import { tankobon } from '../support/command.js';
import { copyProgram, type ReadableProgram } from '../support/readable-program.js';
import { describeWith } from '../support/requirements.js';

/** Ids that no real user has. */
const ALICE = 64_001;
const MALLORY = 64_002;
const WORKERS = 'test/support/workers';
const MARKER = 'only its owner may read this';
const BIND_RUNS = 20;

let copy: ReadableProgram;
let folder: string;
let home: string;
let shared: string;
beforeAll(() => {
  copy = copyProgram();
});
afterAll(() => {
  rmSync(copy.folder, { recursive: true });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-swapped-'));
  chmodSync(folder, 0o755);
  home = join(folder, 'home');
  shared = join(folder, 'shared');
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(shared);
  chmodSync(shared, 0o777);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const give = (path: string, mode: number, uid = ALICE): string => {
  chownSync(path, uid, uid);
  chmodSync(path, mode);
  return path;
};

/** Swaps `path` and a link to `target` while `act` runs. `file`: one that exists, in place of a new one. */
async function whileSwapping<T>(
  {
    path,
    target,
    file = '',
  }: { readonly path: string; readonly target: string; readonly file?: string },
  act: () => Promise<T>,
): Promise<T> {
  const words = [`${WORKERS}/link-swapper.js`, path, target, String(MALLORY), file];
  const swapper = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(swapper.stdout, 'data');
    return await act();
  } finally {
    swapper.kill('SIGKILL');
    await once(swapper, 'close');
  }
}

describeWith('links that are swapped in after the listing', { root: true, linux: true }, () => {
  test('bind puts no page of a private file into a book', async () => {
    const [pub, secret] = [await testImage('png', 3), await testImage('png', 4)];
    const chapter = { number: '1', volume: '1' };
    const target = join(home, 'private.cbz');
    await writeChapterFile(target, { ...chapter, id: chapterId(1), images: [secret] });
    const file = join(folder, 'public.cbz');
    await writeChapterFile(file, { ...chapter, id: chapterId(1), images: [pub] });
    give(target, 0o600);
    // Who may write to it may link to it.
    give(file, 0o666);
    give(home, 0o700);
    const path = join(shared, 'a.cbz');
    const env = { TANKOBON_HOME: join(home, 'state') };
    let [bound, leaked] = [0, 0];
    await whileSwapping({ path, target, file }, async () => {
      for (let run = 0; run < BIND_RUNS; run += 1) {
        const books = join(shared, `books ${run}`);
        const words = ['bind', shared, '-o', books];
        const { code } = await tankobon(words, { env, program: copy.program, uid: ALICE });
        expect([0, 2, 3]).toContain(code);
        for (const book of code === 0
          ? readdirSync(books, { recursive: true, encoding: 'utf8' })
          : []) {
          if (!book.endsWith('.cbz')) continue;
          bound += 1;
          const entries = await readArchive(join(books, book));
          if (entries.some(({ bytes }) => bytes.equals(secret))) leaked += 1;
        }
        rmSync(books, { recursive: true, force: true });
      }
    });
    expect(leaked).toBe(0);
    expect(bound).toBeGreaterThan(0);
  });

  const COPIES = [
    { kind: 'keep-damaged', name: 'a.cbz', isOwn: false, runs: 200 },
    { kind: 'move-extras', name: 'cover.jpg', isOwn: true, runs: 400 },
    { kind: 'book-covers', name: 'cover Vol.01.jpg', isOwn: true, runs: 400 },
  ];
  test.each(COPIES)('$kind copies no private file', async ({ kind, name, isOwn, runs }) => {
    const target = join(home, 'private');
    writeFileSync(target, MARKER);
    give(target, 0o600);
    give(home, 0o700);
    const image = await testImage('jpeg', 1);
    const file = join(folder, 'public.jpg');
    writeFileSync(file, image);
    give(file, 0o666);
    copyFileSync(file, join(shared, 'book.cbz'));
    const copies = join(shared, 'copies');
    mkdirSync(copies);
    give(copies, 0o777);
    const path = join(shared, name);
    const job = { modules: MODULES_URL, kind, file: path, copies, runs, uid: ALICE };
    const words = JSON.stringify({ ...job, marker: MARKER, sha256: sha256(image) });
    const swapped = { path, target, ...(isOwn && { file }) };
    const { stdout } = await whileSwapping(swapped, () =>
      promisify(execFile)(process.execPath, [`${WORKERS}/shared-copies.js`, words]),
    );
    const { copied, leaked } = JSON.parse(stdout) as { copied: number; leaked: number };
    expect(leaked).toBe(0);
    // A file of the other user is not copied.
    if (isOwn) expect(copied).toBeGreaterThan(0);
    else expect(copied).toBe(0);
    expect(statSync(target).uid).toBe(ALICE);
  });
});
