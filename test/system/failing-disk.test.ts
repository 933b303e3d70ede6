/** Each change of a file that a command makes fails once, as on a failing, full or read-only disk. */
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { editChapter } from '../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { readArchive, writeArchive } from '../support/archive.js';
import { writeSubscription } from '../support/collection-commands.js';
import { tankobon, type Finished } from '../support/command.js';
import {
  compileFailingDisk,
  countedCalls,
  failingDiskEnv,
  type DiskFault,
} from '../support/failing-disk.js';
import { tankobonHere } from '../support/in-process.js';
import { IS_LONG_RUN } from '../support/long-run.js';
import { describeWith } from '../support/requirements.js';
import { chapterId, DAY_MS, syncLibrary, titleId } from '../support/sync-harness.js';

const TITLE = `title:${titleId('Alpha')}`;
const DOWNLOAD = ['download', TITLE, '--language', 'en', '-o', 'OUTPUT'];
const BOOK = [...DOWNLOAD, '--bind', 'title'];
const LATER = '2030-01-01T00:00:00+00:00';
const EXTRAS = ['--cover', '--series-metadata'];

interface Command {
  /** What makes the files that it meets. */
  readonly prepare?: readonly string[];
  /** Changes these files. */
  readonly change?: (files: readonly string[]) => void | Promise<void>;
  readonly words: readonly string[];
}

/** Changes a byte of the first page that each archive has. */
async function damage(files: readonly string[]): Promise<void> {
  for (const file of files.filter((each) => /Alpha.*\.cbz$/.test(each))) {
    const page = (await readArchive(file)).find(({ name }) => /\.(jpg|png)$/.test(name));
    const bytes = readFileSync(file);
    const at = bytes.indexOf(page?.bytes ?? '') + 40;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(file, bytes);
  }
}

function damageFolder(files: readonly string[]): void {
  const page = files.find((file) => /00[12]\.(jpg|png)$/.test(file)) ?? '';
  writeFileSync(page, 'damaged');
}

/** Makes files of another program of the chapters. */
async function forget(files: readonly string[]): Promise<void> {
  for (const [index, file] of files.filter((each) => /Alpha.*\.cbz$/.test(each)).entries()) {
    const pages = (await readArchive(file)).filter(({ name }) => /\.(jpg|png)$/.test(name));
    const web = `https://mangadex.org/chapter/${chapterId('Alpha', String(index + 1))}`;
    const entries = pages.map(({ name, bytes }) => [name, bytes] as const);
    await writeArchive(file, {
      ...Object.fromEntries(entries),
      'ComicInfo.xml': `<ComicInfo><Web>${web}</Web></ComicInfo>`,
    });
  }
}

const bind = (format: string): Command => ({
  prepare: DOWNLOAD,
  words: ['bind', 'OUTPUT', '-o', 'OUTPUT', '--by', 'title', '--format', format],
});

const REPAIR = ['verify', 'OUTPUT', '--repair'];
const COMMANDS: Readonly<Record<string, Command>> = {
  download: { words: [...DOWNLOAD, ...EXTRAS] },
  'download --bind': { words: BOOK },
  'download --force': { prepare: DOWNLOAD, words: [...DOWNLOAD, '--force'] },
  sync: { words: ['sync', '--file', 'SUBSCRIPTIONS'] },
  'bind --format cbz': bind('cbz'),
  'bind --format epub': bind('epub'),
  'bind --format pdf': bind('pdf'),
  'bind --format folder': bind('folder'),
  'retag --rename-titles': { prepare: DOWNLOAD, words: ['retag', 'OUTPUT', '--rename-titles'] },
  'adopt --apply': { prepare: DOWNLOAD, change: forget, words: ['adopt', 'OUTPUT', '--apply'] },
  'verify --repair of chapters': { prepare: DOWNLOAD, change: damage, words: REPAIR },
  'verify --repair of a book': { prepare: BOOK, change: damage, words: REPAIR },
  'verify --repair of a folder book': {
    prepare: [...BOOK, '--format', 'folder'],
    change: damageFolder,
    words: REPAIR,
  },
};

