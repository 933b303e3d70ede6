/** The state folder is the boundary of trust: who may write to it, and that its content is not checked further. */
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { longRunRows } from '../../support/long-run.js';
import { otherUid, startAsOtherUser, type OtherUserHarness } from '../../support/other-user.js';
import { posixDescribe, posixTest } from '../../support/platform.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0064';
const OTHER_USER = 64_006;
const uid = otherUid(64_005);

let harness: OtherUserHarness;
let folder: string;
let home: string;
beforeAll(async () => {
  harness = await startAsOtherUser(ID, uid);
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-state-'));
  chmodSync(folder, 0o777);
  home = join(folder, 'home');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});
afterAll(() => harness.stop());

const run = (line: string, TANKOBON_HOME = home) =>
  harness.run(line, { env: { EDITOR: 'true', TANKOBON_HOME }, cwd: folder });
const download = (path?: string) => run(`download ${ID} --force -o ${join(folder, 'out')}`, path);

function makeHome(mode: number, owner = uid): void {
  mkdirSync(home);
  chmodSync(home, mode);
  if (owner !== undefined) chownSync(home, owner, owner);
}

const modeOf = (path: string) => statSync(path).mode & 0o7777;

posixDescribe('a state folder', () => {
  test('that is missing is created for this user alone', async () => {
    expect(await download()).toMatchObject({ code: 0 });
    expect(modeOf(home)).toBe(0o700);
  });

  test.each([0o755, ...longRunRows(0o700, 0o750)])(
    'that others can read (%o) is used as it is',
    async (mode) => {
      makeHome(mode);
      const { code, stderr } = await download();
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('warning:')]);
      expect(modeOf(home)).toBe(mode);
    },
  );

  test.each([
    [0o702, 'report-status'],
    [0o777, `download ${ID} -o out`],
    ...longRunRows<[number, string]>([0o770, 'report-status'], [0o775, 'login --insecure-storage']),
  ])('of this user that others can write to (%o) becomes private: %s', async (mode, line) => {
    makeHome(mode);
    expect(await run(line)).toMatchObject({ code: 0 });
    expect(modeOf(home)).toBe(0o700);
  });

  test('that is shared on purpose (sticky) is refused and stays as it is', async () => {
    makeHome(0o1777);
    const before = harness.service.log.length;
    const others = longRunRows('whoami', 'logout');
    for (const line of [`download ${ID}`, 'login --insecure-storage', ...others]) {
      const { code, stdout, stderr } = await run(line);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toBe(
        `error: TANKOBON_HOME is not used, other users can write to it: ${home}\nhint: Set TANKOBON_HOME to a folder of your own.\n`,
      );
    }
    expect([modeOf(home), readdirSync(home)]).toEqual([0o1777, []]);
    expect(harness.service.log.length).toBe(before);
  });

  test.each([
    ['sync'],
    ['bind .'],
    ...longRunRows(
      [`sync add ${ID} -o out`],
      ['overview . --offline'],
      ['sync list'],
      ['sync status'],
      ['sync edit Alpha'],
      ['sync remove Alpha'],
      ['sync forget Alpha'],
    ),
  ])('that is sticky is refused by %s too, which reads the settings in it', async (line) => {
    makeHome(0o1777);
    const text = 'series: [{ target: "3d1c8f52-6a0b-4e7e-9b1d-0a4c5e2f7101", title: Alpha }]\n';
    writeFileSync(join(home, 'subscriptions.yaml'), text, { mode: 0o600 });
    if (uid !== undefined) chownSync(join(home, 'subscriptions.yaml'), uid, uid);
    const { code, stdout, stderr } = await run(line);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`TANKOBON_HOME is not used, other users can write to it: ${home}\n`);
    expect(readdirSync(home)).toEqual(['subscriptions.yaml']);
  });

  test('the folder for temporary files of all users is refused and keeps its mode', async () => {
    const before = modeOf('/tmp');
    expect(await download('/tmp')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('other users can write to it: /tmp'),
    });
    expect(modeOf('/tmp')).toBe(before);
  });
});

/** A folder of another user needs root to make it. */
const rootTest = uid === undefined ? test.skip : posixTest;

rootTest.each([0o755, ...longRunRows(0o777)])(
  'a state folder of another user (%o) is refused',
  async (mode) => {
    makeHome(mode, OTHER_USER);
    const { code, stderr } = await download();
    expect(code).toBe(2);
    expect(stderr).toContain(`it belongs to another user (uid ${OTHER_USER}): ${home}`);
    expect([modeOf(home), readdirSync(home)]).toEqual([mode, []]);
  },
);
