/**
 * The one adapter between the handlers and node:http(s): a listener on loopback that turns each request into
 * a record, and each answer's record into bytes, stops and silences. Closing it destroys every connection, so
 * that neither a hang nor an endless body outlives the service.
 */
import {
  createServer as createPlainServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { once } from 'node:events';
import {
  createServer as createTcpServer,
  isIP,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from 'node:net';
import { TLSSocket } from 'node:tls';
import type { EndpointRequest } from './endpoint.js';
import { sendAnswer, type Reply } from './send-reply.js';

/** The head of a request, as it came; the body follows when it is asked for. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: EndpointRequest['headers'];
  /** Whether TLS was spoken without naming the server. */
  readonly namelessTls: boolean;
  /** The whole body, `undefined` where it is larger than a request here may be. */
  body(): Promise<Buffer | undefined>;
}

export interface ListenOptions {
  /** Any free one where absent. */
  readonly port?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** The host in the origin: `127.0.0.1` where absent. The socket is bound to 127.0.0.1 in any case. */
  readonly name?: string;
  respond(arrival: ReceivedRequest, origin: string): Promise<Reply>;
}

export interface Listener {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** Refuses connections from now on, and breaks those that are there. Twice is harmless. */
  close(): Promise<void>;
  /** Listens again on the same port. */
  reopen(): Promise<void>;
}

const MAX_BODY_BYTES = 1024 * 1024;
/** A client's idle connection must not be closed under its next request. */
const KEEP_ALIVE_MS = 120_000;

async function readBody(message: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of message as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes <= MAX_BODY_BYTES) pieces.push(piece);
  }
  return bytes > MAX_BODY_BYTES ? undefined : Buffer.concat(pieces);
}

function arrivalOf(message: IncomingMessage, hostname: string): ReceivedRequest {
  const target = message.url ?? '/';
  const cut = target.indexOf('?');
  const { socket } = message;
  return {
    method: message.method ?? '',
    path: cut < 0 ? target : target.slice(0, cut),
    query: cut < 0 ? '' : target.slice(cut + 1),
    headers: message.headers,
    namelessTls:
      // An address is no server name (RFC 6066, section 3).
      isIP(hostname) === 0 &&
      socket instanceof TLSSocket &&
      !(socket as { servername?: unknown }).servername,
    body: () => readBody(message),
  };
}

function trackSockets(server: TcpServer): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {
      socket.destroy();
    });
  });
  return sockets;
}

/** Accepts connections on loopback, and never sends a byte over them: no TLS handshake, no answer. */
export async function listenSilently(): Promise<{
  readonly port: number;
  close(): Promise<void>;
}> {
  const server = createTcpServer();
  const sockets = trackSockets(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Listens on loopback. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const scheme = options.tls ? 'https' : 'http';
  const hostname = options.name ?? '127.0.0.1';
  let origin = '';
  const settings = {
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: 0,
    maxHeaderSize: 64 * 1024,
    ...(options.tls ? { ...options.tls, minVersion: 'TLSv1.2' as const } : {}),
  };
  const onRequest = (message: IncomingMessage, response: ServerResponse): void => {
    const arrival = arrivalOf(message, hostname);
    options
      .respond(arrival, origin)
      .then((reply) => sendAnswer(response, reply, arrival.method))
      // The other side went away, or the service is stopSignal: there is nobody left to answer.
      .catch(() => {
        response.destroy();
      });
  };
  const server: Server = options.tls
    ? createTlsServer(settings, onRequest)
    : createPlainServer(settings, onRequest);
  const sockets = trackSockets(server);
  server.on('tlsClientError', () => undefined);
  const open = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await open(options.port ?? 0);
  origin = `${scheme}://${hostname}:${port}`;
  return {
    origin,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async reopen() {
      if (!server.listening) await open(port);
    },
  };
}
