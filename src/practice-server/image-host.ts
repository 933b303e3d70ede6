/** The service's own host of images: pages of the own domain, and covers. */
import { BASE_PATH_START } from './issued-base-urls.js';
import { errorAnswer, type Endpoint } from './endpoint.js';
import type { Host } from './middleware.js';
import { addFindings } from './request-log.js';
import type { ServePage } from './edge-node.js';
import { mostSpecific } from './route-match.js';

export function createImageHost(servePage: ServePage, covers: readonly Endpoint[]): Host {
  return (entry, request) => {
    if (entry.path.startsWith(BASE_PATH_START)) return servePage(entry);
    const found = mostSpecific(
      covers.filter(({ method }) => method === entry.method),
      entry.path,
    );
    if (found) return found.row.answer({ ...request, ids: found.ids });
    addFindings(entry, 'not-found');
    return errorAnswer(404, { title: 'not_found_http_exception', detail: 'No such image' });
  };
}
