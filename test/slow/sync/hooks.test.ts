/** What a sync notifies, once for each series that got something. */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { redactorFor, VARIABLES_KEPT_FROM_HOOKS } from '../../../src/config/environment.js';
import type { HookService } from '../../../src/config/hook-services.js';
import { openHookKeys } from '../../../src/service/login/hook-keys.js';
import { syncStatus } from '../../../src/cli/commands/sync-status.js';
import { storeHookKey } from '../../../src/cli/commands/login-hook-key.js';
import { systemClock } from '../../../src/core/clock.js';
import { systemKeychains } from '../../../src/service/keychain.js';
import { AuthError } from '../../../src/core/errors.js';
import { hookEnvironment, runExecHook } from '../../../src/events/exec-hook.js';
import { syncFolder } from '../../../src/sync/history/history-folder.js';
import { takeDownChapter } from '../../../src/practice-server/library/library.js';
import { selfSigned } from '../../../src/practice-server/self-signed.js';
import { leaveLines } from '../../support/left-sync-lines.js';
import {
  KAVITA_KEY,
  KOMGA_KEY,
  KOMGA_LIBRARY,
  NTFY_TOKEN,
  startMediaServers,
  type MediaServers,
} from '../../support/media-servers.js';
import {
  chapterId,
  DAY_MS,
  HOUR_MS,
  syncChapter,
  SyncHarness,
  syncLibrary,
  titleId,
} from '../../support/sync-harness.js';

let harness: SyncHarness;
let servers: MediaServers;
beforeEach(async () => {
  servers = await startMediaServers();
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha', 'Beta'], nowMs - 9 * DAY_MS));
});
afterEach(async () => {
  await harness.stop();
  await servers.stop();
});

const subscribe = (hooks: string): void => {
  harness.write(
    `series:\n  - target: title:${titleId('Alpha')}\n  - target: title:${titleId('Beta')}\nhooks:\n${hooks}`,
  );
};
/** A library of one title of this name. */
async function restarted(name: string): Promise<SyncHarness> {
  await harness.stop();
  return SyncHarness.start((nowMs) => syncLibrary([name], nowMs - 9 * DAY_MS));
}
const storeKey = (service: HookService, key: string) =>
  harness.base.command((context) => {
    const stdin = new PassThrough();
    stdin.end(JSON.stringify({ key }));
    const options = { stdin: true, insecureStorage: true };
    return storeHookKey(service, options, { ...context, stdin: stdin as never });
  });

test('Komga, Kavita, ntfy and the webhook hear of each series once, with their keys', async () => {
  await storeKey('komga', KOMGA_KEY);
  await storeKey('kavita', KAVITA_KEY);
  await storeKey('ntfy', NTFY_TOKEN);
  subscribe(`  webhook: ${servers.url}/hook
  ntfy: ${servers.url}/topic
  komga: { url: "${servers.url}", library: ${KOMGA_LIBRARY} }
  kavita: { url: "${servers.url}", path-map: { ${harness.base.output}: /comics } }
`);
  const { code, lines } = await harness.sync();
  expect(code).toBe(0);
  expect(lines.filter(({ type }) => type === 'hook-failed')).toEqual([]);
  expect(servers.hooks).toMatchObject(
    ['Alpha', 'Beta'].map((name) => ({
      event: 'series-updated',
      series: { id: titleId(name), name, folder: join(harness.base.output, name) },
      chapters: [{ id: chapterId(name, '1'), number: '1' }, { id: chapterId(name, '2') }],
    })),
  );
  const bodies = (path: string) =>
    servers.received.filter((request) => request.path === path).map(({ body }) => body);
  expect(bodies('/topic')).toEqual(['Alpha: 2 new chapters (1, 2)', 'Beta: 2 new chapters (1, 2)']);
  expect(bodies(`/api/v1/libraries/${KOMGA_LIBRARY}/scan`)).toHaveLength(1);
  expect(
    bodies('/api/Library/scan-folder').map((body) => JSON.parse(body) as unknown),
  ).toMatchObject([{ folderPath: '/comics/Alpha' }, { folderPath: '/comics/Beta' }]);
  const received = servers.received.length;
  await harness.sync();
  expect(servers.received).toHaveLength(received);
});

