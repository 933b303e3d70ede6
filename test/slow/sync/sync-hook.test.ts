/** `tankobon sync hook`: hooks are written, tried and removed; and the recipes for webhooks of published interfaces. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative as pathRelative } from 'node:path';
import { startPracticeService } from '../../../src/practice-server/practice-service.js';
import type { PracticeService } from '../../../src/practice-server/practice-service.js';
import { tankobonHere } from '../../support/in-process.js';
import {
  KAVITA_KEY,
  KOMGA_KEY,
  KOMGA_LIBRARY,
  NTFY_TOKEN,
  startMediaServers,
  type MediaServers,
} from '../../support/media-servers.js';
import { posixTest } from '../../support/platform.js';
import { startStubServer } from '../../support/stub-server.js';
import { DAY_MS, syncLibrary, titleId } from '../../support/sync-harness.js';

let folder: string;
let file: string;
let service: PracticeService;
let servers: MediaServers;
let env: Record<string, string>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-sync-hook-'));
  file = join(folder, 'home', 'subscriptions.yaml');
  servers = await startMediaServers();
  service = await startPracticeService({
    library: syncLibrary(['Alpha'], Date.now() - 9 * DAY_MS),
  });
  env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
});
afterEach(async () => {
  await service.stop();
  await servers.stop();
  rmSync(folder, { recursive: true, force: true });
});

const hook = (...words: string[]) => tankobonHere(['sync', 'hook', ...words], { env });
const store = (name: string, key: string) =>
  tankobonHere(['login', '--for', name, '--stdin', '--insecure-storage'], {
    env,
    input: JSON.stringify({ key }),
  });
const text = () => readFileSync(file, 'utf8');

test('list prints the hooks, a program of a relative path is stored with its folder, and what is replaced is said', async () => {
  const script = join(folder, 'notify.sh');
  writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 });
  const relative = pathRelative(process.cwd(), script);
  expect(await hook('add', 'exec', '--', relative, 'a word')).toMatchObject({ code: 0 });
  await hook('add', 'webhook', `${servers.url}/hook`);
  const again = await hook('add', 'webhook', `${servers.url}/hook?other`);
  expect(again.stderr).toContain(`It replaces: webhook ${servers.url}/hook\n`);
  expect(await hook('list')).toMatchObject({
    code: 0,
    stdout: `exec ${script} 'a word'\nwebhook ${servers.url}/hook?other\n`,
  });
});

test('add writes each hook and tries it with its key; test calls them all', async () => {
  await store('komga', KOMGA_KEY);
  await store('kavita', KAVITA_KEY);
  await store('ntfy', NTFY_TOKEN);
  const added = [
    await hook('add', 'komga', servers.url, '--library', KOMGA_LIBRARY),
    await hook('add', 'kavita', servers.url, '--path-map', `${process.cwd()}=/comics`),
    await hook('add', 'ntfy', `${servers.url}/topic`),
    await hook('add', 'webhook', `${servers.url}/hook`),
  ];
  expect(added.map(({ code, stdout }) => [code, stdout])).toEqual([
    [0, 'komga: works\n'],
    [0, 'kavita: works\n'],
    [0, 'ntfy: works\n'],
    [0, 'webhook: works\n'],
  ]);
  expect(text()).toContain(`komga: { url: ${servers.url}, library: ${KOMGA_LIBRARY} }`);
  const sent = servers.received.length;
  expect((await hook('test')).stdout.trimEnd().split('\n').sort()).toEqual([
    'kavita: works',
    'komga: works',
    'ntfy: works',
    'webhook: works',
  ]);
  expect(servers.received).toHaveLength(sent + 4);
  expect(servers.hooks.at(-1)).toMatchObject({ event: 'test', chapters: [] });
  expect(await hook('remove', 'ntfy')).toMatchObject({ code: 0 });
  expect(text()).not.toContain('ntfy');
  expect((await hook('test', 'ntfy')).code).toBe(2);
  for (const name of ['komga', 'kavita', 'webhook']) await hook('remove', name);
  expect(text()).not.toContain('hooks');
});

test('a hook that fails stays written, and is exit 3 with what to check', async () => {
  const { code, stderr } = await hook('add', 'komga', servers.url, '--library', KOMGA_LIBRARY);
  expect(code).toBe(3);
  expect(stderr).toMatch(
    /error: The hook komga failed: no key is stored\nhint: Run: tankobon login --for komga\n$/,
  );
  expect(text()).toContain('komga:');
  await store('komga', 'wrong');
  await hook('add', 'exec', '--', 'false');
  const failed = await hook('test');
  expect(failed.stderr).toMatch(
    /komga failed: .*responded with 401.*\nhint: Check its address, and the Komga API key: tankobon login --for komga\n/,
  );
  expect(failed.stderr).toMatch(
    /exec failed: exit code 1\nhint: To correct it, run: tankobon sync edit\n/,
  );
});

posixTest(
  'a command is written with its arguments, and gets the test on standard input',
  async () => {
    const script = 'cat > "$0"';
    const received = join(folder, 'received.json');
    const { code, stdout } = await hook('add', 'exec', '--', 'sh', '-c', script, received);
    expect([code, stdout]).toEqual([0, 'exec: works\n']);
    expect(JSON.parse(readFileSync(received, 'utf8'))).toMatchObject({ event: 'test' });
  },
);

test('add writes what a hook is called for', async () => {
  await store('ntfy', NTFY_TOKEN);
  await hook('add', 'ntfy', `${servers.url}/topic`, '--on', 'new,failed');
  await hook('add', 'webhook', `${servers.url}/hook`, '--on', 'taken-down');
  await hook('add', 'exec', '--on', 'failed', '--', 'true');
  expect(text()).toContain(`ntfy: { url: ${servers.url}/topic, on: [ new, failed ] }`);
  expect(text()).toContain(`webhook: { url: ${servers.url}/hook, on: [ taken-down ] }`);
  expect(text()).toContain('exec: { command: [ "true" ], on: [ failed ] }');
});

test('commands in hints name the subscriptions file', async () => {
  const other = join(folder, 'other.yaml');
  const here = (...words: string[]) => hook(...words, '--file', other);
  await hook('add', 'exec', '--file', other, '--', 'false');
  expect((await here('test')).stderr).toMatch(
    new RegExp(`\nhint: To correct it, run: tankobon sync edit --file ${other}\n$`),
  );
  expect((await here('remove', 'ntfy')).stderr).toMatch(
    new RegExp(`no such hook: ntfy\nhint: Run: tankobon sync hook add ntfy … --file ${other}\n$`),
  );
  const refused = await here('add', 'kavita', 'http://127.0.0.1:1', '--on', 'failed');
  expect(refused.stderr).toContain(`sync hook add ntfy URL --on failed --file ${other}\n`);
  const { stdout } = await tankobonHere(['doctor', '--file', other], { env: { ...env, PATH: '' } });
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    `To edit the hook, run: tankobon sync edit --file ${other}`,
  );
});

test.each([
  [
    ['komga', 'http://127.0.0.1:1', '--library', 'A', '--on', 'failed'],
    'komga scans the library after each change of it, and has no use for: failed\nhint: For these, add another hook: tankobon sync hook add ntfy URL --on failed',
  ],
  [['ntfy', 'http://127.0.0.1:1/t', '--on', 'never'], 'new, failed, taken-down'],
  [['komga', 'http://127.0.0.1:1'], 'Komga needs the library: --library ID'],
  [['ntfy', 'http://127.0.0.1:1/t', '--library', 'x'], 'An option of komga does not fit ntfy.'],
  [['kavita', 'http://127.0.0.1:1', '--path-map', 'x'], '--path-map needs two parts with ='],
  [['webhook', 'http://127.0.0.1:1', 'x'], 'webhook takes one URL.'],
  [['webhook', 'http://example.org/'], 'must be a URL: https:'],
  [['discord', 'http://127.0.0.1:1'], 'komga, kavita, ntfy, webhook, exec'],
])('add %j is exit 2, and nothing is written or sent', async (words, message) => {
  const { code, stderr } = await hook('add', ...words);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
  expect(() => text()).toThrow();
  expect(service.log).toEqual([]);
});

/** Each follows the public description of its interface, and is in docs/sync.md. */
describe('the recipes for webhooks', () => {
  const SECRET = 's3cret-T0ken';
  const cases = [
    {
      name: 'Discord (POST /api/webhooks/{id}/{token}, JSON with content)',
      address: '/api/webhooks/42/{secret}',
      options: ['--body', '{"content":"{text}"}'],
      path: `/api/webhooks/42/${SECRET}`,
      body: { content: 'tankobon: this is a test' },
    },
    {
      name: 'Telegram (POST /bot{token}/sendMessage, JSON with chat_id and text)',
      address: '/bot{secret}/sendMessage',
      options: ['--body', '{"chat_id":"7","text":"{text}"}'],
      path: `/bot${SECRET}/sendMessage`,
      body: { chat_id: '7', text: 'tankobon: this is a test' },
    },
    {
      name: 'Gotify (POST /message, header X-Gotify-Key, JSON with title and message)',
      address: '/message',
      options: [
        ...['--header', 'X-Gotify-Key: {secret}'],
        ...['--body', '{"title":"{series}","message":"{text}"}'],
      ],
      path: '/message',
      header: SECRET,
      body: { title: 'tankobon', message: 'tankobon: this is a test' },
    },
  ];

  test.each(cases)('$name', async ({ address, options, path, body, header }) => {
    const server = await startStubServer();
    server.behave(() => ({ status: 200 }));
    try {
      await store('webhook', SECRET);
      const { code, stderr } = await hook('add', 'webhook', `${server.url}${address}`, ...options);
      expect([code, stderr]).toEqual([0, expect.not.stringContaining(SECRET)]);
      const [request] = server.requests;
      expect(request).toMatchObject({ method: 'POST', path });
      expect(request?.headers['x-gotify-key']).toBe(header);
      expect(request?.headers['content-type']).toContain('application/json');
      expect(JSON.parse(request?.body ?? '')).toEqual(body);
      expect(text()).not.toContain(SECRET);
      const output = JSON.stringify(join(folder, 'comics'));
      const series = `series: [{ target: title:${titleId('Alpha')}, output: ${output} }]\n`;
      writeFileSync(file, `${text()}${series}`);
      expect((await tankobonHere(['sync', '--quiet'], { env })).code).toBe(0);
      expect(server.requests.at(-1)?.body).toContain('Alpha: 2 new chapters (1, 2)');
    } finally {
      await server.stop();
    }
  });
});
