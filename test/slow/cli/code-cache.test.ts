/** The compiled code of the program: used by later runs, never where others could have written it, and never needed. */
import {
  chmodSync,
  chownSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import { PROGRAM, start, tankobon, type Finished } from '../../support/command.js';
import { posixTest } from '../../support/platform.js';
import { IS_LONG_RUN, longRunRows } from '../../support/long-run.js';
import { copyProgram, type ReadableProgram } from '../../support/readable-program.js';

/** Only root can give a file to another user. */
const rootTest = process.getuid?.() === 0 ? test : test.skip;
const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0065';
const HELP = 'download chapters, each as a CBZ file';
/** Help that is made from the command tree, since the color is given: other help needs no compiled code. */
const TREE_HELP = ['--color', 'never', 'help'];
/** It has the same length: V8 compares nothing else of a source with its cached code. */
const FORGED = HELP.replace('chapters', 'CHAPTERS');
/** Makes V8 print a line for each piece of compiled code that it takes, and counts the modules that Node loads. */
const COUNTING_HOOK = `
  require('node:v8').setFlagsFromString('--profile-deserialization');
  const before = process.moduleLoadList.length;
  process.on('exit', () => {
    const loaded = process.moduleLoadList.slice(before);
    console.error('modules: ' + loaded.filter((name) => name.startsWith('NativeModule')).length);
  });
`;

let folder: string;
let home: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-code-'));
  home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true, force: true });
});

const run = (
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program = PROGRAM,
): Promise<Finished> =>
  tankobon(words, { program, env: { TANKOBON_HOME: home, TANKOBON_CODE_CACHE: '', ...env } });
const help = async (): Promise<string> => {
  const { code, stdout, stderr } = await run(TREE_HELP);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};
const cacheOf = (home: string) => join(home, 'code-cache');
/** The path of each file of the cache, with its size and when it was written. */
function cached(): ReadonlyMap<string, string> {
  try {
    const files = readdirSync(cacheOf(home), { recursive: true, encoding: 'utf8' });
    return new Map(
      files.flatMap((name) => {
        const stats = lstatSync(join(cacheOf(home), name));
        return stats.isFile() ? [[name, `${stats.size} ${stats.mtimeMs}`]] : [];
      }),
    );
  } catch {
    return new Map();
  }
}
const paths = () => [...cached().keys()].map((name) => join(cacheOf(home), name));
const checksum = (text: string) => crc32(text).toString(16).padStart(8, '0');

/** A copy of the first forged cache. */
let forgedCache: string | undefined;
afterAll(() => {
  if (forgedCache !== undefined) rmSync(forgedCache, { recursive: true });
});

/** Fills the cache with code whose help differs, as another user would who can write to it. */
async function forge(): Promise<void> {
  if (forgedCache === undefined) {
    await makeForgedCache();
    forgedCache = mkdtempSync(join(tmpdir(), 'tankobon-forged-'));
    cpSync(cacheOf(home), forgedCache, { recursive: true });
  } else cpSync(forgedCache, cacheOf(home), { recursive: true });
}

async function makeForgedCache(): Promise<void> {
  await help();
  const copy: ReadableProgram = copyProgram();
  try {
    const names = new Map<string, string>();
    const chunks = dirname(copy.program);
    for (const name of readdirSync(chunks).filter((each) => each.endsWith('.js'))) {
      const source = readFileSync(join(chunks, name), 'utf8');
      const changed = source.replace(HELP, FORGED);
      writeFileSync(join(chunks, name), changed);
      names.set(checksum(changed), checksum(source));
    }
    const [forgedHome, original] = [join(folder, 'forged'), readdirSync(cacheOf(home))[0] ?? ''];
    mkdirSync(forgedHome);
    await run(TREE_HELP, { TANKOBON_HOME: forgedHome }, copy.program);
    const from = join(cacheOf(forgedHome), readdirSync(cacheOf(forgedHome))[0] ?? '');
    for (const name of readdirSync(from)) {
      const [sum = '', tag = ''] = name.split('-');
      const target = `${names.get(sum) ?? sum}-${tag}`;
      cpSync(join(from, name), join(cacheOf(home), original, target));
    }
  } finally {
    rmSync(copy.folder, { recursive: true });
  }
}

