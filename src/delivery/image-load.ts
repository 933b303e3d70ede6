/**
 * One load of one page: asks for it, streams it to a file, and proves it. What comes back is what
 * the health report wants to know (spec 2.5), good or bad; a load never throws for anything the node did.
 */
import { setImmediate } from 'node:timers/promises';
import type { IncomingMessage } from 'node:http';
import type { Got } from 'got';
import { endsWell } from '../archive/picture-end.js';
import { pictureExtension, TELLING_BYTES, type PictureExtension } from '../archive/media-type.js';
import type { Clock } from '../kernel/clock.js';
import { asStorageError, replaceFile } from '../kernel/files.js';
import type { ServiceClient } from '../service/client.js';
import { ImageBody } from './image-body.js';
import { nodeMessage, reasonOf, refusedAddress, type LoadReason } from './load-reason.js';

export interface ImageRequest {
  readonly url: URL;
  /** Where the bytes go; replaced if it is there. */
  readonly file: string;
  /** The sha256 that the name promises, lower-case hex. */
  readonly promisedDigest: string | undefined;
  /** Memory to gather the bytes in before they are written, for this load alone; made where absent. */
  readonly room?: Buffer;
  /** Told of bytes as they arrive, for a progress bar. */
  readonly onBytes?: (bytes: number) => void;
  /**
   * Told when the last byte is there, of a picture that is still to be hashed as a whole: the line is free meanwhile.
   * A larger one was hashed on its way, and keeps its room to itself until it is proven.
   */
  readonly onLineFree?: () => void;
}

interface Measured {
  /** Bytes of the body as they arrived, also of an error page; 0 when nothing answered (spec 2.5). */
  readonly bytes: number;
  /** The whole load, until its last byte was there, in whole milliseconds. */
  readonly durationMs: number;
  /** Whether `X-Cache` begins with HIT. */
  readonly cached: boolean;
}

/** A whole picture: what its bytes hash to, and what its first bytes say it is. */
interface Picture {
  readonly digest: string;
  readonly crc32: number;
  readonly extension: PictureExtension;
}

export type ImageOutcome =
  | (Measured & Picture & { readonly ok: true })
  | (Measured & {
      readonly ok: false;
      readonly reason: LoadReason;
      readonly message: string;
      /** With `bad-digest`: the picture that came instead; it is in the file. */
      readonly picture?: Picture;
    });

export interface ImageLoader {
  /** The page client: a got instance that never sees a token. */
  readonly page: Got;
  /** Page loads from the service's own hosts need a place like any other request. */
  readonly admit: ServiceClient['admit'];
  readonly clock: Clock;
  readonly maxPageBytes: number;
}

/**
 * So much is gathered before it is hashed and written: a write costs far more than the bytes in it, and most pages
 * are hashed when the next one is asked for already, in the time that its first byte takes.
 */
const WRITTEN_AT_ONCE_BYTES = 1024 * 1024;

/** For `ImageRequest.room`: whoever loads many pages uses the same again, so that none waits to be collected. */
export function gatheringRoom(): Buffer {
  return Buffer.allocUnsafeSlow(WRITTEN_AT_ONCE_BYTES);
}
/** Of an error page no more than this is read. */
const ERROR_PAGE_BYTES = 64 * 1024;

/**
 * Loads `request.url` into `request.file`. Throws only what is not the node's doing: an interruption, a
 * StorageError, a cooldown of the service, and LoadError('bad-page-url') where no connection may be opened.
 */
export async function loadImage(
  loader: ImageLoader,
  request: ImageRequest,
  signal?: AbortSignal,
): Promise<ImageOutcome> {
  const place = await loader.admit({ method: 'GET', url: request.url }, signal);
  const startedMs = loader.clock.monotonicMs();
  const body = new ImageBody(loader.maxPageBytes);
  let response: IncomingMessage | undefined;
  let verdict: Verdict;
  let arrivedMs: number | undefined;
  const onArrived = (): void => {
    arrivedMs = loader.clock.monotonicMs();
  };
  const stream = loader.page.stream(request.url, signal ? { signal } : {});
  stream.once('response', (head: IncomingMessage) => {
    response = head;
  });
  // Once destroyed, the stream may still complain; by then its outcome stands.
  stream.on('error', () => undefined);
  try {
    verdict = await receive(stream, () => response, { ...request, onArrived }, body);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof LocalFailure) throw asStorageError(error.cause, request.file);
    const refused = refusedAddress(error);
    if (refused) throw refused;
    // A mistake of our own, which no node shall be reported for.
    if (error instanceof TypeError && !('code' in error)) throw error;
    verdict = failed(reasonOf(error, body.bytes), nodeMessage(error));
  } finally {
    stream.destroy();
    await place?.settle(
      response ? { status: response.statusCode ?? 0, headers: response.headers } : undefined,
    );
  }
  const durationMs = Math.round((arrivedMs ?? loader.clock.monotonicMs()) - startedMs);
  return { ...verdict, bytes: body.bytes, durationMs, cached: isCacheHit(response) };
}

