/** Titles. A title is a series with its authors, tags and cover. */
import { UsageError, ServiceError } from '../core/errors.js';
import { preferredText } from '../core/preferred-text.js';
import type { ServiceClient } from './client.js';
import { appendAll, collectionQuery, MAX_PAGE_SIZE, withRatings } from './catalogue/collection.js';
import {
  CollectionReader,
  fetchEntity,
  type CollectionOptions,
  type SchemaOf,
} from './catalogue/entities.js';
import type { Relationship, TitleEntity } from './catalogue/response-schemas.js';

export interface Cover {
  readonly id: string;
  readonly fileName: string;
  readonly volume: string | undefined;
  /** The language of the text on it. */
  readonly locale: string | undefined;
}

interface LocalizedName {
  /** The code of the service, such as `ja-ro` for romanised Japanese. */
  readonly language: string;
  readonly name: string;
}

/** What the owner of a collection wants titles to be called; see docs/names.md. */
interface NameChoice {
  /** A name of the owner's own, for one title. */
  readonly series?: string | undefined;
  /** Codes in order of preference; undefined: English, otherwise the romanised original, otherwise the original. */
  readonly titleLanguage?: readonly string[] | undefined;
}

type Naming = Pick<ServiceClient, 'titleLanguage'>;

/** The attributes that a title has in another form. All others it has as the service names them. */
type OtherForm =
  | 'title'
  | 'altTitles'
  | 'description'
  | 'lastVolume'
  | 'publicationDemographic'
  | 'chapterNumbersResetOnNewVolume'
  | 'availableTranslatedLanguages'
  | 'tags'
  | 'latestUploadedChapter'
  | 'links';

export interface Title extends Readonly<Omit<TitleEntity['attributes'], OtherForm>> {
  readonly id: string;
  /** Does not depend on the language of a chapter, since files are named after it. */
  readonly name: string;
  /** All its names, in every language, and the one that its owner chose. */
  readonly names: readonly string[];
  /** The names that the service has of it: the main one first, then the alternative ones in their order. */
  readonly localizedNames: readonly LocalizedName[];
  /** By language code. */
  readonly description: Readonly<Record<string, string>>;
  /** How many volumes it has; known of titles that are complete. */
  readonly volumeCount?: number | undefined;
  /** Whether chapter numbers restart in each volume. */
  readonly numbersRestart: boolean;
  /** The codes of the languages of its chapters. */
  readonly languages: readonly string[];
  readonly genres: readonly string[];
  /** Whom it is for, such as `Shounen`. */
  readonly demographic?: string | undefined;
  /** Themes, formats and content warnings. */
  readonly tags: readonly string[];
  readonly authors: readonly string[];
  readonly artists: readonly string[];
  readonly mainCover: Cover | undefined;
  /** The chapter that was uploaded last, in any language. */
  readonly latestChapterId?: string | undefined;
  readonly myAnimeListId?: string | undefined;
}

export const titleSchema: SchemaOf<TitleEntity> = (schemas) => schemas.titleEntity;
export const TITLE_INCLUDES = ['author', 'artist', 'cover_art'] as const;

/** One title with its people and cover, by one request. Throws ServiceRefusal with status 404 if it is not found. */
export async function fetchTitle(
  client: ServiceClient,
  titleId: string,
  signal?: AbortSignal,
): Promise<Title> {
  const options = { includes: TITLE_INCLUDES, signal };
  return toTitle(await fetchEntity(client, `/manga/${titleId}`, titleSchema, options), client);
}

interface FetchedTitles {
  readonly titles: ReadonlyMap<string, Title>;
  /** The number of invalid entries: a missing title may be one of them. */
  readonly skipped: number;
}

/** The titles that the service has, by id, with their people and covers: one request per 100. */
export async function fetchTitles(
  client: ServiceClient,
  titleIds: readonly string[],
  options: CollectionOptions,
): Promise<FetchedTitles> {
  const reader = new CollectionReader(client, '/manga', titleSchema, options);
  const parameters = appendAll(new URLSearchParams(), 'includes', TITLE_INCLUDES);
  const found = await reader.readByIds(titleIds, parameters, (entity) => toTitle(entity, client));
  const titles = new Map(found.map((title) => [title.id, title]));
  return { titles, skipped: reader.skipped };
}

interface TitleSearchOptions extends CollectionOptions {
  /** The maximum number of results, 1 to 100; 20 if absent. */
  readonly limit?: number;
  /** Only titles with chapters in one of these languages. */
  readonly languages?: readonly string[];
  /** Whether the authors and artists are needed. */
  readonly withPeople?: boolean | undefined;
}

const DEFAULT_SEARCH_LIMIT = 20;

interface TitlePage {
  readonly titles: readonly Title[];
  /** How many titles match. */
  readonly total: number;
}

/** Titles by name, the best match first, by one request. Throws `bad-option` for empty words or an invalid limit. */
export async function searchTitles(
  client: ServiceClient,
  words: string,
  options: TitleSearchOptions = {},
): Promise<TitlePage> {
  const { limit = DEFAULT_SEARCH_LIMIT, languages, withPeople = false } = options;
  const title = words.replace(/\s+/gu, ' ').trim();
  if (title === '') throw new UsageError('bad-option', 'The words to search for are empty.');
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE_SIZE) {
    const message = `The limit of a search must be 1 to ${MAX_PAGE_SIZE}: ${limit}`;
    throw new UsageError('bad-option', message);
  }
  const query = withRatings(collectionQuery(0, limit));
  query.append('title', title);
  query.append('order[relevance]', 'desc');
  appendAll(query, 'availableTranslatedLanguage', languages);
  if (withPeople) appendAll(query, 'includes', ['author', 'artist']);
  const reader = new CollectionReader(client, '/manga', titleSchema, options);
  const { items, total } = await reader.readPage(query);
  reader.finish();
  return { titles: items.map((entity) => toTitle(entity, client)), total };
}