test('nothing of the login reaches a hook, and no key is in the file or in the output', async () => {
  await harness.login();
  await storeKey('ntfy', NTFY_TOKEN);
  subscribe(`  webhook: ${servers.url}/hook\n  ntfy: ${servers.url}/topic\n`);
  const { lines, stderr } = await harness.sync();
  const sent = JSON.stringify(servers.received);
  for (const secret of harness.service.secrets()) expect(sent).not.toContain(secret);
  expect(servers.received.find(({ path }) => path === '/hook')?.headers).not.toHaveProperty(
    'authorization',
  );
  expect(readFileSync(harness.file, 'utf8') + JSON.stringify(lines) + stderr).not.toContain(
    NTFY_TOKEN,
  );
});

test('the name of a title changes nothing else in the URL of a webhook, and fits into its headers', async () => {
  const name = 'Salt & Sea? #1/2 海\n{secret}';
  harness = await restarted(name);
  await storeKey('webhook', 'a/b');
  harness.write(`series:
  - target: title:${titleId(name)}
hooks:
  webhook:
    url: "${servers.url}/{secret}/hook?name={series}&other={toString}"
    headers: { title: "– {series}" }
`);
  const { lines } = await harness.sync();
  expect(lines.filter(({ type }) => type === 'hook-failed')).toMatchObject([
    { message: expect.stringContaining('responded with 404') },
  ]);
  const [request] = servers.received;
  const url = new URL(request?.path ?? '', servers.url);
  expect(url.pathname).toBe('/a/b/hook');
  expect(Object.fromEntries(url.searchParams)).toEqual({
    name: expect.stringMatching(/^Salt & Sea\? #1\/2 海\s\{secret\}$/) as unknown,
    other: '{toString}',
  });
  const [, title = ''] = /^=\?UTF-8\?B\?(.*)\?=$/.exec(String(request?.headers['title'])) ?? [];
  expect(Buffer.from(title, 'base64').toString()).toBe('– Salt & Sea? #1/2 海 {secret}');
});

describe('on: a hook that chooses its events', () => {
  const hooks = `  webhook: { url: "URL/hook", on: [failed, taken-down] }
  ntfy: { url: "URL/topic", on: [failed] }
  komga: { url: "URL", library: ${KOMGA_LIBRARY} }
`;
  const texts = () =>
    servers.received.filter(({ path }) => path === '/topic').map(({ body }) => body);
  beforeEach(async () => {
    await storeKey('komga', KOMGA_KEY);
    await storeKey('ntfy', NTFY_TOKEN);
    subscribe(hooks.replaceAll('URL', servers.url));
  });
  /** A new chapter makes the title due. */
  const upload = (number: string): void => {
    harness.clock.advance(DAY_MS);
    harness.service.library.putChapter(
      syncChapter('Alpha', number, harness.clock.wallMs() - HOUR_MS),
    );
  };

  test('hears of a failed chapter with the fields of its event, once while the failure lasts', async () => {
    const failing = chapterId('Alpha', '2');
    const respond = harness.service.intercept(`/at-home/server/${failing}`, () => ({
      status: 404,
      headers: { 'content-type': 'application/json' },
      body: '{"result":"error","errors":[]}',
    }));
    await harness.sync();
    expect(servers.hooks).toEqual([
      {
        event: 'failed',
        series: { id: titleId('Alpha'), name: 'Alpha', folder: harness.base.output },
        chapters: [
          {
            id: failing,
            series: 'Alpha',
            number: '2',
            group: 'Scans',
            language: 'en',
            reason: 'chapter-not-found',
            message: expect.stringContaining('Chapter not found'),
          },
        ],
      },
    ]);
    expect(texts()).toEqual([
      expect.stringMatching(/^Alpha: 1 chapter failed \(2\): Chapter not found/),
    ]);
    expect(servers.received.some(({ path }) => path.endsWith('/scan'))).toBe(true);
    upload('3');
    await harness.sync();
    expect(texts()).toHaveLength(1);
    respond();
    upload('4');
    await harness.sync();
    expect(texts()).toHaveLength(1);
  });

  /** The chapter fails, each time in other words, as a chapter of which another page is lost. Returns what ends it. */
  const failEachTime = (id: string): (() => void) => {
    let count = 0;
    return harness.service.intercept(`/at-home/server/${id}`, () => {
      count += 1;
      const errors = [{ id: 'x', status: 400, title: 'bad', detail: `Page ${count} failed` }];
      return {
        status: 400,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ result: 'error', errors }),
      };
    });
  };

  test('hears of a failure in other words once, and of one of another chapter', async () => {
    failEachTime(chapterId('Alpha', '2'));
    await harness.sync();
    await harness.sync();
    expect(texts()).toEqual([expect.stringContaining('Page 1 failed')]);
    upload('3');
    failEachTime(chapterId('Alpha', '3'));
    await harness.sync();
    expect(texts().slice(1)).toEqual([expect.stringMatching(/^Alpha: 1 chapter failed \(3\)/)]);
  });

  test('hears of a failure once, whatever runs of other titles and outages are between', async () => {
    const end = failEachTime(chapterId('Alpha', '2'));
    await harness.sync();
    await harness.sync({ only: ['Beta'] });
    await harness.sync();
    expect(texts()).toHaveLength(1);
    const endOutage = harness.service.intercept('/manga', () => ({
      status: 0,
      delivery: { how: 'reset' },
    }));
    await harness.sync({ maxOutage: '1m' });
    await harness.sync({ maxOutage: '1m' });
    endOutage();
    await harness.sync();
    expect(texts().slice(1)).toEqual([expect.stringMatching(/^tankobon sync failed: /)]);
    end();
    await harness.sync();
    failEachTime(chapterId('Alpha', '2'));
    await harness.sync({ redownload: true });
    expect(texts()).toHaveLength(2);
  });

  test('hears of an ended login once', async () => {
    await harness.stop();
    harness = await SyncHarness.start((nowMs) =>
      syncLibrary(['Alpha'], nowMs - 9 * DAY_MS, { Alpha: 'reading' }),
    );
    await harness.login();
    await storeKey('ntfy', NTFY_TOKEN);
    const ntfy = `  ntfy: { url: "${servers.url}/topic", on: [failed] }\n`;
    const own = `target: title:${titleId('Alpha')}, keep-unread: true`;
    harness.write(`follows: true\nseries: [{ ${own} }]\nhooks:\n${ntfy}`);
    harness.service.expireAccessTokens();
    harness.service.revokeRefreshTokens();
    expect((await harness.sync()).code).toBe(4);
    expect((await harness.sync()).code).toBe(4);
    expect(texts()).toEqual([expect.stringContaining('The session has ended')]);
  });

  test('that did not hear of a failure is called again by the next run, while it lasts', async () => {
    const end = failEachTime(chapterId('Alpha', '2'));
    // Komga is called first.
    servers.failNext({ status: 202 }, { status: 403 });
    await harness.sync();
    expect([servers.hooks.length, texts().length]).toEqual([1, 1]);
    await harness.sync();
    expect(servers.hooks.map(({ chapters }) => chapters.map(({ id }) => id))).toEqual([
      [chapterId('Alpha', '2')],
      [chapterId('Alpha', '2')],
    ]);
    end();
    await harness.sync();
    expect([servers.hooks.length, texts().length]).toEqual([2, 1]);
  });

  test('hears of a chapter that was taken down after the title was known, once', async () => {
    const down = (number: string) => {
      const chapter = harness.service.library.chapter(chapterId('Alpha', number));
      if (chapter) harness.service.library.putChapter(takeDownChapter(chapter));
    };
    down('1');
    await harness.sync();
    expect(servers.hooks).toEqual([]);
    down('2');
    upload('3');
    await harness.sync();
    upload('4');
    await harness.sync();
    expect(servers.hooks).toMatchObject([
      {
        event: 'taken-down',
        series: { id: titleId('Alpha') },
        chapters: [{ id: chapterId('Alpha', '2'), number: '2', reason: 'chapter-unavailable' }],
      },
    ]);
    expect(texts()).toEqual([]);
  });

  test('hears of a title that is not there, and of followed titles without a login', async () => {
    const unknown = '00000000-6a0b-4e7e-9b1d-0a4c5e2f7101';
    harness.write(
      `series: [{ target: title:${unknown} }]\nhooks:\n${hooks.replaceAll('URL', servers.url)}`,
    );
    await harness.sync();
    await harness.sync();
    expect(texts()).toEqual([`title:${unknown} failed: Title not found: ${unknown}`]);
    expect(servers.hooks).toMatchObject([
      { event: 'failed', series: { id: unknown }, chapters: [], reason: 'title-not-found' },
    ]);
    harness.write(`follows: true\nhooks:\n${hooks.replaceAll('URL', servers.url)}`);
    await harness.sync();
    expect(texts().at(-1)).toMatch(/^follows failed: Not logged in/);
  });
});

