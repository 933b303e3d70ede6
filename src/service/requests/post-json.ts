/**
 * Posts JSON by node:http: for health reports, of which each page has one. got takes more than twice the processor time
 * for a small body, for what reports do not need: they have one time limit, and nothing to follow or to decompress.
 */
import { request as requestHttp, type Agent, type IncomingHttpHeaders } from 'node:http';
import { request as requestHttps, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { destroyOnAbort } from '../../core/abort.js';
import { USER_AGENT } from '../../core/version.js';
import { findLedgerError, guardRequest, type RequestPermit } from './guarded-request.js';
import { DeadlineError, UnexpectedUpgradeError } from './request-deadline.js';
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
  readonly maxHeaderBytes: number;
}

/** The connection of a server that sends more is closed. */
const MAX_BODY_BYTES = 64 * 1024;

export function jsonPoster({ agentFor, timeoutMs, maxHeaderBytes }: JsonPosterOptions): PostJson {
  return ({ url, json, signal, permit }) =>
    new Promise((resolve, reject) => {
      const options: RequestOptions = {
        method: 'POST',
        agent: agentFor(url),
        // Exactly this type, without a charset.
        headers: { 'user-agent': USER_AGENT, 'content-type': 'application/json' },
        maxHeaderSize: maxHeaderBytes,
        minVersion: 'TLSv1.2',
        // Its default depends on a variable of the environment.
        rejectUnauthorized: true,
      };
      const send = url.protocol === 'https:' ? requestHttps : requestHttp;
      const request = send(url, options);
      const timer = setTimeout(() => {
        request.destroy(new DeadlineError(`No complete response within ${timeoutMs} ms.`));
      }, timeoutMs);
      const fail = (error: unknown): void => {
        clearTimeout(timer);
        if (signal?.aborted === true) reject(signal.reason as Error);
        else reject(findLedgerError(error) ?? connectionError(error, url));
      };
      destroyOnAbort(request, signal);
      if (permit) guardRequest(request, permit);
      request.on('error', fail).once('close', () => {
        clearTimeout(timer);
      });
      request.once('upgrade', (_response, socket: Socket) => {
        socket.destroy();
        fail(new UnexpectedUpgradeError());
      });
      request.once('response', (response) => {
        let bytes = 0;
        // It is read, so that the connection can be used again. What goes wrong then does not matter.
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