export function toTitle(
  { id, attributes, relationships }: TitleEntity,
  { titleLanguage }: Naming,
): Title {
  const {
    title,
    altTitles = [],
    description = {},
    lastVolume,
    publicationDemographic,
    chapterNumbersResetOnNewVolume: numbersRestart = false,
    availableTranslatedLanguages: languages = [],
    tags = [],
    latestUploadedChapter: latestChapterId,
    links = {},
    originalLanguage,
    status,
    year,
    contentRating,
  } = attributes;
  const tagNames = (isIncluded: (group: string) => boolean) =>
    tags
      .filter((tag) => isIncluded(tag.attributes.group))
      .map((tag) => preferredText(tag.attributes.name, ['en']) ?? '')
      .filter((name) => name !== '');
  const localizedNames = [title, ...altTitles].flatMap(namesIn);
  const [mainCover] = relationships.flatMap(({ id, cover }) => (cover ? [{ id, ...cover }] : []));
  return {
    id,
    originalLanguage,
    status,
    year,
    contentRating,
    name: chosenName({ originalLanguage, localizedNames }, titleLanguage),
    names: [...new Set(localizedNames.map(({ name }) => name))],
    localizedNames,
    description,
    volumeCount: volumeCount(lastVolume),
    numbersRestart,
    languages: languages.filter((code) => code !== null),
    genres: tagNames((group) => group === 'genre'),
    demographic: demographicName(publicationDemographic),
    tags: tagNames((group) => group !== 'genre'),
    authors: relatedNames(relationships, 'author'),
    artists: relatedNames(relationships, 'artist'),
    mainCover,
    latestChapterId,
    myAnimeListId: links['mal'],
  };
}

/**
 * The title in the relationships of a chapter, without people and cover. `titles`: those that were read before, by id, which
 * chapters share; a title that is not among them is added.
 */
export function relatedTitle(
  relationships: readonly Relationship[],
  naming: Naming,
  titles: Map<string, Title>,
): Title | undefined {
  const related = relationships.find(({ type }) => type === 'manga');
  const known = related && titles.get(related.id);
  if (!related || known) return known;
  const attributes = related.readTitle();
  if (!attributes) return undefined;
  const { id } = related;
  const title = toTitle({ id, type: 'manga', attributes, relationships: [] }, naming);
  titles.set(id, title);
  return title;
}

/** The names of the related groups or people of one type that the response contains. */
function relatedNames(relationships: readonly Relationship[], type: string): string[] {
  const names = relationships
    .filter((related) => related.type === type)
    .map(({ name }) => name ?? '');
  return [...new Set(names.filter((name) => name !== ''))];
}

/** Capitalized as the service's genres are. */
function demographicName(code = 'none'): string | undefined {
  if (code === 'none' || !/^[a-z]+$/.test(code)) return undefined;
  return `${code.charAt(0).toUpperCase()}${code.slice(1)}`;
}

/** The service has an empty text where the last volume is not published. */
function volumeCount(lastVolume = ''): number | undefined {
  return /^[1-9]\d{0,3}$/.test(lastVolume) ? Number(lastVolume) : undefined;
}

/** Names without a visible character are left out. */
function namesIn(texts: Readonly<Record<string, string>>): readonly LocalizedName[] {
  return Object.entries(texts)
    .map(([language, text]) => ({ language, name: oneLine(text) }))
    .filter(({ name }) => /[^\p{Z}\p{C}]/u.test(name));
}

type Named = Pick<Title, 'localizedNames' | 'originalLanguage'>;

/**
 * The first name in the first of these languages that has one; without one, English, otherwise the romanised original,
 * otherwise the original. Not the language of a chapter, so that all chapters share a folder. The main name comes before
 * the alternative ones in each language.
 */
function chosenName(
  { localizedNames, originalLanguage }: Named,
  titleLanguage: readonly string[] = [],
): string {
  const [code = 'ja'] = originalLanguage?.split('-') ?? [];
  const byDefault = ['en', `${originalLanguage ?? code}-ro`, `${code}-ro`, originalLanguage, code];
  const languages = [...titleLanguage, ...byDefault];
  const [name = localizedNames[0]] = languages.flatMap((each = '') =>
    namesOf(localizedNames, each),
  );
  return name?.name ?? '';
}

function namesOf(names: readonly LocalizedName[], code: string): readonly LocalizedName[] {
  return names.filter(({ language }) => language.toLowerCase() === code.toLowerCase());
}

/** The title under the name that its owner chose. */
export function withChosenName(title: Title, { series, titleLanguage }: NameChoice): Title {
  if (series === undefined && titleLanguage === undefined) return title;
  const own = oneLine(series ?? '');
  const name = own === '' ? chosenName(title, titleLanguage) : own;
  return { ...title, name, names: [...new Set([name, ...title.names])] };
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/gu, ' ');
}

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
