/**
 * Posts JSON by node:http, for health reports: each page has one, and got takes more than twice the processor time of a
 * small request. A report has one time limit, and nothing to follow or to decompress.
 */
import { request as requestHttp, type Agent, type IncomingHttpHeaders } from 'node:http';
import { request as requestHttps, type RequestOptions } from 'node:https';
import { destroyOnAbort } from '../../core/abort.js';
import { USER_AGENT } from '../../core/version.js';
import { findLedgerError, guardRequest, type RequestPermit } from './guarded-request.js';
import { limitRequest } from './request-deadline.js';
import { connectionError } from './send-request.js';

export interface JsonPost {
  readonly url: URL;
  readonly json: unknown;
  readonly signal?: AbortSignal;
  /** The request is sent only while it is valid. The caller settles it. */
  readonly permit?: RequestPermit | undefined;
}

/** Resolves when the headers have arrived. Throws `unreachable`, `bad-response`, and what its permit throws. */
export type PostJson = (
  post: JsonPost,
) => Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders }>;

export interface JsonPosterOptions {
  readonly agentFor: (url: URL) => Agent;
  /** The limit of a whole request. */
  readonly timeoutMs: number;
  /** Node's options for each request. */
  readonly options: RequestOptions;
}

/** The connection of a server that sends more is closed. */
const MAX_BODY_BYTES = 64 * 1024;

export function jsonPoster({ agentFor, timeoutMs, options }: JsonPosterOptions): PostJson {
  return ({ url, json, signal, permit }) =>
    new Promise((resolve, reject) => {
      const send = url.protocol === 'https:' ? requestHttps : requestHttp;
      const request = send(url, {
        ...options,
        method: 'POST',
        agent: agentFor(url),
        // Exactly this type, without a charset.
        headers: { 'user-agent': USER_AGENT, 'content-type': 'application/json' },
      });
      const fail = (error: unknown): void => {
        if (signal?.aborted === true) reject(signal.reason as Error);
        else reject(findLedgerError(error) ?? connectionError(error, url));
      };
      destroyOnAbort(request, signal);
      if (permit) guardRequest(request, permit);
      limitRequest(request, timeoutMs, (error) => {
        request.destroy(error);
        // A request that was answered with 101 emits no error.
        fail(error);
      });
      request.on('error', fail);
      request.once('response', (response) => {
        let bytes = 0;
        // The body is read, so that the connection can be used again; an error in it does not matter.
        response
          .on('error', () => undefined)
          .on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            if (bytes > MAX_BODY_BYTES) request.destroy();
          });
        resolve({ status: response.statusCode ?? 0, headers: response.headers });
      });
      request.end(JSON.stringify(json));
    });
}