type Verdict =
  | ({ readonly ok: true } & Picture)
  | {
      readonly ok: false;
      readonly reason: LoadReason;
      readonly message: string;
      readonly picture?: Picture;
    };

function failed(reason: LoadReason, message: string, picture?: Picture): Verdict {
  return { ok: false, reason, message, ...(picture ? { picture } : {}) };
}

async function receive(
  stream: AsyncIterable<Buffer>,
  response: () => IncomingMessage | undefined,
  request: ImageRequest & { readonly onArrived: () => void },
  body: ImageBody,
): Promise<Verdict> {
  const chunks = stream[Symbol.asyncIterator]();
  const first = await chunks.next();
  const head = response();
  const status = head?.statusCode ?? 0;
  if (status !== 200) {
    await countErrorPage(first, chunks, body);
    return refusal(status);
  }
  const file = await local(replaceFile(request.file));
  try {
    const gathered = request.room ?? gatheringRoom();
    let gatheredBytes = 0;
    const write = async (): Promise<void> => {
      const piece = gathered.subarray(0, gatheredBytes);
      const writing = local(file.writeFile(piece));
      body.hash(piece);
      await writing;
      gatheredBytes = 0;
    };
    for (let step = first; !step.done; step = await chunks.next()) {
      const tellsAlready = body.head.length >= TELLING_BYTES;
      if (!body.take(step.value)) return failed('too-large', `More than ${body.bytes} bytes came.`);
      if (!tellsAlready && body.head.length >= TELLING_BYTES && !pictureExtension(body.head))
        return notAPicture(head);
      request.onBytes?.(step.value.length);
      for (let taken = 0; taken < step.value.length;) {
        const bytes = step.value.copy(gathered, gatheredBytes, taken);
        taken += bytes;
        gatheredBytes += bytes;
        if (gatheredBytes === gathered.length) await write();
      }
    }
    request.onArrived();
    if (gatheredBytes === body.bytes) {
      request.onLineFree?.();
      // Whoever waited for the line sends the next request now.
      await setImmediate();
    }
    if (gatheredBytes > 0) await write();
  } finally {
    await file.close();
  }
  return judge(head, request, body);
}

/** The whole body is there: is it the page? */
function judge(head: IncomingMessage | undefined, request: ImageRequest, body: ImageBody): Verdict {
  if (body.bytes === 0) return failed('bad-length', 'An empty answer came.');
  const announced = Number(head?.headers['content-length'] ?? body.bytes);
  if (announced !== body.bytes)
    return failed('bad-length', `${body.bytes} bytes came, ${announced} were announced.`);
  const extension = pictureExtension(body.head);
  if (!extension) return notAPicture(head);
  if (!hasKnownEnd(head) && !endsWell(extension, body.head, body.tail, body.bytes)) {
    return failed('bad-length', `The picture breaks off after ${body.bytes} bytes.`);
  }
  const picture: Picture = { digest: body.digest(), crc32: body.crc32, extension };
  if (request.promisedDigest !== undefined && picture.digest !== request.promisedDigest) {
    return failed(
      'bad-digest',
      `The bytes have the sha256 ${picture.digest}, not the one in the name.`,
      picture,
    );
  }
  return { ok: true, ...picture };
}

/** Whether HTTP itself tells where the body ends (RFC 9112, section 6.3); otherwise it ends where the connection does. */
function hasKnownEnd(head: IncomingMessage | undefined): boolean {
  return (
    head?.headers['content-length'] !== undefined ||
    head?.headers['transfer-encoding'] !== undefined
  );
}

function notAPicture(head: IncomingMessage | undefined): Verdict {
  return failed(
    'not-a-picture',
    `What came is no picture (${head?.headers['content-type'] ?? 'no type given'}).`,
  );
}

function refusal(status: number): Verdict {
  if (status === 403) return failed('base-url-expired', 'The node answered 403.');
  if (status >= 300 && status < 400) return failed('redirected', `The node answered ${status}.`);
  return failed('bad-status', `The node answered ${status}.`);
}

async function countErrorPage(
  first: IteratorResult<Buffer>,
  rest: AsyncIterator<Buffer>,
  body: ImageBody,
): Promise<void> {
  for (let step = first; !step.done && body.bytes < ERROR_PAGE_BYTES; step = await rest.next())
    body.take(step.value);
}

function isCacheHit(response: IncomingMessage | undefined): boolean {
  const header = response?.headers['x-cache'];
  return typeof header === 'string' && /^hit/i.test(header);
}

/** What our own disk or process refused: no doing of the node's, and nothing to report of it. */
class LocalFailure extends Error {}

async function local<T>(act: Promise<T>): Promise<T> {
  try {
    return await act;
  } catch (cause) {
    throw new LocalFailure('A local file could not be written.', { cause });
  }
}
