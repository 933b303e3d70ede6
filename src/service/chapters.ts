/** Chapters. A chapter is one group's release in one language. */
import type { ServiceClient } from './client.js';
import { appendAll, withUnavailable } from './catalogue/collection.js';
import {
  CollectionReader,
  fetchEntity,
  type CollectionOptions,
  type SchemaOf,
} from './catalogue/entities.js';
import type { ChapterEntity } from './catalogue/response-schemas.js';
import { relatedTitle, type Title } from './titles.js';
import { parseWith } from './catalogue/parse-response.js';

export interface Group {
  readonly id: string;
  /** Empty if the response did not contain it. */
  readonly name: string;
}

/** The attributes that a chapter has in another form. All others it has as the service names them. */
type OtherForm =
  | 'title'
  | 'volume'
  | 'chapter'
  | 'translatedLanguage'
  | 'externalUrl'
  | 'isUnavailable'
  | 'publishAt'
  | 'readableAt'
  | 'createdAt'
  | 'updatedAt';

/** `version` counts the edits, from 1. */
export interface Chapter extends Readonly<Omit<ChapterEntity['attributes'], OtherForm>> {
  readonly id: string;
  /** The service's text, such as `10.5`; undefined for a chapter without a number. */
  readonly number: string | undefined;
  readonly volume: string | undefined;
  /** The service does not name the volume: it is that of other releases (selection/infer-volumes.ts). */
  readonly isVolumeInferred?: true;
  readonly title: string | undefined;
  /** The service's language code. */
  readonly language: string;
  /** Set if the chapter is hosted elsewhere. Not checked: `webAddress` makes it safe to print. */
  readonly externalUrl: string | undefined;
  /** Taken down. */
  readonly isUnavailable: boolean;
  readonly publishAt: Date | undefined;
  readonly readableAt: Date | undefined;
  readonly createdAt: Date | undefined;
  readonly updatedAt?: Date | undefined;
  readonly groups: readonly Group[];
  readonly titleId: string | undefined;
  /** The id of the user who uploaded it. */
  readonly uploaderId?: string | undefined;
  /** The title as contained in the chapter's response: without people and cover. */
  readonly partialTitle: Title | undefined;
}

/** A leftover of an older version of the service: a chapter of this group has no group. */
const NO_GROUP_ID = '00e03853-1b96-4f41-9542-c71b8692033b';

export const chapterSchema: SchemaOf<ChapterEntity> = (schemas) => schemas.chapterEntity;
const INCLUDES = ['manga', 'scanlation_group'] as const;

/** One chapter with its groups and its title, by one request. Throws ServiceRefusal with status 404 if it is not found. */
export async function fetchChapter(
  client: ServiceClient,
  chapterId: string,
  signal?: AbortSignal,
): Promise<Chapter> {
  const options = { includes: INCLUDES, signal };
  const path = `/chapter/${chapterId}`;
  return toChapter(await fetchEntity(client, path, chapterSchema, options), client);
}

/**
 * The chapters that the service lists, by id, with their groups and titles: one request per 100. Unpublished chapters
 * are not listed, and invalid entries are skipped; `fetchChapter` distinguishes them.
 */
export async function fetchChapters(
  client: ServiceClient,
  chapterIds: readonly string[],
  options: CollectionOptions,
): Promise<Map<string, Chapter>> {
  const reader = new CollectionReader(client, '/chapter', chapterSchema, options);
  const parameters = appendAll(new URLSearchParams(), 'includes', INCLUDES);
  const titles = new Map<string, Title>();
  const found = await reader.readByIds(chapterIds, withUnavailable(parameters), (entity) =>
    toChapter(entity, client, titles),
  );
  return new Map(found.map((chapter) => [chapter.id, chapter]));
}

export function toChapter(
  { id, attributes, relationships }: ChapterEntity,
  naming: Parameters<typeof relatedTitle>[1],
  titles = new Map<string, Title>(),
): Chapter {
  const groups = relationships.filter(
    ({ type, id }) => type === 'scanlation_group' && id !== NO_GROUP_ID,
  );
  const {
    title,
    volume,
    chapter,
    translatedLanguage: language,
    externalUrl,
    isUnavailable = false,
    publishAt,
    readableAt,
    createdAt,
    updatedAt,
    pages,
    version,
  } = attributes;
  // An object that begins as a copy of others takes more memory.
  return {
    id,
    pages,
    version,
    number: nonEmpty(chapter),
    volume: nonEmpty(volume),
    title: nonEmpty(title),
    language,
    externalUrl: nonEmpty(externalUrl),
    isUnavailable,
    publishAt: parseDate(publishAt),
    readableAt: parseDate(readableAt),
    createdAt: parseDate(createdAt),
    updatedAt: parseDate(updatedAt),
    groups: groups.map(({ id, name }) => ({ id, name: name ?? '' })),
    titleId: relationships.find(({ type }) => type === 'manga')?.id,
    uploaderId: relationships.find(({ type }) => type === 'user')?.id,
    partialTitle: relatedTitle(relationships, naming, titles),
  };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function parseDate(text: string | undefined): Date | undefined {
  const date = new Date(text ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** A chapter number in a volume. */
export interface ListedNumber {
  readonly volume: string;
  readonly number: string;
  /** How many releases of the number name the volume. */
  readonly releases: number;
}

/** The service writes this in place of a number or a volume that a release does not have. */
const NONE = 'none';

/** Leaves out releases that lack a volume or a number. Sends one request; throws as `client.api` does. */
export async function fetchListedVolumes(
  client: ServiceClient,
  titleId: string,
  signal: AbortSignal,
): Promise<readonly ListedNumber[]> {
  const { volumes } = await client.api({
    method: 'GET',
    path: `/manga/${titleId}/aggregate`,
    parser: parseWith((schemas) => schemas.listedVolumes),
    signal,
  });
  return volumes
    .filter(({ volume }) => isNamed(volume))
    .flatMap(({ volume, chapters }) =>
      chapters
        .filter(({ chapter }) => isNamed(chapter))
        .map(({ chapter, count }) => ({ volume, number: chapter, releases: count })),
    );
}

function isNamed(text: string): boolean {
  return text !== '' && text !== NONE;
}
