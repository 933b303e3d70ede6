/**
 * Puts an answer's record on the wire: whole, in chunks, cut short, stalled, reset, or not at all. Nothing here
 * waits longer than until the connection is gone.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type { Answer } from './endpoint.js';

/** What is to be sent, and what to call with the number of body bytes handed over, whenever it grows. */
export interface Reply {
  readonly answer: Answer;
  readonly sent: (bytes: number) => void;
}

const PIECE_BYTES = 64 * 1024;
const TRICKLE_BYTES = 16;
/** How long a connection without an answer is held before it is closed. */
const SILENCE_MS = 60_000;

const SWITCHING_PROTOCOLS =
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';

function* piecesOf(body: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
}

function resetConnection(socket: Socket): void {
  // A TLS socket has no way to reset what is beneath it; breaking it off is as near as it gets.
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

async function holdInSilence(response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  const tooLong = setTimeout(() => response.destroy(), SILENCE_MS).unref();
  try {
    await once(response, 'close');
  } finally {
    clearTimeout(tooLong);
  }
}

/** Resolves when the connection takes more, or is gone. */
async function roomIn(response: ServerResponse): Promise<void> {
  const done = new AbortController();
  const { signal } = done;
  try {
    if (response.destroyed) return;
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  } finally {
    done.abort();
  }
}

/** Writes the body's pieces as fast as they are taken; resolves early when the other side has gone. */
async function writePieces(
  response: ServerResponse,
  pieces: Iterable<Buffer>,
  manner: {
    readonly limit: number;
    readonly pauseMs: number;
    readonly sent: (bytes: number) => void;
  },
): Promise<void> {
  let bytes = 0;
  for (const piece of pieces) {
    const part = piece.subarray(0, manner.limit - bytes);
    if (response.destroyed || part.length === 0) return;
    const roomLeft = response.write(part);
    bytes += part.length;
    manner.sent(bytes);
    if (!roomLeft) await roomIn(response);
    if (manner.pauseMs > 0) await delay(manner.pauseMs, undefined, { ref: false });
  }
}

/** Status and headers, with the end of the body told as the framing says. */
function writeHead(
  response: ServerResponse,
  answer: Answer,
  body: Buffer | Iterable<Buffer>,
): void {
  const { delivery, headers = {} } = answer;
  const asked = delivery?.how === 'sent' ? delivery.framing : undefined;
  const framing = asked ?? (Buffer.isBuffer(body) ? 'length' : 'chunked');
  response.sendDate = headers['Date'] === undefined;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (framing === 'length' && Buffer.isBuffer(body) && !response.hasHeader('Content-Length')) {
    response.setHeader('Content-Length', body.length);
  }
  if (framing === 'until-close') {
    response.setHeader('Connection', 'close');
    response.removeHeader('Transfer-Encoding');
  }
  response.writeHead(answer.status);
  response.flushHeaders();
}

/** Answers the request of `response`. `method` is the request's: HEAD gets no body. */
export async function sendAnswer(
  response: ServerResponse,
  reply: Reply,
  method: string,
): Promise<void> {
  const { answer } = reply;
  const delivery = answer.delivery ?? { how: 'sent' };
  const { socket } = response;
  if (!socket) return;
  if (delivery.how === 'reset') {
    resetConnection(socket);
    return;
  }
  if (delivery.how === 'close') {
    socket.end();
    return;
  }
  if (delivery.how === 'upgrade') socket.write(SWITCHING_PROTOCOLS);
  if (delivery.how === 'silence' || delivery.how === 'upgrade') {
    await holdInSilence(response);
    return;
  }
  const given = answer.body ?? '';
  const body = typeof given === 'string' ? Buffer.from(given) : given;
  writeHead(response, answer, body);
  if (method !== 'HEAD') {
    const { stop, trickleMs: pauseMs = 0 } = delivery;
    const size = pauseMs > 0 ? TRICKLE_BYTES : PIECE_BYTES;
    const pieces = Buffer.isBuffer(body) ? piecesOf(body, size) : body;
    const limit = stop?.afterBytes ?? Infinity;
    await writePieces(response, pieces, { limit, pauseMs, sent: reply.sent });
    if (stop?.then === 'stall') await holdInSilence(response);
    // Ends the stream below HTTP: what was written is flushed, and the end comes without its due.
    if (stop?.then === 'cut') socket.end();
    if (stop) return;
  }
  response.end();
}
