/** GET /at-home/server/{id} (spec 4.2): the base URL and the page names of a chapter. */
import { get, jsonResponse, notFound, type Endpoint } from './endpoint.js';
import type { IssuedBaseUrls } from './issued-base-urls.js';
import type { Library } from './library/library.js';
import { findFault, type FaultName, type PageFaultPlan } from './page-faults.js';

export interface AtHomeDeps {
  readonly library: Library;
  readonly baseUrls: IssuedBaseUrls;
  readonly plans: readonly PageFaultPlan[];
  /** The origin of the next base URL: each call may return another node. */
  readonly nextOrigin: (fault: FaultName | undefined) => string;
  /** Whether pages are on the first-party domain (spec 4.3). */
  readonly firstParty: boolean;
  readonly baseUrlMs: number;
  nowMs(): number;
}

export function atHomeEndpoint(deps: AtHomeDeps): Endpoint {
  const attempts = new Map<string, number>();
  return get('/at-home/server/{id}', ({ ids: [id = ''] }) => {
    const chapter = deps.library.chapter(id);
    const pages = chapter?.pages('data') ?? [];
    if (!chapter || pages.length === 0) return notFound('Chapter not found');
    const attempt = (attempts.get(chapter.id) ?? 0) + 1;
    attempts.set(chapter.id, attempt);
    const fault = findFault({ chapter: chapter.id, attempt }, deps.plans);
    const baseUrl = deps.baseUrls.issue({
      origin: deps.nextOrigin(fault),
      chapter,
      firstParty: deps.firstParty,
      expiresAtMs: deps.nowMs() + deps.baseUrlMs,
      fault,
    });
    return jsonResponse(200, {
      result: 'ok',
      baseUrl,
      chapter: {
        hash: chapter.hash,
        data: pages.map((page) => page.fileName),
        dataSaver: chapter.pages('data-saver').map((page) => page.fileName),
      },
    });
  });
}
