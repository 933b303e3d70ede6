/**
 * Sends requests by node:http, for pages and their health reports, of which a run has thousands: got takes more than twice
 * the processor time of a small one, and passes each chunk of a body through streams of its own. There are no redirects,
 * retries or compression to take care of.
 */
import {
  request as requestHttp,
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { request as requestHttps, type RequestOptions } from 'node:https';
import { destroyOnAbort } from '../../core/abort.js';
import { USER_AGENT } from '../../core/version.js';
import { expectBody, type BufferedBody } from './buffered-body.js';
import { guardRequest, type RequestPermit } from './guarded-request.js';
import { limitPhases, limitRequest, type PhaseLimits } from './request-deadline.js';

export interface NodeRequest {
  readonly url: URL;
  readonly signal?: AbortSignal | undefined;
  /** The request is sent only while it is valid. The caller settles it. */
  readonly permit?: RequestPermit | undefined;
  /** Takes the body, if it sets its length: the response has one byte then, which comes last. */
  readonly body?: BufferedBody | undefined;
}

export interface NodeRequestOptions {
  readonly agentFor: (url: URL) => Agent;
  /** The limit of a whole request. */
  readonly timeoutMs: number;
  readonly phases?: PhaseLimits;
  /** Node's options for each request. */
  readonly options: RequestOptions;
}

interface Content {
  readonly method: 'GET' | 'POST';
  readonly headers: OutgoingHttpHeaders;
  readonly text?: string;
}

/**
 * Resolves when the headers have arrived, with the response, which the caller reads to its end or destroys. Rejects, and the
 * body fails, with the error that ended the request; where the connection was closed, the body fails with ECONNRESET.
 */
export function sendByNode(
  { url, signal, permit, body }: NodeRequest,
  { method, headers, text }: Content,
  { agentFor, timeoutMs, phases, options }: NodeRequestOptions,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const request: ClientRequest = send(url, {
      ...options,
      method,
      agent: agentFor(url),
      // Credentials in an address are not for a node or the report host.
      auth: undefined,
      headers: { 'user-agent': USER_AGENT, ...headers },
    });
    let response: IncomingMessage | undefined;
    const end = (error: Error): void => {
      // After the headers, the body fails with the error of the response, not with that of the request.
      (response ?? request).destroy(error);
      // A request emits no error while it waits for its connection, and after it was answered with 101.
      reject(error);
    };
    request.on('error', end);
    destroyOnAbort({ destroy: end, once: (event, then) => request.once(event, then) }, signal);
    if (permit) guardRequest(request, permit);
    limitRequest(request, timeoutMs, end);
    if (phases) limitPhases(request, phases, end);
    if (body) expectBody(request, body);
    request.once('response', (incoming) => {
      response = incoming.on('error', () => undefined);
      resolve(incoming);
    });
    request.end(text);
  });
}
