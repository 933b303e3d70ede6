/** Posts JSON, for health reports. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { findLedgerError } from './guarded-request.js';
import { sendByNode, type NodeRequest, type NodeRequestOptions } from './node-request.js';
import { connectionError } from './send-request.js';

export interface JsonPost extends NodeRequest {
  readonly json: unknown;
}

/** Resolves when the headers have arrived. Throws `unreachable`, `bad-response`, and what its permit throws. */
export type PostJson = (
  post: JsonPost,
) => Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders }>;

/** The connection of a server that sends more is closed. */
const MAX_BODY_BYTES = 64 * 1024;
/** Exactly this type, without a charset. */
const JSON_HEADERS = { 'content-type': 'application/json' };

export function jsonPoster(options: NodeRequestOptions): PostJson {
  return async ({ json, ...request }) => {
    const { url, signal } = request;
    const content = { method: 'POST', headers: JSON_HEADERS, text: JSON.stringify(json) } as const;
    let response: IncomingMessage;
    try {
      response = await sendByNode(request, content, options);
    } catch (error) {
      signal?.throwIfAborted();
      throw findLedgerError(error) ?? connectionError(error, url);
    }
    let bytes = 0;
    // The body is read, so that the connection can be used again; an error in it does not matter.
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) response.destroy();
    });
    return { status: response.statusCode ?? 0, headers: response.headers };
  };
}
