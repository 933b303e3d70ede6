/** Which titles a search returns. A name matches by its words, in any of the title's languages. */
import {
  anyOf,
  noneOf,
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
  oneOf,
  orders,
  paging,
  rating,
  time,
  uuid,
  type CatalogueQuery,
  type QueryParameters,
} from './catalogue-query.js';
import type { Library, LibraryTitle } from './library/library.js';

export const TITLE_INCLUDES = includes('manga', 'cover_art', 'author', 'artist', 'tag', 'creator');

const TAG_PARAMETERS: QueryParameters = {
  'includedTags[]': uuid,
  includedTagsMode: oneOf('AND', 'OR'),
  'excludedTags[]': uuid,
  excludedTagsMode: oneOf('AND', 'OR'),
};

export const RANDOM_TITLE_PARAMETERS: QueryParameters = {
  ...TAG_PARAMETERS,
  'contentRating[]': rating,
  ...TITLE_INCLUDES,
};

const SORT_KEYS: SortKeys<LibraryTitle> = {
  title: ({ attributes }) => Object.values(attributes.title)[0] ?? '',
  year: ({ attributes }) => attributes.year ?? 0,
  createdAt: ({ attributes }) => Date.parse(attributes.createdAt),
  updatedAt: ({ attributes }) => Date.parse(attributes.updatedAt),
};

export const TITLE_PARAMETERS: QueryParameters = {
  ...paging(0, 100),
  ...RANDOM_TITLE_PARAMETERS,
  title: anyText,
  authorOrArtist: uuid,
  'authors[]': uuid,
  'artists[]': uuid,
  year: anyText,
  'status[]': oneOf('ongoing', 'completed', 'hiatus', 'cancelled'),
  'originalLanguage[]': language,
  'excludedOriginalLanguage[]': language,
  'availableTranslatedLanguage[]': language,
  'publicationDemographic[]': oneOf('shounen', 'shoujo', 'josei', 'seinen', 'none'),
  'ids[]': uuid,
  createdAtSince: time,
  updatedAtSince: time,
  hasAvailableChapters: oneOf('0', '1', 'true', 'false'),
  hasUnavailableChapters: flag,
  group: uuid,
  ...orders(...Object.keys(SORT_KEYS)),
  // The practice server has no followers and ratings.
  ...orders('latestUploadedChapter', 'followedCount', 'relevance', 'rating'),
};

/** Without accents and case: `tokyo` matches `Tōkyō`. */
const fold = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

function nameFilter(query: CatalogueQuery): Filter<LibraryTitle> {
  const text = query.one('title')?.trim() ?? '';
  if (text === '') return () => true;
  const words = fold(text).split(/\s+/u);
  return ({ attributes }) =>
    [attributes.title, ...attributes.altTitles]
      .flatMap((texts) => Object.values(texts).map(fold))
      .some((name) => words.every((word) => name.includes(word)));
}

function tagFilter(query: CatalogueQuery): Filter<LibraryTitle> {
  const [included, excluded] = [query.all('includedTags'), query.all('excludedTags')];
  const anyIncluded = query.one('includedTagsMode') === 'OR';
  const allExcluded = query.one('excludedTagsMode') === 'AND';
  return ({ tags }) => {
    const has = (id: string): boolean => tags.some((tag) => tag.id === id);
    const isIncluded =
      included.length === 0 || (anyIncluded ? included.some(has) : included.every(has));
    const isExcluded =
      excluded.length > 0 && (allExcluded ? excluded.every(has) : excluded.some(has));
    return isIncluded && !isExcluded;
  };
}

const idsOf = (items: readonly { readonly id: string }[]): string[] => items.map(({ id }) => id);

/** The titles that match the query, in its order, before paging. */
export function selectTitles(library: Library, query: CatalogueQuery): LibraryTitle[] {
  const original = ({ attributes }: LibraryTitle) => [attributes.originalLanguage];
  const filters: Filter<LibraryTitle>[] = [
    rated(query, ({ attributes }) => attributes.contentRating),
    anyOf(query, 'ids', ({ id }) => [id]),
    anyOf(query, 'status', ({ attributes }) => [attributes.status]),
    anyOf(query, 'originalLanguage', original),
    noneOf(query, 'excludedOriginalLanguage', original),
    anyOf(query, 'publicationDemographic', ({ attributes }) => [
      attributes.publicationDemographic ?? 'none',
    ]),
    anyOf(query, 'authors', ({ authors }) => idsOf(authors)),
    anyOf(query, 'artists', ({ artists }) => idsOf(artists)),
    anyOf(query, 'authorOrArtist', ({ authors, artists }) => idsOf([...authors, ...artists])),
    anyOf(query, 'year', ({ attributes }) => [String(attributes.year ?? 'none')]),
    anyOf(query, 'availableTranslatedLanguage', ({ id }) =>
      library.chaptersOf(id).map(({ attributes }) => attributes.translatedLanguage),
    ),
    anyOf(query, 'group', ({ id }) =>
      library.chaptersOf(id).flatMap(({ groups }) => idsOf(groups)),
    ),
    since(query, 'createdAt', ({ attributes }) => attributes.createdAt),
    since(query, 'updatedAt', ({ attributes }) => attributes.updatedAt),
    tagFilter(query),
    nameFilter(query),
  ];
  return select(library.titles(), query, filters, SORT_KEYS);
}
