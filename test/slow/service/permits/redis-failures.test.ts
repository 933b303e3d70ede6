/** A ledger server that fails: nothing is sent without it, and what it cannot know counts as used. */
import { systemClock } from '../../../../src/core/clock.js';
import { TankobonError } from '../../../../src/core/errors.js';
import type { RateLedger, Wait } from '../../../../src/service/permits/rate-ledger.js';
import { RedisConnection } from '../../../../src/service/redis/redis-connection.js';
import { openLedger, resetLedgerAt } from '../../../../src/service/ledger.js';
import { startRespServer, type RespReply, type RespServer } from '../../../support/resp-server.js';

const API = new URL('https://api.example.org');
const REQUEST = { method: 'GET', url: new URL('/manga/x', API) };
const OK = { status: 200, headers: {} };
const PASSWORD = 'a-password-of-the-server';

let server: RespServer;
const open: RateLedger[] = [];
let warnings: string[];
let waits: Wait[];
beforeEach(async () => {
  server = await startRespServer();
  warnings = [];
  waits = [];
});
afterEach(async () => {
  server.replies.length = 0;
  for (const ledger of open.splice(0)) await ledger.close();
  await server.stop();
});

const openOne = async (
  maxOutageMs = 60_000,
  url = server.url,
  password?: string,
  replyLimitMs?: number,
  scale = 0.002,
): Promise<RateLedger> => {
  const address = { url: new URL(url), ...(password && { password }) };
  const ledger = await openLedger({
    location: { server: address },
    runner: new RedisConnection(address, replyLimitMs),
    addresses: { apiUrl: API, authUrl: API, networkUrl: API, realm: 'r' },
    clock: systemClock,
    warn: (text) => warnings.push(text),
    maxOutageMs,
    periodScale: { general: scale, endpoint: scale },
    maxRequestMs: 20_000 * scale,
  });
  open.push(ledger);
  return ledger;
};
const use = async (ledger: RateLedger): Promise<void> => {
  const permit = await ledger.reserve(REQUEST, { onWait: (wait) => waits.push(wait) });
  await permit.settle(OK);
};
const failureOf = async (ledger: RateLedger): Promise<readonly [string, number, string]> => {
  const error: unknown = await use(ledger).catch((reason: unknown) => reason);
  if (!(error instanceof TankobonError)) throw new Error(`Not one of our errors: ${String(error)}`);
  return [error.code, error.exitCode, error.message];
};

