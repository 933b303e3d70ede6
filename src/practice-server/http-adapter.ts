/**
 * Listens on loopback and converts between node:http(s) and plain objects. Closing a listener destroys its
 * connections, so that neither a hang nor an endless body outlives the server.
 */
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer as createTcpServer,
  isIP,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from 'node:net';
import { TLSSocket } from 'node:tls';
import { isSystemError } from '../core/files.js';
import type { EndpointRequest } from './endpoint.js';
import type { Certificate } from './self-signed.js';
import { sendResponse, type Reply } from './send-response.js';

export interface ReceivedRequest extends Pick<EndpointRequest, 'method' | 'path' | 'headers'> {
  readonly query: string;
  /** Whether the client used TLS without Server Name Indication. */
  readonly missingServerName: boolean;
  /** Reads the body; `undefined` if it is over 1 MiB. */
  readBody(): Promise<Buffer | undefined>;
}

export interface ListenOptions {
  /** Any free port by default. */
  readonly port?: number;
  /** A function is called at the first connection. */
  readonly tls?: Certificate | (() => Certificate);
  /** The host in the origin. The socket is always bound to 127.0.0.1. */
  readonly hostname: string;
  respond(request: ReceivedRequest, origin: string): Promise<Reply>;
}

export interface Listener {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** Refuses connections from now on and breaks existing ones. Idempotent. */
  close(): Promise<void>;
  /** Listens again on the same port. */
  reopen(): Promise<void>;
}

const MAX_BODY_BYTES = 1024 * 1024;
/** Longer than any pause of a client, whose next request must not meet a closing connection. */
const KEEP_ALIVE_MS = 120_000;

async function readBody(message: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return bytes > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks);
}

function receivedRequest(message: IncomingMessage, hostname: string): ReceivedRequest {
  const { method = '', url = '/', headers, socket } = message;
  const [path = '', ...rest] = url.split('?');
  return {
    method,
    path,
    query: rest.join('?'),
    headers,
    missingServerName:
      // A server name cannot be an address (RFC 6066, section 3).
      isIP(hostname) === 0 &&
      socket instanceof TLSSocket &&
      !(socket as { servername?: unknown }).servername,
    readBody: () => readBody(message),
  };
}

/** Below the ports that systems give to connections: a server that is closed finds its port free when it opens again. */
const MIN_PORT = 10_000;
const MAX_PORT = 32_000;

/** Binds the server to loopback. Its connections are destroyed when it closes. */
async function openServer(server: TcpServer, requestedPort = 0) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  });
  const open = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  if (requestedPort === 0) await openAnyPort(open);
  else await open(requestedPort);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async close(): Promise<void> {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async reopen(): Promise<void> {
      if (!server.listening) await open(port);
    },
  };
}

async function openAnyPort(open: (port: number) => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await open(randomInt(MIN_PORT, MAX_PORT));
      return;
    } catch (error) {
      if (!isSystemError(error, 'EADDRINUSE')) throw error;
    }
  }
}

/** Accepts connections and never sends a byte: no TLS handshake, no response. */
export const listenSilently = () => openServer(createTcpServer());

function createServer(tls: Certificate | undefined, respond: RequestListener): Server {
  const settings = {
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: 0,
    maxHeaderSize: 64 * 1024,
  };
  const server = tls
    ? createHttpsServer({ ...settings, ...tls, minVersion: 'TLSv1.2' })
    : createHttpServer(settings);
  return server.on('request', respond).on('tlsClientError', () => undefined);
}

/** Creates the server at its first connection. Certificates are half the time that a practice server takes to start. */
function createLateServer(create: () => Server): TcpServer {
  let server: Server | undefined;
  return createTcpServer((socket) => {
    server ??= create();
    server.emit('connection', socket);
  });
}

export async function listen({ tls, hostname, ...options }: ListenOptions): Promise<Listener> {
  let origin = '';
  const respond: RequestListener = (message, response) => {
    const request = receivedRequest(message, hostname);
    options
      .respond(request, origin)
      .then((reply) => sendResponse(response, reply, request.method))
      // The client has disconnected or the server is stopping.
      .catch(() => response.destroy());
  };
  const server =
    typeof tls === 'function'
      ? createLateServer(() => createServer(tls(), respond))
      : createServer(tls, respond);
  const opened = await openServer(server, options.port);
  origin = `${tls ? 'https' : 'http'}://${hostname}:${opened.port}`;
  return { ...opened, origin };
}
