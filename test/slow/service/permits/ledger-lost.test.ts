/** A ledger that is deleted, damaged or replaced while processes use it. */
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { copyFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAddresses } from '../../../../src/config/service-addresses.js';
import { openLedger, viewLedgerAt } from '../../../../src/service/ledger.js';
import type { RateLedger } from '../../../../src/service/permits/rate-ledger.js';
import { runPool } from '../../../support/process-pool-run.js';
import { testConcurrently } from '../../../support/concurrent-tests.js';
import { adjustableClock } from '../../../support/fake-clock.js';
import { maxRequestsInWindow } from '../../../support/stub-server.js';

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
    // The life of a request, and one period.
    clock.advance(87_000);
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
        `and that ${what} counts as used up for the life of a request and one period, with one warning`,
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

  test('a request under way that the ledger lacks shows that it was lost', async () => {
    const { file, clock, warnings } = lost;
    const ledger = await lost.openOne();
    const permit = await ledger.reserve(AT_HOME);
    const without = JSON.parse(readFileSync(file, 'utf8')) as { uses: unknown[] };
    writeFileSync(file, `${JSON.stringify({ ...without, uses: [] })}\n`);
    const abort = new AbortController();
    const waiting = ledger.reserve(AT_HOME, { signal: abort.signal }).catch(() => undefined);
    while (warnings.length === 0) await clock.sleep(10);
    expect(warnings).toEqual([expect.stringContaining('was replaced by a different or older one')]);
    abort.abort();
    await waiting;
    await permit.settle(OK);
  });

  test('a ledger that is missing beside its lock file was lost, one without either is new', async () => {
    const { file, folder, clock, warnings } = lost;
    await use(await lost.openOne());
    rmSync(file);
    await expect(
      (await lost.openOne()).reserve(AT_HOME, { signal: AbortSignal.timeout(200) }),
    ).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(warnings).toEqual([expect.stringContaining('has disappeared')]);
    rmSync(folder, { recursive: true });
    await use(await lost.openOne());
    expect((await viewLedgerAt({ location: { folder }, clock })).unknownUseUntilMs).toBeUndefined();
  });
});

/** Like `rm -r`, which leaves the folder when a process writes into it after its files were listed. */
function removeInUse(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
  }
}

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
    maxRequestMs: 1_000,
    during: (_, ledgerFolder) => {
      sharedFolder = ledgerFolder;
      return () => undefined;
    },
    behaviour: (_, number) => {
      if (number % 10 === 0 && existsSync(join(sharedFolder, 'ledger.json'))) {
        deletions += 1;
        if (deletions % 2 === 0) removeInUse(sharedFolder);
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
