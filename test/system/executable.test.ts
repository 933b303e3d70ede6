/**
 * The single executable behaves as the package does, on a machine without Node.js, and writes its addons where only its
 * user can have changed them.
 */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { VERSION } from '../../src/core/version.js';
import {
  entriesOf,
  KEYCHAIN_PROGRAMS,
  LOGIN_ENV,
  startSecretService,
} from '../support/auth/harness.js';
import { tankobon } from '../support/command.js';
import { buildExecutable, EmptyMachine, finished } from '../support/executable.js';
import { startPackageRegistry } from '../support/package-registry.js';
import { packProgram } from '../support/packed-program.js';
import { describeWith } from '../support/requirements.js';

/** A word of a title in the practice library. */
const TITLE = 'Lighthouse Cat';
const LOCK_ADDON = 'fs-native-extensions.node';

let folder: string;
let app: string;
let service: PracticeService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-executable-'));
  app = join(folder, 'app');
  mkdirSync(app);
  cpSync(buildExecutable(), join(app, 'tankobon'));
  service = await startPracticeService();
}, 300_000);
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

let machines = 0;
let home: string;
let machine: EmptyMachine;
beforeEach(() => {
  machines += 1;
  home = join(folder, `home-${machines}`);
  machine = new EmptyMachine(app, home);
});

const extracted = () => join(home, '.local/state/tankobon/executable');
/** The extracted files, without the digests above them. */
const filesIn = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
const addonFile = (): string => {
  const paths = readdirSync(extracted()).map((digest) => join(extracted(), digest, LOCK_ADDON));
  return paths.find((path) => existsSync(path)) ?? '';
};
/** What doctor finds of the locks, which are in an addon. */
async function findLocks(): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await machine.run(['doctor', '--json']);
  const checks = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  return checks.find(({ check }) => check === 'locks') ?? {};
}

const NEEDS = { programs: ['bwrap'], mountNamespace: true, linux: true } as const;

