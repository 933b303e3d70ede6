/** A request stays within its permit: no byte leaves with an old one, and none outlives it. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { RequestPermit } from '../../../../src/service/requests/guarded-request.js';
import { openConnections, type Connections } from '../../../../src/service/requests/connections.js';
import { sendRequest } from '../../../../src/service/requests/send-request.js';
import { ServiceError } from '../../../../src/core/errors.js';
import { viewLedgerAt } from '../../../../src/service/ledger.js';
import type { ObservedResponse, Permit } from '../../../../src/service/permits/rate-ledger.js';
import { readAddresses } from '../../../../src/config/service-addresses.js';
import { adjustableClock } from '../../../support/fake-clock.js';
import { createTestClient, LIMITS } from '../../../support/test-client.js';
import { freePort } from '../../../support/redis-process.js';

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

let server: Server;
let connections: Connections;
let url: URL;
let answer: string;
let received: string;
let connected: Socket[];
let settled: (ObservedResponse | 'unsent' | undefined)[];
beforeEach(async () => {
  [answer, received, connected, settled] = [ANSWER, '', [], []];
  server = createServer((socket) => {
    connected.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      received += chunk.toString();
      if (answer !== '') socket.write(answer);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x`);
  connections = await openConnections(LIMITS, {}, { apiUrl: url });
});
afterEach(async () => {
  connections.close();
  for (const socket of connected) socket.destroy();
  server.close();
  await once(server, 'close');
});

/** A permit that is valid for so many checks. */
const permitFor = (checks: number, remainingMs = 10_000): Permit => {
  let left = checks;
  return {
    isValid: () => (left -= 1) >= 0,
    remainingMs: () => remainingMs,
    settle: (response) => {
      settled.push(response);
      return Promise.resolve();
    },
  };
};
const send = (permit: RequestPermit) =>
  sendRequest(connections.api, { method: 'GET', url, permit });
const SENDERS = {
  request: async (permit: RequestPermit) => (await send(permit)).text(10),
  report: (permit: RequestPermit) => connections.report({ url, json: {}, permit }),
} as const;

describe.each(['request', 'report'] as const)('of a %s', (kind) => {
  test('a permit that is old when the connection is ready is given back, and another one reserved', async () => {
    const permits = [permitFor(0), permitFor(0), permitFor(1)];
    let receivedBefore = '';
    const permit = await RequestPermit.reserved(() => {
      receivedBefore += received;
      return Promise.resolve(permits.shift() ?? permitFor(0));
    });
    await SENDERS[kind](permit);
    expect(settled).toEqual(['unsent', 'unsent']);
    expect([receivedBefore, permits.length, connected.length]).toEqual(['', 0, 1]);
  });

  test('a ban while another permit is awaited ends it, and nothing was sent', async () => {
    let count = 0;
    const permit = await RequestPermit.reserved(() => {
      count += 1;
      if (count === 1) return Promise.resolve(permitFor(0));
      return Promise.reject(new ServiceError('banned', 'The service has banned this address.'));
    });
    await expect(SENDERS[kind](permit)).rejects.toMatchObject({ code: 'banned' });
    expect(received).toBe('');
  });
});

test('the check is made again on a connection that is reused', async () => {
  const permits = [permitFor(1), permitFor(0), permitFor(1)];
  const reserve = () => Promise.resolve(permits.shift() ?? permitFor(0));
  for (let times = 0; times < 2; times += 1) {
    const permit = await RequestPermit.reserved(reserve);
    await (await send(permit)).text(10);
  }
  expect([settled, permits.length, connected.length]).toEqual([['unsent'], 0, 1]);
});

test('without a response the request ends before its permit does', async () => {
  answer = '';
  const permit = await RequestPermit.reserved(() => Promise.resolve(permitFor(1, 200)));
  await expect(send(permit)).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringContaining('did not respond in time'),
  });
  expect(received).toContain('GET /x HTTP/1.1');
  await permit.settle();
  expect(settled).toEqual([undefined]);
});

test('a connection that was refused gives its uses back', async () => {
  const host = `http://127.0.0.1:${await freePort()}`;
  const addresses = readAddresses({ apiUrl: host, authUrl: host, networkUrl: host, realm: 'r' });
  const clock = adjustableClock();
  const made = await createTestClient({ addresses }, { clock });
  const request = {
    method: 'GET',
    path: '/at-home/server/x',
    parser: () => () => undefined,
  } as const;
  await expect(made.client.api(request)).rejects.toMatchObject({ code: 'unreachable' });
  const view = await viewLedgerAt({ location: { folder: made.folder }, clock });
  expect([view.quotas, view.underWay]).toEqual([[], 0]);
  await made.close();
});
