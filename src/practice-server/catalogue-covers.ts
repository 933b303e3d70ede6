/**
 * Covers: their records, as the API lists them, and their images, as the host of images serves them: whole,
 * or as a thumbnail of 256 or 512 pixels.
 */
import { collectionAnswer, notFound } from './catalogue-answers.js';
import { UPLOADER_ID, type Entities } from './catalogue-entities.js';
import {
  aLanguage,
  anId,
  includes,
  orders,
  paging,
  type CatalogueQuery,
  type Parameters,
} from './catalogue-query.js';
import type { Answer, Endpoint } from './endpoint.js';
import type { Library } from './library/library.js';

export const COVER_PARAMETERS: Parameters = {
  ...paging(0, 100),
  'manga[]': anId,
  'ids[]': anId,
  'uploaders[]': anId,
  'locales[]': aLanguage,
  ...orders('createdAt', 'updatedAt', 'volume'),
  ...includes('manga', 'user'),
};

/** The covers that the query asks for. */
export function coversAnswer(library: Library, entities: Entities, query: CatalogueQuery): Answer {
  const among = (name: string, value: string): boolean => {
    const wanted = query.all(name);
    return wanted.length === 0 || wanted.includes(value);
  };
  const covers = library
    .titles()
    .filter((title) => among('manga', title.id) && among('uploaders', UPLOADER_ID))
    .flatMap((title) => title.covers.map((cover) => ({ title, cover })))
    .filter(({ cover }) => among('ids', cover.id) && among('locales', cover.locale));
  const volumes = query.orders.find((order) => order.field === 'volume');
  if (volumes !== undefined) {
    const number = (volume: string | null): number => Number.parseFloat(volume ?? '0');
    const direction = volumes.descending ? -1 : 1;
    covers.sort(
      (one, other) => direction * (number(one.cover.volume) - number(other.cover.volume)),
    );
  }
  return collectionAnswer(covers, query, ({ title, cover }) =>
    entities.cover(title, cover, query.all('includes')),
  );
}

const THUMBNAIL = /\.(256|512)\.jpg$/;

/** `/covers/<manga id>/<fileName>`, and the same with `.256.jpg` or `.512.jpg` after it. */
export function coverEndpoints(library: Library): Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/covers/{id}/{id}',
      answer: ({ ids: [titleId = '', name = ''] }) => {
        const width = THUMBNAIL.exec(name)?.[1];
        const fileName = name.replace(THUMBNAIL, '');
        const cover = library.title(titleId)?.covers.find((each) => each.fileName === fileName);
        if (cover === undefined) {
          return notFound('cover');
        }
        const size = width === undefined ? undefined : width === '256' ? 256 : 512;
        const { mediaType, bytes } = cover.image(size);
        return { status: 200, headers: { 'Content-Type': mediaType }, body: bytes };
      },
    },
  ];
}
