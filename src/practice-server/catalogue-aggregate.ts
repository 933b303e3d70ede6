/** A title's volumes and chapters: for each number a chapter's id and the ids of its other releases. */
import { anyOf, type Filter } from './catalogue-filters.js';
import { language, uuid, type CatalogueQuery, type QueryParameters } from './catalogue-query.js';
import { jsonResponse, type EndpointResponse } from './endpoint.js';
import { isPublished, type LibraryChapter } from './library/library.js';

export const AGGREGATE_PARAMETERS: QueryParameters = {
  'translatedLanguage[]': language,
  'groups[]': uuid,
};

type NumberField = 'volume' | 'chapter';

/** By volume or chapter number, in order of first occurrence. */
function groupBy(chapters: readonly LibraryChapter[], field: NumberField) {
  const groups = new Map<string, LibraryChapter[]>();
  for (const chapter of chapters) {
    const number = chapter.attributes[field] ?? 'none';
    const group = groups.get(number) ?? [];
    groups.set(number, group);
    group.push(chapter);
  }
  return [...groups];
}

/** The service writes an empty object as an empty list. */
const asObject = (entries: readonly (readonly [string, object])[]): object =>
  entries.length === 0 ? [] : Object.fromEntries(entries);

const chaptersOf = (releases: readonly LibraryChapter[]): object =>
  asObject(
    groupBy(releases, 'chapter').map(([chapter, [first, ...others]]) => [
      chapter,
      {
        chapter,
        id: first?.id,
        others: others.map(({ id }) => id),
        isUnavailable: false,
        count: others.length + 1,
      },
    ]),
  );

export function aggregateResponse(
  chapters: readonly LibraryChapter[],
  query: CatalogueQuery,
  nowMs: number,
): EndpointResponse {
  const filters: Filter<LibraryChapter>[] = [
    (chapter) => isPublished(chapter, nowMs),
    anyOf(query, 'translatedLanguage', ({ attributes }) => [attributes.translatedLanguage]),
    anyOf(query, 'groups', ({ groups }) => groups.map(({ id }) => id)),
  ];
  const selected = chapters.filter((chapter) => filters.every((filter) => filter(chapter)));
  const volumes = groupBy(selected, 'volume').map(
    ([volume, releases]) =>
      [volume, { volume, count: releases.length, chapters: chaptersOf(releases) }] as const,
  );
  return jsonResponse(200, { result: 'ok', volumes: asObject(volumes) });
}
