/** Chooses which archives of a title are read, so that a title of a thousand chapters does not take seconds. Pure. */
import { basename, dirname } from 'node:path';
import type { Chapter } from '../service/chapters.js';
import type { ExistingArchive } from '../library/scan.js';
import { groupBy } from '../core/group-by.js';
import { parseNumber } from '../config/ranges.js';

/** Reading an archive takes milliseconds, and a few of a folder show what its chapters are called. */
export const MAX_READ_OF_TITLE = 2;
/** There may be archives of other titles among them. */
export const MAX_READ_OF_LIKELY = 20;

const NATURAL_ORDER = new Intl.Collator('en', { numeric: true });

/**
 * Chooses from each folder up to `count` archives of known releases, those with the highest numbers, and up to `count`
 * others, the last ones by name.
 */
export function sampleFolders(
  archives: readonly ExistingArchive[],
  releases: ReadonlyMap<string, Pick<Chapter, 'number'>>,
  count: number,
): readonly ExistingArchive[] {
  const numberOf = ({ chapterId }: ExistingArchive) => parseNumber(releases.get(chapterId)?.number);
  return [...groupBy(archives, ({ file }) => dirname(file)).values()].flatMap((beside) => {
    const numbered = beside.filter((archive) => numberOf(archive) !== undefined);
    const others = beside.filter((archive) => numberOf(archive) === undefined);
    numbered.sort((a, b) => (numberOf(b) ?? 0) - (numberOf(a) ?? 0));
    others.sort((a, b) => NATURAL_ORDER.compare(basename(b.file), basename(a.file)));
    return [...numbered.slice(0, count), ...others.slice(0, count)];
  });
}
