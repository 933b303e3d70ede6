/**
 * The schemas of the API's responses about titles, chapters, covers and lists. Unknown members are dropped. Each entity
 * has a strict and a lenient schema, which replaces invalid optional members by defaults; invalid entries of
 * collections are skipped.
 */
import * as z from 'zod';
import {
  code,
  count,
  LENIENT,
  singleLine,
  MAX_LANGUAGES,
  MAX_LINE_LENGTH,
  nullToUndefined,
  STRICT,
  text,
  localizedTexts,
  uuid,
  word,
  type Tolerance,
} from './schema-parts.js';

const MAX_ALT_TITLES = 1_000;
const MAX_TAGS = 1_000;
const MAX_RELATIONSHIPS = 1_000;
const MAX_TITLES_OF_LIST = 10_000;
/** BCP 47. */
const UNDETERMINED_LANGUAGE = 'und';

const numberAsText = (input: unknown): string | undefined =>
  Number.isFinite(input) ? String(input) : undefined;
const textAsYear = (input: unknown): number | undefined =>
  typeof input === 'string' && /^\d{4}$/.test(input) ? Number(input) : undefined;

const tag = z.object({ attributes: z.object({ name: localizedTexts, group: word }) });

const titleAttributes = ({ withFallback, optional, listOf }: Tolerance) =>
  z.object({
    title: withFallback(localizedTexts, () => ({})),
    altTitles: optional(listOf(localizedTexts, MAX_ALT_TITLES)),
    description: optional(localizedTexts),
    originalLanguage: optional(code),
    status: optional(word),
    publicationDemographic: optional(word),
    lastVolume: optional(text),
    year: withFallback(nullToUndefined(z.number().int()), textAsYear),
    contentRating: optional(word),
    chapterNumbersResetOnNewVolume: optional(z.boolean()),
    availableTranslatedLanguages: optional(listOf(code.nullable(), MAX_LANGUAGES)),
    tags: optional(listOf(tag, MAX_TAGS)),
    latestUploadedChapter: optional(uuid),
    // Ids and addresses on other sites, by the names of these.
    links: optional(localizedTexts),
  });

const chapterAttributes = ({ withFallback, optional }: Tolerance) =>
  z.object({
    title: optional(text),
    volume: withFallback(nullToUndefined(text), numberAsText),
    chapter: withFallback(nullToUndefined(text), numberAsText),
    pages: withFallback<number | undefined>(count, () => undefined),
    translatedLanguage: withFallback(code, () => UNDETERMINED_LANGUAGE),
    externalUrl: optional(singleLine(2 * MAX_LINE_LENGTH)),
    isUnavailable: optional(z.boolean()),
    version: withFallback(z.number().int().positive(), () => 1),
    publishAt: optional(word),
    readableAt: optional(word),
    createdAt: optional(word),
    updatedAt: optional(word),
  });

const coverAttributes = ({ withFallback, optional }: Tolerance) =>
  z.object({
    fileName: z.string().max(256),
    volume: withFallback(nullToUndefined(text), numberAsText),
    locale: optional(code),
  });

const nameAttributes = ({ withFallback }: Tolerance) =>
  z.object({ name: withFallback(text, () => '') });

const NAMED_TYPES: ReadonlySet<string> = new Set(['scanlation_group', 'author', 'artist']);
const namedAttributes = z.object({ name: text });
const relatedTitle = titleAttributes(LENIENT);
const relatedCover = coverAttributes(LENIENT);

/**
 * The attributes are present only if `includes[]` requested them; invalid ones count as absent. Those of a title are read when
 * they are asked for: a list of chapters repeats them in each chapter.
 */
const relationship = z
  .object({ id: uuid, type: z.string().max(64), attributes: z.unknown().optional() })
  .transform(({ id, type, attributes }) => ({
    id,
    type,
    readTitle: () => (type === 'manga' ? relatedTitle.safeParse(attributes).data : undefined),
    cover: type === 'cover_art' ? relatedCover.safeParse(attributes).data : undefined,
    name: NAMED_TYPES.has(type) ? namedAttributes.safeParse(attributes).data?.name : undefined,
  }));
export type Relationship = z.output<typeof relationship>;

interface Entity<Type extends string, Attributes> {
  readonly id: string;
  readonly type: Type;
  readonly attributes: Attributes;
  readonly relationships: readonly Relationship[];
}

/** `isComplete` is false if a default replaces an invalid member. */
type ReadEntity<T> =
  | { readonly success: true; readonly data: T; readonly isComplete: boolean }
  | { readonly success: false; readonly error: z.ZodError };

export interface EntitySchema<T> {
  read(value: unknown): ReadEntity<T>;
}

