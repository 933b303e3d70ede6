/**
 * The conditions of docs/docker: a read-only root, a user that the system does not know, without HOME and without rights,
 * and only the two volumes writable. The root is one of this test's own, put together from read-only mounts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { text as textOf } from 'node:stream/consumers';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { generateChapter } from '../../src/practice-server/library/library.js';
import { LOGIN_ENV } from '../support/auth/harness.js';
import { describeWith } from '../support/requirements.js';
import { DAY_MS, syncLibrary, titleId } from '../support/sync-harness.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0051';
/** An id that no real user has. */
const UID = 64_004;
const PROGRAM = '/app/bin/tankobon.js';

/** Enters the container and runs "$@". Needs ROOT, NODE, APP, STATE and COMICS. */
const SCRIPT = `set -e
mount -t tmpfs -o mode=755 none "$ROOT"
mount_read_only() { mount --bind "$1" "$ROOT$2" && mount -o remount,bind,ro "$ROOT$2"; }
for folder in bin lib lib64 usr; do
  if [ -L "/$folder" ]; then cp -d "/$folder" "$ROOT/"; continue; fi
  [ -d "/$folder" ] || continue
  mkdir "$ROOT/$folder"
  mount_read_only "/$folder" "/$folder"
done
mkdir "$ROOT/app" "$ROOT/state" "$ROOT/comics" "$ROOT/proc" "$ROOT/tmp"
: >"$ROOT/node"
mount_read_only "$NODE" /node
mount_read_only "$APP" /app
mount -t proc none "$ROOT/proc"
mount --bind "$STATE" "$ROOT/state"
mount --bind "$COMICS" "$ROOT/comics"
mount -o remount,ro "$ROOT"
exec chroot "$ROOT" setpriv --reuid="$ID" --regid="$ID" --clear-groups --no-new-privs --bounding-set=-all "$@"`;

let service: PracticeService;
let folder: string;
let state: string;
let comics: string;
beforeAll(async () => {
  service = await startPracticeService({
    chapters: [generateChapter({ id: ID, pages: 3, bytesPerPage: 8_000 })],
    library: syncLibrary(['Alpha'], Date.now() - DAY_MS),
  });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-container-'));
  [state, comics] = [join(folder, 'state'), join(folder, 'comics')];
  for (const path of [join(folder, 'root'), state, comics]) mkdirSync(path);
  for (const path of [state, comics]) chmodSync(path, 0o1777);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});
afterAll(() => service.stop());

/** Starts `node <words>` in a container with the environment of the image. */
function startCommand(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const inside = {
    PATH: '/usr/bin:/bin',
    TANKOBON_HOME: '/state/tankobon',
    TANKOBON_LEDGER: '/state/ledger',
    TANKOBON_OUTPUT: '/comics',
    ...service.environment,
    ...env,
  };
  const pairs = Object.entries(inside).map(([name, value]) => `${name}=${value}`);
  const command = ['/usr/bin/env', '-i', '-C', '/comics', ...pairs, '/node', ...words];
  const child = spawn('unshare', ['--mount', 'sh', '-c', SCRIPT, 'sh', ...command], {
    env: {
      PATH: process.env['PATH'],
      ROOT: join(folder, 'root'),
      NODE: process.execPath,
      APP: resolve('.'),
      STATE: state,
      COMICS: comics,
      ID: String(UID),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const finished = Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    textOf(child.stdout),
    textOf(child.stderr),
  ]).then(([[code], stdout, stderr]) => ({ code, stdout, stderr }));
  return { child, finished };
}

const startContainer = (words: readonly string[], env?: Readonly<Record<string, string>>) =>
  startCommand([PROGRAM, ...words], env);

const inContainer = (...args: Parameters<typeof startContainer>) =>
  startContainer(...args).finished;

const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(path, name)).isFile(),
  );

