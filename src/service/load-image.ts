/**
 * Loads one image to a file and verifies it. The result has what a health report needs (spec 2.5); failures of the
 * node are results, not exceptions.
 */
import { thrownMessage } from '../core/errors.js';
import type { IncomingMessage } from 'node:http';
import type { ServiceClient } from './client.js';
import type { GetPage } from './requests/get-page.js';
import { findLedgerError } from './requests/guarded-request.js';
import type { Clock } from '../core/clock.js';
import type { Redactor } from '../core/redactor.js';
import { toStorageError } from '../core/files.js';
import type { BandwidthLimit } from './pages/bandwidth-limit.js';
import { checkStatus, failed, type ImageCheck } from './pages/image-check.js';
import { loadReasonOf, findLoadError } from './load-reason.js';
import { ImageReceiver, LocalFailure, type ReceiveOptions } from './pages/receive-image.js';

export type { CheckedImage } from './pages/image-check.js';
export { allocatePageBuffer } from './pages/receive-image.js';

export interface ImageRequest extends ReceiveOptions {
  readonly url: URL;
}

interface LoadStatistics {
  /** Bytes of the body, also of an error page; 0 if nothing responded (spec 2.5). */
  readonly bytes: number;
  /** The whole load, until its last byte. */
  readonly durationMs: number;
  /** Whether `X-Cache` begins with HIT. */
  readonly cached: boolean;
  /** Whether the node sent a response at all. */
  readonly responded: boolean;
  /** The whole body in the buffer of the request, if it fits into it. */
  readonly content?: Buffer | undefined;
}

export type ImageOutcome = LoadStatistics & ImageCheck;

export interface ImageLoaderDeps {
  readonly page: GetPage;
  /** Page loads from the service's own hosts count against its rate limits. */
  readonly reserve: ServiceClient['reserve'];
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly maxPageBytes: number;
  /** Shared by all loads. */
  readonly bandwidth?: BandwidthLimit;
}

/** Node says only "aborted" of a body that was not complete. */
function brokenMessage(error: unknown): string {
  const message = thrownMessage(error);
  return message === 'aborted' ? 'The connection was closed before the end of the page.' : message;
}

/**
 * Loads `request.url` into `request.file`. Throws only what the node did not cause: an interruption, a StorageError,
 * a rate limit, and LoadError('bad-page-url') for an address that must not be connected to.
 */
export async function loadImage(
  { page, reserve, clock, redactor, maxPageBytes, bandwidth }: ImageLoaderDeps,
  request: ImageRequest,
  signal?: AbortSignal,
): Promise<ImageOutcome> {
  const permit = await reserve({ method: 'GET', url: request.url }, signal);
  const startedMs = clock.monotonicMs();
  let response: IncomingMessage | undefined;
  let check: ImageCheck;
  const pause = async (bytes: number) => bandwidth?.take(bytes, signal);
  const receiver = new ImageReceiver(request, maxPageBytes, clock, pause);
  try {
    const body = bandwidth ? undefined : receiver.body;
    response = await page({ url: request.url, signal, permit, body });
    void permit?.settle({ status: response.statusCode ?? 0, headers: response.headers });
    check = await receiver.receive(response);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof LocalFailure) throw toStorageError(error.cause, request.file);
    const knownError = findLoadError(error) ?? findLedgerError(error);
    if (knownError) throw knownError;
    // A bug of ours, which must not be reported as a failure of the node.
    if (error instanceof TypeError && !('code' in error)) throw error;
    const message = redactor.redact(brokenMessage(error));
    // A status that refuses the page counts, even if its body breaks off.
    const refusal = response && checkStatus(response.statusCode ?? 0);
    check = refusal ?? failed(loadReasonOf(error, receiver.bytes), message);
  } finally {
    response?.destroy();
    await permit?.settle();
  }
  const { receivedAtMs = clock.monotonicMs() } = receiver;
  // What arrived while a part before it was written, and was not read when the body ended early.
  const unreadBytes = receiver.isBuffered ? 0 : (response?.readableLength ?? 0);
  return {
    ...check,
    bytes: receiver.bytes + unreadBytes,
    // Without our own pauses, which say nothing about the node.
    durationMs: Math.max(0, Math.round(receivedAtMs - startedMs - receiver.pausedMs)),
    cached: /^hit/i.test(String(response?.headers['x-cache'] ?? '')),
    responded: response !== undefined,
    content: receiver.content,
  };
}
