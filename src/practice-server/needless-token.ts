/**
 * Finds access tokens on requests that need none (docs/specification.md, section 5): the service caches only responses
 * to anonymous requests. A token is right where the account matters, and for what was refused to an anonymous request.
 */
import type { EndpointResponse } from './endpoint.js';
import type { OpenEntry } from './request-log.js';

/** Page delivery, captchas, the account itself, reading markers and reading statuses. */
const NEEDS_TOKEN = /^\/(?:at-home|captcha|user|auth)\/|\/(?:read|status)$/;
/** A refusal of one request for a title, a list or a chapter stands for its other requests. */
const ONE_ENTITY = /^\/(?:manga|list|chapter)\/[^/]+/;

const subjectOf = ({ path, query }: OpenEntry): string =>
  ONE_ENTITY.exec(path)?.[0] ?? `${path}?${query}`;

function isRefusal({ findings }: OpenEntry, { status, headers }: EndpointResponse): boolean {
  if (status === 401 || status === 404) return true;
  const isJson = headers?.['Content-Type'] === 'application/json';
  return status === 403 && isJson && !findings.includes('captcha-demanded');
}

/** Whether the token of a request to the API host was needless; called once with each, in order. */
export function createTokenCheck(): (entry: OpenEntry, response: EndpointResponse) => boolean {
  const refused = new Set<string>();
  return (entry, response) => {
    if (NEEDS_TOKEN.test(entry.path)) return false;
    const subject = subjectOf(entry);
    if (entry.headers.authorization !== undefined) return !refused.has(subject);
    if (isRefusal(entry, response)) refused.add(subject);
    return false;
  };
}
