/**
 * An endpoint is a plain function from a request to a response, both plain objects without a socket. How the response
 * is delivered (complete, cut short, stalled, not at all) is part of the object, so a fault is data like the rest.
 */
import type { IncomingHttpHeaders } from 'node:http';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface EndpointRequest {
  readonly method: string;
  /** The received path: percent-encoded, without the query. */
  readonly path: string;
  /** The segments at the `{…}` of the endpoint's path, in order, percent-decoded. */
  readonly ids: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The user name of the bearer; absent for an anonymous request. */
  readonly account?: string;
}

export type Framing = 'length' | 'chunked' | 'until-close';

type Delivery =
  /** The connection is reset (`reset`) or closed (`close`) before the first byte. */
  | { readonly how: 'reset' | 'close' }
  /** 101 Switching Protocols, then nothing. */
  | { readonly how: 'upgrade' }
  /** No byte at all; the socket stays open. */
  | { readonly how: 'silence' }
  | {
      readonly how: 'sent';
      /** `length` by default; `chunked` for an iterable body. */
      readonly framing?: Framing;
      /** Within the body, close the connection (`cut`) or keep it open and send no more (`stall`). */
      readonly stop?: { readonly afterBytes: number; readonly then: 'cut' | 'stall' };
      /** Send sixteen bytes at a time with this pause between. */
      readonly trickleMs?: number;
    };

export interface EndpointResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An iterable is sent in chunks, as fast as the client reads. */
  readonly body?: string | Buffer | Iterable<Buffer>;
  readonly delivery?: Delivery;
}

export interface Endpoint {
  readonly method: Method;
  /** Such as `/manga/{id}/feed`; `{id}` matches one non-empty segment. */
  readonly path: string;
  respond(request: EndpointRequest): EndpointResponse;
}

export const get = (path: string, respond: Endpoint['respond']): Endpoint => ({
  method: 'GET',
  path,
  respond,
});

export const SILENCE: EndpointResponse = { status: 0, delivery: { how: 'silence' } };

export function jsonResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): EndpointResponse {
  return {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(value),
  };
}

interface ApiError {
  readonly title: string;
  readonly detail: string;
  readonly id?: string;
  readonly context?: unknown;
}

/** The API's error body with one error. */
export function errorResponse(
  status: number,
  error: ApiError,
  headers: Readonly<Record<string, string>> = {},
): EndpointResponse {
  const { title, detail, id = '0d1f3a52-7c11-4be1-9a55-2f4f0a4c7e10', context = {} } = error;
  const errors = [{ id, status, title, detail, context }];
  return jsonResponse(status, { result: 'error', errors }, headers);
}

export const notFound = (detail: string): EndpointResponse =>
  errorResponse(404, { title: 'not_found_http_exception', detail });

export const invalidRequest = (detail: string): EndpointResponse =>
  errorResponse(400, { title: 'validation_exception', detail });

export const methodNotAllowed = (detail: string): EndpointResponse =>
  errorResponse(405, { title: 'method_not_allowed', detail });

/** A page of the protection layer in front of the service, not JSON. */
export function htmlResponse(status: number, heading: string): EndpointResponse {
  return {
    status,
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
    body: `<!doctype html><html><head><title>${status}</title></head><body><h1>${heading}</h1></body></html>\n`,
  };
}
