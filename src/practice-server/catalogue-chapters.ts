/**
 * Which chapters a feed or a search shows, and in which order. By default those are left out that are not yet
 * published, that are unavailable, and whose title is rated pornographic. Each of `includeEmptyPages`,
 * `includeFuturePublishAt` and `includeExternalUrl` shows, at 1, only such chapters, and at 0 only others; any
 * of them, set, lifts the filter on publishing times.
 */
import {
  aFlag,
  aLanguage,
  aMoment,
  anId,
  anyText,
  aRating,
  includes,
  orders,
  paging,
  type CatalogueQuery,
  type Order,
  type Parameters,
} from './catalogue-query.js';
import type { ContentRating, Library, LibraryChapter } from './library/library.js';

const FILTERS: Parameters = {
  'translatedLanguage[]': aLanguage,
  'originalLanguage[]': aLanguage,
  'excludedOriginalLanguage[]': aLanguage,
  'contentRating[]': aRating,
  'excludedGroups[]': anId,
  'excludedUploaders[]': anId,
  includeFutureUpdates: aFlag,
  includeEmptyPages: aFlag,
  includeFuturePublishAt: aFlag,
  includeExternalUrl: aFlag,
  includeUnavailable: aFlag,
  createdAtSince: aMoment,
  updatedAtSince: aMoment,
  publishAtSince: aMoment,
  ...orders('createdAt', 'updatedAt', 'publishAt', 'readableAt', 'volume', 'chapter'),
  ...includes('manga', 'scanlation_group', 'user'),
};

export const FEED_PARAMETERS: Parameters = { ...FILTERS, ...paging(1, 500) };

export const CHAPTER_PARAMETERS: Parameters = {
  ...FILTERS,
  ...paging(0, 100),
  'ids[]': anId,
  title: anyText,
  'groups[]': anId,
  uploader: anId,
  'uploader[]': anId,
  manga: anId,
  volume: anyText,
  'volume[]': anyText,
  chapter: anyText,
  'chapter[]': anyText,
};

/** What is shown where the query does not ask for ratings by name. */
export const USUAL_RATINGS: readonly ContentRating[] = ['safe', 'suggestive', 'erotica'];

type Test = (chapter: LibraryChapter) => boolean;

/** `1` wants the property, `0` wants its absence, and nothing wants nothing. */
function flagged(query: CatalogueQuery, name: string, property: Test): Test[] {
  const value = query.one(name);
  return value === undefined ? [] : [(chapter) => property(chapter) === (value === '1')];
}

function publishing(query: CatalogueQuery, nowMs: number): Test[] {
  const published: Test = (chapter) => Date.parse(chapter.attributes.publishAt) <= nowMs;
  const flags = [
    ...flagged(query, 'includeEmptyPages', (chapter) => chapter.attributes.pages === 0),
    ...flagged(query, 'includeFuturePublishAt', (chapter) => !published(chapter)),
    ...flagged(query, 'includeExternalUrl', (chapter) => chapter.attributes.externalUrl !== null),
  ];
  const lifted = flags.length > 0 && query.one('includeFutureUpdates') !== '0';
  return lifted ? flags : [...flags, published];
}

/** At least one of the values, where any are named: by `name[]`, or by `name` where the endpoint takes that. */
function among(
  query: CatalogueQuery,
  name: string,
  of: (chapter: LibraryChapter) => readonly string[],
): Test[] {
  const one = query.one(name);
  const wanted = [...query.all(name), ...(one === undefined ? [] : [one])];
  return wanted.length === 0
    ? []
    : [(chapter) => of(chapter).some((value) => wanted.includes(value))];
}

function notAmong(
  query: CatalogueQuery,
  name: string,
  of: (chapter: LibraryChapter) => readonly string[],
): Test[] {
  const unwanted = query.all(name);
  return unwanted.length === 0
    ? []
    : [(chapter) => !of(chapter).some((value) => unwanted.includes(value))];
}

