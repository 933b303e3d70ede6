/** Requests a page, without credentials. */
import type { IncomingMessage } from 'node:http';
import { raceWithSignal } from '../../core/abort.js';
import { sendByNode, type NodeRequest, type NodeRequestOptions } from './node-request.js';

/** Resolves with the response, whatever its status is. Throws LoadError `bad-page-url`, and errors of Node. */
export type GetPage = (request: NodeRequest) => Promise<IncomingMessage>;

/** Images do not compress, and the length must be verifiable. */
const PAGE_HEADERS = { 'accept-encoding': 'identity' };

/** @param check throws for an address that must not be connected to */
export function pageGetter(
  check: (url: URL) => Promise<void>,
  options: NodeRequestOptions,
): GetPage {
  return async (request) => {
    await raceWithSignal(check(request.url), request.signal);
    return sendByNode(request, { method: 'GET', headers: PAGE_HEADERS }, options);
  };
}
