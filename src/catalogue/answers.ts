/**
 * The shapes of the API's answers about titles, chapters, groups and lists, checked before anything is done
 * with them. Members that we do not know are let through and dropped; numbers written as texts are not taken
 * for numbers, and nothing is taken that is larger than any real answer. What would move a terminal's cursor or
 * turn the direction of a line is dropped: these texts are shown, and become names of files.
 */
import * as z from 'zod';

const MOST_LETTERS = 20_000;
const SHORT = 1_024;
const MOST_ENTRIES = 1_000;

/** Control characters but for tabs and line ends, and the marks that turn a text's direction. */
const UNSEEN = /[^\P{Cc}\t\n\r]|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
const paragraphs = (most: number) =>
  z
    .string()
    .max(most)
    .transform((it) => it.replace(UNSEEN, ''));
const line = (most: number) => paragraphs(most).transform((it) => it.replace(/\s+/gu, ' ').trim());

const text = line(SHORT);
const code = line(32);
const word = line(64);
const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i)
  .transform((id) => id.toLowerCase());
const count = z.number().int().nonnegative();
/** The service writes an empty table as an empty list. */
const texts = z.union([
  z.record(z.string().max(32), paragraphs(MOST_LETTERS)),
  z
    .array(z.unknown())
    .max(0)
    .transform((): Record<string, string> => ({})),
]);
const orNothing = <Shape extends z.ZodType>(shape: Shape) =>
  shape.nullish().transform((it) => it ?? undefined);

const tag = z.object({
  attributes: z.object({ name: texts, group: word }),
});

const titleAttributes = z.object({
  title: texts,
  altTitles: z.array(texts).max(MOST_ENTRIES).optional(),
  description: orNothing(texts),
  originalLanguage: orNothing(code),
  status: orNothing(word),
  year: orNothing(z.number().int()),
  contentRating: orNothing(word),
  chapterNumbersResetOnNewVolume: orNothing(z.boolean()),
  availableTranslatedLanguages: orNothing(z.array(code.nullable()).max(MOST_ENTRIES)),
  tags: orNothing(z.array(tag).max(MOST_ENTRIES)),
});

const chapterAttributes = z.object({
  title: orNothing(text),
  volume: orNothing(text),
  chapter: orNothing(text),
  pages: count,
  translatedLanguage: code,
  externalUrl: orNothing(line(2 * SHORT)),
  isUnavailable: orNothing(z.boolean()),
  version: z.number().int().positive(),
  publishAt: orNothing(word),
  readableAt: orNothing(word),
  createdAt: orNothing(word),
});

const coverAttributes = z.object({
  fileName: z.string().max(256),
  volume: orNothing(text),
  locale: orNothing(code),
});

const NAMED_TYPES: ReadonlySet<string> = new Set(['scanlation_group', 'author', 'artist']);
const namedAttributes = z.object({ name: text });

/**
 * Something that belongs to an entity. Its attributes are there only where `includes[]` asked for them; those of
 * another shape than is known count as not there, since nothing depends on them.
 */
const relationship = z
  .object({ id: uuid, type: z.string().max(64), attributes: z.unknown().optional() })
  .transform(({ id, type, attributes }) => ({
    id,
    type,
    title: type === 'manga' ? titleAttributes.safeParse(attributes).data : undefined,
    cover: type === 'cover_art' ? coverAttributes.safeParse(attributes).data : undefined,
    name: NAMED_TYPES.has(type) ? namedAttributes.safeParse(attributes).data?.name : undefined,
  }));
const relationships = z.array(relationship).max(MOST_ENTRIES * 10);
export type Relationship = z.output<typeof relationship>;

const entity = <Type extends string, Attributes extends z.ZodType>(
  type: Type,
  attributes: Attributes,
) =>
  z.object({
    id: uuid,
    type: z.literal(type),
    attributes,
    relationships: relationships.default([]),
  });

export const titleEntity = entity('manga', titleAttributes);
export const chapterEntity = entity('chapter', chapterAttributes);
export const coverEntity = entity('cover_art', coverAttributes);
export const listEntity = entity('custom_list', z.object({ name: text }));

export type TitleEntity = z.output<typeof titleEntity>;
export type ChapterEntity = z.output<typeof chapterEntity>;

/** One thing by its id. */
export const single = <Entity extends z.ZodType>(data: Entity) =>
  z.object({ result: z.literal('ok'), data });

/** One piece of a collection (spec 8.4). */
export const collection = <Entity extends z.ZodType>(data: Entity) =>
  z.object({ result: z.literal('ok'), data: z.array(data).max(MOST_ENTRIES), total: count });

/** Just that it went well. */
export const done = z.object({ result: z.literal('ok') });
