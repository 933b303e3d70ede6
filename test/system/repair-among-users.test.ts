/** `verify --repair` of a book in a folder where another user puts links and forged chapters, at any moment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readComment, readPages, writeArchive } from '../support/archive.js';
import { fileDigest, sha256 } from '../support/bind-harness.js';
import { testImage } from '../support/chapter-files.js';
import { describeWith } from '../support/requirements.js';
import { ALICE, IDS, MALLORY, SharedFolder } from '../support/shared-folder.js';

const RUNS = 8;

/** Swaps `path`, whenever something is there, for `other` and back, until it is ended. */
const SWAP = `const { renameSync } = require('node:fs');
const [path, other] = process.argv.slice(1);
let count = 0;
const attempt = (from, to) => { try { renameSync(from, to); return true; } catch { return false; } };
process.stdout.write('ready');
for (;;) {
  const aside = path + '-aside-' + count;
  if (!attempt(path, aside)) continue;
  if (attempt(other, path)) attempt(path, other);
  if (!attempt(aside, path)) count += 1;
}`;

describeWith('a repair among users', { root: true }, () => {
  let shared: SharedFolder;
  let book: string;
  let whole: Buffer;
  beforeEach(async () => {
    shared = await SharedFolder.start();
    const words = ['download', ...IDS, '-o', shared.output, '--bind', 'volume', '--keep-chapters'];
    const { code, stderr } = await shared.run(ALICE, ...words);
    if (code !== 0) throw new Error(stderr);
    chmodSync(join(shared.output, 'Alpha'), 0o777);
    book = shared.find(/Vol\.01\.cbz$/);
    whole = readFileSync(book);
  });
  afterEach(() => shared.stop());

  /** The book without its end, which has the list of the chapters at its start. */
  function damageBook(): void {
    writeFileSync(book, whole.subarray(0, whole.length - 900));
    chownSync(book, ALICE, ALICE);
    for (const name of readdirSync(dirname(book)))
      if (name.endsWith('.damaged')) writeFileSync(join(dirname(book), name), '');
  }

  const repair = () => shared.run(ALICE, 'verify', book, '--repair');

  /** Runs `action` while Mallory swaps the two. */
  async function against(paths: readonly string[], action: () => Promise<void>) {
    const options = { uid: MALLORY, gid: MALLORY, cwd: '/' };
    const child = spawn(process.execPath, ['-e', SWAP, ...paths], options);
    await once(child.stdout, 'data');
    try {
      await action();
    } finally {
      child.kill('SIGKILL');
    }
  }

  test('a link in the place of its folder leads to nothing that is written or removed', async () => {
    const home = join(shared.homeOf(ALICE), 'comics');
    mkdirSync(home);
    const [first = ''] = IDS;
    const own = shared.find(/Ch\.001/);
    copyFileSync(own, join(home, `${first}.cbz`));
    // It is downloaded into the folder of the repair.
    rmSync(shared.find(/Ch\.002/));
    const notes = Array.from({ length: 50 }, (_, index) => `note ${index}.txt`);
    const names = [`${first}.cbz`, ...notes, '0.zip', '.chapter-1.zip', 'tankobon-repair'];
    for (const name of names.slice(1)) writeFileSync(join(home, name), 'mine');
    for (const path of [home, ...names.map((name) => join(home, name))])
      chownSync(path, ALICE, ALICE);
    const folder = join(dirname(book), '.tankobon-repair');
    const link = join(dirname(book), '.link');
    symlinkSync(home, link);
    await against([folder, link], async () => {
      for (let run = 1; run <= RUNS; run += 1) {
        damageBook();
        await repair();
        expect([run, readdirSync(home).sort()]).toEqual([run, [...names].sort()]);
      }
    });
  }, 120_000);

  /** A chapter file that says that it is this one. */
  async function forge(chapter: string, owner: number): Promise<string> {
    const forged = join(dirname(chapter), '.forged.cbz');
    const pages = { '001.png': await testImage('png', 7), '002.png': await testImage('png', 8) };
    await writeArchive(forged, pages, await readComment(chapter));
    chownSync(forged, owner, owner);
    chmodSync(forged, 0o644);
    return forged;
  }

  test.each([ALICE, MALLORY])(
    'a forged chapter beside the book is not used: uid %d',
    async (uid) => {
      const chapter = shared.find(/Ch\.002/);
      copyFileSync(await forge(chapter, uid), chapter);
      chownSync(chapter, uid, uid);
      damageBook();
      expect((await repair()).code).toBe(0);
      expect(readFileSync(book).equals(whole)).toBe(true);
    },
  );

  test('a chapter that becomes a forged one while it is read gives no page', async () => {
    const chapter = shared.find(/Ch\.002/);
    const digests = (await readPages(book)).map((page) => sha256(page));
    const forged = await forge(chapter, MALLORY);
    await against([chapter, forged], async () => {
      for (let run = 1; run <= RUNS; run += 1) {
        damageBook();
        const { code } = await repair();
        if (code === 0) {
          const pages = (await readPages(book)).map((page) => sha256(page));
          expect([run, pages]).toEqual([run, digests]);
        }
      }
    });
  }, 120_000);

  test('files of another user in the folder of a repair stay, and are not used', async () => {
    const folder = join(dirname(book), '.tankobon-repair');
    mkdirSync(folder);
    const chapter = shared.find(/Ch\.002/);
    const [, second = ''] = IDS;
    const planted = join(folder, `${second}.cbz`);
    copyFileSync(await forge(chapter, MALLORY), planted);
    for (const path of [folder, planted]) chownSync(path, MALLORY, MALLORY);
    chmodSync(folder, 0o777);
    const before = await fileDigest(planted);
    copyFileSync(planted, chapter);
    damageBook();
    expect((await repair()).code).toBe(0);
    expect(readFileSync(book).equals(whole)).toBe(true);
    expect([readdirSync(folder), await fileDigest(planted)]).toEqual([[basename(planted)], before]);
  });

  test('a book whose list of chapters belongs to another user is named, and stays as it is', async () => {
    const words = ['bind', shared.output, '-o', shared.output, '--format', 'folder'];
    expect((await shared.run(ALICE, ...words)).code).toBe(0);
    const manifest = shared.find(/\.tankobon\.json$/);
    chownSync(manifest, MALLORY, MALLORY);
    const before = await fileDigest(manifest);
    const { code, stderr } = await shared.run(ALICE, 'verify', dirname(manifest), '--repair');
    expect(code).toBe(3);
    expect(stderr).toContain(
      `Not repaired, since it belongs to another user: ${dirname(manifest)}\n`,
    );
    expect(await fileDigest(manifest)).toBe(before);
  });
});
