/** Serves pages by their exact URLs (spec 4.2), as the volunteers' nodes and the service's own image host do. */
import { htmlResponse, notFound, type Endpoint, type EndpointResponse } from './endpoint.js';
import { BASE_PATH_START, type IssuedBaseUrls } from './issued-base-urls.js';
import type { LibraryPage } from './library/library.js';
import type { Host } from './middleware.js';
import { FAULTS, findFault, type PageFaultPlan } from './page-faults.js';
import { addFindings, withFinding, type OpenEntry } from './request-log.js';
import { matchRoute } from './route-match.js';

export interface EdgeNodeDeps {
  readonly baseUrls: IssuedBaseUrls;
  readonly plans: readonly PageFaultPlan[];
  /** The target of redirects. */
  redirectUrl(): string;
  nowMs(): number;
}

/** Serves the page that the entry's path names, and logs the load in the entry. */
export type ServePage = (entry: OpenEntry) => EndpointResponse;

const FORBIDDEN = htmlResponse(403, 'Forbidden');
/** A GIF smaller than any image of the library, for a chapter with a single page. */
const DOT = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');

function otherImage(pages: readonly LibraryPage[], index: number, attempt: number): Buffer {
  const others = pages.filter((_, other) => other !== index);
  return others[(index + attempt) % Math.max(1, others.length)]?.bytes() ?? DOT;
}

export function createPageServer(deps: EdgeNodeDeps): ServePage {
  const attempts = new Map<string, number>();
  return (entry) => {
    if (entry.method !== 'GET' && entry.method !== 'HEAD') {
      return withFinding(entry, 'wrong-method', htmlResponse(405, 'Method Not Allowed'));
    }
    const found = deps.baseUrls.find(entry.origin + entry.path);
    if (!found || entry.query !== '') {
      return withFinding(entry, 'wrong-page-path', FORBIDDEN);
    }
    const { base } = found;
    if (base.fault === 'bad-certificate') addFindings(entry, 'certificate-ignored');
    if (deps.nowMs() >= base.expiresAtMs) {
      return withFinding(entry, 'base-url-expired', FORBIDDEN);
    }
    if (!found.page) return withFinding(entry, 'wrong-page-path', notFound('No such page'));
    const { page, quality, index } = found;
    const chapter = base.chapter.id;
    const key = `${chapter}/${quality}/${index}`;
    const attempt = (attempts.get(key) ?? 0) + 1;
    attempts.set(key, attempt);
    const load = { chapter, quality, page: index + 1, attempt };
    const fault = findFault({ ...load, node: entry.origin }, deps.plans);
    entry.load = { ...load, fault };
    const image = page.bytes();
    // A third of the pages are not cached by the node.
    const xCache = index % 3 === 2 ? 'MISS' : 'HIT';
    const correct: EndpointResponse = {
      status: 200,
      headers: { 'Content-Type': page.mediaType, 'X-Cache': xCache },
      body: image,
    };
    if (!fault) return correct;
    const response = FAULTS[fault].respond({
      correct,
      image,
      attempt,
      otherImage: (nth) => otherImage(base.chapter.pages(quality), index, nth),
      redirectUrl: deps.redirectUrl(),
    });
    return withFinding(entry, 'page-fault', response);
  };
}

/** The service's own image host: pages on the first-party domain, and covers. */
export function createImageHost(servePage: ServePage, covers: readonly Endpoint[]): Host {
  return (entry, request) => {
    if (entry.path.startsWith(BASE_PATH_START)) return servePage(entry);
    const match = entry.method === 'GET' ? matchRoute(covers, entry.path) : undefined;
    if (match) return match.route.respond({ ...request, ids: match.ids });
    return withFinding(entry, 'not-found', notFound('No such image'));
  };
}
