/** A ledger whose lock another process holds for long, since it is suspended or malicious. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '../../../../src/core/clock.js';
import { lockFile, describeLockHolder, type HeldLock } from '../../../../src/core/lock.js';
import { nativeLocks } from '../../../../src/core/native-lock.js';
import { MODULES_URL } from '../../../support/build-folders.js';
import { currentBoot } from '../../../../src/service/permits/boot.js';
import { FileStore } from '../../../../src/service/permits/file-store.js';
import { MAX_REQUEST_MS } from '../../../../src/service/permits/ledger-rules.js';
import { quotaOf } from '../../../../src/service/quotas.js';
import { start } from '../../../support/command.js';
import { longRunRows } from '../../../support/long-run.js';
import { posixTest } from '../../../support/platform.js';

const ID = 'a96676e5-8ae2-425e-b549-7f15dd34a6d8';

const run = promisify(execFile);

let folder: string;
let lock: HeldLock;
let env: Readonly<Record<string, string>>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-ledger-lock-'));
  mkdirSync(join(folder, 'ledger'), { mode: 0o700 });
  lock = await lockFile(join(folder, 'ledger', 'ledger.lock'));
  env = {
    TANKOBON_HOME: folder,
    TANKOBON_API_URL: 'http://127.0.0.1:9',
    TANKOBON_AUTH_URL: 'http://127.0.0.1:9',
    TANKOBON_NETWORK_URL: 'http://127.0.0.1:9',
  };
});
afterEach(() => {
  lock.release();
  rmSync(folder, { recursive: true, force: true });
});

posixTest.each<NodeJS.Signals>(['SIGINT', ...longRunRows<NodeJS.Signals>('SIGTERM')])(
  'a command that waits for the lock names its holder, and ends on the first %s',
  async (signal) => {
    const { child, finished } = start(['download', ID, '-o', join(folder, 'out')], {
      env,
    });
    let output = '';
    await new Promise<void>((done) => {
      child.stderr.on('data', (text: string) => {
        output += text;
        if (output.includes('held by')) done();
      });
    });
    expect(output).toMatch(
      new RegExp(`waiting until .*: lock of the rate ledger, held by process ${process.pid}`),
    );
    child.kill(signal);
    const { code, signal: endedBy } = await finished;
    expect([code, endedBy]).toEqual([130, null]);
  },
);

test('the wait is bounded, and its error names the holder', async () => {
  const store = new FileStore({
    folder: join(folder, 'ledger'),
    clock: systemClock,
    warn: () => undefined,
    boot: currentBoot(),
    rules: { quotaOf, maxRequestMs: MAX_REQUEST_MS },
  });
  store.shortenWaits();
  const waiting = store.transaction(() => ({}));
  await expect(waiting).rejects.toMatchObject({
    code: 'ledger-locked',
    message: expect.stringContaining(`process ${process.pid} has held`),
  });
});

test('a lock file names its holder by process id and host; other content is ignored', () => {
  const file = join(folder, 'ledger', 'ledger.lock');
  expect(describeLockHolder(file)).toBe(`process ${process.pid}`);
  writeFileSync(file, '4711 elsewhere\n');
  expect(describeLockHolder(file)).toBe(
    hostname() === 'elsewhere' ? 'process 4711' : 'process 4711 on elsewhere',
  );
  writeFileSync(file, '\u001b[2J 1 x\n');
  expect(describeLockHolder(file)).toBe('another process');
});

test('a platform without file locks is reported in one sentence', () => {
  expect(() => nativeLocks('linux-arm')).toThrow(
    'File locks are not available for this platform: linux-arm.',
  );
  for (const platform of ['linux-riscv64', 'freebsd-x64', 'win32-ia32']) {
    expect(() => nativeLocks(platform)).toThrow(
      /^File locks are not available for this platform: \S+\.$/,
    );
  }
});

describe('on Alpine, where the addon’s own loader requires a file that is not shipped', () => {
  let likeAlpine: string;
  beforeEach(() => {
    likeAlpine = join(folder, 'like-alpine.cjs');
    writeFileSync(
      likeAlpine,
      `const fs = require('node:fs');
       const { existsSync } = fs;
       fs.existsSync = (path) => path === '/etc/alpine-release' || existsSync(path);`,
    );
  });

  test('the library takes a lock', async () => {
    const script = `const { tryLockFile } = await import(${JSON.stringify(`${MODULES_URL}/core/lock.js`)});
      console.log(typeof (await tryLockFile(${JSON.stringify(join(folder, 'free.lock'))})).release);`;
    const args = ['-r', likeAlpine, '--input-type=module', '-e', script];
    expect((await run(process.execPath, args)).stdout).toBe('function\n');
  });

  test('the program takes a lock', async () => {
    lock.release();
    // The lock file of this test without a ledger would be that of a lost one, whose limits count as used up.
    rmSync(join(folder, 'ledger'), { recursive: true });
    const { stderr } = await start(['download', ID, '-o', join(folder, 'out')], {
      env: { ...env, NODE_OPTIONS: `--require=${likeAlpine}` },
    }).finished;
    expect(stderr).toContain('127.0.0.1:9 could not be reached');
  });
});
