/** Sends a response as its delivery says: complete, in chunks, cut short, stalled, reset, or not at all. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type { EndpointResponse } from './endpoint.js';

export interface Reply {
  readonly response: EndpointResponse;
  /** Called with the number of body bytes written so far, whenever it grows. */
  readonly onSent: (bytes: number) => void;
}

const CHUNK_BYTES = 64 * 1024;
const TRICKLE_BYTES = 16;
/** How long a connection without a response is kept open. */
const SILENCE_MS = 60_000;

const SWITCHING_PROTOCOLS =
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';

function* split(body: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
}

async function keepSilent(out: ServerResponse): Promise<void> {
  if (out.destroyed) return;
  const timer = setTimeout(() => out.destroy(), SILENCE_MS).unref();
  try {
    await once(out, 'close');
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves when the connection accepts more data or is gone. */
async function writable(out: ServerResponse): Promise<void> {
  if (out.destroyed) return;
  const done = new AbortController();
  const { signal } = done;
  try {
    await Promise.race([once(out, 'drain', { signal }), once(out, 'close', { signal })]);
  } finally {
    done.abort();
  }
}

interface WriteOptions {
  readonly maxBytes: number;
  readonly pauseMs: number;
  readonly onSent: Reply['onSent'];
}

/** Writes the chunks as fast as they are read; resolves early if the client disconnects. */
async function writeChunks(
  out: ServerResponse,
  chunks: Iterable<Buffer>,
  { maxBytes, pauseMs, onSent }: WriteOptions,
): Promise<void> {
  let bytes = 0;
  for (const chunk of chunks) {
    const part = chunk.subarray(0, maxBytes - bytes);
    if (out.destroyed || part.length === 0) return;
    const accepted = out.write(part);
    bytes += part.length;
    onSent(bytes);
    if (!accepted) await writable(out);
    if (pauseMs > 0) await delay(pauseMs, undefined, { ref: false });
  }
}

function writeHead(
  out: ServerResponse,
  { status, headers = {}, delivery }: EndpointResponse,
  body: Buffer | Iterable<Buffer>,
): void {
  const requested = delivery?.how === 'sent' ? delivery.framing : undefined;
  const framing = requested ?? (Buffer.isBuffer(body) ? 'length' : 'chunked');
  out.sendDate = headers['Date'] === undefined;
  for (const [name, value] of Object.entries(headers)) out.setHeader(name, value);
  if (framing === 'length' && Buffer.isBuffer(body) && !out.hasHeader('Content-Length')) {
    out.setHeader('Content-Length', body.length);
  }
  if (framing === 'until-close') {
    out.setHeader('Connection', 'close');
    out.removeHeader('Transfer-Encoding');
  }
  out.writeHead(status);
  out.flushHeaders();
}

/** Ends the TCP stream without ending the HTTP message. Node 26 sends what was written in the next turn. */
async function cut(socket: Socket): Promise<void> {
  await nextTurn();
  socket.end();
}

/** `method` is the request's: a response to HEAD has no body. */
export async function sendResponse(
  out: ServerResponse,
  { response, onSent }: Reply,
  method: string,
): Promise<void> {
  const { delivery = { how: 'sent' }, body: given = '' } = response;
  const { socket } = out;
  if (!socket) return;
  if (delivery.how === 'reset') {
    // A TLS socket cannot reset the connection beneath it.
    if (socket instanceof TLSSocket) socket.destroy();
    else socket.resetAndDestroy();
    return;
  }
  if (delivery.how === 'close') {
    socket.end();
    return;
  }
  if (delivery.how === 'upgrade') socket.write(SWITCHING_PROTOCOLS);
  if (delivery.how !== 'sent') return keepSilent(out);
  const body = typeof given === 'string' ? Buffer.from(given) : given;
  writeHead(out, response, body);
  if (method !== 'HEAD') {
    const { stop, trickleMs: pauseMs = 0 } = delivery;
    const size = pauseMs > 0 ? TRICKLE_BYTES : CHUNK_BYTES;
    const chunks = Buffer.isBuffer(body) ? split(body, size) : body;
    await writeChunks(out, chunks, { maxBytes: stop?.afterBytes ?? Infinity, pauseMs, onSent });
    if (stop?.then === 'stall') await keepSilent(out);
    if (stop?.then === 'cut') await cut(socket);
    if (stop) return;
  }
  out.end();
}
