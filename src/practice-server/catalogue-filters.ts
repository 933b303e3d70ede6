/** Filters and sorts the entities of a collection by its query. */
import type { CatalogueQuery } from './catalogue-query.js';
import type { ContentRating } from './library/library.js';

export type Filter<T> = (item: T) => boolean;
type ValuesOf<T> = (item: T) => readonly string[];

const passAll = (): boolean => true;

/** The content ratings of a query without `contentRating[]`. */
const DEFAULT_RATINGS: readonly ContentRating[] = ['safe', 'suggestive', 'erotica'];

/** Keeps items with at least one of the values of `name[]` or `name`, if the query has any. */
export function anyOf<T>(query: CatalogueQuery, name: string, valuesOf: ValuesOf<T>): Filter<T> {
  const requested = [...query.all(name), query.one(name)].filter((value) => value !== undefined);
  if (requested.length === 0) return passAll;
  return (item) => valuesOf(item).some((value) => requested.includes(value));
}

/** Keeps items with none of the values of `name[]`. */
export function noneOf<T>(query: CatalogueQuery, name: string, valuesOf: ValuesOf<T>): Filter<T> {
  const excluded = query.all(name);
  if (excluded.length === 0) return passAll;
  return (item) => !valuesOf(item).some((value) => excluded.includes(value));
}

/** Keeps items whose time is at or after `<field>Since`. */
export function since<T>(
  query: CatalogueQuery,
  field: string,
  timeOf: (item: T) => string,
): Filter<T> {
  const value = query.one(`${field}Since`);
  if (value === undefined) return passAll;
  const sinceMs = Date.parse(`${value}Z`);
  return (item) => Date.parse(timeOf(item)) >= sinceMs;
}

export function rated<T>(
  query: CatalogueQuery,
  ratingOf: (item: T) => ContentRating | undefined,
): Filter<T> {
  const requested = query.all('contentRating');
  const ratings: readonly string[] = requested.length > 0 ? requested : DEFAULT_RATINGS;
  return (item) => ratings.includes(ratingOf(item) ?? 'safe');
}

type SortKey = number | string | undefined;

/** By field of `order[…]`. Ordering by another field has no effect. */
export type SortKeys<T> = Readonly<Record<string, (item: T) => SortKey>>;

function compare(first: SortKey, second: SortKey, descending = false): number {
  if (first === second) return 0;
  if (first === undefined) return 1;
  if (second === undefined) return -1;
  const isText = typeof first === 'string' && typeof second === 'string';
  const difference = isText ? first.localeCompare(second, 'en') : Number(first) - Number(second);
  return descending ? -difference : difference;
}

/** The items that pass every filter, in the query's order. Items without a sort key come last. */
export function select<T>(
  items: readonly T[],
  query: CatalogueQuery,
  filters: readonly Filter<T>[],
  sortKeys: SortKeys<T>,
): T[] {
  const { orders } = query;
  const selected = items
    .filter((item) => filters.every((filter) => filter(item)))
    .map((item) => ({ item, keys: orders.map(({ field }) => sortKeys[field]?.(item)) }));
  selected.sort((one, other) => {
    for (let index = 0; index < orders.length; index += 1) {
      const difference = compare(one.keys[index], other.keys[index], orders[index]?.descending);
      if (difference !== 0) return difference;
    }
    return 0;
  });
  return selected.map(({ item }) => item);
}

/** A number such as a chapter's `10.5`. */
export function numericKey(text: string | null): number | undefined {
  const value = Number.parseFloat(text ?? '');
  return Number.isNaN(value) ? undefined : value;
}
