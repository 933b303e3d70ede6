/** One load of one image: what is received, what it is worth, and what is left on the disk. */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redactor } from '../../../../src/core/redactor.js';
import { openConnections, type Connections } from '../../../../src/service/requests/connections.js';
import { interruptedError } from '../../../../src/core/errors.js';
import { loadImage, type ImageRequest } from '../../../../src/service/load-image.js';
import { generateChapter } from '../../../../src/practice-server/library/library.js';
import { readAddresses } from '../../../../src/config/service-addresses.js';
import { skippingClock } from '../../../support/fake-clock.js';
import { LIMITS } from '../../../support/test-client.js';

const [page] = generateChapter({ pages: 1, bytesPerPage: 50_000 }).pages('data');
const image = Buffer.from(page?.bytes() ?? '');
const digest = createHash('sha256').update(image).digest('hex');

let folder: string;
let server: Server;
let connections: Connections;
/** What the node does with each connection, after the request has arrived. */
let respond: (socket: Socket) => void;
const sockets = new Set<Socket>();
/** Bodies are read in chunks where there is a limit, and else straight into the buffer. */
let hasRateLimit = false;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-load-image-'));
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      respond(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const addresses = readAddresses({
    apiUrl: 'http://127.0.0.1:1',
    authUrl: 'http://127.0.0.1:1',
    networkUrl: 'http://127.0.0.1:1',
    realm: 'practice',
  });
  connections = await openConnections(LIMITS, {}, addresses);
});
afterEach(async () => {
  connections.close();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const file = () => join(folder, '1.part');

function load(
  change: Partial<ImageRequest> = {},
  {
    signal,
    pauseMs = 0,
    pause = () => Promise.resolve(),
    isLimited = hasRateLimit,
  }: {
    signal?: AbortSignal;
    pauseMs?: number;
    pause?: () => Promise<void>;
    isLimited?: boolean;
  } = {},
) {
  const clock = skippingClock();
  const { port } = server.address() as AddressInfo;
  return loadImage(
    {
      page: connections.page,
      reserve: () => Promise.resolve(undefined),
      clock,
      redactor: new Redactor(),
      maxPageBytes: 200_000,
      ...(isLimited && {
        bandwidth: {
          take: () => {
            clock.advance(pauseMs);
            return pause();
          },
        },
      }),
    },
    { url: new URL(`http://127.0.0.1:${port}/t/data/h/1.png`), file: file(), ...change },
    signal,
  );
}

const head = (status: string, headers: Readonly<Record<string, string | number>> = {}) =>
  `HTTP/1.1 ${status}\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;

/** Sends the response and ends the connection, also where the body is shorter than announced. */
function send(status: string, headers: Readonly<Record<string, string | number>>, body: Buffer) {
  respond = (socket) => {
    socket.write(head(status, headers));
    socket.end(body);
  };
}
const sendImage = (headers: Readonly<Record<string, string>> = {}) => {
  send('200 OK', { 'Content-Length': image.length, ...headers }, image);
};

describe.each([
  ['read into the buffer', false],
  ['read in chunks', true],
])('%s', (_, isLimited) => {
  beforeEach(() => {
    hasRateLimit = isLimited;
  });

  describe('an image', () => {
    test.each([
      ['of the usual size', undefined],
      ['smaller than the image', () => Buffer.alloc(1_000)],
    ])('is in the file, with a buffer %s', async (_, takeBuffer) => {
      sendImage({ 'X-Cache': 'HIT from edge' });
      let arrived = 0;
      const onBytes = (bytes: number): void => {
        arrived += bytes;
      };
      const outcome = await load({ expectedDigest: digest, takeBuffer, onBytes });
      expect(outcome).toMatchObject({
        ok: true,
        digest,
        extension: 'png',
        bytes: image.length,
        cached: true,
        responded: true,
      });
      expect(readFileSync(file()).equals(image)).toBe(true);
      expect(arrived).toBe(image.length);
    });

    test('that fits into the buffer releases its slot before it is in the file; a larger one does not', async () => {
      const released: boolean[] = [];
      const onReceived = (): void => {
        released.push(!existsSync(file()));
      };
      sendImage();
      await load({ onReceived });
      expect(released).toEqual([true]);
      await load({ onReceived, takeBuffer: () => Buffer.alloc(1_000) });
      expect(released).toEqual([true]);
    });

    test('takes as long as the node took, without our own pauses', async () => {
      sendImage();
      expect(await load({}, { pauseMs: 1_000, isLimited: true })).toMatchObject({
        ok: true,
        durationMs: 0,
      });
    });

    test('of another content is bad-digest and is kept in the file, for a second witness', async () => {
      sendImage();
      const outcome = await load({ expectedDigest: '0'.repeat(64) });
      expect(outcome).toMatchObject({ ok: false, reason: 'bad-digest', image: { digest } });
      expect(readFileSync(file()).equals(image)).toBe(true);
    });
  });

  describe('what is not the image leaves no file', () => {
    test.each<[string, string, Record<string, string | number>, Buffer, object]>([
      [
        'a body that ends early',
        '200 OK',
        { 'Content-Length': 60_000 },
        image,
        {
          reason: 'bad-length',
          bytes: image.length,
          message: 'The connection was closed before the end of the page.',
        },
      ],
      [
        'a page of HTML',
        '200 OK',
        { 'Content-Type': 'text/html' },
        Buffer.alloc(5_000, '<p>'),
        { reason: 'not-an-image' },
      ],
      [
        'an empty body',
        '200 OK',
        { 'Content-Length': 0 },
        Buffer.alloc(0),
        { reason: 'bad-length', bytes: 0 },
      ],
      [
        'more than the limit',
        '200 OK',
        {},
        Buffer.concat([image, Buffer.alloc(200_000)]),
        { reason: 'too-large' },
      ],
      [
        'an announced length over the limit',
        '200 OK',
        { 'Content-Length': 250_000 },
        Buffer.concat([image, Buffer.alloc(200_000)]),
        { reason: 'too-large' },
      ],
      [
        'a redirect',
        '302 Found',
        { Location: '/', 'Content-Length': 0 },
        Buffer.alloc(0),
        { reason: 'redirected' },
      ],
      [
        'an error page',
        '500 Oops',
        { 'Content-Length': 4 },
        Buffer.from('oops'),
        { reason: 'bad-status', bytes: 4 },
      ],
      [
        'an expired token',
        '403 Forbidden',
        { 'Content-Length': 2 },
        Buffer.from('no'),
        { reason: 'base-url-expired', bytes: 2 },
      ],
    ])('%s', async (_, status, headers, body, expected) => {
      send(status, headers, body);
      expect(await load()).toMatchObject({ ok: false, responded: true, ...expected });
      expect(readdirSync(folder)).toEqual([]);
    });

    test.each(['', 'expired'])(
      'an expired token whose error page breaks off after "%s" is still one',
      async (body) => {
        send('410 Gone', { 'Content-Length': 1_000 }, Buffer.from(body));
        expect(await load()).toMatchObject({ ok: false, reason: 'base-url-expired' });
        expect(readdirSync(folder)).toEqual([]);
      },
    );

    test.each([
      ['before more of it comes', true],
      ['with more of it', false],
    ])('HTML of an announced length is refused %s', async (_name, isSlow) => {
      const body = Buffer.alloc(150_000, '<p>');
      respond = (socket) => {
        socket.write(
          head('200 OK', { 'Content-Type': 'text/html', 'Content-Length': body.length }),
        );
        // Its first bytes come after the head.
        setTimeout(() => socket.write(isSlow ? body.subarray(0, 5_000) : body), 20);
      };
      const outcome = await load();
      expect(outcome).toMatchObject({ ok: false, reason: 'not-an-image' });
      if (isSlow) expect(outcome.bytes).toBe(5_000);
      expect(readdirSync(folder)).toEqual([]);
    });

    test('a connection that closes without a response', async () => {
      respond = (socket) => socket.end();
      const outcome = await load();
      expect(outcome).toMatchObject({ reason: 'connection-broken', responded: false, bytes: 0 });
      expect(readdirSync(folder)).toEqual([]);
    });

    test('counts what arrived while it waited for the limit of the rate', async () => {
      respond = (socket) => {
        socket.write(head('200 OK', { 'Content-Length': image.length }));
        socket.write(image.subarray(0, 20_000));
        setTimeout(() => socket.end(image.subarray(20_000, 30_000)), 20);
      };
      const outcome = await load({}, { pause: () => delay(100), isLimited: true });
      expect(outcome).toMatchObject({ reason: 'bad-length', bytes: 30_000 });
    });

    test('an interruption, which does not count as a failure of the node', async () => {
      const stop = new AbortController();
      respond = (socket) => {
        socket.write(head('200 OK', { 'Content-Length': image.length }));
        socket.write(image.subarray(0, 20_000));
      };
      const onBytes = (): void => {
        stop.abort(interruptedError());
      };
      await expect(load({ onBytes }, { signal: stop.signal })).rejects.toMatchObject({
        code: 'interrupted',
      });
      expect(readdirSync(folder)).toEqual([]);
    });
  });

  test('a failure of our own disk is not one of the node', async () => {
    sendImage();
    const missing = join(folder, 'missing', '1.part');
    await expect(load({ file: missing })).rejects.toMatchObject({ code: 'storage-failed' });
    expect(existsSync(missing)).toBe(false);
  });
});
