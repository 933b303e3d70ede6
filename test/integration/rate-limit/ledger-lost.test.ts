/** A ledger that is deleted, damaged or replaced while processes use it. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { copyFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileStore } from '../../../src/rate-limit/file-store.js';
import { readAddresses } from '../../../src/rate-limit/service-addresses.js';
import { openLedger, viewLedgerAt } from '../../../src/rate-limit/open-ledger.js';
import type { RateLedger } from '../../../src/rate-limit/rate-ledger.js';
import { runPool } from '../../support/process-pool-run.js';
import { testConcurrently } from '../../support/concurrent-tests.js';
import { adjustableClock } from '../../support/fake-clock.js';
import { maxRequestsInWindow } from '../../support/stub-server.js';

const HOST = 'https://api.example.org';
const AT_HOME = { method: 'GET', url: new URL('/at-home/server/x', HOST) };
const OK = { status: 200, headers: {} };

class LostLedger {
  readonly base = mkdtempSync(join(tmpdir(), 'tankobon-ledger-lost-'));
  readonly folder = join(this.base, 'ledger');
  readonly file = join(this.folder, 'ledger.json');
  readonly clock = adjustableClock();
  readonly warnings: string[] = [];
  readonly #open: RateLedger[] = [];

  async openOne(): Promise<RateLedger> {
    const ledger = await openLedger({
      location: { folder: this.folder },
      clock: this.clock,
      warn: (text) => this.warnings.push(text),
      addresses: readAddresses({ apiUrl: HOST, authUrl: HOST, networkUrl: HOST, realm: 'r' }),
    });
    this.#open.push(ledger);
    return ledger;
  }

  async remove(): Promise<void> {
    for (const ledger of this.#open.splice(0)) await ledger.close();
    rmSync(this.base, { recursive: true, force: true });
  }
}

const use = async (ledger: RateLedger): Promise<void> => {
  await (await ledger.reserve(AT_HOME)).settle(OK);
};

type Damage = (lost: LostLedger) => Promise<void>;

const DAMAGE: Readonly<Record<string, Damage>> = {
  'is deleted': ({ file }) => rm(file),
  'is deleted with its folder': ({ folder }) => rm(folder, { recursive: true }),
  'is damaged': ({ file }) => writeFile(file, 'half a'),
  'is truncated to nothing': ({ file }) => writeFile(file, ''),
  'is moved away with its folder': ({ base, folder }) => rename(folder, join(base, 'elsewhere')),
  'is replaced by a new one of another process': async (lost) => {
    rmSync(lost.folder, { recursive: true });
    await use(await lost.openOne());
  },
  'is replaced by an older copy': ({ base, file }) => copyFile(join(base, 'older'), file),
};

async function expectUsedUp(damage: Damage): Promise<void> {
  const lost = new LostLedger();
  const { base, file, clock, warnings } = lost;
  try {
    const ledger = await lost.openOne();
    await use(ledger);
    copyFileSync(file, join(base, 'older'));
    await use(ledger);
    await damage(lost);
    let isGranted = false;
    const waiting = use(ledger).then(() => {
      isGranted = true;
    });
    await clock.sleep(100);
    clock.advance(57_000);
    await clock.sleep(1_100);
    expect(isGranted).toBe(false);
    clock.advance(4_000);
    await waiting;
    await use(ledger);
    expect(warnings).toEqual([
      expect.stringMatching(/^The rate ledger in .* all limits count as used up/),
    ]);
  } finally {
    await lost.remove();
  }
}

describe('a ledger that this process has written', () => {
  testConcurrently(
    Object.fromEntries(
      Object.entries(DAMAGE).map(([what, damage]) => [
        `and that ${what} counts as used up for one period, with one warning`,
        () => expectUsedUp(damage),
      ]),
    ),
  );
});

describe('a ledger in use', () => {
  let lost: LostLedger;
  beforeEach(() => {
    lost = new LostLedger();
  });
  afterEach(() => lost.remove());

  test('requests under way when it is deleted are recorded again', async () => {
    const { folder, clock } = lost;
    const ledger = await lost.openOne();
    await use(ledger);
    const underWay = await ledger.reserve(AT_HOME);
    rmSync(folder, { recursive: true });
    const stopping = new AbortController();
    const waiting = ledger.reserve(AT_HOME, { signal: stopping.signal }).catch(() => undefined);
    // Times out if it is not recorded.
    const underWayNow = async () => (await viewLedgerAt({ location: { folder }, clock })).underWay;
    while ((await underWayNow()) !== 1) await clock.sleep(10);
    stopping.abort();
    await waiting;
    await underWay.settle(OK);
  });

  test('a folder that is deleted within a transaction is created again, and the use in it counts as unknown', async () => {
    const { folder, file, clock, warnings } = lost;
    const store = new FileStore({ folder, clock, warn: (text) => warnings.push(text) });
    await store.transaction(() => Promise.resolve());
    const unknownUse: boolean[] = [];
    await store.transaction((state) => {
      if (unknownUse.length === 0) rmSync(folder, { recursive: true });
      unknownUse.push(state.unknownUse !== undefined);
      state.unknownUse = { atMs: clock.monotonicMs() };
      return Promise.resolve();
    });
    expect(unknownUse).toEqual([false, true]);
    expect(existsSync(file)).toBe(true);
    expect(warnings).toEqual([expect.stringContaining('has disappeared')]);
  });
});

test('processes whose ledger is deleted repeatedly exceed no limit', async () => {
  let deletions = 0;
  let sharedFolder = '';
  const {
    times,
    failures,
    warnings: warned,
  } = await runPool({
    processes: 3,
    concurrency: 2,
    requests: 45,
    path: '/manga/x',
    // A request in flight of which the new ledger does not know must not be late by a whole period.
    periodScale: { general: 0.5, endpoint: 0.5 },
    during: (_, ledgerFolder) => {
      sharedFolder = ledgerFolder;
      return () => undefined;
    },
    behaviour: (_, number) => {
      if (number % 10 === 0 && existsSync(join(sharedFolder, 'ledger.json'))) {
        deletions += 1;
        if (deletions % 2 === 0)
          rmSync(sharedFolder, { recursive: true, force: true, maxRetries: 5 });
        else rmSync(join(sharedFolder, 'ledger.json'), { force: true });
      }
      return { body: { result: 'ok' } };
    },
  });
  expect(failures).toEqual([]);
  expect(times.length).toBeGreaterThanOrEqual(45);
  expect(maxRequestsInWindow(times, 500)).toBeLessThanOrEqual(5);
  expect(deletions).toBeGreaterThanOrEqual(3);
  expect(warned.length).toBeLessThanOrEqual(3);
});