describe('a failure that may end by itself', () => {
  test.each([
    ['READONLY', 'READONLY You can’t write against a read only replica.', /read-only replica/],
    [
      'OOM',
      'OOM command not allowed when used memory > maxmemory.',
      /memory of the server is full/,
    ],
    ['BUSY', 'BUSY Redis is busy running a script.', /busy with a script/],
    ['LOADING', 'LOADING Redis is loading the dataset in memory', /loading its data/],
    ['MISCONF', 'MISCONF Errors writing to the RDB file', /cannot save its data/],
  ])('%s is waited for, shown, and over when the server replies again', async (_, text, why) => {
    const ledger = await openOne();
    await use(ledger);
    server.replies.push(new Error(text), new Error(text));
    await use(ledger);
    expect(server.replies).toEqual([]);
    const [wait] = waits.filter(({ reason }) => reason === 'ledger-unreachable');
    expect(wait?.for).toBe('outage');
    expect(wait?.why).toMatch(why);
  });

  test.each<readonly [string, () => RespReply]>([
    ['the server refuses each write', () => new Error('OOM command not allowed')],
    ['the server never responds', () => 'silence'],
  ])('%s: after the longest outage the run ends with exit code 8', async (_, reply) => {
    const ledger = await openOne(700, server.url, undefined, 300);
    server.replies.push(...Array.from({ length: 50 }, reply));
    const [code, exitCode, message] = await failureOf(ledger);
    expect([code, exitCode]).toEqual(['ledger-unreachable', 8]);
    expect(message).toContain(server.url);
  });

  test.each([
    ['READONLY', 'READONLY You can’t write against a read only replica.', /^Name the primary in/],
    ['OOM', 'OOM command not allowed when used memory', /^Raise maxmemory of the server/],
    ['LOADING', 'LOADING Redis is loading the dataset', /^Start the server, or check the network/],
  ])('%s: the hint says what to change', async (_, text, hint) => {
    const ledger = await openOne(700, server.url, undefined, 300);
    server.replies.push(...Array.from({ length: 50 }, () => new Error(text)));
    await expect(use(ledger)).rejects.toMatchObject({
      code: 'ledger-unreachable',
      hint: expect.stringMatching(hint) as unknown,
    });
  });

  test('no server at all is the same, and later requests do not wait again', async () => {
    const ledger = await openOne(700, 'redis://127.0.0.1:1/0');
    expect((await failureOf(ledger)).slice(0, 2)).toEqual(['ledger-unreachable', 8]);
    waits.length = 0;
    expect((await failureOf(ledger))[2]).toMatch(/ECONNREFUSED/);
    expect(waits).toEqual([]);
  });

  test('a server on which another client always was first ends the run with exit code 8', async () => {
    server.scripts.isContended = true;
    const [code, exitCode, message] = await failureOf(await openOne(700));
    expect([code, exitCode]).toEqual(['ledger-unreachable', 8]);
    expect(message).toMatch(/other processes keep changing it/);
  });

  test('it can be interrupted while another client always was first', async () => {
    const ledger = await openOne();
    server.scripts.isContended = true;
    const abort = new AbortController();
    const waiting = ledger.reserve(REQUEST, { signal: abort.signal });
    setTimeout(() => {
      abort.abort(new Error('Ctrl-C'));
    }, 100);
    await expect(waiting).rejects.toThrow('Ctrl-C');
    await ledger.close();
    expect(server.scripts.calls).toBeGreaterThan(20);
  });

  test('what ended during it is recorded after it', async () => {
    const ledger = await openOne(700);
    await use(ledger);
    const permit = await ledger.reserve(REQUEST);
    server.replies.push(...Array.from({ length: 50 }, () => new Error('OOM no')));
    await permit.settle({ status: 403, headers: {}, generic: true });
    server.replies.length = 0;
    expect((await failureOf(ledger))[0]).toBe('banned');
  });
});

describe('a failure that needs a change ends the run at once', () => {
  test.each([
    ['NOAUTH', 'NOAUTH Authentication required.'],
    ['NOPERM', 'NOPERM this user has no permissions to run the evalsha command'],
    ['MOVED', 'MOVED 1234 10.0.0.1:6379'],
    ['an unknown command', "ERR unknown command 'EVALSHA'"],
  ])('%s', async (_, text) => {
    const ledger = await openOne();
    server.replies.push(new Error(text));
    expect((await failureOf(ledger)).slice(0, 2)).toEqual(['ledger-unusable', 8]);
    expect(waits).toEqual([]);
  });

  test('no password, as Redis 7 answers to a long command', async () => {
    const ledger = await openOne();
    server.replies.push(new Error('ERR Protocol error: unauthenticated multibulk length'));
    const [code, , message] = await failureOf(ledger);
    expect([code, message]).toEqual([
      'ledger-unusable',
      expect.stringContaining('the server requires a password (NOAUTH)'),
    ]);
  });

  test('a wrong password, which is not shown even if the server repeats it', async () => {
    const ledger = await openOne(60_000, server.url, PASSWORD);
    server.replies.push(new Error(`WRONGPASS invalid password ${PASSWORD}`));
    const [code, , message] = await failureOf(ledger);
    expect(code).toBe('ledger-unusable');
    expect(message).toContain('WRONGPASS');
    expect(message).not.toContain(PASSWORD);
  });

  test.each([
    ['a text', 'OK'],
    ['a number', 1],
    ['nothing', null],
    ['an empty list', []],
    ['another time', ['stale', 'now', '0', 'a'.repeat(40), [], '', '']],
    ['no run', ['stale', '1795286452', '0', null, [], '', '']],
    ['no processes', ['stale', '1795286452', '0', 'a'.repeat(40), 'x', '', '']],
    ['no document', ['stale', '1795286452', '0', 'a'.repeat(40), [], null, null]],
    ['another version', ['version']],
  ])('a reply that does not fit: %s', async (_, reply) => {
    const ledger = await openOne();
    server.replies.push(reply);
    expect((await failureOf(ledger)).slice(0, 2)).toEqual(['ledger-unusable', 8]);
  });

  test('a ledger of another version of tankobon', async () => {
    server.scripts.setVersion('2');
    expect((await failureOf(await openOne()))[2]).toMatch(/another version of tankobon/);
  });
});

