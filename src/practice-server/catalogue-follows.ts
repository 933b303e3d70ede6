/** What a logged-in reader follows: titles, their feed, and reading statuses. */
import { TITLE_INCLUDES } from './catalogue-titles.js';
import { oneOf, paging } from './catalogue-query.js';
import { collectionResponse, withLogin, withQuery } from './catalogue-responses.js';
import type { Entities } from './catalogue-entities.js';
import { get, jsonResponse, type Endpoint } from './endpoint.js';
import type { Library } from './library/library.js';

const STATUSES = ['reading', 'on_hold', 'plan_to_read', 'dropped', 're_reading', 'completed'];

/** `feed` serves the chapters of the followed titles. */
export function followEndpoints(
  library: Library,
  entities: Entities,
  feed: Endpoint['respond'],
): Endpoint[] {
  return [
    get('/user/follows/manga/feed', withLogin(feed)),
    get(
      '/user/follows/manga',
      withLogin(
        withQuery({ ...paging(1, 100), ...TITLE_INCLUDES }, (query) => {
          const titles = library.followedTitleIds().flatMap((id) => library.title(id) ?? []);
          return collectionResponse(titles, query, (title) =>
            entities.title(title, query.includes),
          );
        }),
      ),
    ),
    get(
      '/manga/status',
      withLogin(
        withQuery({ status: oneOf(...STATUSES) }, (query) => {
          const wanted = query.one('status');
          const statuses = [...library.readingStatuses()].filter(
            ([, status]) => wanted === undefined || status === wanted,
          );
          // The service writes an empty object as an empty list.
          const body = statuses.length === 0 ? [] : Object.fromEntries(statuses);
          return jsonResponse(200, { result: 'ok', statuses: body });
        }),
      ),
    ),
  ];
}
