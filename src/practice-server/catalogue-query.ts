/**
 * Reads the query of a catalogue request as strictly as the live service does: a parameter that it does not
 * know, a value out of range, or a window past 10,000 is refused with 400 and the documented error body.
 */
import { errorAnswer, type Answer } from './endpoint.js';

/** Says what is wrong with a value, or `undefined` where nothing is. */
type Rule = (value: string) => string | undefined;

/** The parameters that an endpoint takes, by the name that stands in the query: `title`, `ids[]`, `order[chapter]`. */
export type Parameters = Readonly<Record<string, Rule>>;

/** `offset` and `limit` together go no further (spec 8.4). */
const WINDOW = 10_000;
const MOST_IDS = 100;

export const anyText: Rule = () => undefined;

export function oneOf(...words: readonly string[]): Rule {
  return (value) => (words.includes(value) ? undefined : `is none of ${words.join(', ')}`);
}

const matching =
  (pattern: RegExp, wanted: string): Rule =>
  (value) =>
    pattern.test(value) ? undefined : `is not ${wanted}`;

export const anId = matching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i, 'a UUID');
export const aLanguage = matching(/^[a-z]{2}(-[a-z]{2,3})?$/, 'a language code');
/** `YYYY-MM-DDTHH:MM:SS`, without a zone. */
export const aMoment = matching(
  /^\d{4}-[01]\d-([0-2]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/,
  'a time such as 2024-01-31T12:00:00',
);
export const aFlag = oneOf('0', '1');
export const aRating = oneOf('safe', 'suggestive', 'erotica', 'pornographic');

/** The rules of `limit` and `offset`. */
export function paging(least: number, most: number): Parameters {
  return {
    limit: (value) =>
      /^\d+$/.test(value) && Number(value) >= least && Number(value) <= most
        ? undefined
        : `is no whole number from ${least} to ${most}`,
    offset: matching(/^\d+$/, 'a whole number'),
  };
}

/** The rules of `order[…]`. */
export function orders(...fields: readonly string[]): Parameters {
  return Object.fromEntries(fields.map((field) => [`order[${field}]`, oneOf('asc', 'desc')]));
}

/** The rule of `includes[]`. */
export const includes = (...kinds: readonly string[]): Parameters => ({
  'includes[]': oneOf(...kinds),
});

export interface Order {
  readonly field: string;
  readonly descending: boolean;
}

export interface CatalogueQuery {
  readonly limit: number;
  readonly offset: number;
  /** In the order in which they stand in the query. */
  readonly orders: readonly Order[];
  /** All values of `name[]`. */
  all(name: string): readonly string[];
  /** The value of `name`, the last where it stands there more than once. */
  one(name: string): string | undefined;
}

function refused(name: string, problem: string): Answer {
  return errorAnswer(400, {
    title: 'validation_exception',
    detail: `Error validating /${name}: the value ${problem}.`,
  });
}

function problemIn(query: URLSearchParams, parameters: Parameters): Answer | undefined {
  for (const [name, value] of query) {
    const rule = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (rule === undefined) {
      return errorAnswer(400, {
        title: 'validation_exception',
        detail: `Error validating /: the property ${name} is not defined, and additional properties are not allowed.`,
      });
    }
    const problem = rule(value);
    if (problem !== undefined) {
      return refused(name, problem);
    }
    if (name.endsWith('[]') && query.getAll(name).length > MOST_IDS) {
      return refused(name, `stands there more than ${MOST_IDS} times`);
    }
  }
  return undefined;
}

/** The query, or the answer that refuses it. `limit` is what the endpoint takes where the query names none. */
export function readQuery(
  query: URLSearchParams,
  parameters: Parameters,
  limit = 10,
): CatalogueQuery | { readonly refusal: Answer } {
  const refusal = problemIn(query, parameters);
  if (refusal !== undefined) {
    return { refusal };
  }
  const one = (name: string): string | undefined => query.getAll(name).at(-1);
  const read: CatalogueQuery = {
    limit: Number(one('limit') ?? limit),
    offset: Number(one('offset') ?? 0),
    orders: [...query]
      .filter(([name]) => name.startsWith('order['))
      .map(([name, value]) => ({ field: name.slice(6, -1), descending: value === 'desc' })),
    all: (name) => query.getAll(`${name}[]`),
    one,
  };
  if (read.offset + read.limit > WINDOW) {
    return { refusal: refused('offset', `and the limit together are over ${WINDOW}`) };
  }
  return read;
}
