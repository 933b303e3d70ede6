/** One ledger folder of another user, or used under several kernels; needs root. */
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runPool } from '../support/process-pool-run.js';
import { maxRequestsInWindow } from '../support/stub-server.js';
import { describeWith } from '../support/requirements.js';

const GROUP = 64_001;
const ALICE = { uid: 64_011, gid: GROUP };
const BOB = { uid: 64_012, gid: GROUP };
const PLAN = { processes: 1, concurrency: 2, requests: 1, path: '/manga/x' } as const;

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

describeWith('a ledger folder of another user', { root: true }, () => {
  test.each([
    ['that all may read', 0o755],
    ['of a common group', 0o2770],
    ['of everybody', 0o777],
  ])('%s is refused, and nothing is sent', async (_, mode) => {
    mkdirSync(folder);
    chownSync(folder, ALICE.uid, GROUP);
    chmodSync(folder, mode);
    const { failures, times } = await runPool({ ...PLAN, folder, variants: [BOB] });
    expect(failures).toEqual([expect.stringMatching(/^unsafe-ledger: .*belongs to another user/)]);
    expect(times).toEqual([]);
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
      maxRequestMs: 3_000,
      variants: [{}, launcher(3), launcher(1)],
    });
    expect(failures).toEqual([]);
    expect(times).toHaveLength(60);
    expect(maxRequestsInWindow(times, 1_000)).toBeLessThanOrEqual(5);
    expect(Math.min(...shares)).toBeGreaterThan(0);
    expect(warnings.length).toBeGreaterThan(0);
    expect(warnings[0]).toMatch(/in use by another machine or virtual machine/);
  });
});