test('NOSCRIPT: the script is sent once, and again after the server forgot it', async () => {
  const ledger = await openOne();
  await use(ledger);
  server.forgetScripts();
  await use(ledger);
  expect(server.commands.filter((name) => name === 'EVAL')).toHaveLength(2);
  expect(server.commands.filter((name) => name === 'EVALSHA').length).toBeGreaterThan(2);
});

describe('where earlier use is unknown, all limits count as used up', () => {
  const isUsedUp = (): boolean => server.scripts.text.includes('"unknownMs":');

  test('at its first use', async () => {
    await use(await openOne());
    expect(isUsedUp()).toBe(true);
    expect(warnings).toEqual([expect.stringMatching(/is empty, as at its first use/)]);
  });

  test('every process that waits says until when', async () => {
    const abort = new AbortController();
    const slow = await openOne(60_000, server.url, undefined, undefined, 1);
    const waiting = [slow, await openOne()].map((ledger) =>
      ledger.reserve(REQUEST, { signal: abort.signal }).catch(() => undefined),
    );
    while (warnings.length < 2) await systemClock.sleep(10);
    abort.abort();
    await Promise.all(waiting);
    const until =
      /; all limits count as used up until .*\d.*, and then for one period; if nothing was sent before, type: tankobon limits --reset --yes$/;
    expect(warnings).toEqual([expect.stringMatching(until), expect.stringMatching(until)]);
  });

  test('limits --reset ends that, without a warning', async () => {
    await resetLedgerAt({
      location: { server: { url: new URL(server.url) } },
      clock: systemClock,
      warn: (text) => warnings.push(text),
    });
    await use(await openOne());
    expect(isUsedUp()).toBe(false);
    expect(warnings).toEqual([]);
  });

  test('after a restart without data, by a process that had used it and by a new one', async () => {
    const ledger = await openOne();
    await use(ledger);
    for (const one of [ledger, await openOne()]) {
      server.scripts.restart();
      await use(one);
      expect(isUsedUp()).toBe(true);
    }
    expect(warnings).toHaveLength(2);
  });

  test('where the state is damaged', async () => {
    server.scripts.put('{"version":4');
    await use(await openOne());
    expect(isUsedUp()).toBe(true);
    expect(warnings).toEqual([expect.stringMatching(/was damaged/)]);
  });

  test('after a restart that kept its data, which may be old', async () => {
    const ledger = await openOne();
    await use(ledger);
    const { text } = server.scripts;
    server.scripts.restart();
    server.scripts.put(text);
    await use(await openOne());
    expect(isUsedUp()).toBe(true);
    expect(warnings.at(-1)).toMatch(/started again/);
  });

  test('after an older copy was put in its place', async () => {
    const ledger = await openOne();
    await use(ledger);
    const { text } = server.scripts;
    await use(ledger);
    server.scripts.put(text);
    await use(ledger);
    expect(isUsedUp()).toBe(true);
  });
});
