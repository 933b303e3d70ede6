/** The command line with a ledger on a server. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/core/clock.js';
import { openLedger } from '../../../src/service/ledger.js';
import { LIVE_SERVICE, readAddresses } from '../../../src/config/service-addresses.js';
import { selfSigned } from '../../../src/practice-server/self-signed.js';
import { tankobon } from '../../support/command.js';
import { tankobonHere } from '../../support/in-process.js';
import { startRespServer, type RespServer } from '../../support/resp-server.js';

const PASSWORD = 'correct-horse-battery';
const CHAPTER = 'a96676e5-8ae2-425e-b549-7f15dd34a6d8';

let home: string;
let server: RespServer;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'tankobon-ledger-server-'));
  server = await startRespServer();
});
afterEach(async () => {
  await server.stop();
  rmSync(home, { recursive: true });
});

const run = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  tankobonHere(words, { env: { TANKOBON_HOME: home, TANKOBON_LEDGER: server.url, ...env } });
/** In a process of its own, which reads NODE_EXTRA_CA_CERTS and NODE_OPTIONS at its start. */
const runProcess = (words: readonly string[], env: Readonly<Record<string, string>>) =>
  tankobon(words, { env: { TANKOBON_HOME: home, TANKOBON_LEDGER: server.url, ...env } });

test('limits shows the machines that wait, for people and as JSON', async () => {
  const clock = systemClock;
  const location = { server: { url: new URL(server.url) } };
  const addresses = readAddresses(LIVE_SERVICE);
  const boot = { id: 'boot', host: 'nas' };
  const ledger = await openLedger({ location, clock, addresses, boot, warn: () => undefined });
  // At the first use of a ledger, all limits count as used up.
  const url = new URL('/manga/x', addresses.apiUrl);
  const waiting = ledger.reserve({ method: 'GET', url }).catch(() => undefined);
  while (!server.scripts.text.includes('"processId"')) await clock.sleep(10);
  const [table, json] = await Promise.all([run(['limits']), run(['limits', '--json'])]);
  await ledger.close();
  await waiting;
  expect(table.stdout).toContain('1 process waiting.\nnas: 1 waiting.\n');
  expect(JSON.parse(json.stdout)).toMatchObject({
    machines: [{ host: 'nas', waiting: 1 }],
    quotas: [],
  });
});

test('limits of a server that was never used: earlier requests are unknown', async () => {
  const [table, json] = await Promise.all([run(['limits']), run(['limits', '--json'])]);
  expect(table.stdout).toMatch(
    /^Earlier requests are unknown: each limit counts as used up until one period after /,
  );
  const { unknownUseUntil, waiting } = JSON.parse(json.stdout) as Record<string, unknown>;
  const leftMs = Date.parse(String(unknownUseUntil)) - Date.now();
  expect(leftMs).toBeGreaterThan(20_000);
  expect(leftMs).toBeLessThanOrEqual(40_000);
  expect(waiting).toBe(0);
});

test('limits --reset asks first', async () => {
  const { code, stderr } = await run(['limits', '--reset']);
  expect(code).toBe(2);
  expect(stderr).toContain('Confirmation required');
  expect(server.commands).toEqual([]);
});

