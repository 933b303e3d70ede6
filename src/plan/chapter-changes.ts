/**
 * Whether a saved chapter is still as the service has it. `version` counts its edits (spec 2.6), so it only says that
 * something may have changed: the sha256 in the names of the pages say whether the pages did. Pure.
 */
import type { Chapter } from '../service/chapters.js';
import type { ChapterRecord } from '../library/record.js';
import { pageFileNames, type AtHomeMetadata, digestInFileName } from '../service/at-home.js';
import { QUALITIES } from '../config/quality.js';

/** What a file says of its chapter; what is undefined is not known. */
export type SavedChapter = Pick<
  ChapterRecord,
  'version' | 'updatedAt' | 'quality' | 'pages' | 'dataSaverPages' | 'acceptedPages'
>;

/** What the service says of it. */
export type ListedChapter = Partial<Pick<Chapter, 'version' | 'updatedAt' | 'pages'>>;

/**
 * The pages are only compared if this is true: each comparison is a request with a quota of its own. False if the file
 * is newer than what is known of the service, such as the stored releases of a followed title.
 */
export function mayHaveChanged(saved: SavedChapter, listed: ListedChapter): boolean {
  if ((listed.version ?? Infinity) < (saved.version ?? 0)) return false;
  const differs = (a: number | undefined, b: number | undefined) =>
    a !== undefined && b !== undefined && a !== b;
  return (
    differs(saved.version, listed.version) ||
    differs(saved.updatedAt?.getTime(), listed.updatedAt?.getTime()) ||
    differs(saved.pages?.length, listed.pages)
  );
}

/**
 * Compares the digests in the names of the file's quality, and only the number of pages where names have none. True if
 * the pages of the file are not known. Pages of the file that are compressed count as the same with `acceptsLost`.
 */
export function hasSamePages(
  { pages, quality, dataSaverPages = [] }: SavedChapter,
  metadata: AtHomeMetadata,
  acceptsLost = false,
): boolean {
  if (pages === undefined) return true;
  const compressed = acceptsLost ? pageFileNames(metadata, 'data-saver') : [];
  return (quality ? [quality] : QUALITIES).some((each) => {
    const names = pageFileNames(metadata, each);
    if (names.length !== pages.length) return false;
    return names.every((name, index) => {
      const isCompressed = dataSaverPages.includes(index + 1);
      const inPlace = isCompressed ? compressed[index] : undefined;
      const digest = digestInFileName(inPlace ?? name);
      return digest === undefined || digest === pages[index];
    });
  });
}
