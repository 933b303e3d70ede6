/** GET /at-home/server/{id} (spec 4.2): the base URL and the page names of a chapter. */
import { errorAnswer, jsonAnswer, type Endpoint } from './endpoint.js';
import type { BaseUrls } from './issued-base-urls.js';
import { faultOn, type FaultName, type PageFaultPlan } from './page-faults.js';
import type { Library } from './library/library.js';

export interface AtHomeDeps {
  readonly library: Library;
  readonly baseUrls: BaseUrls;
  readonly plans: readonly PageFaultPlan[];
  /** The origin for the next base URL: each call may name another node. */
  readonly nextOrigin: (fault: FaultName | undefined) => string;
  /** Whether pages come from the own domain (spec 4.3). */
  readonly own: boolean;
  readonly baseUrlMs: number;
  nowMs(): number;
}

export function atHomeEndpoint(deps: AtHomeDeps): Endpoint {
  const timesAsked = new Map<string, number>();
  return {
    method: 'GET',
    path: '/at-home/server/{id}',
    answer({ ids: [id = ''] }) {
      const chapter = deps.library.chapter(id);
      const pages = chapter?.pages('data') ?? [];
      if (!chapter || pages.length === 0) {
        return errorAnswer(404, { title: 'not_found_http_exception', detail: 'Chapter not found' });
      }
      const attempt = (timesAsked.get(chapter.id) ?? 0) + 1;
      timesAsked.set(chapter.id, attempt);
      const fault = faultOn({ chapter: chapter.id, attempt }, deps.plans);
      const { baseUrl } = deps.baseUrls.issue({
        origin: deps.nextOrigin(fault),
        chapter,
        own: deps.own,
        expiresAtMs: deps.nowMs() + deps.baseUrlMs,
        ...(fault ? { fault } : {}),
      });
      return jsonAnswer(200, {
        result: 'ok',
        baseUrl,
        chapter: {
          hash: chapter.hash,
          data: pages.map((page) => page.fileName),
          dataSaver: chapter.pages('data-saver').map((page) => page.fileName),
        },
      });
    },
  };
}
