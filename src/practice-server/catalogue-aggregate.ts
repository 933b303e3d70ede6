/** A title's volumes and chapters at a glance: for each number the chapter's id and those of its other releases. */
import { aLanguage, anId, type CatalogueQuery, type Parameters } from './catalogue-query.js';
import { jsonAnswer, type Answer } from './endpoint.js';
import { isPublished, type LibraryChapter } from './library/library.js';

export const AGGREGATE_PARAMETERS: Parameters = {
  'translatedLanguage[]': aLanguage,
  'groups[]': anId,
};

/** By the key, in order of first appearance. */
function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item)) ?? [];
    groups.set(keyOf(item), group);
    group.push(item);
  }
  return groups;
}

/** The service writes an empty object as an empty list. */
const asObject = (entries: readonly (readonly [string, object])[]): object =>
  entries.length === 0 ? [] : Object.fromEntries(entries);

function chaptersOf(releases: readonly LibraryChapter[]): object {
  const byNumber = groupedBy(releases, ({ attributes }) => attributes.chapter ?? 'none');
  return asObject(
    [...byNumber].map(([chapter, [first, ...others]]) => [
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
}

export function aggregateAnswer(
  chapters: readonly LibraryChapter[],
  query: CatalogueQuery,
  nowMs: number,
): Answer {
  const [languages, groups] = [query.all('translatedLanguage'), query.all('groups')];
  const shown = chapters.filter(
    (chapter) =>
      isPublished(chapter, nowMs) &&
      (languages.length === 0 || languages.includes(chapter.attributes.translatedLanguage)) &&
      (groups.length === 0 || chapter.groups.some(({ id }) => groups.includes(id))),
  );
  const byVolume = groupedBy(shown, ({ attributes }) => attributes.volume ?? 'none');
  const volumes = [...byVolume].map(
    ([volume, releases]) =>
      [volume, { volume, count: releases.length, chapters: chaptersOf(releases) }] as const,
  );
  return jsonAnswer(200, { result: 'ok', volumes: asObject(volumes) });
}
