/**
 * The parts of the schemas of responses: printable text, and lists and records that are read only up to their maximum
 * size. z.array and z.record visit everything, and their issues for a large list need many times its memory.
 */
import * as z from 'zod';
import { printable } from '../../core/printable.js';
import { isUuid } from '../../core/uuid.js';

const MAX_TEXT_LENGTH = 20_000;
const MAX_CODE_LENGTH = 32;
export const MAX_LINE_LENGTH = 1_024;
export const MAX_LANGUAGES = 200;

export const singleLine = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .transform((value) => printable(value.replace(/\s/gu, ' ')).replace(/ {2,}/g, ' ').trim());

export const text = singleLine(MAX_LINE_LENGTH);
export const code = singleLine(MAX_CODE_LENGTH);
export const word = singleLine(64);
export const uuid = z
  .string()
  .refine(isUuid)
  .transform((id) => id.toLowerCase());
export const count = z.number().int().nonnegative();
export const nullToUndefined = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

/** Texts by language, without invalid members. The service writes an empty object as an empty list. */
export const localizedTexts = z.unknown().transform((value, context): Record<string, string> => {
  if (typeof value !== 'object' || value === null || (Array.isArray(value) && value.length > 0)) {
    context.issues.push({ code: 'custom', message: 'not texts by language', input: value });
    return z.NEVER;
  }
  const languages = Object.keys(value).slice(0, MAX_LANGUAGES);
  return Object.fromEntries(
    languages.flatMap((language) => {
      const localized = (value as Record<string, unknown>)[language];
      if (typeof localized !== 'string' || language.length > MAX_CODE_LENGTH) return [];
      return [[language, printable(localized.slice(0, MAX_TEXT_LENGTH).replace(/\r\n?/g, '\n'))]];
    }),
  );
});

/** How a schema treats an invalid member. */
export interface Tolerance {
  /** The schema; if lenient, with a default for invalid input. */
  readonly withFallback: <T>(
    schema: z.ZodType<T>,
    fallback: (input: unknown) => NoInfer<T>,
  ) => z.ZodType<T>;
  /** The schema or null; if lenient, undefined for invalid input. */
  readonly optional: <T>(schema: z.ZodType<T>) => z.ZodType<T | undefined>;
  /** A list; if lenient, of the valid items, otherwise invalid at the first invalid item. */
  readonly listOf: <T>(item: z.ZodType<T>, maxLength: number) => z.ZodType<T[]>;
}

export const STRICT: Tolerance = {
  withFallback: (schema) => schema,
  optional: nullToUndefined,
  listOf: <T>(item: z.ZodType<T>, maxLength: number) =>
    z.unknown().transform((value, context): T[] => {
      const fail = (message: string): never => {
        context.issues.push({ code: 'custom', message, input: value });
        return z.NEVER;
      };
      if (!Array.isArray(value) || value.length > maxLength) return fail('not a list, or too long');
      const items: T[] = [];
      for (const element of value as unknown[]) {
        const result = item.safeParse(element);
        if (!result.success) return fail('invalid item');
        items.push(result.data);
      }
      return items;
    }),
};

export const LENIENT: Tolerance = {
  withFallback: (schema, fallback) => schema.catch(({ value }) => fallback(value)),
  optional: (schema) => nullToUndefined(schema).catch(undefined),
  listOf: <T>(item: z.ZodType<T>, maxLength: number) =>
    z.unknown().transform((value): T[] => {
      const elements: unknown[] = Array.isArray(value) ? value.slice(0, maxLength) : [];
      return elements.flatMap((element) => {
        const result = item.safeParse(element);
        return result.success ? [result.data] : [];
      });
    }),
};
