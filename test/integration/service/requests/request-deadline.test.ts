/** No answer of any kind outlives its time limit, and one that is no HTTP answer ends its request at once. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import {
  startPracticeService,
  type PracticeService,
} from '../../../../src/practice-server/practice-service.js';
import { readAddresses } from '../../../../src/config/service-addresses.js';
import { openConnections, type Connections } from '../../../../src/service/requests/connections.js';
import { sendRequest } from '../../../../src/service/requests/send-request.js';
import { startConnectProxy } from '../../../support/connect-proxy.js';
import { startFullListener } from '../../../support/full-listener.js';
import { posixTest } from '../../../support/platform.js';
import { LIMITS, createTestClient } from '../../../support/test-client.js';
import { DownloadHarness } from '../../../support/download-harness.js';
import { generateChapter } from '../../../../src/practice-server/library/library.js';

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server that does this with each connection once a request has arrived. */
async function serverThat(act: (socket: Socket) => void): Promise<URL> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      act(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x`);
}

async function connectionsTo(
  url: URL,
  limits: Partial<typeof LIMITS> = {},
  env: NodeJS.ProcessEnv = {},
): Promise<Connections> {
  const { origin: apiUrl } = url;
  const { apiUrl: address } = readAddresses({
    apiUrl,
    authUrl: apiUrl,
    networkUrl: apiUrl,
    realm: 'r',
  });
  const connections = await openConnections({ ...LIMITS, ...limits }, env, { apiUrl: address });
  closing.push(() => {
    connections.close();
  });
  return connections;
}

describe.each(['api', 'auth', 'page', 'report'] as const)('a request of the kind %s', (kind) => {
  const SWITCHING =
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';

  test.each([
    ['101', (socket: Socket) => socket.write(SWITCHING), '101 Switching Protocols'],
    ['101 and the end', (socket: Socket) => socket.end(SWITCHING), '101 Switching Protocols'],
    ['the end of the connection', (socket: Socket) => socket.end(), 'ECONNRESET'],
    ['half a head', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nCon'), 'ECONNRESET'],
    ['100 and the end', (socket: Socket) => socket.end('HTTP/1.1 100 C\r\n\r\n'), 'ECONNRESET'],
  ])('fails at once on %s', async (_what, act, words) => {
    const url = await serverThat(act);
    const connections = await connectionsTo(url);
    const method = kind === 'auth' ? 'POST' : 'GET';
    const asked = {
      api: () => sendRequest(connections.api, { method, url }),
      auth: () => sendRequest(connections.auth, { method, url }),
      page: () => connections.page({ url }),
      report: () => connections.report({ url, json: {} }),
    };
    // A failed load has the errors of Node: load-reason.ts.
    const error =
      kind === 'page'
        ? { code: words === 'ECONNRESET' ? words : 'ERR_UNEXPECTED_UPGRADE' }
        : { code: 'unreachable', message: expect.stringContaining(words) };
    await expect(asked[kind]()).rejects.toMatchObject(error);
  });
});

describe('a request ends at its deadline, however lively the connection', () => {
  const ms = 300;
  const limits = { apiTimeoutMs: ms, pageTimeoutMs: ms, reportTimeoutMs: ms };
  const late = {
    code: 'unreachable',
    message: expect.stringContaining('did not respond in time'),
  };
  const HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n';

  /** A server that sends `first`, and then one byte after another. */
  const livelyServer = (first: string, onClose: () => void = () => undefined): Promise<URL> =>
    serverThat((socket) => {
      socket.write(first);
      const beat = setInterval(() => socket.write('x'), 20);
      socket.once('close', () => {
        clearInterval(beat);
        onClose();
      });
    });

  test.each(['api', 'auth'] as const)('%s', async (kind) => {
    const url = await livelyServer(HEAD);
    const connections = await connectionsTo(url, limits);
    const text = async (): Promise<string> => {
      const answer = await sendRequest(connections[kind], { method: 'GET', url });
      return answer.text(2_000_000);
    };
    await expect(text()).rejects.toMatchObject(late);
  });

  test('page', async () => {
    const url = await livelyServer(HEAD);
    const { page } = await connectionsTo(url, limits);
    const body = (await page({ url })).toArray();
    await expect(body).rejects.toMatchObject({ code: 'ETIMEDOUT', event: 'request' });
  });

  test('report, which fails without the headers of a response', async () => {
    const url = await livelyServer('HTTP/1.1 200 OK\r\nX-Long: ');
    const connections = await connectionsTo(url, limits);
    await expect(connections.report({ url, json: {} })).rejects.toMatchObject(late);
  });

  test('report, whose connection is closed if the body of the response does not end', async () => {
    let onClose: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => {
      onClose = resolve;
    });
    const url = await livelyServer(HEAD, onClose);
    const connections = await connectionsTo(url, limits);
    expect(await connections.report({ url, json: {} })).toMatchObject({ status: 200 });
    await closed;
  });
});

/** Sends the head after half of the time, and the last byte when more than twice the time is over. */
const SLOW_SERVER = `
  const { workerData: ms, parentPort } = require('node:worker_threads');
  const server = require('node:net').createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      setTimeout(() => socket.write('HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nx'), ms / 2);
      setTimeout(() => socket.write('y'), 3 * ms);
    });
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