describe('a hook that fails', () => {
  test('is tried three times and never fails the sync', async () => {
    subscribe(`  webhook: ${servers.url}/hook\n`);
    servers.failNext({ status: 500 }, 'reset', { status: 503 }, { status: 500 }, 'reset');
    const { code, lines } = await harness.sync();
    expect(code).toBe(0);
    expect(lines.filter(({ type }) => type === 'hook-failed')).toMatchObject([
      { hook: 'webhook', message: expect.stringContaining('responded with 503') },
      { hook: 'webhook', message: expect.stringContaining('not called again') as unknown },
    ]);
    expect(servers.received).toHaveLength(3);
  });

  test('hears of the same chapters in the next run, once, and the other hooks do not', async () => {
    await storeKey('komga', KOMGA_KEY);
    await storeKey('ntfy', NTFY_TOKEN);
    subscribe(`  webhook: ${servers.url}/hook
  ntfy: ${servers.url}/topic
  komga: { url: "${servers.url}", library: ${KOMGA_LIBRARY} }
`);
    const count = (path: string) => servers.received.filter((each) => each.path === path).length;
    const scan = `/api/v1/libraries/${KOMGA_LIBRARY}/scan`;
    servers.failNext('reset', 'reset', 'reset');
    await harness.sync();
    expect([count('/hook'), count('/topic'), count(scan)]).toEqual([3, 2, 1]);
    const failed = await harness.base.command((context) =>
      syncStatus({ file: harness.file }, context),
    );
    expect(failed.stdout).toMatch(/^Hooks that failed[^]*webhook: .*could not be reached/m);
    await harness.sync();
    expect(
      servers.hooks.slice(3).map(({ series, chapters }) => [series.name, chapters.length]),
    ).toEqual([
      ['Alpha', 2],
      ['Beta', 2],
    ]);
    expect([count('/topic'), count(scan)]).toEqual([2, 1]);
    await harness.sync();
    expect(count('/hook')).toBe(5);
  });

  test('is called again when its server asks for that', async () => {
    subscribe(`  webhook: ${servers.url}/hook\n`);
    servers.failNext({ status: 429, headers: { 'retry-after': '40' } });
    const startedMs = harness.clock.wallMs();
    await harness.sync();
    expect(servers.received).toHaveLength(3);
    expect(harness.clock.wallMs() - startedMs).toBeGreaterThanOrEqual(40_000);
  });

  test('is not called for later titles of the run once it cannot be reached', async () => {
    subscribe(`  webhook: ${servers.url}/hook\n`);
    servers.failNext('reset', 'reset', 'reset');
    const { code, lines, stderr } = await harness.sync();
    expect(code).toBe(0);
    expect(servers.received).toHaveLength(3);
    expect(lines.filter(({ type }) => type === 'hook-failed')).toMatchObject([
      { hook: 'webhook', message: expect.stringContaining('could not be reached (E') as unknown },
      { hook: 'webhook', message: expect.stringContaining('not called again') as unknown },
    ]);
    expect(stderr.match(/The hook webhook failed/g)).toHaveLength(1);
  });

  test('is not repeated after a refusal, and follows no redirect', async () => {
    subscribe(`  webhook: ${servers.url}/hook\n`);
    servers.failNext(
      { status: 403 },
      { status: 302, headers: { location: `${servers.url}/other` } },
    );
    const { lines } = await harness.sync();
    expect(lines.filter(({ type }) => type === 'hook-failed')).toHaveLength(2);
    expect(lines).toContainEqual(
      expect.objectContaining({
        type: 'hook-failed',
        message: `${new URL(servers.url).host} responded with 302 to ${servers.url}/other`,
      }),
    );
    expect(servers.received.map(({ path }) => path)).toEqual(['/hook', '/hook']);
  });

  test('a certificate that is not trusted is named with the variable for one of an own authority', async () => {
    const server = createTlsServer(selfSigned(), (_, response) => response.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    subscribe(`  webhook: https://127.0.0.1:${port}/hook\n`);
    const { code, stderr } = await harness.sync();
    server.close();
    expect(code).toBe(0);
    expect(stderr).toContain('could not be reached (DEPTH_ZERO_SELF_SIGNED_CERT).\nhint: ');
    expect(stderr).toContain('set NODE_EXTRA_CA_CERTS to the file of its authority.');
  });

  test('a missing key is named with the command that stores it', async () => {
    subscribe(`  komga: { url: "${servers.url}", library: ${KOMGA_LIBRARY} }\n`);
    const { code, stderr } = await harness.sync();
    expect(code).toBe(0);
    expect(stderr).toContain('tankobon login --for komga');
  });
});

test('chapters that a killed run did not announce are announced by the next one', async () => {
  subscribe(`  webhook: ${servers.url}/hook\n`);
  const folder = await syncFolder(join(harness.base.folder, 'home'), harness.file);
  const file = join(harness.base.output, 'Old', '1.cbz');
  const chapter = { id: 'an-id', language: 'en', groups: [], file };
  await leaveLines(folder, { saved: { titleId: 'old', series: 'Old', chapter } });
  const [journal = ''] = readdirSync(folder).filter((name) => name.endsWith('.journal'));
  appendFileSync(join(folder, journal), '{"saved":{"titleId":"to');
  await harness.sync();
  expect(servers.hooks.map(({ series }) => series.name)).toEqual(['Old', 'Alpha', 'Beta']);
  await harness.sync();
  expect(servers.hooks).toHaveLength(3);
});

describe('exec', () => {
  const runCommand = (
    command: readonly string[],
    payload: unknown,
    { timeLimitMs = 20_000, env = {} }: { timeLimitMs?: number; env?: Record<string, string> } = {},
  ) => {
    const context = {
      env: { PATH: process.env['PATH'], ...env },
      clock: systemClock,
      redactor: redactorFor(env),
    };
    return runExecHook(command, payload, context, new AbortController().signal, timeLimitMs);
  };
  const node = (script: string, ...args: string[]) => [process.execPath, '-e', script, ...args];

  test('gets the payload on standard input, its arguments as they are, and no secret', async () => {
    const out = join(harness.base.folder, 'out.json');
    const script = `
      let text = '';
      process.stdin.on('data', (chunk) => (text += chunk)).on('end', () => {
        const { TANKOBON_PASSWORD: secret } = process.env;
        require('fs').writeFileSync(process.argv[1], JSON.stringify({ args: process.argv.slice(2), text, secret }));
      });`;
    const command = node(script, out, '$(touch x); "two words"');
    await runCommand(command, { event: 'x' }, { env: { TANKOBON_PASSWORD: 'secret' } });
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual({
      args: ['$(touch x); "two words"'],
      text: '{"event":"x"}\n',
    });
  });

  test('gets the environment without the secrets of tankobon; proxies stay', async () => {
    const out = join(harness.base.folder, 'env.json');
    const script = `require('fs').writeFileSync(process.argv[1], JSON.stringify(process.env))`;
    const passed = {
      HTTPS_PROXY: 'http://me:proxy-word@proxy:3128',
      TANKOBON_LEDGER_USERNAME: 'ledger',
    };
    const env = {
      ...passed,
      ...Object.fromEntries(VARIABLES_KEPT_FROM_HOOKS.map((name) => [name, 'hush-hush'])),
      TANKOBON_LEDGER: 'rediss://me:hush%20hush@nas.local:6380/2',
    };
    const login = ['USERNAME', 'PASSWORD', 'CLIENT_ID', 'CLIENT_SECRET'];
    const names = [...login, ...login.map((name) => `${name}_FILE`), 'LEDGER_PASSWORD'];
    expect([...VARIABLES_KEPT_FROM_HOOKS].sort()).toEqual(
      names.map((name) => `TANKOBON_${name}`).sort(),
    );
    await runCommand(node(script, out), {}, { env });
    const text = readFileSync(out, 'utf8');
    expect(JSON.parse(text)).toMatchObject({
      ...passed,
      TANKOBON_LEDGER: 'rediss://nas.local:6380/2',
    });
    expect(text).not.toContain('hush');
    for (const name of VARIABLES_KEPT_FROM_HOOKS) expect(text).not.toContain(name);
  });

  test.each([
    ['/srv/ledger', '/srv/ledger'],
    ['redis://nas.local', 'redis://nas.local'],
    ['redis://:word@nas.local:6379', 'redis://nas.local:6379'],
    ['redis://me:wo/rd@nas local', 'redis://[hidden]@nas local'],
  ])('gets TANKOBON_LEDGER=%s as %s', (ledger, passed) => {
    expect(hookEnvironment({ TANKOBON_LEDGER: ledger })).toEqual({ TANKOBON_LEDGER: passed });
  });

  test('reports a command that fails or does not exist', async () => {
    const failing = node('console.error("no display"); process.exit(3)');
    await expect(runCommand(failing, {})).rejects.toThrow('exit code 3: no display');
    await expect(runCommand(['/nowhere/command'], {})).rejects.toThrow('command not found');
  });

  test('is killed at its time limit, with the processes that it started', async () => {
    const pidFile = join(harness.base.folder, 'pid');
    const script = `
      const { spawn } = require('child_process');
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      require('fs').writeFileSync(process.argv[1], String(child.pid));
      setInterval(() => {}, 1000);`;
    await expect(runCommand(node(script, pidFile), {}, { timeLimitMs: 3_500 })).rejects.toThrow(
      'did not end within 4 s and was killed',
    );
    const pid = Number(readFileSync(pidFile, 'utf8'));
    await expectEnded(pid);
  });

  test('runs for each series of a sync', async () => {
    const log = join(harness.base.folder, 'log');
    const script = `require('fs').appendFileSync(process.argv[1], require('fs').readFileSync(0))`;
    subscribe(`  exec: ${JSON.stringify(node(script, log))}\n`);
    await harness.sync();
    const names = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { series: { name: string } }).series.name);
    expect(names).toEqual(['Alpha', 'Beta']);
  });
});

