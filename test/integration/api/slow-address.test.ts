/** Node tries the addresses of a name in turn. Each is given time for a slow line, in every connection that we make. */
import { afterEach, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import dns from 'node:dns';
import { once } from 'node:events';
import { connect, type LookupFunction, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { openConnections } from '../../../src/api/connections.js';
import { sendRequest } from '../../../src/api/send-request.js';
import { LIMITS } from '../../support/test-client.js';

/** Takes no connection until a line comes: its queue is full, so that the kernel lets further ones hang. */
const LATE_LISTENER = `
import socket, sys, threading
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(0)
print(s.getsockname()[1], flush=True)
sys.stdin.readline()
held = []
while True: held.append(s.accept()[0])
`;

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

async function lateListener(): Promise<{ port: number; begin: () => void }> {
  const listener = spawn('python3', ['-c', LATE_LISTENER], { stdio: ['pipe', 'pipe', 'inherit'] });
  closing.push(() => listener.kill());
  const [text] = (await once(listener.stdout, 'data')) as [Buffer];
  const port = Number(text.toString());
  for (let filler = 0; filler < 3; filler += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    closing.push(() => socket.destroy());
  }
  await delay(200);
  return { port, begin: () => void listener.stdin.write('\n') };
}

test.each([
  ['api', false],
  ['auth', false],
  ['page', false],
  ['report', false],
  ['api', true],
  ['page', true],
] as const)('%s, through a proxy: %p', async (kind, proxied) => {
  const { port, begin } = await lateListener();
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
      socket.once('connectionAttempt', () => setTimeout(begin, 400));
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
  const asked = sendRequest(connections[kind], { method: 'GET', url });
  asked.catch(() => undefined);
  await over;
  connections.close();
  expect(events).toEqual(['connect']);
});
