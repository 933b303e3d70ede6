/** The covers of a title's volumes. */
import { ServiceError } from '../core/errors.js';
import { isSameVolume } from './chapters.js';
import type { ServiceClient } from './client.js';
import { CollectionReader, type CollectionOptions } from './catalogue/entities.js';
import type { Cover, Title } from './titles.js';

/** Where images of covers are: `uploads.` in place of `api.`; on a practice service, the host of the API. */
export function coversBaseUrl(apiUrl: URL): URL {
  const url = new URL(apiUrl.origin);
  url.hostname = url.hostname.replace(/^api\./, 'uploads.');
  return url;
}

/** All covers of a title. One request per 100. */
export async function fetchCovers(
  client: ServiceClient,
  titleId: string,
  options: CollectionOptions = {},
): Promise<Cover[]> {
  const reader = new CollectionReader(client, '/cover', (schemas) => schemas.coverEntity, options);
  const parameters = new URLSearchParams({ 'manga[]': titleId, 'order[volume]': 'asc' });
  const covers = (await reader.readAll(parameters)).map(({ id, attributes }) => ({
    id,
    ...attributes,
  }));
  return [...new Map(covers.map((cover) => [cover.id, cover])).values()];
}

/**
 * The cover for these chapters: that of their volume if they are all of one, preferably in the chapters' language, then
 * in the original language; otherwise the title's main cover.
 */
export function chooseCover(
  covers: readonly Cover[],
  title: Pick<Title, 'mainCover' | 'originalLanguage'>,
  chapters: readonly { readonly volume: string | undefined; readonly language: string }[],
): Cover | undefined {
  const fallback = title.mainCover ?? covers[0];
  const volumes = new Set(chapters.map(({ volume }) => volume));
  const [volume] = volumes;
  if (volumes.size !== 1 || volume === undefined) return fallback;
  const ofVolume = covers.filter((cover) => isSameVolume(cover.volume, volume));
  const [best = fallback] = byLanguage(ofVolume, [chapters[0]?.language, title.originalLanguage]);
  return best;
}

/**
 * One cover for each volume that has one, in the first available of these languages, then in the original language, then
 * in any.
 */
export function chooseVolumeCovers(
  covers: readonly Cover[],
  { originalLanguage }: Pick<Title, 'originalLanguage'>,
  languages: readonly string[],
): ReadonlyMap<string, Cover> {
  const chosen = new Map<string, Cover>();
  for (const cover of byLanguage(covers, [...languages, originalLanguage])) {
    const { volume } = cover;
    if (volume !== undefined && volume !== '' && !chosen.has(volume)) chosen.set(volume, cover);
  }
  return chosen;
}

/** Covers in the first of these languages come first, those in none of them last. */
function byLanguage(covers: readonly Cover[], languages: readonly (string | undefined)[]): Cover[] {
  const rankOf = ({ locale }: Cover) => {
    const rank = languages.findIndex((language) => language !== undefined && language === locale);
    return rank === -1 ? languages.length : rank;
  };
  return [...covers].sort((a, b) => rankOf(a) - rankOf(b));
}

/** The URL of the image. Throws ServiceError `bad-response` for an unsafe file name. */
export function coverUrl(coversUrl: URL | string, titleId: string, { fileName }: Cover): URL {
  if (!/^[\w-][\w.-]*$/.test(fileName)) {
    const message = 'Unexpected response from the service: the file name of a cover is invalid.';
    throw new ServiceError('bad-response', message);
  }
  const url = new URL(coversUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/covers/${titleId}/${fileName}`;
  return url;
}
