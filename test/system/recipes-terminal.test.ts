/** The recipes that ask, typed at a terminal: the login, and the hooks, whose services are on loopback. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { PRACTICE_ACCOUNT, PRACTICE_CLIENT } from '../../src/practice-server/accounts.js';
import {
  entriesOf,
  KEYCHAIN_PROGRAMS,
  startSecretService,
  type SecretService,
} from '../support/auth/harness.js';
import { startConnectProxy, type ConnectProxy } from '../support/connect-proxy.js';
import { installPacked } from '../support/packed-program.js';
import { RecipeHome } from '../support/recipe-home.js';
import { recipesWith } from '../support/recipes.js';
import { describeWith } from '../support/requirements.js';
import { TmuxTerminal } from '../support/tmux.js';

const SECRET = '1234567890/abcdefghijklmnop';
const ANSWERS: readonly (readonly [awaits: RegExp, types: string])[] = [
  [/^\? Username:/m, PRACTICE_ACCOUNT.username],
  [/^\? Password:/m, PRACTICE_ACCOUNT.password],
  [/^\? Client id:/m, PRACTICE_CLIENT.id],
  [/^\? Client secret:/m, PRACTICE_CLIENT.secret],
];

let folder: string;
let packedProgram: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-packed-'));
  packedProgram = installPacked(folder);
}, 60_000);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

let home: RecipeHome;
let keychain: SecretService;
let terminal: TmuxTerminal | undefined;
beforeEach(async () => {
  home = await RecipeHome.create();
  home.addTankobon(packedProgram);
  keychain = await startSecretService(home.folder);
});
afterEach(async () => {
  await terminal?.stop();
  terminal = undefined;
  await keychain.stop();
  await home.stop();
});

async function openTerminal(env: Readonly<Record<string, string>> = {}): Promise<TmuxTerminal> {
  const { DBUS_SESSION_BUS_ADDRESS = '' } = keychain.env;
  const cwd = home.path('work');
  const own = { ...home.env, DBUS_SESSION_BUS_ADDRESS, ...env };
  terminal = await TmuxTerminal.start({ columns: 140, cwd, env: own });
  return terminal;
}

/** Types a command, which may have several lines, and its answers. Resolves with the screen at its end. */
async function typeCommand(
  at: TmuxTerminal,
  command: string,
  answers: typeof ANSWERS = [],
): Promise<string> {
  const [first = '', ...more] = command.split('\n');
  await at.typeAlone(first);
  for (const line of more) await at.type(line);
  for (const [awaits, types] of answers) {
    await at.until((screen) => awaits.test(screen));
    await at.type(types);
  }
  const screen = await at.ended();
  await at.typeAlone('echo code: $?');
  expect({ command, screen, code: await at.ended() }).toMatchObject({
    code: expect.stringMatching(/^code: 0$/m),
  });
  return screen;
}

/** The commands of a recipe. A backslash continues one on the next line. */
const commandsOf = (script: string) => script.trim().split(/(?<!\\)\n/);

const needed = { programs: ['tmux', ...KEYCHAIN_PROGRAMS] } as const;
describeWith('the recipe for the login', needed, () => {
  test('asks, and stores the login in the keychain until the logout', async () => {
    const [recipe, ...others] = recipesWith('terminal', 'docs/getting-started.md');
    const [login = '', whoami = '', logout = '', ...rest] = commandsOf(recipe?.script ?? '');
    const { authUrl, realm } = home.service.addresses;
    const stored = () => entriesOf(`tankobon ${authUrl}/realms/${realm}`, keychain.env);
    const at = await openTerminal();
    expect(await typeCommand(at, login, ANSWERS)).toContain('Logged in as reader.');
    expect(await stored()).not.toEqual([]);
    expect(await typeCommand(at, whoami)).toContain('reader');
    await typeCommand(at, logout);
    expect(await stored()).toEqual([]);
    expect([others, rest]).toEqual([[], []]);
  }, 120_000);
});

const HOSTS = ['discord.com', 'api.telegram.org', 'gotify.example.org'] as const;

/** Creates a certificate for these hosts, and returns its files. */
function createCertificate(): { readonly key: string; readonly cert: string } {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const names = `subjectAltName=${HOSTS.map((name) => `DNS:${name}`).join(',')}`;
  const request = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
  ];
  const fields = ['-subj', '/CN=hooks', '-addext', names, '-keyout', key, '-out', cert];
  execFileSync('openssl', [...request, ...fields], { stdio: 'ignore' });
  return { key, cert };
}

const hooksNeed = { programs: ['tmux', 'openssl', ...KEYCHAIN_PROGRAMS] } as const;
describeWith('the recipes for hooks', hooksNeed, () => {
  let services: Server;
  let proxy: ConnectProxy;
  let received: object[];
  let env: Readonly<Record<string, string>>;
  beforeEach(async () => {
    received = [];
    const { key, cert } = createCertificate();
    const pair = { key: readFileSync(key), cert: readFileSync(cert) };
    services = createServer(pair, (request, response) => {
      void textOf(request).then((body) => {
        const { headers, url } = request;
        received.push({
          url: `${headers.host ?? ''}${url ?? ''}`,
          body: JSON.parse(body) as unknown,
          key: headers['x-gotify-key'],
        });
        response.writeHead(204).end();
      });
    }).listen(0, '127.0.0.1');
    await once(services, 'listening');
    const { port } = services.address() as AddressInfo;
    proxy = await startConnectProxy({ target: { host: '127.0.0.1', port } });
    env = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: cert };
  });
  afterEach(async () => {
    await proxy.stop();
    services.closeAllConnections();
    services.close();
    await once(services, 'close');
  });

  test('store the secret, write each hook and try it', async () => {
    const [recipe, ...others] = recipesWith('terminal', 'docs/sync.md');
    const [login = '', ...hooks] = commandsOf(recipe?.script ?? '');
    const at = await openTerminal(env);
    await typeCommand(at, login, [[/^\? Webhook secret/m, SECRET]]);
    for (const hook of hooks) expect(await typeCommand(at, hook)).toContain('webhook: works');
    const text = expect.stringMatching(/\w/) as unknown;
    expect(received).toEqual([
      { url: `discord.com/api/webhooks/${SECRET}`, body: { content: text }, key: undefined },
      {
        url: `api.telegram.org/bot${SECRET}/sendMessage`,
        body: { chat_id: 'ID', text },
        key: undefined,
      },
      { url: 'gotify.example.org/message', body: { title: text, message: text }, key: SECRET },
    ]);
    expect(proxy.tunnels).toEqual(HOSTS.map((name) => `${name}:443`));
    expect(others).toEqual([]);
  }, 120_000);
});

test('no other recipe asks at a terminal', () => {
  expect(recipesWith('terminal').map(({ source }) => source.replace(/:\d+$/, ''))).toEqual([
    'docs/getting-started.md',
    'docs/sync.md',
  ]);
});
