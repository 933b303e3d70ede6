/**
 * What a handler of the practice service is: a plain function from a request, as a record, to an answer, as a
 * record. It knows no socket. How the answer goes over the wire (whole, cut short, stalled, or not at all) is
 * part of the record too, so that a fault is data like everything else.
 */
import type { IncomingHttpHeaders } from 'node:http';

export interface EndpointRequest {
  /** In capitals, such as `GET`. */
  readonly method: string;
  /** Exactly as it came, percent-encoding intact, without the query. */
  readonly path: string;
  /** What stood at the `{…}` places of the endpoint's path, in order, percent-encoding undone. */
  readonly ids: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The user name that the bearer stands for; absent for a guest. */
  readonly account?: string;
}

/** How an answer goes over the wire. */
type Delivery =
  /** The connection is reset before a byte of an answer. */
  | { readonly how: 'reset' }
  /** The connection is closed in order, without a byte of an answer. */
  | { readonly how: 'close' }
  /** 101 Switching Protocols, and then nothing more. */
  | { readonly how: 'upgrade' }
  /** Never a byte; the socket is closed late. */
  | { readonly how: 'silence' }
  | {
      readonly how: 'sent';
      /** How the body's end is told: by Content-Length (if absent), in chunks, or by closing the connection. */
      readonly framing?: 'length' | 'chunked' | 'until-close';
      /** Stop in the body: close the connection there, or leave it open and say no more. */
      readonly stop?: { readonly afterBytes: number; readonly then: 'cut' | 'stall' };
      /** Send sixteen bytes at a time, with so long a pause between. */
      readonly trickleMs?: number;
    };

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Pieces that come one by one (an endless body, a huge one) are sent in chunks, as fast as they are read. */
  readonly body?: string | Buffer | Iterable<Buffer>;
  readonly delivery?: Delivery;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Endpoint {
  readonly method: Method;
  /** Such as `/manga/{id}/feed`; `{id}` takes one segment that is not empty. */
  readonly path: string;
  answer(request: EndpointRequest): Answer;
}

/** An answer in JSON. */
export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(value),
  };
}

/** The API's own error body, with one error. */
export function errorAnswer(
  status: number,
  error: {
    readonly title: string;
    readonly detail: string;
    readonly id?: string;
    readonly context?: unknown;
  },
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const { title, detail, id = '0d1f3a52-7c11-4be1-9a55-2f4f0a4c7e10', context = {} } = error;
  return jsonAnswer(
    status,
    { result: 'error', errors: [{ id, status, title, detail, context }] },
    headers,
  );
}

/** What the protection layer in front of the service says: a page, no JSON. */
export function pageAnswer(status: number, sentence: string): Answer {
  return {
    status,
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
    body: `<!doctype html><html><head><title>${status}</title></head><body><h1>${sentence}</h1></body></html>\n`,
  };
}
