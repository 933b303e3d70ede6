/** A kill at any change of `verify --repair`: no file is lost, and the next run repairs what is damaged. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { startPracticeService } from '../../../src/practice-server/practice-service.js';
import { damagePage, NUMBERS, volumeLibrary } from '../../support/damaged-volume.js';
import { fileDigest, imageDigests, sha256 } from '../../support/bind-harness.js';
import { tankobonHere } from '../../support/in-process.js';
import { killAtChanges } from '../../support/kill-points.js';
import { longRunRows } from '../../support/long-run.js';
import { chapterId, DAY_MS, syncLibrary } from '../../support/sync-harness.js';
import { NO_LIMITS } from '../../support/no-limits.js';

/** Makes the checksum of an entry wrong: the archive's directory and comment stay. */
function damageEntry(file: string): void {
  const bytes = readFileSync(file);
  const at = 200;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

test('a kill at any change leaves the damaged file or the whole one, and the next run repairs it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tankobon-killed-repair-'));
  const library = syncLibrary(['Alpha'], Date.now() - DAY_MS);
  const service = await startPracticeService({ limits: NO_LIMITS, library });
  try {
    const env = service.environment;
    const [original, output] = [join(folder, 'original'), join(folder, 'comics')];
    mkdirSync(original);
    const home = () => mkdtempSync(join(folder, 'home-'));
    const words = ['download', chapterId('Alpha', '1'), '-o', original, '--name', 'one.cbz'];
    expect((await tankobonHere(words, { env: { ...env, TANKOBON_HOME: home() } })).code).toBe(0);
    const whole = await imageDigests(join(original, 'one.cbz'));
    damageEntry(join(original, 'one.cbz'));
    const damaged = await fileDigest(join(original, 'one.cbz'));
    const prepare = () => {
      rmSync(output, { recursive: true, force: true });
      cpSync(original, output, { recursive: true });
    };
    const repair = ['verify', output, '--repair'];
    const options = { words: repair, env, folder, below: output, prepare };
    const changes = await killAtChanges(options, async (kill) => {
      const file = join(output, 'one.cbz');
      const isDamaged = (await fileDigest(file)) === damaged;
      expect([kill, isDamaged ? whole : await imageDigests(file)]).toEqual([kill, whole]);
      const { code } = await tankobonHere(repair, { env: { ...env, TANKOBON_HOME: home() } });
      expect([kill, readdirSync(output).filter((name) => name.startsWith('.'))]).toEqual([
        kill,
        [],
      ]);
      expect([kill, code, await imageDigests(join(output, 'one.cbz'))]).toEqual([kill, 0, whole]);
      const kept = readdirSync(output).filter((name) => name.endsWith('.damaged'));
      const digests = await Promise.all(kept.map((name) => fileDigest(join(output, name))));
      expect(new Set(digests)).toEqual(new Set([damaged]));
    });
    expect(changes).toBeGreaterThan(10);
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}, 600_000);

interface KilledRepair {
  readonly format: string;
  readonly maxKills?: number | undefined;
  /** Damages the book at this path. */
  readonly damage: (book: string) => Promise<void>;
  /** Each file of the book, by its path. */
  readonly filesOf: (book: string) => readonly string[];
}

/** Calls `check` with the digests of the files after each kill, and holds that the next run repairs the book. */
async function killEachRepair(
  { format, maxKills, damage, filesOf }: KilledRepair,
  check: (digests: ReadonlyMap<string, string>) => void,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tankobon-killed-books-'));
  const service = await startPracticeService({ limits: NO_LIMITS, library: volumeLibrary() });
  try {
    const env = service.environment;
    const [original, output] = [join(folder, 'original'), join(folder, 'comics')];
    const home = () => mkdtempSync(join(folder, 'home-'));
    const ids = NUMBERS.map((number) => chapterId('Alpha', number));
    const words = ['download', ...ids, '-o', original, '--bind', 'volume', '--format', format];
    expect((await tankobonHere(words, { env: { ...env, TANKOBON_HOME: home() } })).code).toBe(0);
    const books = readdirSync(join(original, 'Alpha'));
    const name = join(
      'Alpha',
      books.find((each) => each.startsWith('Alpha Vol.01')) ?? books.join(),
    );
    const digestsIn = async (library: string) => {
      const paths = filesOf(join(library, name)).filter((path) => existsSync(path));
      const digests = await Promise.all(paths.map(fileDigest));
      return new Map(paths.map((path, index) => [relative(library, path), digests[index] ?? '']));
    };
    const whole = await digestsIn(original);
    await damage(join(original, name));
    const damaged = new Set((await digestsIn(original)).values());
    for (const digest of whole.values()) damaged.delete(digest);
    const prepare = () => {
      rmSync(output, { recursive: true, force: true });
      cpSync(original, output, { recursive: true });
    };
    const repair = ['verify', output, '--repair'];
    const options = { words: repair, env, folder, below: output, prepare, maxKills };
    const changes = await killAtChanges(options, async (kill) => {
      check(await digestsIn(output));
      const { code } = await tankobonHere(repair, { env: { ...env, TANKOBON_HOME: home() } });
      const left = readdirSync(join(output, 'Alpha')).filter((each) => each.startsWith('.'));
      // Also if the run was killed after the book was whole: then nothing is damaged any more.
      expect([kill, left]).toEqual([kill, []]);
      const isKept = (path: string) => path.endsWith('.damaged');
      const found = [...(await digestsIn(output))];
      expect([kill, code, new Map(found.filter(([path]) => !isKept(path)))]).toEqual([
        kill,
        0,
        whole,
      ]);
      const kept = found.filter(([path]) => isKept(path)).map(([, digest]) => digest);
      expect([kill, kept]).toEqual([kill, [...damaged]]);
    });
    expect(changes).toBeGreaterThan(10);
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

test.each(['cbz', ...longRunRows('epub', 'pdf')])(
  'a kill at any change leaves the damaged %s or the whole one, and the next run repairs it',
  async (format) => {
    const filesOf = (book: string) => [book, `${book}.damaged`, `${book}.2.damaged`];
    const damage = async (book: string): Promise<void> => {
      if (format === 'pdf') truncateSync(book, readFileSync(book).length - 900);
      else await damagePage(book, 'c002-');
    };
    // The formats are published alike.
    const maxKills = format === 'cbz' ? undefined : 12;
    await killEachRepair({ format, maxKills, damage, filesOf }, (digests) => {
      expect(digests.has(join('Alpha', `Alpha Vol.01.${format}`))).toBe(true);
    });
  },
  600_000,
);

test('a kill at any change of a book in a folder loses no file, and the next run repairs it', async () => {
  const damagedText = 'damaged';
  const filesOf = (book: string) =>
    readdirSync(book, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp'))
      .map(({ parentPath, name }) => join(parentPath, name));
  const pagesOf = (book: string) =>
    filesOf(join(book, 'Ch.002'))
      .filter((path) => /\d\.\w+$/.test(path))
      .sort();
  const damage = (book: string): Promise<void> => {
    const [first = '', second = ''] = pagesOf(book);
    writeFileSync(first, damagedText);
    rmSync(second);
    return Promise.resolve();
  };
  await killEachRepair({ format: 'folder', damage, filesOf }, (digests) => {
    const pages = [...digests.keys()].filter((path) => /Ch\.\d+.\d+\.\w+$/.test(path));
    // One of six pages is missing until it is repaired.
    expect(pages.length).toBeGreaterThanOrEqual(5);
    const isOverwritten = ![...digests.values()].includes(sha256(Buffer.from(damagedText)));
    expect(isOverwritten).toBe(false);
  });
}, 600_000);
