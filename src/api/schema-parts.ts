/**
 * What the schemas of the API's answers are made of: texts without control characters and direction marks, and
 * lists and objects that are read no further than their bound. Not z.array and z.record: these visit everything,
 * and the issues of a large list cost many times the memory of the answer.
 */
import * as z from 'zod';

const MAX_TEXT_LENGTH = 20_000;
export const MAX_LINE_LENGTH = 1_024;
export const MAX_LANGUAGES = 200;

/** Control characters but for tabs and line ends, and the marks that turn a text's direction. */
const UNSEEN = /[^\P{Cc}\t\n\r]|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
const visible = (text: string): string => text.replace(UNSEEN, '');
export const line = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .transform((it) => visible(it).replace(/\s+/gu, ' ').trim());

export const text = line(MAX_LINE_LENGTH);
export const code = line(32);
export const word = line(64);
export const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i)
  .transform((id) => id.toLowerCase());
export const count = z.number().int().nonnegative();
export const nullToUndefined = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((it) => it ?? undefined);

/** Texts by language; the service writes an empty object as an empty list. What is not a text is left out. */
export const texts = z.unknown().transform((value, context): Record<string, string> => {
  const isEmptyList = Array.isArray(value) && value.length === 0;
  if (typeof value !== 'object' || value === null || (Array.isArray(value) && !isEmptyList)) {
    context.issues.push({ code: 'custom', message: 'not texts by language', input: value });
    return z.NEVER;
  }
  const languages = Object.keys(value).slice(0, MAX_LANGUAGES);
  return Object.fromEntries(
    languages.flatMap((language) => {
      const it = (value as Record<string, unknown>)[language];
      if (typeof it !== 'string' || language.length > 32) return [];
      return [[language, visible(it.slice(0, MAX_TEXT_LENGTH))]];
    }),
  );
});

/** How a schema treats a member that does not fit. */
export interface Tolerance {
  /** The schema; where lenient, with a default for what it refuses. */
  readonly withFallback: <T>(
    schema: z.ZodType<T>,
    fallback: (input: unknown) => NoInfer<T>,
  ) => z.ZodType<T>;
  /** A list: strict up to the first item that does not fit, or, where lenient, of the items that fit. */
  readonly listOf: <T>(item: z.ZodType<T>, maxLength: number) => z.ZodType<T[]>;
}

export const STRICT: Tolerance = {
  withFallback: (schema) => schema,
  listOf: <T>(item: z.ZodType<T>, maxLength: number) =>
    z.unknown().transform((value, context): T[] => {
      const refuse = (message: string): never => {
        context.issues.push({ code: 'custom', message, input: value });
        return z.NEVER;
      };
      if (!Array.isArray(value) || value.length > maxLength) return refuse('not a list that fits');
      const items: T[] = [];
      for (const element of value as unknown[]) {
        const read = item.safeParse(element);
        if (!read.success) return refuse('an item of the list does not fit');
        items.push(read.data);
      }
      return items;
    }),
};

export const LENIENT: Tolerance = {
  withFallback: (schema, fallback) => schema.catch(({ value }) => fallback(value)),
  listOf: <T>(item: z.ZodType<T>, maxLength: number) =>
    z.unknown().transform((value): T[] => {
      const elements: unknown[] = Array.isArray(value) ? value.slice(0, maxLength) : [];
      return elements.flatMap((element) => {
        const read = item.safeParse(element);
        return read.success ? [read.data] : [];
      });
    }),
};
