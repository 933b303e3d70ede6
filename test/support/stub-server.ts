/**
 * A small, strict stand-in for the service's hosts: it writes down when each request arrives, and answers late,
 * wrongly or not at all, as configured. It counts by sliding windows, over the arrivals, after the fact.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Clock } from '../../src/core/clock.js';
import { readAddresses, type ServiceAddresses } from '../../src/config/service-addresses.js';

export interface ReceivedRequest {
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** Sent as it stands instead of `body`. */
  readonly raw?: string | Buffer;
}

export type Behaviour = (arrival: ReceivedRequest, number: number) => Reply | 'silence' | 'reset';

export interface StubServer {
  readonly url: string;
  readonly addresses: ServiceAddresses;
  readonly requests: ReceivedRequest[];
  /** `request 1`, `response 1`, …, in the order in which they happened. */
  readonly exchanges: readonly string[];
  behave(behaviour: Behaviour): void;
  stop(): Promise<void>;
}

export interface StubServerOptions {
  /** Gives `atMs`; the process's own time by default. */
  readonly clock?: Pick<Clock, 'monotonicMs'>;
  /** From the arrival to the answer; a function is asked for each. */
  readonly latencyMs?: number | (() => number);
}

const OK: Behaviour = () => ({ body: { result: 'ok' } });

export async function startStubServer(options: StubServerOptions = {}): Promise<StubServer> {
  const arrivals: ReceivedRequest[] = [];
  const exchanges: string[] = [];
  const sockets = new Set<Socket>();
  let behaviour = OK;
  const server = createServer((request, response) => {
    const atMs = options.clock?.monotonicMs() ?? performance.now();
    void text(request).then((body) => {
      const { method = '', url: path = '', headers } = request;
      const arrival = { atMs, method, path, headers, body };
      const number = arrivals.push(arrival);
      exchanges.push(`request ${number}`);
      const reply = behaviour(arrival, number);
      const { latencyMs = 0 } = options;
      const ms = typeof latencyMs === 'number' ? latencyMs : latencyMs();
      setTimeout(() => {
        exchanges.push(`response ${number}`);
        answer(request, response, reply);
      }, ms);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    addresses: readAddresses({ apiUrl: url, authUrl: url, networkUrl: url, realm: 'practice' }),
    requests: arrivals,
    exchanges,
    behave(next) {
      behaviour = next;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, reply: ReturnType<Behaviour>) {
  if (reply === 'silence') return;
  if (reply === 'reset') {
    request.socket.resetAndDestroy();
    return;
  }
  response.writeHead(reply.status ?? 200, {
    'content-type': 'application/json',
    ...reply.headers,
  });
  response.end(reply.raw ?? JSON.stringify(reply.body ?? {}));
}

/** The most arrivals that lie within any `periodMs`, by a window that slides and is half open. */
export function maxRequestsInWindow(timesMs: readonly number[], periodMs: number): number {
  const sorted = [...timesMs].sort((a, b) => a - b);
  let first = 0;
  let most = 0;
  sorted.forEach((atMs, at) => {
    while (atMs - (sorted[first] ?? atMs) >= periodMs) first += 1;
    most = Math.max(most, at - first + 1);
  });
  return most;
}
