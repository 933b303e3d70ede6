import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../../src/cli/commands/limits.js';
import type { CommandContext } from '../../../src/cli/command-context.js';
import { readAddresses } from '../../../src/config/service-addresses.js';
import { openLedger } from '../../../src/service/ledger.js';
import type { ObservedResponse, RateLedger } from '../../../src/service/permits/rate-ledger.js';
import { ledgerFolder } from '../../support/test-client.js';
import { adjustableClock, fakeClock, type FakeClock } from '../../support/fake-clock.js';

const HOST = 'https://api.example.org';
const AT_HOME = { method: 'GET', url: new URL('/at-home/server/x', HOST) };

let folder: string;
let clock: FakeClock;
let ledger: RateLedger;
beforeEach(async () => {
  folder = ledgerFolder();
  await openOn(adjustableClock());
});
afterEach(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true });
});

async function openOn(own: FakeClock): Promise<void> {
  clock = own;
  const addresses = readAddresses({ apiUrl: HOST, authUrl: HOST, networkUrl: HOST, realm: 'r' });
  const location = { folder };
  ledger = await openLedger({ location, clock, addresses, warn: () => undefined });
}

const ask = async (...answers: ObservedResponse[]): Promise<void> => {
  for (const answer of answers) await (await ledger.reserve(AT_HOME)).settle(answer);
};
const OK = { status: 200, headers: {} };

/** Runs the command; `typed` is what a person at the terminal types, if there is one. */
const run = async (options: Parameters<typeof limits>[0], typed?: string): Promise<string> => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const around = {
    stdin: Object.assign(stdin, { isTTY: typed !== undefined, setRawMode: () => stdin }),
    stdout,
    // A process's standard error cannot be ended, and prompts rely on that.
    stderr: Object.assign(stderr, { end: () => stderr }),
    clock,
    signal: new AbortController().signal,
    paths: { ledger: folder },
    env: { LANG: 'C.UTF-8' },
  } as unknown as CommandContext;
  if (typed !== undefined) void sleep(200).then(() => stdin.write(typed));
  expect(await limits(options, around)).toBe(0);
  return String(stdout.read() ?? '');
};

describe('tankobon limits', () => {
  test('shows each quota in use as a bar', async () => {
    // The clock stands still: on a busy machine, the period of a second would pass.
    await ledger.close();
    await openOn(fakeClock());
    await ask(OK, OK);
    const [general, atHome, ...more] = (await run({})).trimEnd().split('\n');
    expect(general).toMatch(/^api\.example\.org +█{8}░{12} {2}2 of 5 in 1 s$/);
    expect(atHome).toMatch(
      /^api\.example\.org GET \/at-home\/server\/\{id\} +█░{19} {2}2 of 40 in 1 min$/,
    );
    expect(more).toEqual([]);
  });

  test('says that no limit is in use, also without a ledger', async () => {
    expect(await run({})).toBe('No rate limit is in use.\n');
    expect(JSON.parse(await run({ json: true }))).toEqual({
      quotas: [],
      waiting: 0,
      underWay: 0,
      onProbation: false,
    });
  });

  test('shows a cooldown, its reason and its end', async () => {
    await ask({ status: 403, headers: {}, generic: true });
    expect(await run({})).toMatch(/Banned until .*403/);
    const { cooldown } = JSON.parse(await run({ json: true })) as {
      cooldown: { why: string; until: string; strikes: number };
    };
    expect(cooldown).toMatchObject({ why: 'banned', strikes: 1 });
    const leftMs = Date.parse(cooldown.until) - clock.wallMs();
    expect(Math.round(leftMs / 60_000)).toBe(10);
  });

  test('shows the waiting processes, also with --json', async () => {
    await ask({ status: 429, headers: { 'retry-after': '60' } });
    const stopping = new AbortController();
    const waiting = ledger.reserve(AT_HOME, { signal: stopping.signal });
    waiting.catch(() => undefined);
    let shown = await run({});
    while (!shown.includes('waiting')) shown = await run({});
    expect(shown).toMatch(/1 process waiting\.\nPaused until .*429/);
    expect(JSON.parse(await run({ json: true }))).toMatchObject({
      waiting: 1,
      cooldown: { why: 'rate-limited' },
    });
    stopping.abort();
  });

  test('fails without printing the content of a damaged ledger', async () => {
    await ask(OK);
    writeFileSync(join(folder, 'ledger.json'), '\u001b]0;owned\u0007');
    await expect(run({})).rejects.toMatchObject({
      code: 'not-writable',
      message: expect.stringMatching(
        /^[\x20-\x7e]*The rate ledger is damaged: [\x20-\x7e]*ledger\.json\.$/,
      ),
    });
  });

  test('clears the ledger only after confirmation at a terminal', async () => {
    await ask(OK);
    await expect(run({ reset: true })).rejects.toMatchObject({ code: 'bad-option' });
    await run({ reset: true }, 'n\n');
    expect(await run({})).toMatch(/1 of 40/);
    await run({ reset: true }, 'y\n');
    expect(await run({})).toBe('No rate limit is in use.\n');
  });
});

test('a ledger that is closed turns away who waits, and who comes after', async () => {
  const places = await Promise.all([1, 2, 3, 4, 5].map(() => ledger.reserve(AT_HOME)));
  const waiting = ledger.reserve(AT_HOME).catch((error: unknown) => error);
  await sleep(20);
  await ledger.close();
  expect(await waiting).toMatchObject({ code: 'interrupted' });
  await expect(ledger.reserve(AT_HOME)).rejects.toMatchObject({ code: 'interrupted' });
  await Promise.all(places.map((place) => place.settle(OK)));
});
