/** The covers of a title's volumes: which one suits some chapters, and where its picture is. */
import { ServiceError } from '../core/errors.js';
import { collectionQuery, MAX_COLLECTION_END, MAX_PAGE_SIZE } from './collection.js';
import type { ServiceClient } from './client.js';
import { CollectionReader, type CollectionOptions } from './collection-reader.js';
import type { Cover, Title } from './titles.js';

/** Where the service keeps its pictures: `uploads.` beside `api.`; on a practice service, the API's own host. */
export function coversBaseUrl(apiUrl: URL): URL {
  const url = new URL(apiUrl.origin);
  url.hostname = url.hostname.replace(/^api\./, 'uploads.');
  return url;
}

/** All covers of a title: one call for each hundred. */
export async function fetchCovers(
  client: ServiceClient,
  titleId: string,
  options: CollectionOptions = {},
): Promise<Cover[]> {
  const covers = new Map<string, Cover>();
  const reader = new CollectionReader(client, '/cover', (it) => it.coverEntity, options);
  for (let offset = 0; offset < MAX_COLLECTION_END;) {
    const query = collectionQuery(offset, MAX_PAGE_SIZE);
    query.append('manga[]', titleId);
    query.append('order[volume]', 'asc');
    const { items, received, total } = await reader.readPage(query);
    for (const { id, attributes } of items) covers.set(id, { id, ...attributes });
    offset += received;
    if (received === 0 || offset >= total) break;
  }
  reader.finish();
  return [...covers.values()];
}

/**
 * The cover for chapters of these volumes: their volume's, where they are all of one, in the chapters' language
 * or else in the original's; otherwise the title's main one.
 */
export function chooseCover(
  covers: readonly Cover[],
  title: Pick<Title, 'mainCover' | 'originalLanguage'>,
  chapters: readonly { readonly volume: string | undefined; readonly language: string }[],
): Cover | undefined {
  const volumes = new Set(chapters.map(({ volume }) => volume));
  const [volume] = volumes;
  if (volumes.size !== 1 || volume === undefined) return title.mainCover ?? covers[0];
  const ofVolume = covers.filter((cover) => sameVolume(cover.volume, volume));
  const languages = [chapters[0]?.language, title.originalLanguage];
  for (const language of languages) {
    const cover = ofVolume.find(({ locale }) => locale !== undefined && locale === language);
    if (cover) return cover;
  }
  return ofVolume[0] ?? title.mainCover ?? covers[0];
}

/** The address of the picture itself. Throws ServiceError `bad-answer` where the file's name is no plain name. */
export function coverUrl(coversUrl: URL | string, titleId: string, cover: Cover): URL {
  if (!/^[\w-][\w.-]*$/.test(cover.fileName)) {
    throw new ServiceError('bad-answer', 'The service names a cover whose file name is none.');
  }
  const url = new URL(coversUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/covers/${titleId}/${cover.fileName}`;
  return url;
}

function sameVolume(a: string | undefined, b: string): boolean {
  return a !== undefined && (a === b || (/^\d/.test(a) && Number(a) === Number(b)));
}