describe('each part of a page load has a limit of its own', () => {
  const ms = 200;
  /** After an immediate, timers run before sockets are read. */
  const blockSoon = (): void => {
    setTimeout(() => {
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * ms));
    }, ms / 4);
  };
  const late = (event: string) => ({ code: 'ETIMEDOUT', event });

  test('the response', async () => {
    const url = await serverThat(() => undefined);
    const { page } = await connectionsTo(url, { firstByteTimeoutMs: ms });
    await expect(page({ url })).rejects.toMatchObject(late('response'));
  });

  test('the pause between two chunks, however long the whole takes', async () => {
    const url = await serverThat((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n');
      let written = 0;
      const beat = setInterval(() => {
        if ((written += 1) <= 12) socket.write('x');
      }, ms / 4);
      socket.once('close', () => {
        clearInterval(beat);
      });
    });
    const { page } = await connectionsTo(url, { firstByteTimeoutMs: ms, idleTimeoutMs: ms });
    let bytes = 0;
    const read = async (): Promise<void> => {
      for await (const chunk of (await page({ url })) as AsyncIterable<Buffer>)
        bytes += chunk.length;
    };
    await expect(read()).rejects.toMatchObject(late('socket'));
    expect(bytes).toBe(12);
  });

  test.each([false, true])('TLS, through a proxy: %p', async (isProxied) => {
    const url = await serverThat(() => undefined);
    const proxy = await startConnectProxy();
    closing.push(() => proxy.stop());
    const env = isProxied ? { HTTPS_PROXY: proxy.url } : {};
    const { page } = await connectionsTo(url, { tlsTimeoutMs: ms }, env);
    url.protocol = 'https:';
    await expect(page({ url })).rejects.toMatchObject(late('secureConnect'));
  });

  test('none of them counts what arrived while this process was busy', async () => {
    // In a thread of its own: here it would be as busy as the client.
    const server = new Worker(SLOW_SERVER, { eval: true, workerData: ms });
    closing.push(() => void server.terminate());
    const [port] = (await once(server, 'message')) as [number];
    const url = new URL(`http://127.0.0.1:${port}/x`);
    const { page } = await connectionsTo(url, { firstByteTimeoutMs: ms, idleTimeoutMs: ms });
    const asked = page({ url });
    blockSoon();
    const response = await asked;
    blockSoon();
    expect(Buffer.concat((await response.toArray()) as Buffer[]).toString()).toBe('xy');
  });

  test.each([
    ['is not the node’s', 200_000, undefined],
    ['does not hide one of the node after it', 300_000, late('socket')],
  ])('a pause of our own, as for a limited rate, %s', async (_, announced, error) => {
    const url = await serverThat((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${announced}\r\n\r\n`);
      socket.write(Buffer.alloc(200_000));
    });
    const { page } = await connectionsTo(url, { idleTimeoutMs: ms });
    let bytes = 0;
    const read = async (): Promise<void> => {
      for await (const chunk of (await page({ url })) as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes < 150_000) await delay(2 * ms);
      }
    };
    if (error) await expect(read()).rejects.toMatchObject(error);
    else await read();
    expect(bytes).toBe(200_000);
  });

  posixTest('the connection', async () => {
    const { port, stop } = await startFullListener();
    closing.push(stop);
    const url = new URL(`http://127.0.0.1:${port}/x`);
    const { page } = await connectionsTo(url, { connectTimeoutMs: ms });
    await expect(page({ url })).rejects.toMatchObject(late('connect'));
  });
});

