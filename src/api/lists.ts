/** A list of titles that somebody keeps on the service. */
import type { ServiceClient } from './client.js';
import { parseWith } from './parse-response.js';

export interface TitleList {
  readonly id: string;
  readonly name: string;
  readonly titleIds: readonly string[];
}

/** A list in one call; it takes no parameters. Throws ServiceRefusal with status 404 where there is none to see. */
export async function fetchList(
  client: ServiceClient,
  listId: string,
  signal?: AbortSignal,
): Promise<TitleList> {
  const { data } = await client.api({
    method: 'GET',
    path: `/list/${listId}`,
    parser: parseWith(({ single, listEntity }) => single(listEntity)),
    ...(signal && { signal }),
  });
  const titles = data.relationships.filter(({ type }) => type === 'manga');
  return {
    id: data.id,
    name: data.attributes.name,
    titleIds: [...new Set(titles.map(({ id }) => id))],
  };
}
