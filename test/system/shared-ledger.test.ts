/** One ledger folder, used by several users of the machine or under several kernels; needs root. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runPool } from '../support/process-pool-run.js';
import { maxRequestsInWindow } from '../support/stub-server.js';
import { describeWith } from '../support/requirements.js';

const GROUP = 64_001;
const OTHER_GROUP = 64_002;
const ALICE = { uid: 64_011, gid: GROUP };
const BOB = { uid: 64_012, gid: GROUP };
const MALLORY = { uid: 64_013, gid: OTHER_GROUP };
const PLAN = { processes: 2, concurrency: 2, requests: 24, path: '/manga/x' } as const;

let base: string;
let folder: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'tankobon-shared-ledger-'));
  folder = join(base, 'ledger');
  chmodSync(base, 0o755);
});
afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

const makeFolder = (mode: number, uid = ALICE.uid, gid = GROUP): void => {
  mkdirSync(folder);
  chownSync(folder, uid, gid);
  chmodSync(folder, mode);
};
const plant = (name: string, mode: number, owner = MALLORY): string => {
  const file = join(folder, name);
  writeFileSync(file, '', { mode });
  chownSync(file, owner.uid, owner.gid);
  return file;
};

describeWith('a shared ledger', { root: true }, () => {
  describe('two users of one group', () => {
    test('share the limits in a folder that is the group’s, setgid and not sticky', async () => {
      makeFolder(0o2770);
      // The strictest one; the processes inherit it and start at the same time.
      const umask = process.umask(0o077);
      const variants = [ALICE, BOB];
      const outcome = await runPool({ ...PLAN, processes: 6, folder, variants }).finally(() =>
        process.umask(umask),
      );
      expect([...outcome.failures, ...outcome.warnings]).toEqual([]);
      expect(maxRequestsInWindow(outcome.times, 1_000)).toBeLessThanOrEqual(5);
      expect(Math.min(...outcome.shares)).toBeGreaterThan(0);
    });

    test.each([
      ['of the group’s folder', 0o600, BOB],
      ['from outside', 0o644, MALLORY],
    ])('an unusable file %s is moved away, and blocks no process', async (_, mode, owner) => {
      makeFolder(0o2770);
      plant('ledger.json', mode, owner);
      plant('ledger.json.tmp', mode, owner);
      plant('0-1-dead.process', mode, owner);
      const outcome = await runPool({ ...PLAN, requests: 6, folder, variants: [ALICE] });
      expect(outcome.failures).toEqual([]);
      expect(outcome.warnings[0]).toMatch(/damaged and has been moved/);
    });

    test('a lock file that cannot be opened is an error that names it and its owner', async () => {
      makeFolder(0o2770);
      const file = plant('ledger.lock', 0o600, BOB);
      const { failures } = await runPool({
        ...PLAN,
        processes: 1,
        requests: 1,
        folder,
        variants: [ALICE],
      });
      expect(failures).toEqual([
        expect.stringMatching(
          new RegExp(`^not-writable: .*${file}, which belongs to uid ${BOB.uid} \\(EACCES\\)`),
        ),
      ]);
    });

    test.each([
      ['another user’s private folder', 0o700, GROUP, MALLORY, /EACCES|belongs to another user/],
      ['another user’s folder that all may read', 0o755, GROUP, BOB, /belongs to another user/],
      ['a group’s folder without setgid', 0o770, GROUP, BOB, /would not belong to that group/],
      ['a folder of everybody', 0o777, GROUP, BOB, /every user of the machine/],
      ['a folder of a foreign group', 0o2775, OTHER_GROUP, BOB, /a group that you are not in/],
    ])('%s is refused', async (_, mode, gid, user, why) => {
      makeFolder(mode, ALICE.uid, gid);
      const { failures, times } = await runPool({
        ...PLAN,
        processes: 1,
        requests: 1,
        folder,
        variants: [user],
      });
      expect(failures).toEqual([expect.stringMatching(why)]);
      expect(times).toEqual([]);
    });

    test('links that another member plants change no file of root', async () => {
      makeFolder(0o2770);
      const secret = join(base, 'secret');
      writeFileSync(secret, 'key\n', { mode: 0o600 });
      const planting = `
        const fs = require('node:fs');
        const [folder, secret] = process.argv.slice(1);
        const until = Date.now() + 20_000;
        while (Date.now() < until) for (const name of ['ledger.json.tmp', 'ledger.json', 'x.process'])
          try { fs.rmSync(folder + '/' + name, { force: true }); fs.symlinkSync(secret, folder + '/' + name); } catch {}
      `;
      const outcome = await runPool({
        ...PLAN,
        requests: 40,
        folder,
        periodScale: { general: 0.02, endpoint: 0.02 },
        variants: [{}],
        during: () => {
          const planter = spawn(process.execPath, ['-e', planting, folder, secret], ALICE);
          return () => {
            planter.kill('SIGKILL');
          };
        },
      });
      expect(outcome.times.length).toBeGreaterThan(0);
      expect(readFileSync(secret, 'utf8')).toBe('key\n');
      expect(statSync(secret).mode & 0o777).toBe(0o600);
    });

    test('a planted link in the place of the folder or of a lock makes nothing of root’s', async () => {
      makeFolder(0o2770);
      symlinkSync(join(base, 'made'), join(folder, 'ledger.lock'));
      const { failures } = await runPool({ ...PLAN, requests: 1, folder, variants: [{}] });
      expect(failures).toEqual([expect.stringContaining('unsafe-path')]);
      expect(existsSync(join(base, 'made'))).toBe(false);
    });
  });
});

describeWith('a shared ledger', { timeNamespace: true }, () => {
  test('kernels whose clocks started days apart, at one folder, break no limit', async () => {
    const launcher = (days: number) => ({
      launcher: [
        'unshare',
        '--time',
        '--monotonic',
        String(days * 86_400),
        '--fork',
        '--kill-child',
      ],
    });
    const { times, shares, failures, warnings } = await runPool({
      processes: 3,
      concurrency: 2,
      requests: 60,
      path: '/manga/x',
      variants: [{}, launcher(3), launcher(1)],
    });
    expect(failures).toEqual([]);
    expect(times).toHaveLength(60);
    expect(maxRequestsInWindow(times, 1_000)).toBeLessThanOrEqual(5);
    expect(Math.min(...shares)).toBeGreaterThan(0);
    expect(warnings.length).toBeGreaterThan(0);
    expect(new Set(warnings).size).toBe(1);
    expect(warnings[0]).toMatch(/also used by another machine or virtual machine/);
  });
});
