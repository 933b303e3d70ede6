/** What is sent over a connection, what is accepted from it, and when it is used again. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { selfSigned } from '../../../../src/practice-server/self-signed.js';
import { openConnections, type Connections } from '../../../../src/service/requests/connections.js';
import { sendRequest } from '../../../../src/service/requests/send-request.js';
import { LIMITS } from '../../../support/test-client.js';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listening(server: Server, scheme: 'http' | 'https'): Promise<URL> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/x`);
}

async function connectionsTo(apiUrl: URL): Promise<Connections> {
  const connections = await openConnections(LIMITS, {}, { apiUrl });
  closing.push(() => {
    connections.close();
  });
  return connections;
}

describe('the response to a report', () => {
  const MAX_BYTES = 64 * 1024;

  /** Sends a report and resolves with the connection as the server has it. */
  async function reportTo(server: Server, report: Connections['report'], url: URL) {
    const arrival = once(server, 'request') as Promise<[IncomingMessage]>;
    await report({ url, json: {} });
    const [{ socket }] = await arrival;
    return socket;
  }

  test('leaves its connection to later requests', async () => {
    const server = createServer((_, response) => response.end(Buffer.alloc(MAX_BYTES)));
    const url = await listening(server, 'http');
    const { report } = await connectionsTo(url);
    const used = new Set<Socket>();
    // Nothing shows when the connection is free again.
    for (let size = -1; used.size > size; size += 1) {
      used.add(await reportTo(server, report, url));
      await setImmediate();
    }
    expect([...used].filter(({ destroyed }) => destroyed)).toEqual([]);
  });

  test('ends its connection if it is too large', async () => {
    const server = createServer((_, response) => response.write(Buffer.alloc(2 * MAX_BYTES)));
    const url = await listening(server, 'http');
    const { report } = await connectionsTo(url);
    const socket = await reportTo(server, report, url);
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(socket.destroyed).toBe(true);
  });
});

test('headers are accepted up to 64 KiB', async () => {
  let headerBytes = 60_000;
  const respond: RequestListener = (_, response) =>
    response.setHeader('x-long', 'x'.repeat(headerBytes)).end('ok');
  const url = await listening(createServer(respond), 'http');
  const { api } = await connectionsTo(url);
  const response = await sendRequest(api, { method: 'GET', url });
  expect(await response.text(10)).toBe('ok');
  headerBytes = 70_000;
  await expect(sendRequest(api, { method: 'GET', url })).rejects.toMatchObject({
    code: 'bad-response',
  });
});

test('a certificate that is not trusted is refused, whatever the environment says', async () => {
  const server = createTlsServer(selfSigned(), (_, response) => response.end('ok'));
  const url = await listening(server, 'https');
  const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  try {
    const connections = await connectionsTo(url);
    const cause = { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' };
    const refused = { code: 'unreachable', cause };
    await expect(connections.page({ url })).rejects.toMatchObject(cause);
    for (const kind of ['api', 'auth', 'hook'] as const)
      await expect(sendRequest(connections[kind], { method: 'GET', url })).rejects.toMatchObject(
        refused,
      );
    await expect(connections.report({ url, json: {} })).rejects.toMatchObject(refused);
  } finally {
    if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
  }
});
