/** A ledger whose lock another process holds for long: stopped in the middle, or in bad faith. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/core/clock.js';
import { lockFile, lockHolder, type HeldLock } from '../../../src/core/lock.js';
import { nativeLocks } from '../../../src/core/native-lock.js';
import { FileStore } from '../../../src/rate-limit/file-store.js';
import { start } from '../../support/command.js';

const ID = 'a96676e5-8ae2-425e-b549-7f15dd34a6d8';

let folder: string;
let lock: HeldLock;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-ledger-lock-'));
  mkdirSync(join(folder, 'ledger'), { mode: 0o700 });
  lock = await lockFile(join(folder, 'ledger', 'ledger.lock'));
});
afterEach(() => {
  lock.release();
  rmSync(folder, { recursive: true, force: true });
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  'a command that waits for it says for whom, and ends on the first %s',
  async (signal) => {
    const { child, finished } = start(['download', ID, '-o', join(folder, 'out')], {
      env: {
        TANKOBON_HOME: folder,
        TANKOBON_API_URL: 'http://127.0.0.1:9',
        TANKOBON_AUTH_URL: 'http://127.0.0.1:9',
        TANKOBON_NETWORK_URL: 'http://127.0.0.1:9',
      },
    });
    let said = '';
    await new Promise<void>((done) => {
      child.stderr.on('data', (text: string) => {
        said += text;
        if (said.includes('waiting for')) done();
      });
    });
    expect(said).toMatch(
      new RegExp(
        `waiting for the lock of the rate ledger, which process ${process.pid} holds, until`,
      ),
    );
    child.kill(signal);
    const { code, signal: endedBy } = await finished;
    expect([code, endedBy]).toEqual([130, null]);
  },
);

test('the wait is bounded, and its error names the holder', async () => {
  const file = new FileStore({
    folder: join(folder, 'ledger'),
    clock: systemClock,
    warn: () => undefined,
  });
  file.hurry();
  const waiting = file.exchange(() => Promise.resolve());
  await expect(waiting).rejects.toMatchObject({
    code: 'ledger-locked',
    message: expect.stringContaining(`process ${process.pid} has held`),
  });
});

test('a lock file names its holder, and nothing but a process id and a host is taken from it', () => {
  const file = join(folder, 'ledger', 'ledger.lock');
  expect(lockHolder(file)).toBe(`process ${process.pid}`);
  writeFileSync(file, '4711 elsewhere\n');
  expect(lockHolder(file)).toBe(
    hostname() === 'elsewhere' ? 'process 4711' : 'process 4711 on elsewhere',
  );
  writeFileSync(file, '\u001b[2J 1 x\n');
  expect(lockHolder(file)).toBe('another process');
});

test('a platform without a prebuilt lock says so in one sentence', () => {
  expect(() => nativeLocks('linux-arm')).toThrow('There is no prebuilt file lock for linux-arm.');
  for (const platform of ['linux-riscv64', 'freebsd-x64', 'win32-ia32']) {
    expect(() => nativeLocks(platform)).toThrow(/^There is no prebuilt file lock for \S+\.$/);
  }
});
