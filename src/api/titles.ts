/** A title: what a series is called, who made it, and what readers want to know of it. */
import { collectionQuery, MAX_PAGE_SIZE } from './collection.js';
import type { ServiceClient } from './client.js';
import type { Relationship, TitleEntity } from './response-schemas.js';
import { CollectionReader, type CollectionOptions } from './collection-reader.js';
import { chunk, withRatings } from './query.js';
import { parseWith } from './parse-response.js';

export interface Cover {
  readonly id: string;
  readonly fileName: string;
  readonly volume: string | undefined;
  /** The language of what is printed on it. */
  readonly locale: string | undefined;
}

export interface Title {
  readonly id: string;
  /** The name that all its chapters are filed under, whatever their language. */
  readonly name: string;
  /** By language code. */
  readonly description: Readonly<Record<string, string>>;
  readonly originalLanguage: string | undefined;
  readonly status: string | undefined;
  readonly year: number | undefined;
  readonly contentRating: string | undefined;
  /** Whether there is a chapter 1 in each volume. */
  readonly numbersRestart: boolean;
  /** The codes of the languages that it has chapters in. */
  readonly languages: readonly string[];
  readonly genres: readonly string[];
  /** Themes, formats and warnings. */
  readonly tags: readonly string[];
  readonly authors: readonly string[];
  readonly artists: readonly string[];
  /** The one that the service shows for the whole title. */
  readonly mainCover: Cover | undefined;
}

const INCLUDES = ['author', 'artist', 'cover_art'] as const;

/** One title with its people and its cover, in one call. Throws ServiceRefusal with status 404 where there is none. */
export async function fetchTitle(
  client: ServiceClient,
  titleId: string,
  signal?: AbortSignal,
): Promise<Title> {
  const query = new URLSearchParams();
  for (const name of INCLUDES) query.append('includes[]', name);
  const answer = await client.api({
    method: 'GET',
    path: `/manga/${titleId}`,
    query,
    parser: parseWith(({ single, titleEntity }) => single(titleEntity)),
    ...(signal && { signal }),
  });
  return toTitle(answer.data);
}

export interface FetchedTitles {
  readonly titles: ReadonlyMap<string, Title>;
  /** Entries that could not be used: a title that is missing may be one of them. */
  readonly skipped: number;
}

/** Those of the titles that the service has, by id: one call for each hundred. */
export async function fetchTitles(
  client: ServiceClient,
  titleIds: readonly string[],
  options: CollectionOptions = {},
): Promise<FetchedTitles> {
  const titles = new Map<string, Title>();
  const reader = new CollectionReader(client, '/manga', (it) => it.titleEntity, options);
  for (const ids of chunk([...new Set(titleIds)], MAX_PAGE_SIZE)) {
    const query = withRatings(collectionQuery(0, MAX_PAGE_SIZE));
    for (const id of ids) query.append('ids[]', id);
    for (const name of INCLUDES) query.append('includes[]', name);
    for (const entity of (await reader.readPage(query)).items)
      titles.set(entity.id, toTitle(entity));
  }
  reader.finish();
  return { titles, skipped: reader.skipped };
}

export function toTitle(entity: TitleEntity): Title {
  const { attributes, relationships } = entity;
  const tags = attributes.tags ?? [];
  const named = (inGroup: (group: string) => boolean) =>
    tags
      .filter((tag) => inGroup(tag.attributes.group))
      .map((tag) => preferredText(tag.attributes.name, ['en']) ?? '')
      .filter((name) => name !== '');
  return {
    id: entity.id,
    name: titleName(
      [attributes.title, ...(attributes.altTitles ?? [])],
      attributes.originalLanguage,
    ),
    description: attributes.description ?? {},
    originalLanguage: attributes.originalLanguage,
    status: attributes.status,
    year: attributes.year,
    contentRating: attributes.contentRating,
    numbersRestart: attributes.chapterNumbersResetOnNewVolume ?? false,
    languages: (attributes.availableTranslatedLanguages ?? []).filter((code) => code !== null),
    genres: named((group) => group === 'genre'),
    tags: named((group) => group !== 'genre'),
    authors: relatedNames(relationships, 'author'),
    artists: relatedNames(relationships, 'artist'),
    mainCover: coversOf(relationships)[0],
  };
}

/** The title that a chapter's relationships carry, where they carry one; its people and cover are not there. */
export function relatedTitle(relationships: readonly Relationship[]): Title | undefined {
  const related = relationships.find(({ type }) => type === 'manga');
  if (related?.title === undefined) return undefined;
  return toTitle({
    id: related.id,
    type: 'manga',
    attributes: related.title,
    relationships: [],
  });
}

/** The names of the related groups or people of one type, as far as the answer carries them. */
export function relatedNames(relationships: readonly Relationship[], type: string): string[] {
  const names = relationships
    .filter((related) => related.type === type)
    .map(({ name }) => name ?? '');
  return [...new Set(names.filter((name) => name !== ''))];
}

/** The text in the first of these languages that there is, else in any. */
export function preferredText(
  texts: Readonly<Record<string, string>>,
  languages: readonly string[],
): string | undefined {
  const ordered = [...languages.map((code) => texts[code]), ...Object.values(texts)];
  return ordered.find((text) => text !== undefined && text.trim() !== '')?.trim();
}

/** English first, then the original in Latin letters, so that folders are named alike for all its chapters. */
function titleName(
  names: readonly Readonly<Record<string, string>>[],
  originalLanguage: string | undefined,
): string {
  const romanised = originalLanguage === undefined ? [] : [`${originalLanguage}-ro`];
  const inOrder = names.map((texts) => preferredText(texts, ['en', ...romanised, 'ja-ro']));
  return (inOrder.find((name) => name !== undefined) ?? '').replace(/\s+/gu, ' ');
}

function coversOf(relationships: readonly Relationship[]): Cover[] {
  return relationships.flatMap(({ id, cover }) => (cover ? [{ id, ...cover }] : []));
}
