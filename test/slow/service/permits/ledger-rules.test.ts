import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readAddresses } from '../../../../src/config/service-addresses.js';
import { openLedger, resetLedgerAt, viewLedgerAt } from '../../../../src/service/ledger.js';
import type { RequestInfo, RateLedger, Wait } from '../../../../src/service/permits/rate-ledger.js';
import { ledgerFolder } from '../../../support/test-client.js';
import { describeLedgerRules } from '../../../support/ledger-suite.js';
import { redisLedger } from '../../../support/redis-ledger-under-test.js';
import { startRespServer } from '../../../support/resp-server.js';
import { adjustableClock, type FakeClock } from '../../../support/fake-clock.js';

const HOST = 'https://api.example.org';
const request = (path: string, method = 'GET'): RequestInfo => ({
  method,
  url: new URL(path, HOST),
});
const AT_HOME = request('/at-home/server/x');
const OK = { status: 200, headers: {} };

let folder: string;
let clock: FakeClock;
let warnings: string[];
const open: RateLedger[] = [];
beforeEach(() => {
  folder = ledgerFolder();
  clock = adjustableClock();
  warnings = [];
});
afterEach(async () => {
  for (const ledger of open.splice(0)) await ledger.close();
  rmSync(folder, { recursive: true });
});

const openOne = async (): Promise<RateLedger> => {
  const ledger = await openLedger({
    location: { folder },
    clock,
    warn: (text) => warnings.push(text),
    addresses: readAddresses({ apiUrl: HOST, authUrl: HOST, networkUrl: HOST, realm: 'r' }),
  });
  open.push(ledger);
  return ledger;
};
const use = async (ledger: RateLedger): Promise<void> => {
  await (await ledger.reserve(AT_HOME)).settle(OK);
};
/** The recorded use of the general limit or of an endpoint's quota. */
const used = async (endpoint?: string): Promise<number> => {
  const { quotas } = await viewLedgerAt({ location: { folder }, clock });
  return quotas.find((quota) => quota.endpoint === endpoint)?.used ?? 0;
};
const AT_HOME_NAME = 'GET /at-home/server/{id}';

describeLedgerRules('in a folder', (testClock) => {
  const ruled = ledgerFolder();
  const options = { location: { folder: ruled }, clock: testClock };
  return Promise.resolve({
    open: (addresses) => openLedger({ ...options, addresses, warn: () => undefined }),
    view: () => viewLedgerAt(options),
    reset: () => resetLedgerAt({ ...options, warn: () => undefined }),
    remove: () => rm(ruled, { recursive: true }),
  });
});

describeLedgerRules('on a stand-in for a server', async (testClock) =>
  redisLedger(testClock, await startRespServer()),
);

describe('a damaged ledger', () => {
  test('is replaced with a warning, and all limits count as used up', async () => {
    const path = join(folder, 'ledger.json');
    writeFileSync(path, '{"version":1,"wri');
    const waits: Wait[] = [];
    const startedMs = clock.wallMs();
    const waiting = (await openOne()).reserve(AT_HOME, { onWait: (wait) => waits.push(wait) });
    while (waits.length === 0) await clock.sleep(10);
    expect(warnings).toEqual([expect.stringMatching(/damaged/)]);
    expect(waits[0]?.for).toBe('quota');
    expect((waits[0]?.untilMs ?? 0) - startedMs).toBeGreaterThan(89_000);
    clock.advance(90_100);
    await (await waiting).settle(OK);
  });

  test('makes a quota of an hour an error with a time, not a wait of an hour', async () => {
    writeFileSync(join(folder, 'ledger.json'), '');
    await expect((await openOne()).reserve(request('/manga', 'POST'))).rejects.toMatchObject({
      code: 'wait-too-long',
    });
  });
});

test('after a reboot all limits count as used up for one period, without a warning', async () => {
  const before = await openOne();
  await use(before);
  await before.close();
  clock.reboot();
  const startedMs = clock.monotonicMs();
  const waiting = (await openOne()).reserve(AT_HOME);
  await clock.sleep(100);
  clock.advance(59_000);
  await clock.sleep(100);
  clock.advance(1_000);
  await (await waiting).settle(OK);
  expect(clock.monotonicMs() - startedMs).toBeGreaterThan(60_000);
  expect(warnings).toEqual([]);
});

test('the folder stays small: one file and one lock', async () => {
  for (let times = 0; times < 4; times += 1) {
    const ledger = await openOne();
    await (await ledger.reserve(request('/manga/x'))).settle(OK);
    await ledger.close();
  }
  expect(readdirSync(folder).sort()).toEqual(['ledger.json', 'ledger.lock']);
});

test('the temporary file of a killed process is ignored, unless the ledger itself is missing', async () => {
  const ledger = await openOne();
  await (await ledger.reserve(AT_HOME)).settle(OK);
  await ledger.close();
  const [file, tmpFile] = ['ledger.json', 'ledger.json.tmp'].map((name) => join(folder, name)) as [
    string,
    string,
  ];
  writeFileSync(tmpFile, 'half a');
  await use(await openOne());
  expect(existsSync(tmpFile)).toBe(false);
  writeFileSync(tmpFile, readFileSync(file));
  rmSync(file);
  expect(await used(AT_HOME_NAME)).toBe(2);
  await use(await openOne());
  expect(await used(AT_HOME_NAME)).toBe(3);
  expect(warnings).toEqual([]);
});