test('the first run makes it, for this user alone, and later runs use it without writing', async () => {
  await forge();
  const before = cached();
  expect(before.size).toBeGreaterThan(0);
  expect(await help()).toContain(FORGED);
  expect(cached()).toEqual(before);
  for (const file of [cacheOf(home), ...paths()]) expect(lstatSync(file).mode & 0o077).toBe(0);
});

describe('with a service', () => {
  let service: PracticeService;
  beforeAll(async () => {
    const chapters = [generateChapter({ id: ID, pages: 2, bytesPerPage: 4_000 })];
    service = await startPracticeService({ chapters });
  });
  afterAll(() => service.stop());

  const words = () => ['download', ID, '--force', '-o', join(folder, 'out')];

  test('code that is compiled before and after V8 flags are set is saved by the first download', async () => {
    const env = { ...service.environment };
    expect(await run(words(), env)).toMatchObject({ code: 0 });
    const before = cached();
    expect(before.size).toBeGreaterThan(10);
    expect(await run(words(), env)).toMatchObject({ code: 0 });
    // The second run also loads what reads the archive that the first one saved.
    const after = cached();
    expect([...before.keys()].map((name) => after.get(name))).toEqual([...before.values()]);
  });

  test("Node's modules come from its compiled code, whatever V8 flags the program sets", async () => {
    const hook = join(folder, 'hook.cjs');
    writeFileSync(hook, COUNTING_HOOK);
    const env = { ...service.environment, NODE_OPTIONS: `--require ${hook}` };
    expect(await run(words(), env)).toMatchObject({ code: 0 });
    const { stdout, stderr } = await run(words(), env);
    const modules = Number(/modules: (\d+)/.exec(stderr)?.[1]);
    expect(modules).toBeGreaterThan(30);
    const deserialized = stdout.match(/^\[Deserializing from/gm)?.length ?? 0;
    // Some are loaded by getters of Node, more of them in newer versions.
    expect(deserialized - cached().size).toBeGreaterThan(modules / 2);
  });
});

test('--version and help neither read nor make it, and help makes no state folder', async () => {
  await run(['--version']);
  await run(['help']);
  expect(cached().size).toBe(0);
  rmSync(home, { recursive: true });
  await help();
  expect(readdirSync(folder)).toEqual([]);
});

test('later runs use it without writing also where the user gave Node a flag that a command sets', async () => {
  const env = { NODE_OPTIONS: '--max-semi-space-size=32' };
  const verify = () => run(['verify', folder], env);
  await verify();
  const before = cached();
  expect(before.size).toBeGreaterThan(0);
  await verify();
  expect(cached()).toEqual(before);
});

test('TANKOBON_CODE_CACHE=false turns it off', async () => {
  await forge();
  const { stdout } = await run(TREE_HELP, { TANKOBON_CODE_CACHE: 'false' });
  expect(stdout).toContain(HELP);
  rmSync(cacheOf(home), { recursive: true });
  await run(TREE_HELP, { TANKOBON_CODE_CACHE: 'false' });
  expect(cached().size).toBe(0);
});

test('that of another version is removed, and nothing else', async () => {
  for (const name of [`${'0'.repeat(64)}-v20.0.0-x64`, '00000000-v20.0.0-x64', 'yours'])
    mkdirSync(join(cacheOf(home), name), { recursive: true });
  await help();
  expect(readdirSync(cacheOf(home)).sort()).toEqual([
    expect.stringContaining(process.version),
    'yours',
  ]);
});

describe('code is not executed', () => {
  const open = (path: () => string) => () => {
    chmodSync(path(), 0o777);
  };
  posixTest.each<[string, () => void]>([
    ['the folder of a version', open(() => dirname(paths()[0] ?? ''))],
    ['a folder above', open(() => folder)],
    ...longRunRows<[string, () => void]>(
      ['the cache', open(() => cacheOf(home))],
      ['the state folder', open(() => home)],
    ),
  ])('if others can write to %s', async (_what, expose) => {
    await forge();
    expose();
    expect(await help()).toContain(HELP);
  });

  posixTest('if a link that others can replace leads to it', async () => {
    await forge();
    const open = join(folder, 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);
    symlinkSync(home, join(open, 'link'));
    const { stdout } = await run(TREE_HELP, { TANKOBON_HOME: join(open, 'link') });
    expect(stdout).toContain(HELP);
  });

  rootTest.each<[string, () => string]>([
    ['the folder of a version', () => dirname(paths()[0] ?? '')],
    ['a folder above', () => folder],
    ...longRunRows<[string, () => string]>(['the state folder', () => home]),
  ])('if %s belongs to another user', async (_what, path) => {
    await forge();
    chownSync(path(), 64_005, 64_005);
    expect(await help()).toContain(HELP);
  });

  rootTest(
    'if a file of it belongs to another user, who wrote it while the folder was open',
    async () => {
      await forge();
      for (const path of paths()) chownSync(path, 64_005, 64_005);
      expect(await help()).toContain(HELP);
    },
  );
});

describe('a run does not fail', () => {
  type Damage = [string, (file: string) => void];
  test.each<Damage>([
    [
      'truncated',
      (file: string) => {
        truncateSync(file, 100);
      },
    ],
    ...longRunRows<Damage>(
      [
        'cut in the middle',
        (file: string) => {
          const bytes = readFileSync(file);
          bytes.fill(0, bytes.length / 2);
          writeFileSync(file, bytes);
        },
      ],
      [
        'empty',
        (file: string) => {
          truncateSync(file, 0);
        },
      ],
      [
        'full of zeros',
        (file: string) => {
          writeFileSync(file, Buffer.alloc(lstatSync(file).size));
        },
      ],
    ),
  ])('if its files are %s, and it writes them again', async (_how, damage) => {
    await help();
    const before = [...cached().keys()];
    const sizes = paths().map((file) => lstatSync(file).size);
    for (const file of paths()) damage(file);
    expect(await help()).toContain(HELP);
    expect([...cached().keys()]).toEqual(before);
    expect(paths().map((file) => lstatSync(file).size > 1_000)).toEqual(sizes.map(() => true));
  });

  test.each([
    [
      'a file',
      () => {
        writeFileSync(cacheOf(home), '');
      },
    ],
    [
      'a link to nothing',
      () => {
        symlinkSync(join(folder, 'nothing'), cacheOf(home));
      },
    ],
  ])('if %s is in its place', async (_what, plant) => {
    plant();
    expect(await help()).toContain(HELP);
  });

  rootTest('if the state folder cannot be written to', async () => {
    const copy = copyProgram();
    try {
      chmodSync(folder, 0o755);
      chownSync(home, 64_005, 64_005);
      chmodSync(home, 0o500);
      const env = { TANKOBON_HOME: home, TANKOBON_CODE_CACHE: '' };
      const result = await tankobon(TREE_HELP, { program: copy.program, env, uid: 64_005 });
      expect(result).toMatchObject({ code: 0, stderr: '' });
      expect(readdirSync(home)).toEqual([]);
    } finally {
      rmSync(copy.folder, { recursive: true });
    }
  });

  test('without a home folder', async () => {
    expect(await run(TREE_HELP, { TANKOBON_HOME: '', HOME: '' })).toMatchObject({ code: 0 });
  });

  posixTest('after runs that were killed at any time, whose leftovers it removes', async () => {
    await help();
    const [first = ''] = paths();
    for (let waitMs = 40; waitMs < 400; waitMs += IS_LONG_RUN ? 40 : 120) {
      rmSync(first, { force: true });
      const env = { TANKOBON_HOME: home, TANKOBON_CODE_CACHE: '' };
      const { child, finished } = start(TREE_HELP, { env });
      await delay(waitMs);
      child.kill('SIGKILL');
      await finished;
    }
    rmSync(first, { force: true });
    writeFileSync(`${first}.1.new`, 'unfinished');
    expect(await help()).toContain(HELP);
    expect(paths().filter((file) => file.endsWith('.new'))).toEqual([]);
    const before = cached();
    expect(await help()).toContain(HELP);
    expect(cached()).toEqual(before);
  });
});
