/** Pages are not loaded from this machine or the networks behind it, unless the API is there: no connection is opened. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync } from 'node:fs';
import type { LookupFunction, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DownloadHarness } from '../../../support/download-harness.js';
import { startConnectProxy } from '../../../support/connect-proxy.js';
import { LIMITS } from '../../../support/test-client.js';
import { startStubServer } from '../../../support/stub-server.js';
import { Redactor } from '../../../../src/core/redactor.js';
import { generateChapter } from '../../../../src/practice-server/library/library.js';
import { loadImage } from '../../../../src/service/load-image.js';
import { findLoadError } from '../../../../src/service/load-reason.js';
import { systemClock } from '../../../../src/core/clock.js';
import { openConnections } from '../../../../src/service/requests/connections.js';

/** The addresses that a socket of this process tried to connect to. */
const attempts: string[] = [];
const onSocket = (message: unknown): void => {
  const { socket } = message as { socket: Socket };
  socket.on('connectionAttempt', (address: string) => attempts.push(address));
};
beforeEach(() => {
  attempts.length = 0;
  subscribe('net.client.socket', onSocket);
});
afterEach(() => {
  unsubscribe('net.client.socket', onSocket);
});

/** A resolver that knows these names alone. */
const resolver =
  (names: Readonly<Record<string, readonly string[]>>): LookupFunction =>
  (hostname, options, callback) => {
    const found = (names[hostname] ?? []).map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
    const [first] = found;
    if (!first) callback(new Error(`unknown name ${hostname}`), '', 0);
    else if (options.all) callback(null, found);
    else callback(null, first.address, first.family);
  };

const PUBLIC_API = 'https://api.example';
const NAMES = { 'api.example': ['93.184.216.34'] };

async function load(url: string, apiUrl: string, names = {}): Promise<unknown> {
  const lookup = resolver({ ...NAMES, ...names });
  const connections = await openConnections(LIMITS, {}, { apiUrl: new URL(apiUrl), lookup });
  try {
    const response = await connections.page({ url: new URL(url) });
    return Buffer.concat((await response.toArray()) as Buffer[]).toString();
  } catch (error) {
    return findLoadError(error)?.code ?? error;
  } finally {
    connections.close();
  }
}

describe('with the API on the public internet', () => {
  test.each(['10.0.0.1', '127.0.0.1', '169.254.169.254', '[::1]', '[fe80::1]', '[::ffff:7f00:1]'])(
    'https://%s is refused',
    async (host) => {
      expect(await load(`https://${host}/data/h/1.png`, PUBLIC_API)).toBe('bad-page-url');
      expect(attempts).toEqual([]);
    },
  );

  test('http://localhost is refused', async () => {
    expect(await load('http://localhost:9/data/h/1.png', PUBLIC_API)).toBe('bad-page-url');
    expect(attempts).toEqual([]);
  });

  test.each([
    ['a private address', ['10.0.0.1']],
    ['loopback', ['127.0.0.1']],
    ['a unique local address', ['fd00::1']],
    ['a public and a private address', ['93.184.216.34', '192.168.0.1']],
  ])('a name that resolves to %s is refused', async (_what, addresses) => {
    const names = { 'node.example': addresses };
    expect(await load('https://node.example/data/h/1.png', PUBLIC_API, names)).toBe('bad-page-url');
    expect(attempts).toEqual([]);
  });
});

test('a proxy is not asked for a name that resolves to a private address', async () => {
  const proxy = await startConnectProxy();
  const lookup = resolver({ ...NAMES, 'node.example': ['10.0.0.1'] });
  const options = { apiUrl: new URL(PUBLIC_API), lookup };
  const connections = await openConnections(LIMITS, { HTTPS_PROXY: proxy.url }, options);
  try {
    const failure: unknown = await connections
      .page({ url: new URL('https://node.example/data/h/1.png') })
      .catch((error: unknown) => error);
    expect(findLoadError(failure)?.code).toBe('bad-page-url');
    expect(proxy.tunnels).toEqual([]);
  } finally {
    connections.close();
    await proxy.stop();
  }
});

test('a load whose host resolves to a private address is not a failed load, but none', async () => {
  const lookup = resolver({ ...NAMES, 'node.example': ['10.0.0.1'] });
  const connections = await openConnections(LIMITS, {}, { apiUrl: new URL(PUBLIC_API), lookup });
  const loader = {
    page: connections.page,
    reserve: () => Promise.resolve(undefined),
    clock: systemClock,
    redactor: new Redactor(),
    maxPageBytes: 1_000_000,
  };
  const url = new URL('https://node.example/data/h/1.png');
  const file = join(tmpdir(), 'tankobon-never-written.part');
  const loading = loadImage(loader, { url, file, expectedDigest: undefined });
  await expect(loading).rejects.toMatchObject({ name: 'LoadError', code: 'bad-page-url' });
  expect(attempts).toEqual([]);
  expect(existsSync(file)).toBe(false);
  connections.close();
});

describe('with the API on an address of this machine or network', () => {
  test('a name and an address there are loaded from', async () => {
    const node = await startStubServer();
    try {
      const { port } = new URL(node.url);
      const names = { 'node.example': ['127.0.0.1'] };
      const byName = await load(`http://localhost:${port}/x`, node.url, {
        localhost: ['127.0.0.1'],
      });
      expect(byName).toBe('{"result":"ok"}');
      expect(await load(`http://127.0.0.1:${port}/x`, node.url, names)).toBe('{"result":"ok"}');
      expect(node.requests).toHaveLength(2);
    } finally {
      await node.stop();
    }
  });

  test('an API behind a name of a private address counts as one', async () => {
    const node = await startStubServer();
    try {
      const names = { 'api.lan': ['192.168.0.2'] };
      expect(await load(`${node.url}/x`, 'https://api.lan', names)).toBe('{"result":"ok"}');
    } finally {
      await node.stop();
    }
  });
});

test('a service that names such base URLs alone costs its chapter as a bad answer, and nothing is requested or reported', async () => {
  const chapter = generateChapter({ pages: 3, bytesPerPage: 3_000 });
  const harness = await DownloadHarness.start({ chapters: [chapter] });
  try {
    harness.service.intercept('/at-home/', () => ({
      status: 200,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        result: 'ok',
        baseUrl: 'https://node.example/t?to=http://10.0.0.1',
        chapter: { hash: 'h', data: ['1.png', '2.png'], dataSaver: [] },
      }),
    }));
    const { code, events } = await harness.download({ targets: [chapter.id] });
    expect(code).toBe(3);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'chapter-failed', reason: 'bad-response' }),
    );
    expect(harness.service.reports).toEqual([]);
    const asked = harness.service.log.filter(({ path }) => path.startsWith('/at-home/')).length;
    expect(asked).toBeLessThanOrEqual(6);
    expect(harness.service.log.filter(({ host }) => host === 'node')).toEqual([]);
  } finally {
    await harness.stop();
  }
});
