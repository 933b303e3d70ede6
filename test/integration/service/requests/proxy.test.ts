import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from '../../../../src/practice-server/self-signed.js';
import { openConnections } from '../../../../src/service/requests/connections.js';
import { sendRequest } from '../../../../src/service/requests/send-request.js';
import { proxyFor } from '../../../../src/service/requests/proxy.js';
import { MODULES_URL } from '../../../support/build-folders.js';
import { USER_AGENT } from '../../../../src/core/version.js';
import { startConnectProxy, type ConnectProxy } from '../../../support/connect-proxy.js';
import { startSocksProxy } from '../../../support/socks-proxy.js';
import { LIMITS } from '../../../support/test-client.js';

describe('HTTPS_PROXY, ALL_PROXY and NO_PROXY', () => {
  const HTTPS_PROXY = 'http://me:secret@proxy.example:3128';
  const host = (url: string, env: NodeJS.ProcessEnv): string | undefined =>
    proxyFor(new URL(url), env)?.host;

  test.each([
    ['', 'proxy.example:3128'],
    ['*', undefined],
    ['example.org', undefined],
    ['.example.org', undefined],
    ['*.example.org', undefined],
    ['other.net, API.example.org:443', undefined],
    ['api.example.org:8443', 'proxy.example:3128'],
    ['ple.org', 'proxy.example:3128'],
  ])('with NO_PROXY %j, https://api.example.org is reached by %p', (NO_PROXY, expected) => {
    expect(host('https://api.example.org/x', { HTTPS_PROXY, NO_PROXY })).toBe(expected);
  });

  test('concern https: alone; a proxy may be named without a scheme', () => {
    expect(host('http://127.0.0.1:1', { HTTPS_PROXY })).toBeUndefined();
    expect(host('https://a.example', { https_proxy: 'proxy.example:81' })).toBe('proxy.example:81');
    expect(host('https://a.example', {})).toBeUndefined();
  });

  test('ALL_PROXY counts where HTTPS_PROXY is not set, not where it is empty', () => {
    const ALL_PROXY = 'socks5://proxy.example:1080';
    expect(host('https://a.example', { ALL_PROXY })).toBe('proxy.example:1080');
    expect(host('https://a.example', { ALL_PROXY, HTTPS_PROXY: '' })).toBeUndefined();
    expect(host('https://a.example', { all_proxy: 'socks5h://[::1]:9050' })).toBe('[::1]:9050');
    // GNOME sets it so.
    expect(host('https://a.example', { all_proxy: 'socks://[::1]:9050/' })).toBe('[::1]:9050');
    expect(host('https://a.example', { ALL_PROXY, NO_PROXY: 'a.example' })).toBeUndefined();
  });

  test('that name no proxy are refused, without repeating a password', () => {
    const bad = { HTTPS_PROXY: 'socks4://me:secret@proxy.example' };
    expect(() => host('https://a.example', bad)).toThrow(/HTTPS_PROXY/);
    expect(() => host('https://a.example', bad)).not.toThrow(/secret/);
    expect(() => host('https://a.example', { https_proxy: 'proxy:99999' })).toThrow(/^https_proxy/);
    for (const start of ['http://', 'socks5://']) {
      const ALL_PROXY = `${start}me:secret%@proxy.example:1080`;
      expect(() => host('https://a.example', { ALL_PROXY })).toThrow(/^ALL_PROXY/);
    }
    expect(() => host('https://a.example', { ALL_PROXY: 'socks5://' })).toThrow(/^ALL_PROXY/);
  });
});

test('a proxy that refuses the tunnel is reported with its status and the variables that name it', async () => {
  const refusing = createTcpServer((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((done) => refusing.listen(0, '127.0.0.1', done));
  const HTTPS_PROXY = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
  const connections = await openConnections(
    LIMITS,
    { HTTPS_PROXY },
    { apiUrl: new URL('https://api.example.org') },
  );
  try {
    const url = new URL('https://api.example.org/ping');
    await expect(sendRequest(connections.api, { method: 'GET', url })).rejects.toMatchObject({
      code: 'unreachable',
      message: 'api.example.org could not be reached: the proxy responded with 407.',
      hint: expect.stringContaining('a password: HTTPS_PROXY=http://USER:PASSWORD'),
    });
  } finally {
    connections.close();
    refusing.close();
  }
});

test.each([
  ['http://me:secret@127.0.0.1:1', '127.0.0.1:1'],
  ['http://no-such-proxy.invalid:3128', 'no-such-proxy.invalid:3128'],
])('a proxy that is down is named without its password: %s', async (HTTPS_PROXY, name) => {
  const apiUrl = new URL('https://api.example.org');
  const connections = await openConnections(LIMITS, { HTTPS_PROXY }, { apiUrl });
  try {
    const error: unknown = await sendRequest(connections.api, { method: 'GET', url: apiUrl }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/^The proxy .* could not be reached \(E\w+\)\.$/),
      hint: expect.stringContaining('HTTPS_PROXY'),
    });
    expect((error as Error).message).toContain(name);
    expect((error as Error).message).not.toContain('secret');
  } finally {
    connections.close();
  }
});

