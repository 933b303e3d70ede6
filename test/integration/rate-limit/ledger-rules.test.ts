import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAddresses } from '../../../src/rate-limit/service-addresses.js';
import {
  openMachineLedger,
  resetLedger,
  viewLedger,
} from '../../../src/rate-limit/machine-ledger.js';
import type { RequestInfo, RateLedger, Wait } from '../../../src/rate-limit/rate-ledger.js';
import { ledgerFolder } from '../../support/test-client.js';
import { adjustableClock, type FakeClock } from '../../support/fake-clock.js';

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

const openOne = (): RateLedger => {
  const ledger = openMachineLedger({
    folder,
    clock,
    warn: (text) => warnings.push(text),
    addresses: readAddresses({ apiUrl: HOST, authUrl: HOST, networkUrl: HOST, realm: 'r' }),
  });
  open.push(ledger);
  return ledger;
};
/** The recorded use of the general limit or of an endpoint's quota. */
const used = (endpoint?: string): number =>
  viewLedger({ folder, clock }).quotas.find((quota) => quota.endpoint === endpoint)?.used ?? 0;
const AT_HOME_NAME = 'GET /at-home/server/{id}';

describe('a damaged ledger', () => {
  test('is moved away with a warning, and all limits count as used up now', async () => {
    const path = join(folder, 'ledger.json');
    writeFileSync(path, '{"version":1,"wri');
    const waits: Wait[] = [];
    const startedMs = clock.wallMs();
    const waiting = openOne().reserve(AT_HOME, { onWait: (wait) => waits.push(wait) });
    await clock.sleep(100);
    expect(readFileSync(join(folder, 'ledger.damaged.json'), 'utf8')).toBe('{"version":1,"wri');
    expect(warnings).toEqual([expect.stringMatching(/damaged/)]);
    expect(waits[0]?.for).toBe('quota');
    expect((waits[0]?.untilMs ?? 0) - startedMs).toBeGreaterThan(59_000);
    clock.advance(60_100);
    await (await waiting).settle(OK);
  });

  test('makes a quota of an hour an error with a time, not a wait of an hour', async () => {
    writeFileSync(join(folder, 'ledger.json'), '');
    await expect(openOne().reserve(request('/manga', 'POST'))).rejects.toMatchObject({
      code: 'wait-too-long',
    });
  });
});

describe('the service’s headers', () => {
  const response = (limit: number, remaining: number, endsInS: number) => ({
    status: 200,
    headers: {
      date: new Date(clock.wallMs() + 7_200_000).toUTCString(),
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-retry-after': String(Math.floor(clock.wallMs() / 1_000) + 7_200 + endsInS),
    },
  });

  test('show the use of other programs, until the end of the period', async () => {
    const permit = await openOne().reserve(AT_HOME);
    await permit.settle(response(40, 9, 30));
    expect(used(AT_HOME_NAME)).toBe(31);
    clock.advance(31_000);
    expect(used(AT_HOME_NAME)).toBe(1);
  });

  test('of concurrent requests count the use of others once', async () => {
    const ledger = openOne();
    const permits = await Promise.all([1, 2, 3].map(() => ledger.reserve(AT_HOME)));
    for (const [at, permit] of permits.entries()) await permit.settle(response(40, 29 - at, 30));
    expect(used(AT_HOME_NAME)).toBe(3 + 10);
  });

  test('lower a limit, and raise it again', async () => {
    const ledger = openOne();
    await (await ledger.reserve(AT_HOME)).settle(response(3, 2, 30));
    const allowed = () =>
      viewLedger({ folder, clock }).quotas.find(({ endpoint }) => endpoint === AT_HOME_NAME)
        ?.allowed;
    expect(allowed()).toBe(3);
    await (await ledger.reserve(AT_HOME)).settle(response(60, 58, 30));
    expect(allowed()).toBe(40);
  });

  test('that cannot be meant change nothing', async () => {
    const ledger = openOne();
    await (await ledger.reserve(AT_HOME)).settle(response(40, 41, 30));
    await (await ledger.reserve(AT_HOME)).settle(response(0, 0, -99_999));
    expect(used(AT_HOME_NAME)).toBe(2);
  });
});

