/** The service ends the session in the middle of a run: what needs no login goes on, and a login from variables begins it again. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sync } from '../../../src/cli/commands/sync.js';
import { parseTexts } from '../../support/option-texts.js';
import {
  chapterId,
  DAY_MS,
  savedIn,
  SyncHarness,
  syncLibrary,
  titleId,
} from '../../support/sync-harness.js';

let harness: SyncHarness;
let endSessionAt: RegExp | undefined;
beforeEach(async () => {
  endSessionAt = undefined;
  const followed = { Beta: 'reading', Gamma: 'reading' } as const;
  harness = await SyncHarness.start(
    (nowMs) => syncLibrary(['Alpha', 'Beta', 'Gamma'], nowMs - 9 * DAY_MS, followed),
    {
      onRequest: ({ path }) => {
        if (!endSessionAt?.test(path)) return;
        endSessionAt = undefined;
        harness.service.expireAccessTokens();
        harness.service.revokeRefreshTokens();
      },
    },
  );
  await harness.login();
  harness.write(`follows: { status: [reading] }\nseries:\n  - target: title:${titleId('Alpha')}\n`);
});
afterEach(() => harness.stop());

const ALPHA = [chapterId('Alpha', '1'), chapterId('Alpha', '2')];
const ALL = ['Alpha', 'Beta', 'Gamma'].flatMap((name) => [
  chapterId(name, '1'),
  chapterId(name, '2'),
]);
const grants = () => harness.service.log.filter(({ host }) => host === 'auth').length;

test.each([
  ['after the titles of the file', /^\/manga$/],
  ['after the reading statuses of the account', /^\/manga\/status$/],
])(
  '%s: titles that need no login are saved, and the exit code is 4 from the first run',
  async (_, at) => {
    endSessionAt = at;
    const first = await harness.base.command(
      (context) => sync(parseTexts({ file: harness.file }), context),
      { clock: harness.clock },
    );
    expect(first.code).toBe(4);
    expect(first.stderr).toContain('The session has ended');
    expect(first.stderr).toContain('hint: Run: tankobon login');
    expect(first.stderr).not.toContain('will not help');
    expect(harness.base.archives()).toHaveLength(2);
    const second = await harness.sync();
    expect(second.code).toBe(4);
    expect(second.lines).toContainEqual(
      expect.objectContaining({
        type: 'target-failed',
        target: 'follows',
        reason: 'not-logged-in',
      }),
    );
    await harness.login();
    const third = await harness.sync();
    expect(third.code).toBe(0);
    expect(savedIn(third.lines)).toHaveLength(4);
  },
);

test('between two chapters: all titles of the run are saved without it', async () => {
  endSessionAt = new RegExp(`^/at-home/server/${ALPHA[0]}`);
  const { code, lines } = await harness.sync();
  expect(new Set(savedIn(lines))).toEqual(new Set(ALL));
  expect({ code, warnings: lines.filter(({ type }) => type === 'warning').length }).toEqual({
    code: 0,
    warnings: 1,
  });
});

test.each([
  ['after the titles of the file', /^\/manga$/],
  ['between two chapters', new RegExp(`^/at-home/server/${ALPHA[0]}`)],
])('%s: with all four variables it logs in again, once', async (_, at) => {
  endSessionAt = at;
  const env = harness.base.loginEnvironment();
  const before = grants();
  const { code, lines } = await harness.sync({}, { env });
  // The refresh that is refused, and one with the password.
  expect({ code, grants: grants() - before }).toEqual({ code: 0, grants: 2 });
  expect(lines.filter(({ type }) => type === 'warning')).toEqual([]);
  expect(new Set(savedIn(lines))).toEqual(new Set(ALL));
  expect((await harness.sync()).code).toBe(0);
});

test('a session that an earlier run found ended is begun again from files, and a wrong password is tried once a run', async () => {
  endSessionAt = /^\/manga$/;
  await harness.sync();
  const { TANKOBON_PASSWORD: password = '', ...others } = harness.base.loginEnvironment();
  const file = join(harness.base.folder, 'secrets', 'password');
  mkdirSync(join(harness.base.folder, 'secrets'));
  const env = { ...others, TANKOBON_PASSWORD_FILE: file };
  writeFileSync(file, 'wrong\n');
  const before = grants();
  const wrong = await harness.sync({}, { env });
  expect({ code: wrong.code, grants: grants() - before }).toEqual({ code: 4, grants: 1 });
  writeFileSync(file, `${password}\r\n`);
  const right = await harness.sync({}, { env });
  expect(right.code).toBe(0);
  expect(savedIn(right.lines)).toHaveLength(4);
});
