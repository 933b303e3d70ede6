/** A chapter: one group's release of it, in one language. */
import { collectionQuery, MAX_PAGE_SIZE } from './collection.js';
import type { ServiceClient } from './client.js';
import type { ChapterEntity } from './response-schemas.js';
import { CollectionReader, type CollectionOptions } from './collection-reader.js';
import { chunk, withRatings } from './query.js';
import { parseWith } from './parse-response.js';
import { relatedTitle, type Title } from './titles.js';

export interface Group {
  readonly id: string;
  /** Empty where the answer did not carry it. */
  readonly name: string;
}

export interface Chapter {
  readonly id: string;
  /** The service's own words: `10.5` is normal, and an unnumbered chapter has none. */
  readonly number: string | undefined;
  readonly volume: string | undefined;
  readonly title: string | undefined;
  /** The service's language code. */
  readonly language: string;
  /** Undefined where the answer does not say it. */
  readonly pages: number | undefined;
  /** Where it is hosted, if elsewhere. */
  readonly externalUrl: string | undefined;
  readonly isUnavailable: boolean;
  /** Counts the re-uploads, from 1. */
  readonly version: number;
  readonly publishAt: Date | undefined;
  /** From when on it can be read here. */
  readonly readableAt: Date | undefined;
  readonly createdAt: Date | undefined;
  readonly groups: readonly Group[];
  readonly titleId: string | undefined;
  /** What the chapter's own answer says of its title: no people, no cover. */
  readonly partialTitle: Title | undefined;
}

/** One chapter with its groups and its title, in one call. Throws ServiceRefusal with status 404 where there is none. */
export async function fetchChapter(
  client: ServiceClient,
  chapterId: string,
  signal?: AbortSignal,
): Promise<Chapter> {
  const answer = await client.api({
    method: 'GET',
    path: `/chapter/${chapterId}`,
    query: new URLSearchParams([
      ['includes[]', 'manga'],
      ['includes[]', 'scanlation_group'],
    ]),
    parser: parseWith(({ single, chapterEntity }) => single(chapterEntity)),
    ...(signal && { signal }),
  });
  return toChapter(answer.data);
}

/**
 * Those of the chapters that the service lists, by id, with their groups and titles: one call for each hundred.
 * A chapter that is unavailable or not yet published is not listed, and one whose entry does not fit is skipped;
 * `fetchChapter` tells which.
 */
export async function fetchChapters(
  client: ServiceClient,
  chapterIds: readonly string[],
  options: CollectionOptions = {},
): Promise<Map<string, Chapter>> {
  const found = new Map<string, Chapter>();
  const reader = new CollectionReader(client, '/chapter', (it) => it.chapterEntity, options);
  for (const ids of chunk([...new Set(chapterIds)], MAX_PAGE_SIZE)) {
    const query = withRatings(collectionQuery(0, MAX_PAGE_SIZE));
    for (const id of ids) query.append('ids[]', id);
    query.append('includes[]', 'manga');
    query.append('includes[]', 'scanlation_group');
    for (const entity of (await reader.readPage(query)).items) {
      found.set(entity.id, toChapter(entity));
    }
  }
  reader.finish();
  return found;
}

export function toChapter(entity: ChapterEntity): Chapter {
  const { attributes, relationships } = entity;
  const groups = relationships.filter(({ type }) => type === 'scanlation_group');
  return {
    id: entity.id,
    number: known(attributes.chapter),
    volume: known(attributes.volume),
    title: known(attributes.title),
    language: attributes.translatedLanguage,
    pages: attributes.pages,
    externalUrl: known(attributes.externalUrl),
    isUnavailable: attributes.isUnavailable ?? false,
    version: attributes.version,
    publishAt: moment(attributes.publishAt),
    readableAt: moment(attributes.readableAt),
    createdAt: moment(attributes.createdAt),
    groups: groups.map(({ id, name }) => ({ id, name: name ?? '' })),
    titleId: relationships.find(({ type }) => type === 'manga')?.id,
    partialTitle: relatedTitle(relationships),
  };
}

function known(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function moment(text: string | undefined): Date | undefined {
  const date = new Date(text ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