function since(query: CatalogueQuery, field: 'createdAt' | 'updatedAt' | 'publishAt'): Test[] {
  const value = query.one(`${field}Since`);
  const sinceMs = Date.parse(`${value ?? ''}Z`);
  return value === undefined ? [] : [(chapter) => Date.parse(chapter.attributes[field]) >= sinceMs];
}

function testsOf(
  library: Library,
  query: CatalogueQuery,
  nowMs: number,
  uploaderId: string,
): Test[] {
  const titleOf = (chapter: LibraryChapter) =>
    chapter.titleId === null ? undefined : library.title(chapter.titleId)?.attributes;
  const original = (chapter: LibraryChapter): string[] => [
    titleOf(chapter)?.originalLanguage ?? '',
  ];
  const groups = (chapter: LibraryChapter): string[] => chapter.groups.map((group) => group.id);
  const asked = query.all('contentRating');
  const ratings: readonly string[] = asked.length > 0 ? asked : USUAL_RATINGS;
  return [
    (chapter) => ratings.includes(titleOf(chapter)?.contentRating ?? 'safe'),
    (chapter) => !chapter.attributes.isUnavailable || query.one('includeUnavailable') === '1',
    ...publishing(query, nowMs),
    ...among(query, 'translatedLanguage', (chapter) => [chapter.attributes.translatedLanguage]),
    ...among(query, 'originalLanguage', original),
    ...notAmong(query, 'excludedOriginalLanguage', original),
    ...among(query, 'ids', (chapter) => [chapter.id]),
    ...among(query, 'groups', groups),
    ...notAmong(query, 'excludedGroups', groups),
    ...among(query, 'uploader', () => [uploaderId]),
    ...notAmong(query, 'excludedUploaders', () => [uploaderId]),
    ...among(query, 'manga', (chapter) => [chapter.titleId ?? '']),
    ...among(query, 'volume', (chapter) => [chapter.attributes.volume ?? 'none']),
    ...among(query, 'chapter', (chapter) => [chapter.attributes.chapter ?? 'none']),
    ...among(query, 'title', (chapter) => [chapter.attributes.title ?? '']),
    ...since(query, 'createdAt'),
    ...since(query, 'updatedAt'),
    ...since(query, 'publishAt'),
  ];
}

/** A chapter's place by one field: numbers by value, times by moment; what has none comes last. */
function placeBy(chapter: LibraryChapter, field: string): number {
  const { attributes } = chapter;
  switch (field) {
    case 'volume':
    case 'chapter':
      return Number.parseFloat(attributes[field] ?? '');
    case 'createdAt':
    case 'updatedAt':
    case 'publishAt':
    case 'readableAt':
      return Date.parse(attributes[field]);
    default:
      return Number.NaN;
  }
}

function compare(one: LibraryChapter, other: LibraryChapter, { field, descending }: Order): number {
  const [first, second] = [placeBy(one, field), placeBy(other, field)];
  if (Number.isNaN(first) || Number.isNaN(second)) {
    return Number(Number.isNaN(first)) - Number(Number.isNaN(second));
  }
  return descending ? second - first : first - second;
}

/** All that the query shows of the chapters, in its order, before paging. */
export function shownChapters(
  chapters: readonly LibraryChapter[],
  options: {
    readonly library: Library;
    readonly query: CatalogueQuery;
    readonly nowMs: number;
    readonly uploaderId: string;
  },
): LibraryChapter[] {
  const { library, query, nowMs, uploaderId } = options;
  const tests = testsOf(library, query, nowMs, uploaderId);
  const shown = chapters.filter((chapter) => tests.every((test) => test(chapter)));
  return shown.sort((one, other) => {
    for (const order of query.orders) {
      const difference = compare(one, other, order);
      if (difference !== 0) {
        return difference;
      }
    }
    return 0;
  });
}