const { EIO, ENOSPC, EROFS } = constants.errno;
const FAULTS: Readonly<Record<string, DiskFault>> = {
  'EIO once': { errno: EIO, stays: false },
  'EIO from then on': { errno: EIO, stays: true },
  'ENOSPC from then on': {
    errno: ENOSPC,
    stays: true,
    calls: ['write', 'create', 'mkdir', 'link'],
  },
  'EROFS from then on': { errno: EROFS, stays: true },
};

/** How many calls of a command fail in a short run, spread evenly; in a long run, each. */
const maxFaults = ({ stays }: DiskFault, calls: number): number => {
  if (IS_LONG_RUN) return calls;
  return stays ? 2 : 6;
};
/** At a time. */
const WORKERS = 2;
const OWNER = { 'notes.txt': 'mine', '.mine.lock': 'mine' };

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const namesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

const isKept = (name: string): boolean => name.endsWith('.damaged');

const isOwnersKept = (folder: string): boolean =>
  Object.entries(OWNER).every(([name, text]) => readFileSync(join(folder, name), 'utf8') === text);

interface FaultyRun {
  readonly folder: string;
  readonly output: string;
  readonly words: readonly string[];
  readonly fault: DiskFault;
  readonly expected: {
    readonly names: readonly string[];
    /** The images before and after the command. */
    readonly before: ReadonlySet<string>;
    readonly images: ReadonlySet<string>;
  };
}

/** The digests of all images in the archives and folders that can be read. */
async function imagesIn(folder: string): Promise<ReadonlySet<string>> {
  const digests = new Set<string>();
  for (const file of filesIn(folder)) {
    if (/\.(jpg|png)(\.damaged)?$/.test(file)) digests.add(digestOf(readFileSync(file)));
    if (!/\.cbz(\.damaged)?$/.test(file)) continue;
    for (const { name, bytes } of await readArchive(file).catch(() => []))
      if (/\.(jpg|png)$/.test(name)) digests.add(digestOf(bytes));
  }
  return digests;
}