describe('a SOCKS proxy', () => {
  const url = new URL('https://api.example.org/ping');
  const ping = async (ALL_PROXY: string, limits = LIMITS): Promise<unknown> => {
    const connections = await openConnections(limits, { ALL_PROXY }, { apiUrl: url });
    return sendRequest(connections.api, { method: 'GET', url })
      .catch((error: unknown) => error)
      .finally(() => {
        connections.close();
      });
  };

  test('resolves names itself, and one that does not take the login is reported without the password', async () => {
    const nowhere = { host: '127.0.0.1', port: 1 };
    const proxy = await startSocksProxy(nowhere, ['me', 'right']);
    try {
      const refused = await ping(`socks5://me:wrong@${proxy.host}`);
      expect(refused).toMatchObject({
        code: 'unreachable',
        message: 'api.example.org could not be reached: the proxy refused the login.',
        hint: expect.stringContaining('HTTPS_PROXY=socks5://USER:PASSWORD'),
      });
      expect(JSON.stringify(refused)).not.toContain('wrong');
      expect(proxy.connections).toEqual([]);
      await ping(`socks5://me:right@${proxy.host}`);
      await ping(`socks://me:right@${proxy.host}`);
      expect(proxy.connections).toEqual(['api.example.org:443', 'api.example.org:443']);
    } finally {
      await proxy.stop();
    }
  });

  test('that accepts connections and never answers is given up at the deadline of the request', async () => {
    const sockets: Socket[] = [];
    const silent = createTcpServer((socket) => sockets.push(socket));
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
    const { port } = silent.address() as AddressInfo;
    const limits = { ...LIMITS, apiTimeoutMs: 200 };
    expect(await ping(`socks5://127.0.0.1:${port}`, limits)).toMatchObject({
      code: 'unreachable',
      message: 'api.example.org did not respond in time.',
    });
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  test('that is down is named', async () => {
    expect(await ping('socks5://me:secret@127.0.0.1:1')).toMatchObject({
      code: 'unreachable',
      message: 'The proxy 127.0.0.1:1 could not be reached (ECONNREFUSED).',
    });
  });
});

describe('through a proxy that opens tunnels', () => {
  let folder: string;
  let service: Server;
  let proxy: ConnectProxy;
  const seen: { via: string | undefined; agent: string | undefined }[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-proxy-'));
    const { key, cert } = selfSigned();
    writeFileSync(join(folder, 'cert.pem'), cert);
    service = createServer({ key, cert }, ({ headers }, response) => {
      seen.push({ via: headers.via, agent: headers['user-agent'] });
      response.end('hello');
    });
    await new Promise<void>((done) => service.listen(0, '127.0.0.1', done));
    proxy = await startConnectProxy();
  });

  afterAll(async () => {
    service.closeAllConnections();
    service.close();
    await proxy.stop();
    rmSync(folder, { recursive: true });
  });

  const call = async (env: NodeJS.ProcessEnv): Promise<string> => {
    const url = `https://127.0.0.1:${(service.address() as AddressInfo).port}/`;
    const child = spawn(process.execPath, ['test/support/workers/tunnelled.js', MODULES_URL, url], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (text: Buffer) => (output += text.toString()));
    await once(child, 'close');
    return output;
  };
  test('requests go by a tunnel that is kept open, with our name and without Via', async () => {
    const trusted = { NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem') };
    const proxied = { HTTPS_PROXY: proxy.url, NO_PROXY: '' };
    expect(await call({ ...trusted, ...proxied })).toBe('hello\nhello\n200\n');
    expect(seen).toEqual(Array(3).fill({ via: undefined, agent: USER_AGENT }));
    expect(proxy.tunnels).toHaveLength(1);
    expect(await call({ ...trusted, ...proxied, NO_PROXY: '127.0.0.1' })).toBe(
      'hello\nhello\n200\n',
    );
    expect(proxy.tunnels).toHaveLength(1);
  });

  test('a SOCKS proxy of ALL_PROXY carries the same, by one connection', async () => {
    const { port } = service.address() as AddressInfo;
    const socks = await startSocksProxy({ host: '127.0.0.1', port }, ['me', 'secret']);
    try {
      const proxied = { ALL_PROXY: `socks5://me:secret@${socks.host}`, NO_PROXY: '' };
      const trusted = { NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem') };
      seen.length = 0;
      expect(await call({ ...trusted, ...proxied })).toBe('hello\nhello\n200\n');
      expect(seen).toEqual(Array(3).fill({ via: undefined, agent: USER_AGENT }));
      expect(socks.connections).toEqual([`127.0.0.1:${port}`]);
      expect(await call({ ...proxied, NODE_EXTRA_CA_CERTS: '' })).toMatch(
        /^((\w*SELF_SIGNED|UNABLE_TO)\w*\n){3}$/,
      );
    } finally {
      await socks.stop();
    }
  });

  test('the certificate inside the tunnel is checked', async () => {
    const proxied = { HTTPS_PROXY: proxy.url, NO_PROXY: '' };
    expect(await call({ ...proxied, NODE_EXTRA_CA_CERTS: '' })).toMatch(
      /^((\w*SELF_SIGNED|UNABLE_TO)\w*\n){3}$/,
    );
  });
});
