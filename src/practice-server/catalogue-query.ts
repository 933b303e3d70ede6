/**
 * Reads the query of a catalogue request as strictly as the live service: an unknown parameter, an invalid value or a
 * window past 10,000 is refused with 400.
 */
import { invalidRequest, type EndpointResponse } from './endpoint.js';

/** Returns what is wrong with a value. */
type Rule = (value: string) => string | undefined;

/** The parameters of an endpoint by their names in the query: `title`, `ids[]`, `order[chapter]`. */
export type QueryParameters = Readonly<Record<string, Rule>>;

/** The maximum of `offset` and `limit` together (spec 8.4). */
export const MAX_WINDOW = 10_000;
const MAX_VALUES = 100;

export const anyText: Rule = () => undefined;

export const oneOf =
  (...words: readonly string[]): Rule =>
  (value) =>
    words.includes(value) ? undefined : `is none of ${words.join(', ')}`;

const matching =
  (pattern: RegExp, expected: string): Rule =>
  (value) =>
    pattern.test(value) ? undefined : `is not ${expected}`;

export const uuid = matching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i, 'a UUID');
export const language = matching(/^[a-z]{2}(-[a-z]{2,3})?$/, 'a language code');
/** `YYYY-MM-DDTHH:MM:SS`, without a zone. */
export const time = matching(
  /^\d{4}-[01]\d-([0-2]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/,
  'a time such as 2024-01-31T12:00:00',
);
export const flag = oneOf('0', '1');
export const rating = oneOf('safe', 'suggestive', 'erotica', 'pornographic');

export const paging = (min: number, max: number): QueryParameters => ({
  limit: (value) =>
    /^\d+$/.test(value) && Number(value) >= min && Number(value) <= max
      ? undefined
      : `is not an integer from ${min} to ${max}`,
  offset: matching(/^\d+$/, 'an integer'),
});

export const orders = (...fields: readonly string[]): QueryParameters =>
  Object.fromEntries(fields.map((field) => [`order[${field}]`, oneOf('asc', 'desc')]));

export const includes = (...types: readonly string[]): QueryParameters => ({
  'includes[]': oneOf(...types),
});

export interface CatalogueQuery {
  readonly limit: number;
  readonly offset: number;
  /** In the order of the query. */
  readonly orders: readonly { readonly field: string; readonly descending: boolean }[];
  readonly includes: readonly string[];
  /** All values of `name[]`. */
  all(name: string): readonly string[];
  /** The last value of `name`. */
  one(name: string): string | undefined;
}

const invalid = (name: string, problem: string): EndpointResponse =>
  invalidRequest(`Error validating /${name}: the value ${problem}.`);

function refuse(query: URLSearchParams, parameters: QueryParameters): EndpointResponse | undefined {
  for (const [name, value] of query) {
    const rule = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (rule === undefined) {
      return invalidRequest(
        `Error validating /: the property ${name} is not defined, and additional properties are not allowed.`,
      );
    }
    const problem = rule(value);
    if (problem !== undefined) return invalid(name, problem);
    if (name.endsWith('[]') && query.getAll(name).length > MAX_VALUES) {
      return invalid(name, `occurs more than ${MAX_VALUES} times`);
    }
  }
  return undefined;
}

/** Returns the query, or the response that refuses it. */
export function readQuery(
  query: URLSearchParams,
  parameters: QueryParameters,
  defaultLimit = 10,
): CatalogueQuery | { readonly refusal: EndpointResponse } {
  const refusal = refuse(query, parameters);
  if (refusal !== undefined) return { refusal };
  const one = (name: string): string | undefined => query.getAll(name).at(-1);
  const limit = Number(one('limit') ?? defaultLimit);
  const offset = Number(one('offset') ?? 0);
  if (offset + limit > MAX_WINDOW) {
    return { refusal: invalid('offset', `and the limit together are over ${MAX_WINDOW}`) };
  }
  return {
    limit,
    offset,
    orders: [...query]
      .filter(([name]) => name.startsWith('order['))
      .map(([name, value]) => ({ field: name.slice(6, -1), descending: value === 'desc' })),
    includes: query.getAll('includes[]'),
    all: (name) => query.getAll(`${name}[]`),
    one,
  };
}