test.each([
  ['a ledger in a folder', 'list', /--share needs a ledger on a server/],
  ['a name that is not one', 'a list', /--share <name>' argument 'a list' is invalid/],
])('--share with %s is refused before anything is sent', async (_, name, message) => {
  const { code, stderr } = await run(['download', CHAPTER, '--share', name, '--output', home], {
    TANKOBON_LEDGER: join(home, 'ledger'),
  });
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test.each([
  ['a ledger in a folder', 'list', /--share needs a ledger on a server/],
  ['a name that is not one', 'a list', /--share <name>' argument 'a list' is invalid/],
])('sync --share with %s is refused before anything is sent', async (_, name, message) => {
  writeFileSync(join(home, 'subscriptions.yaml'), `series: [{ target: title:${CHAPTER} }]\n`);
  const { code, stderr } = await run(['sync', '--share', name], {
    TANKOBON_LEDGER: join(home, 'ledger'),
    // Any request would fail in another way.
    TANKOBON_API_URL: 'http://127.0.0.1:1',
  });
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

describe('without the server', () => {
  test('a download ends with exit code 8 after --max-outage, and sends nothing', async () => {
    const url = 'redis://127.0.0.1:1/0';
    const words = ['download', CHAPTER, '--max-outage', '3s', '--json', '--output', home];
    const { code, stdout } = await run(words, {
      TANKOBON_LEDGER: url,
      // Any request would fail in another way.
      TANKOBON_API_URL: 'http://127.0.0.1:1',
    });
    expect(code).toBe(8);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.at(-1)).toMatchObject({ type: 'summary', stopped: 'ledger-unreachable' });
    expect(events.find(({ type }) => type === 'waiting')).toMatchObject({
      for: 'outage',
      reason: 'ledger-unreachable',
    });
  });
});

describe('the password', () => {
  test.each([
    ['in the URL', (url: string) => ({ TANKOBON_LEDGER: url.replace('//', `//ann:${PASSWORD}@`) })],
    [
      'in the environment',
      () => ({ TANKOBON_LEDGER_USERNAME: 'ann', TANKOBON_LEDGER_PASSWORD: PASSWORD }),
    ],
  ])('%s is used and not shown', async (_, env) => {
    server.replies.push(new Error(`WRONGPASS invalid: ${PASSWORD}`));
    const { code, stdout, stderr } = await run(['limits'], {
      ...env(server.url),
      DEBUG: 'tankobon',
    });
    expect(code).toBe(8);
    expect(server.commands[0]).toBe('AUTH');
    expect(stderr).toContain('ledger-unusable');
    expect(stdout + stderr).not.toContain(PASSWORD);
  });

  test('is not shown in a URL that cannot be used', async () => {
    const { code, stderr } = await run(['limits'], {
      TANKOBON_LEDGER: `http://ann:${PASSWORD}@nas/0`,
    });
    expect(code).toBe(2);
    expect(stderr).toContain('not the URL of a Redis or Valkey server');
    expect(stderr).not.toContain(PASSWORD);
  });
});

describe('over TLS', () => {
  let secure: RespServer;
  let trusted: Readonly<Record<string, string>>;
  beforeEach(async () => {
    const certificate = selfSigned();
    secure = await startRespServer(certificate);
    const file = join(home, 'authority.pem');
    writeFileSync(file, certificate.cert);
    trusted = { NODE_EXTRA_CA_CERTS: file };
  });
  afterEach(() => secure.stop());

  test('a server whose certificate NODE_EXTRA_CA_CERTS names is used, with its password', async () => {
    const login = { TANKOBON_LEDGER_USERNAME: 'ann', TANKOBON_LEDGER_PASSWORD: PASSWORD };
    const { code, stderr } = await runProcess(['limits'], {
      TANKOBON_LEDGER: secure.url,
      ...trusted,
      ...login,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(secure.logins).toEqual([['ann', PASSWORD]]);
    expect(secure.commands).toContain('EVALSHA');
  });

  const refusal = async (env: Readonly<Record<string, string>>): Promise<void> => {
    const password = { TANKOBON_LEDGER_PASSWORD: PASSWORD };
    const { code, stderr } = await runProcess(['limits'], {
      ...password,
      DEBUG: 'tankobon',
      ...env,
    });
    expect(code).toBe(8);
    expect(stderr).toContain('ledger-unusable');
    expect(stderr).toContain('the certificate of the server is not valid');
    expect(secure.logins).toEqual([]);
  };

  test('a certificate of an unknown authority is refused before the password is sent', () =>
    refusal({ TANKOBON_LEDGER: secure.url }));

  test('a certificate for another address is refused before the password is sent', () =>
    refusal({
      TANKOBON_LEDGER: secure.url.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
      ...trusted,
    }));
});

describe('what is loaded', () => {
  const filesLoaded = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const hook = join(home, 'hook.cjs');
    const list = join(home, 'loaded');
    writeFileSync(
      hook,
      `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(list)}, Object.keys(require.cache).join('\\n')));`,
    );
    await runProcess(['limits'], { ...env, NODE_OPTIONS: `--require=${hook}` });
    const files = readFileSync(list, 'utf8').split('\n');
    return files.map((file) => readFileSync(file, 'utf8')).join('\n');
  };

  test('with a folder, nothing of the server or its client', async () => {
    const loaded = await filesLoaded({ TANKOBON_LEDGER: join(home, 'ledger') });
    expect(loaded).toContain('ledger.json');
    expect(loaded).not.toContain('EVALSHA');
  });

  test('with a server, both', async () => {
    expect(await filesLoaded({})).toContain('EVALSHA');
  });
});