test('requests that need only the general limit overtake those that wait for their endpoint’s quota', async () => {
  const ledger = openOne();
  const first = await ledger.reserve(AT_HOME);
  const date = new Date(clock.wallMs()).toUTCString();
  const headers = { date, 'x-ratelimit-limit': '40', 'x-ratelimit-remaining': '0' };
  await first.settle({ status: 200, headers });
  const stopping = new AbortController();
  const waiting = ledger.reserve(AT_HOME, { signal: stopping.signal });
  await (await openOne().reserve(request('/manga/x'))).settle(OK);
  await (await ledger.reserve(request('/manga/y'))).settle(OK);
  stopping.abort(new Error('stop'));
  await expect(waiting).rejects.toThrow('stop');
  await clock.sleep(50);
  expect(viewLedger({ folder, clock }).waiting).toBe(0);
});

test('a request aborted while it is granted leaves no permit behind', async () => {
  const ledger = openOne();
  for (let times = 0; times < 5; times += 1) {
    const stopping = new AbortController();
    const reserving = ledger.reserve(request('/manga/x'), { signal: stopping.signal });
    setTimeout(() => {
      stopping.abort(new Error('stop'));
    }, times / 5);
    await reserving.then(
      (permit) => permit.settle(),
      () => undefined,
    );
  }
  await clock.sleep(50);
  expect(viewLedger({ folder, clock }).underWay).toBe(0);
});

test('unsettled permits count while their process lives, and expire after it has left', async () => {
  const [one, other] = [openOne(), openOne()];
  await Promise.all([1, 2, 3, 4, 5].map(() => one.reserve(request('/manga/x'))));
  clock.advance(10_000);
  let isGranted = false;
  const waiting = other.reserve(request('/manga/x')).then((permit) => {
    isGranted = true;
    return permit;
  });
  await clock.sleep(300);
  expect(isGranted).toBe(false);
  await one.close();
  clock.advance(1_100);
  await (await waiting).settle(OK);
});

test('after a reboot all recorded use counts as used now', async () => {
  const before = openOne();
  for (let times = 0; times < 3; times += 1) {
    await (await before.reserve(AT_HOME)).settle(OK);
  }
  await before.close();
  clock.reboot();
  expect(used(AT_HOME_NAME)).toBe(3);
  clock.advance(30_000);
  expect(used(AT_HOME_NAME)).toBe(3);
});

test('a reset removes everything but requests under way', async () => {
  const ledger = openOne();
  await (await ledger.reserve(AT_HOME)).settle(OK);
  const underWay = await ledger.reserve(AT_HOME);
  await resetLedger({ folder, clock, warn: () => undefined });
  expect(used(AT_HOME_NAME)).toBe(1);
  await underWay.settle(OK);
});

test('the folder stays small: one file, one lock, and one file for each live process', async () => {
  for (let times = 0; times < 4; times += 1) {
    const ledger = openOne();
    await (await ledger.reserve(request('/manga/x'))).settle(OK);
    await ledger.close();
  }
  expect(readdirSync(folder).sort()).toEqual(['ledger.json', 'ledger.lock']);
});

test('the temporary file of a killed process is ignored, unless the ledger itself is missing', async () => {
  const ledger = openOne();
  await (await ledger.reserve(AT_HOME)).settle(OK);
  await ledger.close();
  const [file, tmpFile] = ['ledger.json', 'ledger.json.tmp'].map((name) => join(folder, name)) as [
    string,
    string,
  ];
  writeFileSync(tmpFile, 'half a');
  await (await openOne().reserve(AT_HOME)).settle(OK);
  expect(existsSync(tmpFile)).toBe(false);
  writeFileSync(tmpFile, readFileSync(file));
  rmSync(file);
  expect(used(AT_HOME_NAME)).toBe(2);
  await (await openOne().reserve(AT_HOME)).settle(OK);
  expect(used(AT_HOME_NAME)).toBe(3);
  expect(warnings).toEqual([]);
});
