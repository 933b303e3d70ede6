/** Which titles a search shows, and in which order. A name is found by its words, in any of the title's languages. */
import { USUAL_RATINGS } from './catalogue-chapters.js';
import type { Entities } from './catalogue-entities.js';
import {
  aFlag,
  aLanguage,
  aMoment,
  anId,
  anyText,
  aRating,
  includes,
  oneOf,
  orders,
  paging,
  type CatalogueQuery,
  type Parameters,
} from './catalogue-query.js';
import type { LibraryChapter, LibraryTitle } from './library/library.js';

const TITLE_INCLUDES = includes('manga', 'cover_art', 'author', 'artist', 'tag', 'creator');

export const ONE_TITLE_PARAMETERS: Parameters = TITLE_INCLUDES;

export const FOLLOWED_TITLES_PARAMETERS: Parameters = { ...paging(1, 100), ...TITLE_INCLUDES };

const TAG_PARAMETERS: Parameters = {
  'includedTags[]': anId,
  includedTagsMode: oneOf('AND', 'OR'),
  'excludedTags[]': anId,
  excludedTagsMode: oneOf('AND', 'OR'),
};

export const RANDOM_TITLE_PARAMETERS: Parameters = {
  ...TAG_PARAMETERS,
  'contentRating[]': aRating,
  ...TITLE_INCLUDES,
};

export const TITLE_PARAMETERS: Parameters = {
  ...paging(0, 100),
  title: anyText,
  authorOrArtist: anId,
  'authors[]': anId,
  'artists[]': anId,
  year: anyText,
  ...TAG_PARAMETERS,
  'status[]': oneOf('ongoing', 'completed', 'hiatus', 'cancelled'),
  'originalLanguage[]': aLanguage,
  'excludedOriginalLanguage[]': aLanguage,
  'availableTranslatedLanguage[]': aLanguage,
  'publicationDemographic[]': oneOf('shounen', 'shoujo', 'josei', 'seinen', 'none'),
  'ids[]': anId,
  'contentRating[]': aRating,
  createdAtSince: aMoment,
  updatedAtSince: aMoment,
  hasAvailableChapters: oneOf('0', '1', 'true', 'false'),
  hasUnavailableChapters: aFlag,
  group: anId,
  ...orders(
    'title',
    'year',
    'createdAt',
    'updatedAt',
    'latestUploadedChapter',
    'followedCount',
    'relevance',
    'rating',
  ),
  ...TITLE_INCLUDES,
};

/** Without accents and case, so that `tokyo` finds `Tōkyō`. */
const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

function isNamed(title: LibraryTitle, words: string): boolean {
  const names = [title.attributes.title, ...title.attributes.altTitles].flatMap((texts) =>
    Object.values(texts).map(plain),
  );
  const wanted = plain(words).split(/\s+/u);
  return names.some((name) => wanted.every((word) => name.includes(word)));
}

const ids = (things: readonly { readonly id: string }[]): string[] =>
  things.map((thing) => thing.id);

/** What the filters that take lists look at. */
function propertiesOf(
  title: LibraryTitle,
  chapters: readonly LibraryChapter[],
): Record<string, readonly string[]> {
  const { status, originalLanguage, publicationDemographic, year } = title.attributes;
  return {
    ids: [title.id],
    status: [status],
    originalLanguage: [originalLanguage],
    publicationDemographic: [publicationDemographic ?? 'none'],
    authors: ids(title.authors),
    artists: ids(title.artists),
    authorOrArtist: ids([...title.authors, ...title.artists]),
    year: [String(year ?? 'none')],
    availableTranslatedLanguage: chapters.map((chapter) => chapter.attributes.translatedLanguage),
    group: chapters.flatMap((chapter) => ids(chapter.groups)),
  };
}

function tagsFit(title: LibraryTitle, query: CatalogueQuery): boolean {
  const tags = ids(title.tags);
  const has = (tag: string): boolean => tags.includes(tag);
  const [wanted, unwanted] = [query.all('includedTags'), query.all('excludedTags')];
  const anyWanted = query.one('includedTagsMode') === 'OR';
  const allUnwanted = query.one('excludedTagsMode') === 'AND';
  const included = wanted.length === 0 || (anyWanted ? wanted.some(has) : wanted.every(has));
  const excluded = unwanted.length > 0 && (allUnwanted ? unwanted.every(has) : unwanted.some(has));
  return included && !excluded;
}

function isShown(
  title: LibraryTitle,
  chapters: readonly LibraryChapter[],
  query: CatalogueQuery,
): boolean {
  const { attributes } = title;
  const asked = query.all('contentRating');
  const ratings: readonly string[] = asked.length > 0 ? asked : USUAL_RATINGS;
  const words = query.one('title')?.trim();
  const fits = Object.entries(propertiesOf(title, chapters)).every(([name, values]) => {
    const one = query.one(name);
    const wanted = one === undefined ? query.all(name) : [one];
    return wanted.length === 0 || values.some((value) => wanted.includes(value));
  });
  const recent = (['createdAt', 'updatedAt'] as const).every((field) => {
    const since = query.one(`${field}Since`);
    return since === undefined || Date.parse(attributes[field]) >= Date.parse(`${since}Z`);
  });
  return (
    fits &&
    recent &&
    ratings.includes(attributes.contentRating) &&
    !query.all('excludedOriginalLanguage').includes(attributes.originalLanguage) &&
    tagsFit(title, query) &&
    (words === undefined || words === '' || isNamed(title, words))
  );
}

const nameOf = ({ attributes }: LibraryTitle): string => Object.values(attributes.title)[0] ?? '';

function compare(one: LibraryTitle, other: LibraryTitle, field: string): number {
  const [first, second] = [one.attributes, other.attributes];
  switch (field) {
    case 'title':
      return nameOf(one).localeCompare(nameOf(other), 'en');
    case 'year':
      return (first.year ?? 0) - (second.year ?? 0);
    case 'createdAt':
    case 'updatedAt':
      return Date.parse(first[field]) - Date.parse(second[field]);
    default:
      // Nobody counts followers or ratings here; such an order changes nothing.
      return 0;
  }
}

/** All titles that the query shows, in its order, before paging. */
export function shownTitles(
  titles: readonly LibraryTitle[],
  { chaptersOf }: Pick<Entities, 'chaptersOf'>,
  query: CatalogueQuery,
): LibraryTitle[] {
  const shown = titles.filter((title) => isShown(title, chaptersOf(title.id), query));
  return shown.sort((one, other) => {
    for (const { field, descending } of query.orders) {
      const difference = compare(one, other, field) * (descending ? -1 : 1);
      if (difference !== 0) {
        return difference;
      }
    }
    return 0;
  });
}
