import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFile, tryLockFile } from '../../../src/core/lock.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-lock-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('a lock has one holder, also within one process', async () => {
  const file = join(folder, 'a.lock');
  const first = await tryLockFile(file);
  expect(first).toBeDefined();
  expect(await tryLockFile(file)).toBeUndefined();
  first?.release();
  const second = await lockFile(file);
  second.release();
});

test('a killed holder releases its lock at once', async () => {
  const file = join(folder, 'b.lock');
  const script = `const {openSync}=require('fs');const {tryLock}=require('fs-native-extensions');
    console.log(tryLock(openSync(${JSON.stringify(file)},'a+')));setTimeout(()=>{},60000)`;
  const holder = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  expect(await tryLockFile(file)).toBeUndefined();
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  (await lockFile(file, { giveUpAfterMs: 500 }))?.release();
});

test('a wait ends with its signal or its time limit', async () => {
  const file = join(folder, 'c.lock');
  const held = await lockFile(file);
  expect(await lockFile(file, { giveUpAfterMs: 10 })).toBeUndefined();
  const reason = new Error('stop');
  await expect(lockFile(file, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  held.release();
});

test('a lock file removed by its holder is not held; the next holder creates a new one', async () => {
  const file = join(folder, 'd.lock');
  const first = await lockFile(file);
  const waiting = lockFile(file);
  rmSync(file);
  const second = await waiting;
  first.release();
  expect(await tryLockFile(file)).toBeUndefined();
  second.release();
});
