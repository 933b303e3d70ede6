/** Covers: their entities on the API host, and their images, full size or as thumbnails, on the image host. */
import { UPLOADER_ID, type Entities } from './catalogue-entities.js';
import { anyOf, numericKey, select } from './catalogue-filters.js';
import {
  includes,
  language,
  orders,
  paging,
  uuid,
  type QueryParameters,
} from './catalogue-query.js';
import { collectionResponse, getWithQuery } from './catalogue-responses.js';
import { get, notFound, type Endpoint } from './endpoint.js';
import type { Library } from './library/library.js';

const COVER_PARAMETERS: QueryParameters = {
  ...paging(0, 100),
  'manga[]': uuid,
  'ids[]': uuid,
  'uploaders[]': uuid,
  'locales[]': language,
  ...orders('createdAt', 'updatedAt', 'volume'),
  ...includes('manga', 'user'),
};

export const titleCovers = (library: Library) =>
  library.titles().flatMap((title) => title.covers.map((cover) => ({ title, cover })));

export const coverSearch = (library: Library, entities: Entities): Endpoint =>
  getWithQuery('/cover', COVER_PARAMETERS, (query) => {
    const covers = select(
      titleCovers(library),
      query,
      [
        anyOf(query, 'manga', ({ title }) => [title.id]),
        anyOf(query, 'uploaders', () => [UPLOADER_ID]),
        anyOf(query, 'ids', ({ cover }) => [cover.id]),
        anyOf(query, 'locales', ({ cover }) => [cover.locale]),
      ],
      { volume: ({ cover }) => numericKey(cover.volume) ?? 0 },
    );
    return collectionResponse(covers, query, ({ title, cover }) =>
      entities.cover(title, cover, query.includes),
    );
  });

const THUMBNAIL = /\.(256|512)\.jpg$/;

/** `/covers/<title id>/<file name>`, with `.256.jpg` or `.512.jpg` appended for a thumbnail. */
export function coverEndpoints(library: Library): Endpoint[] {
  return [
    get('/covers/{id}/{id}', ({ ids: [titleId = '', name = ''] }) => {
      const width = THUMBNAIL.exec(name)?.[1];
      const fileName = name.replace(THUMBNAIL, '');
      const cover = library.title(titleId)?.covers.find((each) => each.fileName === fileName);
      if (cover === undefined) return notFound('No such cover');
      const size = width === undefined ? undefined : width === '256' ? 256 : 512;
      const { mediaType, bytes } = cover.image(size);
      return { status: 200, headers: { 'Content-Type': mediaType }, body: bytes };
    }),
  ];
}
