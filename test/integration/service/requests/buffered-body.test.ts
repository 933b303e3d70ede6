/** A body that is read straight into a buffer: what node:http makes of the same bytes without it decides. */
import fc from 'fast-check';
import { Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { selfSigned } from '../../../../src/practice-server/self-signed.js';
import { BufferedBody, bufferBodies } from '../../../../src/service/requests/buffered-body.js';
import { sendByNode } from '../../../../src/service/requests/node-request.js';
import { fuzzRuns } from '../../../support/long-run.js';

const BUFFER_BYTES = 1_000;

interface Reply {
  /** Written one after the other. */
  readonly pieces: readonly Buffer[];
  readonly end: 'none' | 'close' | 'destroy';
}

interface Outcome {
  readonly status?: number | undefined;
  readonly headers?: IncomingMessage['headers'];
  readonly body: string;
  readonly error?: string;
}

/** A server that gives the same reply to each request, and two ways to it. */
async function replyingServer(scheme: 'http' | 'https') {
  let reply: Reply = { pieces: [], end: 'none' };
  let connected = 0;
  const sockets = new Set<Socket>();
  const answer = async (socket: Socket): Promise<void> => {
    const { pieces, end } = reply;
    for (const piece of pieces) {
      socket.write(piece);
      // The next piece arrives in a read of its own.
      if (pieces.length > 1) await delay(1);
    }
    if (end === 'close') socket.end();
    if (end === 'destroy') socket.destroy();
  };
  const onConnection = (socket: Socket): void => {
    connected += 1;
    sockets.add(socket);
    socket.setNoDelay(true).on('error', () => undefined);
    socket.on('data', () => void answer(socket));
  };
  const server: Server =
    scheme === 'http' ? createServer(onConnection) : createTlsServer(selfSigned(), onConnection);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/x`);
  const newAgent = () =>
    scheme === 'http' ? new HttpAgent({ keepAlive: true }) : new HttpsAgent({ keepAlive: true });
  const plain = newAgent();
  const buffering = bufferBodies(newAgent());
  const send = async (body?: BufferedBody, signal?: AbortSignal): Promise<Outcome> => {
    let received = '';
    let response: IncomingMessage | undefined;
    const outcome = (error?: string): Outcome => ({
      status: response?.statusCode,
      headers: response?.headers,
      body: body?.length === undefined ? received : body.buffer.toString('latin1', 0, body.bytes),
      error,
    });
    try {
      response = await sendByNode(
        { url, body, signal },
        { method: 'GET', headers: {} },
        {
          agentFor: () => (body ? buffering : plain),
          timeoutMs: 10_000,
          options: { rejectUnauthorized: false },
        },
      );
      for await (const chunk of response) received += (chunk as Buffer).toString('latin1');
      return outcome();
    } catch (error) {
      return outcome((error as NodeJS.ErrnoException).code);
    }
  };
  return {
    send,
    reply: (change: Partial<Reply>) => (reply = { pieces: [], end: 'none', ...change }),
    connected: () => connected,
    closeIdle() {
      plain.destroy();
      buffering.destroy();
    },
    async close() {
      plain.destroy();
      buffering.destroy();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const newBody = (onBytes: (bytes: number) => void = () => undefined) =>
  new BufferedBody(() => Buffer.alloc(BUFFER_BYTES), onBytes);
const ok = (headers: string, body = ''): Buffer =>
  Buffer.from(`HTTP/1.1 200 OK\r\n${headers}\r\n${body}`, 'latin1');

describe.each(['http', 'https'] as const)('over %s', (scheme) => {
  let server: Awaited<ReturnType<typeof replyingServer>>;
  beforeAll(async () => {
    server = await replyingServer(scheme);
  });
  afterAll(() => server.close());

  test('a plain response is in the buffer, and its connection is used again', async () => {
    const text = 'x'.repeat(BUFFER_BYTES - 1);
    const before = server.connected();
    for (const cut of [0, 10, 500, BUFFER_BYTES - 1]) {
      const whole = ok(`content-length: ${text.length}\r\n`, text);
      const bodyStart = whole.length - text.length;
      server.reply({
        pieces: [whole.subarray(0, bodyStart + cut), whole.subarray(bodyStart + cut)],
      });
      const counted: number[] = [];
      const body = newBody((bytes) => counted.push(bytes));
      expect(await server.send(body)).toEqual({
        status: 200,
        headers: { 'content-length': String(text.length) },
        body: text,
      });
      expect(body.length).toBe(text.length);
      expect(counted.reduce((sum, bytes) => sum + bytes)).toBe(text.length);
    }
    expect(server.connected() - before).toBe(1);
  });

  test.each([
    ['has a chunked body', ok('transfer-encoding: chunked\r\n', '3\r\nabc\r\n0\r\n\r\n')],
    ['fills the buffer', ok('content-length: 1000\r\n', 'x'.repeat(BUFFER_BYTES))],
    ['is empty', ok('content-length: 0\r\n')],
    [
      'comes after 103 Early Hints',
      Buffer.concat([Buffer.from('HTTP/1.1 103 Hi\r\n\r\n'), ok('content-length: 1\r\n', 'a')]),
    ],
    ['has another status', Buffer.from('HTTP/1.1 404 No\r\ncontent-length: 2\r\n\r\nno')],
  ])('a response that %s has its body as usual', async (_, reply) => {
    server.reply({ pieces: [reply] });
    const expected = await server.send();
    const body = newBody();
    expect(await server.send(body)).toEqual(expected);
    expect(body).toMatchObject({ length: undefined, bytes: 0 });
    // The connection is not left in a state of that response.
    server.reply({ pieces: [ok('content-length: 1\r\n', 'b')] });
    const next = newBody();
    expect(await server.send(next)).toMatchObject({ status: 200, body: 'b' });
    expect(next.length).toBe(1);
  });

  test.each([
    ['a line', '\r\n'],
    ['a line and a response', '\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nzz'],
    ['a response', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nzz'],
    ['a line and other text', '\r\njunk'],
  ])('%s after the body does not reach the next response', async (_, extra) => {
    const first = ok('content-length: 30\r\n', 'x'.repeat(30) + extra);
    const cut = first.length - extra.length - 10;
    server.closeIdle();
    server.reply({ pieces: [first.subarray(0, cut), first.subarray(cut)] });
    const before = server.connected();
    // The next request is sent as soon as the body is read.
    const next = server.send(newBody()).then(() => {
      server.reply({ pieces: [ok('content-length: 2\r\n', 'ab')] });
      return server.send(newBody());
    });
    expect(await next).toMatchObject({ status: 200, body: 'ab' });
    expect(server.connected() - before).toBe(2);
  });

  test('an abort ends it at once, and nothing is read into the buffer any more', async () => {
    const stop = new AbortController();
    server.reply({ pieces: [ok('content-length: 900\r\n', 'abc'), Buffer.from('def')] });
    const counted: number[] = [];
    const body = newBody((bytes) => {
      counted.push(bytes);
      stop.abort(Object.assign(new Error('stopped'), { code: 'STOPPED' }));
    });
    expect(await server.send(body, stop.signal)).toMatchObject({ error: 'STOPPED' });
    await delay(20);
    // Both pieces may arrive at once.
    expect(counted).toEqual([body.bytes]);
  });

  test('any reply, in any pieces, is what it is without the buffer', async () => {
    await fc.assert(
      fc.asyncProperty(anyReply, async (reply) => {
        server.reply(reply);
        // A connection that the server is closing is not used again.
        server.closeIdle();
        const expected = await server.send();
        const outcome = await server.send(newBody());
        if (expected.error === undefined) expect(outcome).toEqual(expected);
        // How much had been read before the error is a matter of time.
        else expect({ ...outcome, body: '' }).toEqual({ ...expected, body: '' });
      }),
      { numRuns: fuzzRuns(1_500) },
    );
  });
});

const header = fc.oneof(
  fc.constantFrom(
    'Content-Type: image/png',
    'X-Cache: HIT',
    'Connection: close',
    'Connection: keep-alive',
    'Keep-Alive: timeout=5',
    'Transfer-Encoding: chunked',
    'X-Fold: a\r\n b',
    'X-Bare: a\nX-Next: b',
    'X-Content-Length: 7',
    'content-encoding: gzip',
    'no colon',
    'X-Long: ' + 'y'.repeat(3_000),
  ),
  fc.nat(1_200).map((bytes) => `Content-Length: ${bytes}`),
  fc.constantFrom(
    'content-length:3 ',
    'CONTENT-LENGTH:\t3',
    'Content-Length: 03',
    'Content-Length: +3',
    'Content-Length: 0x3',
    'Content-Length: ',
    'Content-Length: 99999999999999999999',
  ),
);

/** Mostly plain; the connection is closed at the end, since the length may be wrong. */
const anyReply = fc
  .record({
    status: fc.constantFrom(
      'HTTP/1.1 200 OK',
      'HTTP/1.1 200',
      'HTTP/1.1 200 OK',
      'HTTP/1.0 200 OK',
      'HTTP/1.1 206 P',
      'HTTP/1.1 204 N',
      'HTTP/1.1 100 C',
      'HTTP/1.1 2000 OK',
      'nonsense',
    ),
    bytes: fc.nat(1_100),
    hasLength: fc.integer({ min: 0, max: 9 }).map((n) => n > 1),
    headers: fc.array(header, { maxLength: 3 }),
    extra: fc.constantFrom('', '', '', 'zz', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nq'),
    missing: fc.constantFrom(0, 0, 0, 1, 40),
    cuts: fc.array(fc.nat(1_500), { maxLength: 4 }),
    end: fc.constantFrom<Reply['end']>('close', 'destroy'),
  })
  .map(({ status, bytes, hasLength, headers, extra, missing, cuts, end }): Reply => {
    const length = hasLength ? [`Content-Length: ${bytes}`] : [];
    const head = [status, ...length, ...headers, '', ''].join('\r\n');
    const body = 'b'.repeat(Math.max(0, bytes - missing));
    const whole = Buffer.from(head + body + extra, 'latin1');
    const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)), whole.length].sort(
      (a, b) => a - b,
    );
    const pieces = places.slice(1).map((place, index) => whole.subarray(places[index], place));
    return { pieces: pieces.filter(({ length: size }) => size > 0), end };
  });
