/** Archives as real programs write them, of every order and size: all are whole, and their chapters are bound. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chapterId, testImage } from '../support/chapter-files.js';
import { PROGRAM } from '../support/command.js';
import { describeWith } from '../support/requirements.js';

const PYTHON = `
import sys, zipfile
target, method, mode, *names = sys.argv[1:]
class Stream:
    def __init__(self, file): self.file = file
    def write(self, data): return self.file.write(data)
    def flush(self): self.file.flush()
with open(target, "wb") as out:
    file = Stream(out) if mode == "stream" else out
    with zipfile.ZipFile(file, "w", int(method)) as archive:
        for name in names:
            info = zipfile.ZipInfo(name)
            info.compress_type = int(method)
            with archive.open(info, "w", force_zip64=mode == "zip64") as entry:
                entry.write(b"" if name.endswith("/") else open(name, "rb").read())
        if mode == "comment": archive.comment = b"another program" * 50
`;

type Words = (target: string, names: readonly string[]) => readonly [string, ...string[]];
const python =
  (method: 0 | 8, mode: string): Words =>
  (target, names) => ['python3', '-c', PYTHON, target, String(method), mode, ...names];

/** The command line that writes an archive of these names. */
const WRITERS: Readonly<Record<string, Words>> = {
  zip: (target, names) => ['zip', '-qX', target, ...names],
  'zip stored': (target, names) => ['zip', '-qX0', target, ...names],
  'zip with descriptors': (target, names) => ['zip', '-qfd', target, ...names],
  'zip with ZIP64': (target, names) => ['zip', '-qfz', target, ...names],
  '7z': (target, names) => ['7z', 'a', '-tzip', target, ...names],
  '7z stored': (target, names) => ['7z', 'a', '-tzip', '-mx0', target, ...names],
  bsdtar: (target, names) => ['bsdtar', '-nc', '--format=zip', '-f', target, ...names],
  'bsdtar stored': (target, names) => [
    ...(['bsdtar', '-nc', '--format=zip', '--options=zip:compression=store', '-f'] as const),
    target,
    ...names,
  ],
  jar: (target, names) => ['jar', '-cfM', target, ...names],
  'jar stored with manifest': (target, names) => ['jar', '-cf0', target, ...names],
  python: python(8, 'file'),
  'python stored': python(0, 'file'),
  'python to a pipe': python(8, 'stream'),
  'python stored to a pipe': python(0, 'stream'),
  'python with ZIP64': python(8, 'zip64'),
  'python with a comment': python(8, 'comment'),
};

const [INFO, PAGES] = ['ComicInfo.xml', ['p1.jpg', 'p2.jpg', 'p3.jpg']];
const ORDERS: Readonly<Record<string, readonly string[]>> = {
  first: [INFO, ...PAGES, 'empty/'],
  last: ['empty/', ...PAGES, INFO],
  between: ['p1.jpg', INFO, 'empty/', 'p2.jpg', 'p3.jpg'],
};
/** Behind the image. What is read at once of an archive's end is 66 KiB. */
const PADDINGS = { small: 0, large: 90_000 } as const;
const NODES = [20, 22, 24] as const;

/** Bytes that no program makes smaller. */
function noise(bytes: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(bytes / 64) }, (_, index) =>
    createHash('sha512').update(String(index)).digest(),
  );
  return Buffer.concat(blocks).subarray(0, bytes);
}

const run = ([program, ...words]: readonly [string, ...string[]], options: object = {}): string =>
  execFileSync(program, words, { stdio: 'pipe', maxBuffer: 2 ** 26, ...options }).toString();

const programs = ['zip', '7z', 'bsdtar', 'jar', 'python3', 'ebook-meta'] as const;
describeWith('archives of other programs', { programs }, () => {
  let folder: string;
  let manga: string;
  let count = 0;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-foreign-'));
    manga = join(folder, 'manga');
    mkdirSync(manga);
    mkdirSync(join(folder, 'empty'));
    for (const padding of Object.values(PADDINGS)) {
      for (const [index, name] of PAGES.entries()) {
        const image = await testImage('jpeg', index + 1);
        writeFileSync(join(folder, name), Buffer.concat([image, noise(padding)]));
      }
      for (const words of Object.values(WRITERS))
        for (const names of Object.values(ORDERS)) {
          count += 1;
          writeInfo(count);
          run(words(join(manga, `${count}.cbz`), names), { cwd: folder });
        }
    }
    // calibre writes its metadata into the comment.
    for (const name of ['1.cbz', `${count}.cbz`])
      run(['ebook-meta', join(manga, name), '--title', 'Another title']);
  }, 600_000);
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  /** Each archive has another chapter. */
  function writeInfo(number: number): void {
    const web = `https://mangadex.org/chapter/${chapterId(number)}`;
    // Deflated, it is smaller than its text.
    const notes = 'note '.repeat(500);
    const text = `<ComicInfo><Series>Alpha</Series><Number>${number}</Number><Web>${web}</Web><Notes>${notes}</Notes></ComicInfo>`;
    writeFileSync(join(folder, INFO), text);
  }

  test.each(NODES)(
    'Node %i reads each',
    (version) => {
      const npx = [
        'npx',
        '--yes',
        '-p',
        `node@${version}`,
        '-c',
        'node -p process.execPath',
      ] as const;
      const node = run(npx, { cwd: folder }).trim().split('\n').at(-1) ?? '';
      expect(run([node, '--version'])).toMatch(`v${version}.`);
      const env = { ...process.env, TANKOBON_HOME: join(folder, `home ${version}`) };
      const words = [PROGRAM, 'verify', manga, '--json'];
      const verified = spawnSync(node, words, { env, encoding: 'utf8' }).stdout.trim().split('\n');
      expect(verified.map((line) => JSON.parse(line) as object)).toEqual([
        expect.objectContaining({ type: 'verify-summary', checked: count, damaged: 0 }),
      ]);
      const books = join(folder, `books ${version}`);
      const bind = ['bind', manga, '--by', 'title', '--json', '-o', books];
      const bound = run([node, PROGRAM, ...bind], { env });
      expect(bound).toContain(`"pages":${count * PAGES.length}`);
      // By the ids in ComicInfo.xml.
      const book = /"file":"([^"]+\.cbz)"/.exec(bound)?.[1] ?? '';
      const manifest = readFileSync(book, 'latin1');
      for (let number = 1; number <= count; number += 1)
        expect(manifest).toContain(chapterId(number));
    },
    300_000,
  );
});
