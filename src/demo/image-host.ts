/** The service's own host of images: pages of the own domain, and covers. */
import { BASE_PATH_START } from './base-urls.js';
import { errorAnswer, type Endpoint } from './endpoint.js';
import type { Host } from './front-door.js';
import { judge } from './log.js';
import type { ServePage } from './node.js';
import { mostSpecific } from './shape.js';

export function createImageHost(servePage: ServePage, covers: readonly Endpoint[]): Host {
  return (entry, request) => {
    if (entry.path.startsWith(BASE_PATH_START)) return servePage(entry);
    const found = mostSpecific(
      covers.filter(({ method }) => method === entry.method),
      entry.path,
    );
    if (found) return found.row.answer({ ...request, ids: found.ids });
    judge(entry, 'not-found');
    return errorAnswer(404, { title: 'not_found_http_exception', detail: 'No such image' });
  };
}