test('a key can be replaced and removed, and must fit into a header', async () => {
  const keys = openHookKeys(
    join(harness.base.folder, 'home', 'credentials'),
    systemKeychains(systemClock),
  );
  await storeKey('komga', KOMGA_KEY);
  await storeKey('ntfy', NTFY_TOKEN);
  expect(await keys.read('komga')).toBe(KOMGA_KEY);
  await storeKey('komga', '');
  expect(await keys.read('komga')).toBeUndefined();
  expect(await keys.read('ntfy')).toBe(NTFY_TOKEN);
  const empty = join(harness.base.folder, 'empty');
  const noKeychain = new AuthError('no-keychain', 'None.');
  const refuse = () => Promise.reject(noKeychain);
  const keychain = { service: 'none', get: refuse, set: refuse, delete: refuse };
  for (const key of ['', KOMGA_KEY]) {
    const writing = openHookKeys(empty, () => keychain).write('komga', key, 'keychain');
    await expect(writing).rejects.toBe(noKeychain);
  }
  expect(readdirSync(empty)).toEqual(['hook-keys.lock']);
  await expect(storeKey('komga', 'two words')).rejects.toMatchObject({ code: 'bad-login-input' });
});

async function expectEnded(pid: number): Promise<void> {
  for (let polls = 0; polls < 200; polls += 1) {
    try {
      process.kill(pid, 0);
      // A zombie counts as ended.
      if (readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')) return;
    } catch {
      return;
    }
    await systemClock.sleep(20);
  }
  expect(pid).toBe('ended');
}