function entity<Type extends string, Attributes>(
  type: Type,
  attributes: (tolerance: Tolerance) => z.ZodType<Attributes>,
  maxRelationships = MAX_RELATIONSHIPS,
): EntitySchema<Entity<Type, Attributes>> {
  const schemaWith = (tolerance: Tolerance) =>
    z.object({
      id: uuid,
      type: z.literal(type),
      attributes: attributes(tolerance),
      relationships: tolerance.listOf(relationship, maxRelationships).default([]),
    });
  const strict = schemaWith(STRICT);
  const lenient = schemaWith(LENIENT);
  return {
    read(value) {
      const complete = strict.safeParse(value);
      if (complete.success) return { ...complete, isComplete: true };
      const repaired = lenient.safeParse(value);
      return repaired.success ? { ...repaired, isComplete: false } : repaired;
    },
  };
}

export const titleEntity = entity('manga', titleAttributes);
export const chapterEntity = entity('chapter', chapterAttributes);
export const coverEntity = entity('cover_art', coverAttributes);
export const listEntity = entity('custom_list', nameAttributes, MAX_TITLES_OF_LIST);
export const groupEntity = entity('scanlation_group', nameAttributes);
/** An artist is one too. */
export const authorEntity = entity('author', nameAttributes, MAX_TITLES_OF_LIST);

type DataOf<T> = T extends EntitySchema<infer Data> ? Data : never;
export type TitleEntity = DataOf<typeof titleEntity>;
export type ChapterEntity = DataOf<typeof chapterEntity>;

const singleEnvelope = z.object({ result: z.literal('ok'), data: z.unknown() });

/** One entity. `parse` throws if it is unusable. */
export const single = <T>(schema: EntitySchema<T>) => ({
  parse(value: unknown): T {
    const read = schema.read(singleEnvelope.parse(value).data);
    if (!read.success) throw read.error;
    return read.data;
  },
});

/** One page of a collection (spec 8.4). */
export interface CollectionPage<T> {
  /** The usable items. */
  readonly items: readonly T[];
  /** The number of items, at most as many as were requested. */
  readonly received: number;
  /** The number of usable items with a default in place of an invalid member. */
  readonly repaired: number;
  /** Infinity if the response does not say. */
  readonly total: number;
}

const collectionEnvelope = z.object({
  result: z.literal('ok'),
  // Not z.array, which would visit and copy every item.
  data: z.custom<readonly unknown[]>((value) => Array.isArray(value)),
  total: count.catch(Number.POSITIVE_INFINITY),
});

/** One page of a collection, with at most `limit` items. `parse` throws if it is not a page. */
export const collection = <T>(schema: EntitySchema<T>, limit: number) => ({
  parse(value: unknown): CollectionPage<T> {
    const { data, total } = collectionEnvelope.parse(value);
    const received = data.slice(0, limit);
    const items: T[] = [];
    let repaired = 0;
    for (const item of received) {
      const read = schema.read(item);
      if (!read.success) continue;
      items.push(read.data);
      if (!read.isComplete) repaired += 1;
    }
    return { items, received: received.length, repaired, total };
  },
});

const MAX_VOLUMES = 10_000;
const MAX_CHAPTERS_OF_VOLUME = 20_000;

/** The service writes an object as a list where it is empty, and where its keys count from 0. */
const valuesOf = <T>(item: z.ZodType<T>, maxLength: number) =>
  z.preprocess(
    (value) => (typeof value === 'object' && value !== null ? Object.values(value) : value),
    z
      .custom<readonly unknown[]>((value) => Array.isArray(value))
      .transform((value) => LENIENT.listOf(item, maxLength).parse(value)),
  );

const numberText = z.union([text, z.number().transform(String)]);
const listedChapter = z.object({ chapter: numberText, count: count.catch(1) });

/** The volumes of a title with the numbers of their chapters, without invalid ones. */
export const listedVolumes = z.object({
  result: z.literal('ok'),
  volumes: valuesOf(
    z.object({ volume: numberText, chapters: valuesOf(listedChapter, MAX_CHAPTERS_OF_VOLUME) }),
    MAX_VOLUMES,
  ),
});

/** The reading statuses of titles by id. The service writes an empty object as an empty list. */
export const readingStatuses = z.object({
  result: z.literal('ok'),
  statuses: z.union([z.record(z.string(), z.unknown()), z.array(z.never()).max(0)]),
});

const chapterIds = z.array(z.string());

/** The ids of chapters, or those of each title. */
export const readMarkers = z.object({
  result: z.literal('ok'),
  data: z.union([chapterIds, z.record(z.string(), chapterIds)]),
});

export const okResult = z.object({ result: z.literal('ok') });
