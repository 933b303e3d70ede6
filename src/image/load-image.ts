/**
 * One load of one page: asks for it, streams it to a file, and proves it. What comes back is what
 * the health report wants to know (spec 2.5), good or bad; a load never throws for anything the node did.
 */
import type { FileHandle } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { IncomingMessage } from 'node:http';
import type { Got } from 'got';
import { imageExtension, SIGNATURE_BYTES } from './format.js';
import type { Clock } from '../core/clock.js';
import { toStorageError, removeFile, replaceFile } from '../core/files.js';
import type { ServiceClient } from '../api/client.js';
import { ImageBody } from './image-body.js';
import { checkImage, failed, notAnImage, refusal, type ImageCheck } from './image-check.js';
import { nodeMessage, loadReasonOf, findLoadError } from './load-reason.js';

export interface ImageRequest {
  readonly url: URL;
  /** Where the bytes go; replaced if it is there, and removed where no image came. */
  readonly file: string;
  /** The sha256 that the name promises, lower-case hex. */
  readonly expectedDigest: string | undefined;
  /** Memory to gather the bytes in before they are written, for this load alone; made where absent. */
  readonly buffer?: Buffer;
  /** Told of bytes as they arrive, for a progress bar. */
  readonly onBytes?: (bytes: number) => void;
  /**
   * Told when the last byte is there, of a picture that is still to be hashed as a whole: the line is free meanwhile.
   * A larger one was hashed on its way, and keeps its room to itself until it is proven.
   */
  readonly onReceived?: () => void;
}

interface Measured {
  /** Bytes of the body as they arrived, also of an error page; 0 when nothing answered (spec 2.5). */
  readonly bytes: number;
  /** The whole load, until its last byte was there, in whole milliseconds. */
  readonly durationMs: number;
  /** Whether `X-Cache` begins with HIT. */
  readonly cached: boolean;
  /** Whether the node sent a response at all. */
  readonly responded: boolean;
}

export type ImageOutcome = Measured & ImageCheck;

export interface ImageLoaderDeps {
  /** The page client: a got instance that never sees a token. */
  readonly page: Got;
  /** Page loads from the service's own hosts need a place like any other request. */
  readonly admit: ServiceClient['reserve'];
  readonly clock: Clock;
  readonly maxPageBytes: number;
}

/**
 * So much is gathered before it is hashed and written: a write costs far more than the bytes in it, and most pages
 * are hashed when the next one is asked for already, in the time that its first byte takes.
 */
const WRITTEN_AT_ONCE_BYTES = 1024 * 1024;

/** For `ImageRequest.room`: whoever loads many pages uses the same again, so that none waits to be collected. */
export function allocatePageBuffer(): Buffer {
  return Buffer.allocUnsafeSlow(WRITTEN_AT_ONCE_BYTES);
}
/** Of an error page no more than this is read. */
const ERROR_PAGE_BYTES = 64 * 1024;

/**
 * Loads `request.url` into `request.file`. Throws only what is not the node's doing: an interruption, a
 * StorageError, a cooldown of the service, and LoadError('bad-page-url') where no connection may be opened.
 */
export async function loadImage(
  loader: ImageLoaderDeps,
  request: ImageRequest,
  signal?: AbortSignal,
): Promise<ImageOutcome> {
  const place = await loader.admit({ method: 'GET', url: request.url }, signal);
  const startedMs = loader.clock.monotonicMs();
  const body = new ImageBody(loader.maxPageBytes);
  let response: IncomingMessage | undefined;
  let verdict: ImageCheck;
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
    if (error instanceof LocalFailure) throw toStorageError(error.cause, request.file);
    const refused = findLoadError(error);
    if (refused) throw refused;
    // A mistake of our own, which no node shall be reported for.
    if (error instanceof TypeError && !('code' in error)) throw error;
    verdict = failed(loadReasonOf(error, body.bytes), nodeMessage(error));
  } finally {
    stream.destroy();
    await place?.settle(
      response ? { status: response.statusCode ?? 0, headers: response.headers } : undefined,
    );
  }
  const durationMs = Math.round((arrivedMs ?? loader.clock.monotonicMs()) - startedMs);
  const responded = response !== undefined;
  return { ...verdict, bytes: body.bytes, durationMs, cached: isCacheHit(response), responded };
}

/** A load under way: what was asked for, and what has come of it. */
interface Load {
  readonly request: ImageRequest & { readonly onArrived: () => void };
  readonly body: ImageBody;
  readonly chunks: AsyncIterator<Buffer>;
  readonly head: IncomingMessage | undefined;
}

async function receive(
  stream: AsyncIterable<Buffer>,
  response: () => IncomingMessage | undefined,
  request: Load['request'],
  body: ImageBody,
): Promise<ImageCheck> {
  const chunks = stream[Symbol.asyncIterator]();
  const first = await chunks.next();
  const head = response();
  const status = head?.statusCode ?? 0;
  if (status !== 200) {
    await countErrorPage(first, chunks, body);
    return refusal(status);
  }
  const file = await local(replaceFile(request.file));
  let verdict: ImageCheck | undefined;
  try {
    verdict = await store(first, { request, body, chunks, head }, file);
    return verdict;
  } finally {
    await file.close();
    if (!verdict?.ok && !verdict?.image) await local(removeFile(request.file));
  }
}

/** Brings the body into the file as it arrives, and judges it. */
async function store(
  first: IteratorResult<Buffer>,
  { request, body, chunks, head }: Load,
  file: FileHandle,
): Promise<ImageCheck> {
  const gathered = request.buffer ?? allocatePageBuffer();
  let gatheredBytes = 0;
  const write = async (): Promise<void> => {
    const piece = gathered.subarray(0, gatheredBytes);
    const writing = local(file.writeFile(piece));
    body.hash(piece);
    await writing;
    gatheredBytes = 0;
  };
  for (let step = first; !step.done; step = await chunks.next()) {
    const tellsAlready = body.head.length >= SIGNATURE_BYTES;
    if (!body.take(step.value)) return failed('too-large', `More than ${body.bytes} bytes came.`);
    if (!tellsAlready && body.head.length >= SIGNATURE_BYTES && !imageExtension(body.head))
      return notAnImage(head);
    request.onBytes?.(step.value.length);
    for (let taken = 0; taken < step.value.length;) {
      const bytes = step.value.copy(gathered, gatheredBytes, taken);
      taken += bytes;
      gatheredBytes += bytes;
      if (gatheredBytes === gathered.length) await write();
    }
  }
  request.onArrived();
  const isInMemory = gatheredBytes === body.bytes;
  if (isInMemory) {
    request.onReceived?.();
    // Whoever waited for the line sends the next request now.
    await setImmediate();
  }
  if (gatheredBytes > 0) await write();
  return checkImage(head, request.expectedDigest, body, async () =>
    isInMemory ? gathered.subarray(0, body.bytes) : readAll(file, body.bytes),
  );
}

async function readAll(file: FileHandle, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await local(file.read(Buffer.alloc(bytes), 0, bytes, 0));
  return buffer.subarray(0, bytesRead);
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