describeWith('the executable on a machine without Node.js', NEEDS, () => {
  test('prints what the package prints', async () => {
    for (const words of [['--version'], ['--help'], ['completion', 'bash'], ['downlod']]) {
      const { code, stdout, stderr } = await tankobon(words);
      expect(await machine.run(words)).toMatchObject({ code, stdout, stderr });
    }
    expect(await machine.run(['--version'])).toMatchObject({ stdout: `${VERSION}\n` });
    const completed = await machine.run(['__complete', '--', 'download', '--quality', '']);
    expect(completed.stdout).toMatch(/data-saver/);
    expect(readdirSync(home)).toEqual([]);
  });

  test('demo and doctor work, and the file locks are those of the system', async () => {
    expect(await machine.run(['demo'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('12 health reports'),
    });
    expect(filesIn(home).filter((name) => name.endsWith('.cbz'))).toHaveLength(1);
    expect(await findLocks()).toMatchObject({ status: 'ok' });
  });

  test('search, download and sync work with a service', async () => {
    const { environment: env } = service;
    const search = await machine.run(['search', TITLE, '--json'], env);
    const [found] = JSON.parse(search.stdout) as readonly { readonly id: string }[];
    const download = await machine.run(['download', `title:${found?.id ?? ''}`], env);
    expect(download).toMatchObject({ code: 0, stderr: expect.stringContaining(' saved') });
    expect(await machine.run(['verify', '.'], env)).toMatchObject({ code: 0 });
    // The schema that an editor reads is a file.
    await machine.run(['sync', 'add', `title:${found?.id ?? ''}`, '-o', 'comics'], env);
    const subscriptions = join(home, '.config/tankobon/subscriptions.yaml');
    const [, schema = ''] =
      /\$schema=file:\/\/\/home\/reader\/(\S+)/.exec(readFileSync(subscriptions, 'utf8')) ?? [];
    expect(readFileSync(join(home, schema), 'utf8')).toBe(
      readFileSync('schemas/subscriptions.schema.json', 'utf8'),
    );
  });

  test('settings and subscriptions are kept also where the schemas for editors cannot be written', async () => {
    mkdirSync(dirname(extracted()), { recursive: true, mode: 0o700 });
    symlinkSync('/tmp', extracted());
    const { environment: env } = service;
    const [found] = JSON.parse((await machine.run(['search', TITLE, '--json'], env)).stdout) as [
      { readonly id: string },
    ];
    const config = join(home, '.config/tankobon');
    expect(await machine.run(['config', 'set', 'quality', 'data-saver'])).toMatchObject({
      code: 0,
    });
    expect(readFileSync(join(config, 'settings.json'), 'utf8')).toContain('data-saver');
    const add = ['sync', 'add', `title:${found.id}`, '-o', 'comics'];
    expect(await machine.run(add, env)).toMatchObject({ code: 0 });
    expect(readFileSync(join(config, 'subscriptions.yaml'), 'utf8')).not.toContain('schema');
  });

  test('bind makes books; for a screen it takes sharp from beside it, or says how to get it', async () => {
    await machine.run(['demo', '-o', 'comics']);
    const bind = ['bind', 'comics', '--by', 'title', '-o', 'books'];
    expect(await machine.run([...bind, '--format', 'epub'])).toMatchObject({ code: 0 });
    const refused = await machine.run([...bind, '--for', 'kobo-libra']);
    expect(refused).toMatchObject({ code: 2 });
    const hint = /^hint: .*(npm install --prefix )\/app( sharp)$/m.exec(refused.stderr);
    const [, install = '', what = ''] = hint ?? [];
    const registry = await startPackageRegistry(packProgram(folder), ['sharp']);
    const cache = join(folder, 'cache');
    const env = { ...process.env, npm_config_registry: registry.url, npm_config_cache: cache };
    await promisify(execFile)('sh', ['-c', `${install}${app}${what}`], { env });
    await registry.stop();
    const bound = await machine.run([...bind, '--for', 'kobo-libra']);
    rmSync(join(app, 'node_modules'), { recursive: true });
    expect(bound).toMatchObject({ code: 0, stderr: expect.stringContaining('1 book saved') });
    expect(filesIn(join(home, 'books')).sort()).toEqual([
      expect.stringMatching(/\(all\)\.epub$/),
      expect.stringMatching(/\.kepub\.epub$/),
    ]);
  });

  test('the addon is made once by processes that start at once, also if some are killed', async () => {
    const waits = [20, 60, 100, 140, 180];
    await Promise.all(
      waits.map(async (waitMs) => {
        const child = machine.start(['doctor']);
        const end = finished(child);
        await delay(waitMs);
        child.kill('SIGKILL');
        await end;
      }),
    );
    const all = await Promise.all([1, 2, 3, 4].map(() => machine.run(['doctor', '--json'])));
    for (const { stdout } of all) expect(stdout).toContain('"check":"locks","status":"ok"');
    const content = readFileSync(`dist/prebuilds/linux-${process.arch}/${LOCK_ADDON}`);
    expect(readFileSync(addonFile()).equals(content)).toBe(true);
    expect(readdirSync(dirname(addonFile())).filter((name) => !name.endsWith('.tmp'))).toEqual([
      LOCK_ADDON,
    ]);
    const { ino } = statSync(addonFile());
    await findLocks();
    expect(statSync(addonFile()).ino).toBe(ino);
  });

  test('an addon that was changed is written anew, and its folder is made private', async () => {
    await findLocks();
    const file = addonFile();
    const content = readFileSync(file);
    // One byte differs.
    writeFileSync(file, Buffer.concat([content.subarray(0, -1), Buffer.from([1])]));
    for (const path of [extracted(), dirname(file)]) chmodSync(path, 0o777);
    expect(await findLocks()).toMatchObject({ status: 'ok' });
    expect(readFileSync(file).equals(content)).toBe(true);
    for (const path of [extracted(), dirname(file)])
      expect(statSync(path).mode & 0o777).toBe(0o700);
    // The addon of another version is removed.
    const older = join(extracted(), '0'.repeat(64));
    cpSync(dirname(file), older, { recursive: true });
    rmSync(file);
    await findLocks();
    expect(existsSync(older)).toBe(false);
    expect(existsSync(file)).toBe(true);
  });
});

describeWith(
  'an addon for which the disk has no space',
  { mountNamespace: true, linux: true },
  () => {
    test('leaves nothing of itself', async () => {
      const script =
        'mount -t tmpfs -o size=1m,mode=700 none "$TANKOBON_HOME" && ' +
        `{ "$APP" doctor; find "$TANKOBON_HOME" -type f -size +0 -name '*.node*'; }`;
      const env = { ...process.env, TANKOBON_HOME: home, APP: join(app, 'tankobon') };
      const words = ['--user', '--map-root-user', '--mount', 'sh', '-c', script];
      const { stdout } = await promisify(execFile)('unshare', words, { env, cwd: folder });
      expect(stdout).toMatch(/keychain .*ENOSPC/);
      expect(stdout.match(/^\/.*/gm)).toEqual([expect.stringContaining(LOCK_ADDON)]);
    });
  },
);

describeWith('the folder of the addons', { ...NEEDS, root: true }, () => {
  test('has no file that another user put there or could write to: it may have a second name', async () => {
    await findLocks();
    const file = addonFile();
    chownSync(file, 64_005, 64_005);
    expect(await findLocks()).toMatchObject({ status: 'ok' });
    expect(statSync(file).uid).toBe(0);
    chmodSync(file, 0o666);
    const { ino } = statSync(file);
    expect(await findLocks()).toMatchObject({ status: 'ok' });
    expect(statSync(file)).toMatchObject({ mode: 0o100_600 });
    expect(statSync(file).ino).not.toBe(ino);
  });

  test('is not used if it belongs to another user', async () => {
    await findLocks();
    chownSync(dirname(addonFile()), 64_005, 64_005);
    expect(await findLocks()).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('is not used: it belongs to another user (uid 64005).'),
      hint: expect.stringContaining('TANKOBON_HOME'),
    });
  });
});

describeWith(
  'the executable with a keychain',
  { ...NEEDS, programs: ['bwrap', ...KEYCHAIN_PROGRAMS] },
  () => {
    test('stores the login in it', async () => {
      const keychain = await startSecretService(folder);
      try {
        const { authUrl, realm } = service.addresses;
        const bus = { DBUS_SESSION_BUS_ADDRESS: keychain.env['DBUS_SESSION_BUS_ADDRESS'] ?? '' };
        const env = { ...service.environment, ...LOGIN_ENV, ...bus };
        expect(await machine.run(['login'], env)).toMatchObject({ code: 0, stderr: '' });
        const entries = await entriesOf(`tankobon ${authUrl}/realms/${realm}`, keychain.env);
        expect(entries).toContain('login');
        expect(await machine.run(['whoami'], env)).toMatchObject({
          code: 0,
          stdout: expect.stringContaining('keychain'),
        });
        expect(await machine.run(['logout'], env)).toMatchObject({ code: 0 });
      } finally {
        await keychain.stop();
      }
    });
  },
);