describeWith('a disk that fails', { programs: ['cc'], linux: true }, () => {
  let tools: string;
  let library: string;
  let service: PracticeService;
  beforeAll(() => {
    tools = realpathSync(mkdtempSync(join(tmpdir(), 'tankobon-failing-')));
    library = compileFailingDisk(tools);
  });
  afterAll(() => {
    rmSync(tools, { recursive: true, force: true });
  });
  beforeEach(async () => {
    const limits = { general: { requests: 1_000_000, periodMs: 1_000 }, periodScale: 0.001 };
    service = await startPracticeService({
      limits,
      library: syncLibrary(['Alpha'], Date.now() - DAY_MS),
    });
  });
  afterEach(() => service.stop());

  /** The files before the command, in a folder of their own. */
  async function prepareOriginal(folder: string, { prepare, change }: Command): Promise<string> {
    const original = join(folder, 'original');
    mkdirSync(original);
    if (prepare) expectDone(await runHere(folder, original, prepare));
    await change?.(filesIn(original));
    for (const [name, text] of Object.entries(OWNER)) writeFileSync(join(original, name), text);
    for (const chapter of service.library.chapters())
      service.library.putChapter(editChapter(chapter, LATER, { title: 'Renamed' }));
    return original;
  }

  function wordsFor(folder: string, output: string, words: readonly string[]): readonly string[] {
    const subscriptions = mkdtempSync(join(folder, 'subscriptions-'));
    writeSubscription(output, subscriptions);
    return words.map((word) =>
      word
        .replace('OUTPUT', output)
        .replace('SUBSCRIPTIONS', join(subscriptions, 'subscriptions.yaml')),
    );
  }

  async function runHere(folder: string, output: string, words: readonly string[], home?: string) {
    const env = {
      ...service.environment,
      TANKOBON_HOME: home ?? mkdtempSync(join(folder, 'home-')),
    };
    return tankobonHere(wordsFor(folder, output, words), { env });
  }

  function expectDone({ code, stdout, stderr }: Finished): void {
    expect([code, stdout + stderr]).toEqual([0, expect.anything()]);
  }

  async function runFailing(
    folder: string,
    output: string,
    words: readonly string[],
    fault: DiskFault,
  ) {
    const home = mkdtempSync(join(folder, 'home-'));
    const log = join(home, 'calls');
    const env = {
      ...service.environment,
      TANKOBON_HOME: home,
      ...failingDiskEnv(library, output, log, fault),
    };
    const finished = await tankobon(wordsFor(folder, output, words), { env });
    return { ...finished, home, calls: countedCalls(log) };
  }

  /** Runs the command with the fault, and again without one; resolves with what is not as it must be. */
  async function problemsAt(at: number, run: FaultyRun): Promise<readonly unknown[]> {
    const { folder, output, words, fault, expected } = run;
    const failed = await runFailing(folder, output, words, { ...fault, at });
    const { code } = failed;
    const said = failed.stdout + failed.stderr;
    const call = failed.calls[at - 1]?.replace(output, '') ?? 'a call that was not made';
    const problems: unknown[] = [];
    const expectThat = (holds: boolean, rule: string, found?: unknown): void => {
      if (!holds) problems.push({ at, call, rule, found, code, said });
    };
    const shown = expected.names.filter((name) => !/(^|\/)\./.test(name));
    const isWarned = said
      .split('\n')
      .some((line) => line.startsWith('warning: ') && line.includes(folder));
    expectThat([0, 2, 3].includes(code ?? -1), 'it is no bug');
    expectThat(code === 0 || /^hint: /m.test(said), 'there is a hint');
    expectThat(code === 0 || said.includes(folder), 'the file is named');
    expectThat(!said.includes('/proc/self/fd'), 'files are named by their own paths');
    expectThat(isOwnersKept(output), 'files of the owner stay');
    const images = await imagesIn(output);
    expectThat(
      [...expected.before].every((each) => images.has(each)),
      'no page is lost',
    );
    const isDone = shown.every((name) => namesIn(output).includes(name));
    expectThat(code !== 0 || isWarned || isDone, 'what is done is there', namesIn(output));
    const left = namesIn(output);
    const next = await runHere(folder, output, words, failed.home);
    expectThat(next.code === 0, 'the next run completes it', next);
    // The damaged file is kept under another name if it was renamed before the repair failed.
    const names = namesIn(output).filter((name) => !isKept(name));
    const wanted = expected.names.filter((name) => !isKept(name));
    expectThat(names.join('\n') === wanted.join('\n'), 'nothing is left', { names, wanted, left });
    const final = await imagesIn(output);
    expectThat(
      [...expected.images].every((each) => final.has(each)),
      'all pages are there',
    );
    expectThat(isOwnersKept(output), 'files of the owner stay after the next run');
    return problems;
  }

  const rows = Object.keys(COMMANDS).flatMap((command) =>
    Object.keys(FAULTS).map((fault) => [command, fault] as const),
  );
  test.each(rows)(
    '%s, %s: it names the file, loses nothing, and leaves nothing after the next run',
    async (commandName, faultName) => {
      const [command, fault] = [COMMANDS[commandName], FAULTS[faultName]];
      if (!command || !fault) throw new Error(commandName);
      const folder = mkdtempSync(join(tools, 'run-'));
      const original = await prepareOriginal(folder, command);
      const { words } = command;
      const prepare = (worker: number): string => {
        const output = join(folder, `worker-${worker}`, 'comics');
        rmSync(output, { recursive: true, force: true });
        cpSync(original, output, { recursive: true });
        return output;
      };
      const first = prepare(0);
      const whole = await runFailing(folder, first, words, fault);
      expectDone(whole);
      const [before, images] = [await imagesIn(original), await imagesIn(first)];
      const expected = { names: namesIn(first), before, images };
      const count = whole.calls.length;
      expect(count).toBeGreaterThan(3);
      const step = Math.max(1, Math.ceil(count / maxFaults(fault, count)));
      const start = 1 + Math.floor(Math.random() * step);
      const calls = Array.from({ length: count }, (_, index) => index + 1);
      const remaining = calls.filter((at) => (at - start) % step === 0).values();
      const problems: unknown[] = [];
      const work = async (worker: number): Promise<void> => {
        for (const at of remaining) {
          const output = prepare(worker);
          const run = { folder, output, words, fault, expected };
          for (const problem of await problemsAt(at, run)) problems.push(problem);
        }
      };
      await Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));
      rmSync(folder, { recursive: true, force: true });
      expect(problems).toEqual([]);
    },
    3_600_000,
  );
});