describeWith('a container', { root: true, linux: true }, () => {
  test('nothing but the volumes is writable', async () => {
    const probe = `
      const fs = require('node:fs');
      for (const folder of ['/', '/tmp', '/app', '/usr', '/comics', '/state']) {
        try { fs.writeFileSync(folder + '/probe', ''); console.log(folder); } catch {}
      }
      try { require('node:os').userInfo(); } catch { console.log('unknown user', process.getuid()); }`;
    const { stdout } = await startCommand(['-e', probe]).finished;
    expect(stdout).toBe(`/comics\n/state\nunknown user ${UID}\n`);
  });

  test('one download, with the state kept for the next container', async () => {
    const { code, stderr } = await inContainer(['download', ID]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('1 saved') });
    const [archive = ''] = filesIn(comics);
    expect(filesIn(comics)).toEqual([expect.stringMatching(/\.cbz$/)]);
    expect(statSync(join(comics, archive)).uid).toBe(UID);
    expect(readdirSync(state).sort()).toEqual(['ledger', 'tankobon']);
    const again = await inContainer(['download', ID]);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('1 skipped') });
  });

  test('settings and a login in the state volume; the keychain is missing only for login', async () => {
    expect(await inContainer(['config', 'set', 'quality', 'data-saver'])).toMatchObject({
      code: 0,
    });
    expect(await inContainer(['config', 'get', 'quality'])).toMatchObject({
      stdout: 'data-saver\n',
    });
    const refused = await inContainer(['login'], LOGIN_ENV);
    expect(refused).toMatchObject({ code: 7, stdout: '' });
    expect(refused.stderr).toContain('tankobon login --insecure-storage');
    expect(await inContainer(['login', '--insecure-storage'], LOGIN_ENV)).toMatchObject({
      code: 0,
    });
    expect(await inContainer(['whoami'])).toMatchObject({ code: 0 });
    const [login = ''] = filesIn(state).filter((name) => /credentials.*json$/.test(name));
    expect(statSync(join(state, login)).mode & 0o777).toBe(0o600);
  });

  test('sync --every downloads to the volume, ends between two runs on SIGTERM with 0, and continues', async () => {
    expect(await inContainer(['sync', 'add', `title:${titleId('Alpha')}`])).toMatchObject({
      code: 0,
    });
    const { child, finished } = startContainer(['sync', '--every', '6h']);
    let seen = '';
    child.stderr.on('data', (text) => (seen += String(text)));
    while (!seen.includes('Next run') && child.exitCode === null) await delay(20);
    child.kill('SIGTERM');
    expect(await finished).toMatchObject({ code: 0 });
    expect(filesIn(comics)).toHaveLength(2);
    const before = filesIn(comics);
    expect(await inContainer(['sync'])).toMatchObject({ code: 0 });
    expect(filesIn(comics)).toEqual(before);
  });

  test('without a folder for temporary files, demo says what to set; with one it works', async () => {
    const refused = await inContainer(['demo']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(/EROFS.*\/tmp\nhint: Set TMPDIR to/);
    expect(await inContainer(['demo'], { TMPDIR: '/state' })).toMatchObject({ code: 0 });
    expect(filesIn(comics)).toHaveLength(1);
    expect(filesIn(state)).toEqual([]);
  });

  test('volumes of another user are refused at once, with the folder', async () => {
    chmodSync(comics, 0o755);
    const noOutput = await inContainer(['download', ID]);
    expect(noOutput).toMatchObject({ code: 2, stdout: '' });
    expect(noOutput.stderr).toMatch(/The output folder cannot be used: .*: \/comics\nhint: /);
    chmodSync(comics, 0o1777);
    chmodSync(state, 0o755);
    const noState = await inContainer(['download', ID]);
    expect(noState).toMatchObject({ code: 2, stdout: '' });
    expect(noState.stderr).toMatch(/TANKOBON_HOME cannot be used \(EACCES\): \/state\/tankobon\n/);
  });

  test('the image sets what this test sets', () => {
    const image = readFileSync('docs/docker/Dockerfile', 'utf8');
    expect(image).toContain('mkdir -m 1777 /state /comics');
    expect(image).toMatch(/^ENV TANKOBON_HOME=\/state\/tankobon TANKOBON_LEDGER=\/state\/ledger /m);
    expect(image).toMatch(/^WORKDIR \/comics$/m);
    expect(readFileSync('docs/docker/compose.yaml', 'utf8')).toContain('read_only: true');
  });
});
