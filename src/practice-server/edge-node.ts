/** A volunteer's node, or the service's own image host: serves pages by their exact addresses (spec 4.2). */
import { errorAnswer, pageAnswer, type Answer } from './endpoint.js';
import type { BaseUrls, FoundPage } from './issued-base-urls.js';
import { faultOn, type PageFaultPlan } from './page-faults.js';
import { addFindings, type OpenEntry } from './request-log.js';
import { FAULTY_ANSWER } from './faulty-page.js';

export interface EdgeNodeDeps {
  readonly baseUrls: BaseUrls;
  readonly plans: readonly PageFaultPlan[];
  /** Where a redirect points. */
  readonly elsewhere: () => string;
  nowMs(): number;
}

/** Serves the page that the entry's path names, exactly as it came, and notes the load in the entry. */
export type ServePage = (entry: OpenEntry) => Answer;

type Place = NonNullable<FoundPage['place']>;

/** Smaller than any image of the library, for a chapter that has no other page. */
const DOT = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');

function anotherImage(found: FoundPage, { quality, index }: Place, attempt: number): Buffer {
  const others = found.issued.chapter.pages(quality).filter((_, other) => other !== index);
  return others[(index + attempt) % Math.max(1, others.length)]?.bytes() ?? DOT;
}

/** A third of the pages come from the origin, the others from the node's cache; the same ones each time. */
const xCache = (index: number): string => (index % 3 === 2 ? 'MISS' : 'HIT');

export function createPageServer(deps: EdgeNodeDeps): ServePage {
  const attempts = new Map<string, number>();
  return (entry) => {
    if (entry.method !== 'GET' && entry.method !== 'HEAD') {
      addFindings(entry, 'wrong-method');
      return pageAnswer(405, 'Method Not Allowed');
    }
    const found = deps.baseUrls.find(entry.origin + entry.path);
    if (!found || entry.query !== '') {
      addFindings(entry, 'wrong-page-path');
      return pageAnswer(403, 'Forbidden');
    }
    if (found.issued.fault === 'bad-certificate') addFindings(entry, 'certificate-ignored');
    if (deps.nowMs() >= found.issued.expiresAtMs) {
      addFindings(entry, 'base-url-expired');
      return pageAnswer(403, 'Forbidden');
    }
    if (!found.place) {
      addFindings(entry, 'wrong-page-path');
      return errorAnswer(404, { title: 'not_found_http_exception', detail: 'No such page' });
    }
    const { quality, index, page } = found.place;
    const chapter = found.issued.chapter.id;
    const key = `${chapter}/${quality}/${index}`;
    const attempt = (attempts.get(key) ?? 0) + 1;
    attempts.set(key, attempt);
    const load = { chapter, quality, page: index + 1, attempt };
    const fault = faultOn({ ...load, node: entry.origin }, deps.plans);
    entry.load = fault ? { ...load, fault } : load;
    const image = page.bytes();
    const good: Answer = {
      status: 200,
      headers: { 'Content-Type': page.mediaType, 'X-Cache': xCache(index) },
      body: image,
    };
    if (!fault) return good;
    addFindings(entry, 'page-fault');
    return FAULTY_ANSWER[fault]({
      good,
      image,
      attempt,
      anotherImage: (nth) => anotherImage(found, { quality, index, page }, nth),
      elsewhere: deps.elsewhere(),
    });
  };
}
