/**
 * One request sent and its answer heard, once: what the loop in client.ts is made of. Whatever the service sends
 * is bounded here: its headers, its size once unpacked, its time.
 */
import { once } from 'node:events';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Got, Method } from 'got';
import { ServiceError } from '../core/errors.js';
import { parseJson } from '../core/json.js';

export interface OutgoingRequest {
  readonly method: Method;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: URLSearchParams;
  readonly signal?: AbortSignal | undefined;
  /** Told when the request has left: from here on there is time until the answer. */
  readonly onSent?: () => void;
}

/** An answer whose headers are there. */
export interface IncomingResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body, unpacked. Rejects with `bad-answer` where it is larger than the cap, or cannot be unpacked. */
  text(maxBytes: number): Promise<string>;
  /** Lets the body go unread. */
  discard(): void;
}

/** A request to which nothing came in time. */
export class ResponseTimeout extends ServiceError {}

/** Sends, and resolves with the headers. Throws `unreachable`, as a Silence where a time limit passed. */
export async function sendRequest(got: Got, outgoing: OutgoingRequest): Promise<IncomingResponse> {
  const { method, url, headers, json, form, signal } = outgoing;
  const stream = got.stream(url, {
    method,
    ...(headers && { headers }),
    ...(json !== undefined && { json }),
    ...(form && { form: Object.fromEntries(form) }),
    ...(signal && { signal }),
  });
  const { onSent } = outgoing;
  if (onSent) stream.once('request', (request: ClientRequest) => request.once('finish', onSent));
  // An error that comes when nobody listens any more must not end the process.
  stream.on('error', () => undefined);
  // got waits for a body to be written wherever a method may have one.
  if (method !== 'GET' && json === undefined && form === undefined) stream.end();
  let response: IncomingMessage;
  try {
    [response] = (await once(stream, 'response')) as [IncomingMessage];
  } catch (error) {
    signal?.throwIfAborted();
    throw connectionError(error, url);
  }
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    discard: () => void stream.destroy(),
    async text(maxBytes) {
      const pieces: Buffer[] = [];
      let bytes = 0;
      try {
        for await (const piece of stream as AsyncIterable<Buffer>) {
          bytes += piece.length;
          if (bytes > maxBytes) {
            throw new ServiceError(
              'bad-answer',
              `${url.host} answered with more than ${maxBytes} bytes.`,
            );
          }
          pieces.push(piece);
        }
      } catch (error) {
        signal?.throwIfAborted();
        throw error instanceof ServiceError ? error : connectionError(error, url);
      } finally {
        stream.destroy();
      }
      return Buffer.concat(pieces).toString('utf8');
    },
  };
}

/** The value in a JSON body; undefined where the body is none. */
export function jsonValue(text: string): unknown {
  return parseJson(text.startsWith('\uFEFF') ? text.slice(1) : text);
}

function connectionError(error: unknown, url: URL): ServiceError {
  const { code, message } = error as { code?: string; message?: string };
  if (isTimeout(error)) {
    return new ResponseTimeout('unreachable', `${url.host} did not answer in time.`, {
      cause: error,
    });
  }
  if (code === 'ERR_UNEXPECTED_UPGRADE') {
    return new ServiceError('unreachable', `${url.host} answered 101 Switching Protocols.`, {
      cause: error,
    });
  }
  if (code?.startsWith('HPE_') === true || code?.startsWith('Z_') === true) {
    return new ServiceError('bad-answer', `${url.host} answered with no valid HTTP (${code}).`, {
      cause: error,
    });
  }
  // What hpagent says of a proxy that opens no tunnel; got's own code would say nothing.
  const [, refusal] = /^Bad response: (\d+)$/.exec(message ?? '') ?? [];
  if (refusal !== undefined) {
    return new ServiceError(
      'unreachable',
      `${url.host} could not be reached: the proxy answered ${refusal}.`,
      { cause: error, hint: 'Check HTTPS_PROXY, and NO_PROXY for hosts that need none.' },
    );
  }
  const why = code ?? message ?? 'unknown';
  return new ServiceError('unreachable', `${url.host} could not be reached (${why}).`, {
    cause: error,
  });
}

/** got wraps what a stream is destroyed with. */
function isTimeout(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at.name === 'TimeoutError') return true;
  }
  return false;
}
