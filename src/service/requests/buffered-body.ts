/**
 * Reads the body of a page from its connection straight into a buffer. Node allocates each chunk of a body twice, copies it
 * twice and passes it through a stream: half of the processor time of a large page.
 *
 * node:http keeps the request, the headers, the errors and the connection. It is given the response with a body of one
 * byte, which follows when the last byte of the real one has arrived. Other responses reach it as they are: those without
 * a length or with a status other than 200, those that are larger than the buffer, and those whose headers arrive in pieces.
 */
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

export class BufferedBody {
  /** How much of the body the buffer has. */
  bytes = 0;
  /** It is set with the response, in bytes; undefined if that has its body as usual. */
  length: number | undefined;
  #buffer: Buffer | undefined;

  /**
   * @param takeBuffer called once, when bytes have arrived
   * @param onBytes called with the number of bytes that were added
   */
  constructor(
    readonly takeBuffer: () => Buffer,
    readonly onBytes: (bytes: number) => void,
  ) {}

  get buffer(): Buffer {
    return (this.#buffer ??= this.takeBuffer());
  }
}

/** Each connection has a buffer of this size for all but these bodies. */
const CHUNK_BYTES = 64 * 1024;
const NO_BYTES = Buffer.alloc(0);
const ONE_BYTE = Buffer.from('1');

const readers = new WeakMap<object, ConnectionReader>();

/** Makes the connections of an agent read into their buffers the bodies that `expectBody` announces. Returns the agent. */
export function bufferBodies<Kind extends Agent>(agent: Kind): Kind {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, onCreated) => {
    const reader = new ConnectionReader();
    const onread = { buffer: reader.nextBuffer, callback: reader.read };
    const socket = connect({ ...options, onread } as typeof options, onCreated);
    if (socket) {
      reader.socket = socket;
      readers.set(socket, reader);
    }
    return socket;
  };
  return agent;
}

/** Reads the body of the response into the buffer, if the agent buffers bodies and the response is a plain one. */
export function expectBody(request: ClientRequest, body: BufferedBody): void {
  request.once('socket', (socket) => {
    const reader = readers.get(socket);
    reader?.expect(body);
    request.once('response', (response) => reader?.accept(response));
  });
}

class ConnectionReader {
  socket: Duplex | undefined;
  /** It belongs to the next response, or to the one that is being read. */
  #body: BufferedBody | undefined;
  /** It is set while node:http parses it. */
  #head: ResponseHead | undefined;
  #chunk: Buffer | undefined;

  expect(body: BufferedBody): void {
    this.#body = body;
  }

  accept({ headers }: IncomingMessage): void {
    if (!this.#body || !this.#head) return;
    this.#body.length = this.#head.bodyBytes;
    headers['content-length'] = String(this.#head.bodyBytes);
  }

  /** The buffer of the next read. Node may ask for it again before it reads. */
  readonly nextBuffer = (): Buffer => {
    const body = this.#body;
    // A byte that follows the body is read too: it closes the connection.
    if (body?.length !== undefined) return body.buffer.subarray(body.bytes, body.length + 1);
    return (this.#chunk ??= Buffer.allocUnsafeSlow(CHUNK_BYTES));
  };

  /** @returns true: Node goes on reading */
  readonly read = (bytes: number, buffer: Uint8Array): true => {
    const body = this.#body;
    const chunk = Buffer.from(buffer.buffer, buffer.byteOffset, bytes);
    const head = body && body.length === undefined && parseHead(chunk);
    if (!body || head === undefined) this.#pass(chunk);
    else if (head && head.bodyBytes >= body.buffer.length) this.#pass(chunk);
    else if (head) this.#begin(body, head, chunk);
    else this.#add(body, chunk);
    return true;
  };

  #begin(body: BufferedBody, head: ResponseHead, chunk: Buffer): void {
    const part = chunk.subarray(head.bytes);
    part.copy(body.buffer, 0, 0, head.bodyBytes);
    this.#head = head;
    const text = Buffer.from(head.withOneByte, 'latin1');
    const isWhole = part.length >= head.bodyBytes;
    if (isWhole) this.#finish(part.subarray(head.bodyBytes), text);
    else this.#emit(text);
    this.#head = undefined;
    // node:http refused the head.
    if (body.length === undefined) this.#body = undefined;
    else addBytes(body, Math.min(part.length, head.bodyBytes));
  }

  /** @param chunk is in the buffer already */
  #add(body: BufferedBody, chunk: Buffer): void {
    const missing = (body.length ?? 0) - body.bytes;
    addBytes(body, Math.min(chunk.length, missing));
    if (chunk.length >= missing) this.#finish(chunk.subarray(missing));
  }

  /** @param extra follows the body: node:http may refuse it, and the rest of it would reach the next response */
  #finish(extra: Buffer, head = NO_BYTES): void {
    this.#emit(Buffer.concat([head, ONE_BYTE, extra]));
    this.#body = undefined;
    if (extra.length > 0) this.socket?.destroy();
  }

  /** @param chunk is read into again */
  #pass(chunk: Buffer): void {
    this.#body = undefined;
    this.#emit(Buffer.from(chunk));
  }

  #emit(chunk: Buffer): void {
    this.socket?.emit('data', chunk);
  }
}

function addBytes(body: BufferedBody, bytes: number): void {
  body.bytes += bytes;
  if (bytes > 0) body.onBytes(bytes);
}

interface ResponseHead {
  /** With the empty line at its end. */
  readonly bytes: number;
  readonly bodyBytes: number;
  /** The head of a response whose body has one byte. */
  readonly withOneByte: string;
}

const STATUS_200 = /^HTTP\/1\.1 200[ \r]/;
const LENGTH = /\r\ncontent-length:[ \t]*([1-9]\d{0,14})(?=\r\n)/i;
/** Another way to give the length of a body, or a line that node:http may end elsewhere. */
const UNUSUAL = /content-length|transfer-encoding|upgrade|\n[ \t]|[^\r]\n|\r[^\n]|\0/i;

/** Returns undefined if `chunk` does not begin with the whole head of a plain response. */
function parseHead(chunk: Buffer): ResponseHead | undefined {
  const bytes = chunk.indexOf('\r\n\r\n') + 4;
  if (bytes < 4) return undefined;
  const text = chunk.toString('latin1', 0, bytes);
  const length = LENGTH.exec(text);
  if (!length || !STATUS_200.test(text)) return undefined;
  const before = text.slice(0, length.index);
  const after = text.slice(length.index + length[0].length);
  const bodyBytes = Number(length[1]);
  if (UNUSUAL.test(before) || UNUSUAL.test(after)) return undefined;
  return { bytes, bodyBytes, withOneByte: `${before}\r\nContent-Length: 1${after}` };
}
