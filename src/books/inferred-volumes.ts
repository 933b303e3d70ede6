/** What the service says of chapters, and volumes of chapters whose files do not name one. */
import { groupBy } from '../core/group-by.js';
import type { Chapter } from '../service/chapters.js';
import { parseNumber } from '../config/ranges.js';
import { seriesNameKey } from '../core/name-keys.js';
import { keyedChapters, normalizedNumber } from './group-volumes.js';
import { isVolumeInferred, type BookChapter } from './source-chapter.js';

/** What the service, or other releases on it, say of a chapter; undefined for one that the service has deleted. */
export type FindListed = (
  chapterId: string,
) => Pick<Chapter, 'number' | 'volume' | 'isVolumeInferred' | 'createdAt'> | undefined;

/**
 * Chapter files without the volume that a download inferred. A chapter that is in a book stays there: it may have no file
 * of its own.
 */
export function withoutInferred(chapters: readonly BookChapter[]): readonly BookChapter[] {
  return chapters.map((chapter) => {
    if (chapter.isBound || !isVolumeInferred(chapter)) return chapter;
    const { record, metadata } = chapter;
    return {
      ...chapter,
      record: { ...record, inferredVolume: undefined },
      metadata: { ...metadata, volume: undefined },
    };
  });
}

/** The chapters with what the service says of them, and with their volume if their files do not name it. */
export function withListed(
  chapters: readonly BookChapter[],
  listedChapter: FindListed = () => undefined,
): readonly BookChapter[] {
  return chapters.map((source) => {
    const listed = listedChapter(source.chapterId ?? '');
    if (!listed) return source;
    const { number, volume, isVolumeInferred, createdAt } = listed;
    const chapter = { ...source, listed: { number, createdAt } };
    if (chapter.metadata.volume !== undefined || volume === undefined) return chapter;
    return isVolumeInferred
      ? withInferredVolume(chapter, volume)
      : { ...chapter, metadata: { ...chapter.metadata, volume } };
  });
}

/**
 * Gives a chapter without a volume that of the nearest chapters of its series before and after it, in any language, if
 * it is the same. Not where numbers begin again in a later volume: files do not say when they were uploaded.
 */
export function inferFromNeighbors(chapters: readonly BookChapter[]): readonly BookChapter[] {
  const bySeries = groupBy(chapters, ({ metadata: { series } }) => seriesNameKey(series ?? ''));
  const found = new Map<BookChapter, BookChapter>();
  for (const series of bySeries.values()) {
    if (keyedChapters(series).keys.hasSeveralRuns) continue;
    const known = knownVolumes(series);
    for (const chapter of series) {
      const { number, volume } = chapter.metadata;
      const between = volume === undefined ? volumeBetween(known, parseNumber(number)) : undefined;
      if (between !== undefined) found.set(chapter, withInferredVolume(chapter, between));
    }
  }
  return chapters.map((chapter) => found.get(chapter) ?? chapter);
}

interface KnownVolume {
  readonly number: number;
  readonly volume: string;
}

/** In the order of the numbers. */
function knownVolumes(chapters: readonly BookChapter[]): readonly KnownVolume[] {
  return chapters
    .flatMap(({ metadata }) => {
      const number = parseNumber(metadata.number);
      const volume = normalizedNumber(metadata.volume);
      return volume === '' || number === undefined ? [] : [{ number, volume }];
    })
    .sort((a, b) => a.number - b.number);
}

/** A chapter of the same number is both before and after. */
function volumeBetween(
  known: readonly KnownVolume[],
  number: number | undefined,
): string | undefined {
  if (number === undefined) return undefined;
  const before = known.findLast((each) => each.number <= number);
  const after = known.find((each) => each.number >= number);
  const neighbors = known.filter(
    (each) => each.number === before?.number || each.number === after?.number,
  );
  const volumes = new Set(neighbors.map(({ volume }) => volume));
  return before && after && volumes.size === 1 ? before.volume : undefined;
}

function withInferredVolume(chapter: BookChapter, volume: string): BookChapter {
  return {
    ...chapter,
    record: { ...chapter.record, inferredVolume: volume },
    metadata: { ...chapter.metadata, volume },
  };
}
