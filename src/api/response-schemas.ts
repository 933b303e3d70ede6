/**
 * The schemas of the API's answers about titles, chapters, groups and lists. Members that are not known are
 * dropped. Each entity has a strict schema and a lenient one, which puts a default in place of an optional member
 * that does not fit; collections are read item by item.
 */
import * as z from 'zod';
import {
  code,
  count,
  LENIENT,
  line,
  MAX_LANGUAGES,
  MAX_LINE_LENGTH,
  nullToUndefined,
  STRICT,
  text,
  texts,
  uuid,
  word,
  type Tolerance,
} from './schema-parts.js';

const MAX_ALT_TITLES = 1_000;
const MAX_TAGS = 1_000;
const MAX_RELATIONSHIPS = 1_000;
const MAX_TITLES_OF_LIST = 10_000;
/** The code of BCP 47 for an undetermined language. */
const UNDETERMINED_LANGUAGE = 'und';

const nothing = (): undefined => undefined;
const numberAsText = (input: unknown): string | undefined =>
  Number.isFinite(input) ? String(input) : undefined;
const textAsYear = (input: unknown): number | undefined =>
  typeof input === 'string' && /^\d{4}$/.test(input) ? Number(input) : undefined;

const tag = z.object({ attributes: z.object({ name: texts, group: word }) });

const titleAttributes = ({ withFallback: orElse, listOf }: Tolerance) =>
  z.object({
    title: orElse(texts, () => ({})),
    altTitles: orElse(nullToUndefined(listOf(texts, MAX_ALT_TITLES)), nothing),
    description: orElse(nullToUndefined(texts), nothing),
    originalLanguage: orElse(nullToUndefined(code), nothing),
    status: orElse(nullToUndefined(word), nothing),
    year: orElse(nullToUndefined(z.number().int()), textAsYear),
    contentRating: orElse(nullToUndefined(word), nothing),
    chapterNumbersResetOnNewVolume: orElse(nullToUndefined(z.boolean()), nothing),
    availableTranslatedLanguages: orElse(
      nullToUndefined(listOf(code.nullable(), MAX_LANGUAGES)),
      nothing,
    ),
    tags: orElse(nullToUndefined(listOf(tag, MAX_TAGS)), nothing),
  });

const chapterAttributes = ({ withFallback: orElse }: Tolerance) =>
  z.object({
    title: orElse(nullToUndefined(text), nothing),
    volume: orElse(nullToUndefined(text), numberAsText),
    chapter: orElse(nullToUndefined(text), numberAsText),
    /** Absent where it is not known. */
    pages: orElse<number | undefined>(count, nothing),
    translatedLanguage: orElse(code, () => UNDETERMINED_LANGUAGE),
    externalUrl: orElse(nullToUndefined(line(2 * MAX_LINE_LENGTH)), nothing),
    isUnavailable: orElse(nullToUndefined(z.boolean()), nothing),
    version: orElse(z.number().int().positive(), () => 1),
    publishAt: orElse(nullToUndefined(word), nothing),
    readableAt: orElse(nullToUndefined(word), nothing),
    createdAt: orElse(nullToUndefined(word), nothing),
  });

const coverAttributes = ({ withFallback: orElse }: Tolerance) =>
  z.object({
    fileName: z.string().max(256),
    volume: orElse(nullToUndefined(text), numberAsText),
    locale: orElse(nullToUndefined(code), nothing),
  });

const listAttributes = ({ withFallback: orElse }: Tolerance) =>
  z.object({ name: orElse(text, () => '') });

const NAMED_TYPES: ReadonlySet<string> = new Set(['scanlation_group', 'author', 'artist']);
const namedAttributes = z.object({ name: text });
const relatedTitle = titleAttributes(LENIENT);
const relatedCover = coverAttributes(LENIENT);

/**
 * Something that belongs to an entity. Its attributes are there only where `includes[]` asked for them; those that
 * do not fit count as absent, since nothing depends on them.
 */
const relationship = z
  .object({ id: uuid, type: z.string().max(64), attributes: z.unknown().optional() })
  .transform(({ id, type, attributes }) => ({
    id,
    type,
    title: type === 'manga' ? relatedTitle.safeParse(attributes).data : undefined,
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

/** An entity as it was read; `isComplete` is false where a default stands in for a member that does not fit. */
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
export const listEntity = entity('custom_list', listAttributes, MAX_TITLES_OF_LIST);

type DataOf<T> = T extends EntitySchema<infer Data> ? Data : never;
export type TitleEntity = DataOf<typeof titleEntity>;
export type ChapterEntity = DataOf<typeof chapterEntity>;

const singleEnvelope = z.object({ result: z.literal('ok'), data: z.unknown() });

/** One thing by its id. `parse` throws where nothing can be made of it. */
export const single = <T>(schema: EntitySchema<T>) => ({
  parse(value: unknown): { readonly data: T } {
    const read = schema.read(singleEnvelope.parse(value).data);
    if (!read.success) throw read.error;
    return { data: read.data };
  },
});

/** One page of a collection (spec 8.4). */
export interface CollectionPage<T> {
  /** The items that are usable. */
  readonly items: readonly T[];
  /** How many items were looked at: those that came, but no more than were asked for. */
  readonly received: number;
  /** How many of the usable ones have a default in place of something that does not fit. */
  readonly repaired: number;
  /** Infinity where the answer does not say it. */
  readonly total: number;
}

const collectionEnvelope = z.object({
  result: z.literal('ok'),
  // Not z.array, which would visit and copy everything that came.
  data: z.custom<readonly unknown[]>((value) => Array.isArray(value)),
  total: count.catch(Number.POSITIVE_INFINITY),
});

/** One page of a collection of which `limit` items were asked for. `parse` throws where it is not a page. */
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

/** Just that it went well. */
export const done = z.object({ result: z.literal('ok') });
