/** One folder used under several kernels with different monotonic clocks, as on a network drive. */
import { systemClock } from '../../../src/core/clock.js';
import { openLedger, viewLedgerAt } from '../../../src/rate-limit/open-ledger.js';
import { readAddresses } from '../../../src/rate-limit/service-addresses.js';
import { rmSync } from 'node:fs';
import { runPool } from '../../support/process-pool-run.js';
import { ledgerFolder } from '../../support/test-client.js';
import { maxRequestsInWindow } from '../../support/stub-server.js';

const KERNELS = [
  { boot: { id: 'aaaaaaaaaaaa', host: 'nas-one' }, clockOffsetMs: 0 },
  { boot: { id: 'bbbbbbbbbbbb', host: 'nas-two' }, clockOffsetMs: 9_000_000 },
  { boot: { id: 'cccccccccccc', host: 'nas-two' }, clockOffsetMs: 50_000 },
];

test.each([
  ['the general limit', '/manga/x', { general: 0.2, endpoint: 0.2 }, 5, 200],
  ['an endpoint’s quota', '/at-home/server/x', { general: 0.02, endpoint: 0.02 }, 40, 1_200],
])(
  'three kernels, one folder: %s is kept, with one warning in each process',
  async (_, path, periodScale, limit, periodMs) => {
    const { times, failures, warnings, shares } = await runPool({
      processes: 3,
      concurrency: 2,
      requests: limit * 2 + 10,
      path,
      periodScale,
      variants: KERNELS,
    });
    expect(failures).toEqual([]);
    expect(maxRequestsInWindow(times, periodMs)).toBeLessThanOrEqual(limit);
    expect(Math.min(...shares)).toBeGreaterThan(0);
    expect(warnings.length).toBeGreaterThan(0);
    expect(warnings.length).toBeLessThanOrEqual(3);
    expect(warnings[0]).toMatch(
      /also used by another machine or virtual machine \(nas-(one|two)\)/,
    );
  },
);

test('a machine copied together with its boot id, whose clock is behind, counts as another one', async () => {
  const folder = ledgerFolder();
  const host = 'https://api.example.org';
  const request = { method: 'GET', url: new URL('/at-home/server/x', host) };
  const boot = { id: 'aaaaaaaaaaaa', host: 'clone' };
  const addresses = readAddresses({ apiUrl: host, authUrl: host, networkUrl: host, realm: 'r' });
  const location = { folder };
  const openAt = async (offsetMs: number) => {
    const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + offsetMs };
    const ledger = await openLedger({ location, addresses, boot, clock, warn: () => undefined });
    const used = async () => {
      const { quotas } = await viewLedgerAt({ location, boot, clock });
      return quotas.find(({ endpoint }) => endpoint)?.used;
    };
    return { ledger, used };
  };
  const [ahead, behind] = [await openAt(7_200_000), await openAt(0)];
  for (const { ledger } of [ahead, behind, ahead, behind]) {
    await (await ledger.reserve(request)).settle({ status: 200, headers: {} });
  }
  expect([await ahead.used(), await behind.used()]).toEqual([4, 4]);
  await ahead.ledger.close();
  await behind.ledger.close();
  rmSync(folder, { recursive: true });
});
