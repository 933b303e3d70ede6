/**
 * Which chapters a feed or a search returns. By default chapters that are unpublished, unavailable or of a
 * pornographic title are excluded. Each of `includeEmptyPages`, `includeFuturePublishAt` and `includeExternalUrl`
 * keeps only such chapters at 1 and only others at 0; any of them disables the filter by publishing time.
 */
import {
  anyOf,
  noneOf,
  numericKey,
  rated,
  select,
  since,
  type Filter,
  type SortKeys,
} from './catalogue-filters.js';
import {
  anyText,
  flag,
  includes,
  language,
  orders,
  paging,
  rating,
  time,
  uuid,
  type CatalogueQuery,
  type QueryParameters,
} from './catalogue-query.js';
import { UPLOADER_ID } from './catalogue-entities.js';
import type { Library, LibraryChapter } from './library/library.js';

export const CHAPTER_INCLUDES = includes('manga', 'scanlation_group', 'user');

const SORT_KEYS: SortKeys<LibraryChapter> = {
  createdAt: ({ attributes }) => Date.parse(attributes.createdAt),
  updatedAt: ({ attributes }) => Date.parse(attributes.updatedAt),
  publishAt: ({ attributes }) => Date.parse(attributes.publishAt),
  readableAt: ({ attributes }) => Date.parse(attributes.readableAt),
  volume: ({ attributes }) => numericKey(attributes.volume),
  chapter: ({ attributes }) => numericKey(attributes.chapter),
};

const FILTERS: QueryParameters = {
  'translatedLanguage[]': language,
  'originalLanguage[]': language,
  'excludedOriginalLanguage[]': language,
  'contentRating[]': rating,
  'excludedGroups[]': uuid,
  'excludedUploaders[]': uuid,
  includeFutureUpdates: flag,
  includeEmptyPages: flag,
  includeFuturePublishAt: flag,
  includeExternalUrl: flag,
  includeUnavailable: flag,
  createdAtSince: time,
  updatedAtSince: time,
  publishAtSince: time,
  ...orders(...Object.keys(SORT_KEYS)),
  ...CHAPTER_INCLUDES,
};

export const FEED_PARAMETERS: QueryParameters = { ...FILTERS, ...paging(1, 500) };

export const CHAPTER_PARAMETERS: QueryParameters = {
  ...FILTERS,
  ...paging(0, 100),
  'ids[]': uuid,
  title: anyText,
  'groups[]': uuid,
  uploader: uuid,
  'uploader[]': uuid,
  manga: uuid,
  volume: anyText,
  'volume[]': anyText,
  chapter: anyText,
  'chapter[]': anyText,
};

function publishingFilters(query: CatalogueQuery, nowMs: number): Filter<LibraryChapter>[] {
  const isPublished: Filter<LibraryChapter> = ({ attributes }) =>
    Date.parse(attributes.publishAt) <= nowMs;
  const properties: Readonly<Record<string, Filter<LibraryChapter>>> = {
    includeEmptyPages: ({ attributes }) => attributes.pages === 0,
    includeFuturePublishAt: (chapter) => !isPublished(chapter),
    includeExternalUrl: ({ attributes }) => attributes.externalUrl !== null,
  };
  const filters = Object.entries(properties).flatMap(([name, hasProperty]) => {
    const value = query.one(name);
    const wanted = value === '1';
    return value === undefined ? [] : [(item: LibraryChapter) => hasProperty(item) === wanted];
  });
  const unfiltered = filters.length > 0 && query.one('includeFutureUpdates') !== '0';
  return unfiltered ? filters : [...filters, isPublished];
}

/** The chapters that match the query, in its order, before paging. */
export function selectChapters(
  chapters: readonly LibraryChapter[],
  library: Library,
  query: CatalogueQuery,
  nowMs: number,
): LibraryChapter[] {
  const titleOf = ({ titleId }: LibraryChapter) => library.title(titleId ?? '')?.attributes;
  const original = (chapter: LibraryChapter) => [titleOf(chapter)?.originalLanguage ?? ''];
  const groups = (chapter: LibraryChapter) => chapter.groups.map(({ id }) => id);
  const uploader = () => [UPLOADER_ID];
  const filters: Filter<LibraryChapter>[] = [
    rated(query, (chapter) => titleOf(chapter)?.contentRating),
    ({ attributes }) => !attributes.isUnavailable || query.one('includeUnavailable') === '1',
    ...publishingFilters(query, nowMs),
    anyOf(query, 'translatedLanguage', ({ attributes }) => [attributes.translatedLanguage]),
    anyOf(query, 'originalLanguage', original),
    noneOf(query, 'excludedOriginalLanguage', original),
    anyOf(query, 'ids', ({ id }) => [id]),
    anyOf(query, 'groups', groups),
    noneOf(query, 'excludedGroups', groups),
    anyOf(query, 'uploader', uploader),
    noneOf(query, 'excludedUploaders', uploader),
    anyOf(query, 'manga', ({ titleId }) => [titleId ?? '']),
    anyOf(query, 'volume', ({ attributes }) => [attributes.volume ?? 'none']),
    anyOf(query, 'chapter', ({ attributes }) => [attributes.chapter ?? 'none']),
    anyOf(query, 'title', ({ attributes }) => [attributes.title ?? '']),
    ...(['createdAt', 'updatedAt', 'publishAt'] as const).map((field) =>
      since<LibraryChapter>(query, field, ({ attributes }) => attributes[field]),
    ),
  ];
  return select(chapters, query, filters, SORT_KEYS);
}
