/** Node tries the addresses of a name in turn. Each is given time for a slow line, in every connection that we make. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import dns from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import { openConnections } from '../../../../src/service/requests/connections.js';
import { sendRequest } from '../../../../src/service/requests/send-request.js';
import { startFullListener } from '../../../support/full-listener.js';
import { posixTest } from '../../../support/platform.js';
import { LIMITS } from '../../../support/test-client.js';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Every name has a slow address first, and one without a listener second. */
const lookup: LookupFunction = (_hostname, options, callback) => {
  const found = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  if (options.all) callback(null, found);
  else callback(null, '127.0.0.1', 4);
};

posixTest.each([
  ['api', false],
  ['auth', false],
  ['page', false],
  ['report', false],
  ['api', true],
  ['page', true],
  ['report', true],
] as const)('%s, through a proxy: %p', async (kind, proxied) => {
  const { port, accept, stop } = await startFullListener();
  closing.push(stop);
  const real: unknown = Reflect.get(dns, 'lookup');
  Object.assign(dns, { lookup });
  closing.push(() => Object.assign(dns, { lookup: real }));
  const events: string[] = [];
  const over = new Promise<void>((resolve) => {
    const onSocket = (message: unknown): void => {
      const { socket } = message as { socket: Socket };
      for (const name of ['connectionAttemptTimeout', 'connectionAttemptFailed', 'connect']) {
        socket.once(name, () => {
          events.push(name);
          resolve();
        });
      }
      // Later than the quarter of a second that Node gives by itself.
      socket.once('connectionAttempt', () => setTimeout(accept, 300));
    };
    subscribe('net.client.socket', onSocket);
    closing.push(() => unsubscribe('net.client.socket', onSocket));
  });
  const env = proxied ? { HTTPS_PROXY: `http://proxy.example:${port}` } : {};
  const ms = 20_000;
  const limits = { ...LIMITS, connectTimeoutMs: ms, firstByteTimeoutMs: ms, reportTimeoutMs: ms };
  const apiUrl = new URL('http://127.0.0.1');
  const connections = await openConnections(limits, env, { apiUrl, lookup });
  const url = new URL(proxied ? 'https://host.example/x' : `http://host.example:${port}/x`);
  const asked = {
    api: () => sendRequest(connections.api, { method: 'GET', url }),
    auth: () => sendRequest(connections.auth, { method: 'GET', url }),
    page: () => connections.page({ url }),
    report: () => connections.report({ url, json: {} }),
  };
  asked[kind]().catch(() => undefined);
  await over;
  connections.close();
  expect(events).toEqual(['connect']);
});