describe('an aborted page load rejects with the reason of the abort', () => {
  const REASON = new Error('Stopped.');

  test.each([
    ['a body without a length', 'HTTP/1.1 200 OK\r\n\r\nx'],
    ['an error page without a length', 'HTTP/1.1 404 No\r\n\r\nx'],
    ['a body with a length', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx'],
  ])('%s', async (_, answer) => {
    const url = await serverThat((socket) => socket.write(answer));
    const { page } = await connectionsTo(url);
    const stop = new AbortController();
    const response = await page({ url, signal: stop.signal });
    const body = response.toArray();
    setTimeout(() => {
      stop.abort(REASON);
    }, 50);
    await expect(body).rejects.toBe(REASON);
  });

  test('while a proxy does not respond', async () => {
    const { port, pathname } = await serverThat(() => undefined);
    const env = { HTTPS_PROXY: `http://127.0.0.1:${port}` };
    const url = new URL(`https://127.0.0.1:9${pathname}`);
    const { page } = await connectionsTo(url, {}, env);
    const asked = page({ url, signal: AbortSignal.timeout(100) });
    await expect(asked).rejects.toMatchObject({ name: 'TimeoutError', code: 23 });
  });
});

test.each(['switching-protocols', 'closed-without-answer'] as const)(
  'an API that once answers with %s is asked again',
  async (answer) => {
    const service: PracticeService = await startPracticeService();
    closing.push(() => service.stop());
    service.injectApiFault({ fault: answer, pathStart: '/manga', times: 1 });
    const made = await createTestClient({ addresses: readAddresses(service.addresses) });
    closing.push(() => made.close());
    const parser = () => (value: unknown) => value;
    const read = made.client.api({ method: 'GET', path: '/manga', parser });
    await expect(read).resolves.toMatchObject({ result: 'ok' });
  },
);

test('a token endpoint that answers 101 is a failure that can be tried again', async () => {
  const service: PracticeService = await startPracticeService();
  closing.push(() => service.stop());
  service.injectApiFault({ fault: 'switching-protocols', host: 'auth', times: 1 });
  const made = await createTestClient({ addresses: readAddresses(service.addresses) });
  closing.push(() => made.close());
  const asked = made.client.postTokenForm(new URLSearchParams({ grant_type: 'password' }));
  await expect(asked).rejects.toMatchObject({ code: 'unreachable' });
});

test('a node that answers 101 for ever costs its chapter, and each load is reported', async () => {
  const chapter = generateChapter({ pages: 1, bytesPerPage: 3_000 });
  const harness = await DownloadHarness.start({ chapters: [chapter] });
  closing.push(() => harness.stop());
  harness.service.injectPageFaults({ fault: 'switching-protocols', attempts: 'always' });
  const { code, events } = await harness.download({ targets: [chapter.id] });
  expect(code).toBe(3);
  const failed = events.filter((event) => event.type === 'page-failed');
  expect(failed.length).toBeGreaterThan(0);
  expect(new Set(failed.map(({ reason }) => reason))).toEqual(new Set(['bad-status']));
  const reports = await harness.reports();
  expect(reports.filter(({ success }) => !success)).toHaveLength(failed.length);
});
