/** Temporary files that killed processes left in folders of the state. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileCredentialStore } from '../../../src/auth/file-credential-store.js';
import { openHookKeys } from '../../../src/auth/hook-keys.js';
import { systemClock } from '../../../src/core/clock.js';
import { temporaryName, writeFileAtomic } from '../../../src/core/files.js';
import { FileProcessRegistry } from '../../../src/rate-limit/file-process-registry.js';
import { someTokens } from '../../support/auth/context.js';

const THREE_DAYS_S = 3 * 24 * 3_600;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-leftovers-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** What a process that was killed while it wrote `file` leaves. */
function leaveBehind(file: string, ageS: number): string {
  const leftover = temporaryName(file);
  writeFileSync(leftover, 'incomplete', { mode: 0o600 });
  const atS = Date.now() / 1_000 - ageS;
  utimesSync(leftover, atS, atS);
  return leftover;
}

test('writing a file removes its own old leftovers, and no others', async () => {
  const file = join(folder, 'state.json');
  const old = leaveBehind(file, THREE_DAYS_S);
  const kept = [leaveBehind(file, 60), leaveBehind(join(folder, 'state.json.other'), THREE_DAYS_S)];
  await writeFileAtomic(file, 'new');
  expect(existsSync(old)).toBe(false);
  expect(kept.map((leftover) => existsSync(leftover))).toEqual([true, true]);
});

test.each(['write', 'clear'] as const)(
  '%s of the login removes copies of it at once',
  async (method) => {
    const file = join(folder, 'credentials', 'login.json');
    mkdirSync(join(folder, 'credentials'), { mode: 0o700 });
    const leftover = leaveBehind(file, 1);
    await fileCredentialStore(file)[method]({
      username: 'reader',
      clientId: 'personal-client-1',
      clientSecret: 'secret',
      tokens: someTokens(),
    });
    expect(existsSync(leftover)).toBe(false);
  },
);

test('storing a key removes copies of the others at once', async () => {
  const leftover = leaveBehind(join(folder, 'hook-keys.json'), 1);
  const keys = openHookKeys(folder);
  await Promise.all([keys.write('komga', 'one', 'file'), keys.write('kavita', 'two', 'file')]);
  expect(existsSync(leftover)).toBe(false);
  expect([await keys.read('komga'), await keys.read('kavita')]).toEqual(['one', 'two']);
});

test('a process that starts to use the ledger removes old leftovers from its folder', async () => {
  const young = leaveBehind(join(folder, 'ledger.lock'), 60);
  leaveBehind(join(folder, 'ledger.lock'), THREE_DAYS_S);
  leaveBehind(join(folder, 'mode'), THREE_DAYS_S);
  const registry = new FileProcessRegistry(folder, systemClock);
  await registry.enter();
  registry.leave();
  expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([young]);
});
