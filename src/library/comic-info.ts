/** `ComicInfo.xml`, the metadata of a CBZ for readers of comics. Its fields are a table, see comic-info/fields.ts. */
import { dirname } from 'node:path/posix';
import { pageEntries } from '../config/names.js';
import { comicInfoElements, type ComicMetadata } from './comic-info/fields.js';

export {
  comicMetadata,
  mergedMetadata,
  READ_FIELDS,
  type ChapterMetadata,
  type ComicFields,
  type ComicMetadata,
} from './comic-info/fields.js';
export { mergeComicInfo } from './comic-info/merge.js';
export { readComicInfo, readValidComicInfo, writtenMetadata } from './comic-info/read.js';
export { plainSummary } from './comic-info/plain-summary.js';
export { languageTag } from './comic-info/texts.js';

export const COMIC_INFO_NAME = 'ComicInfo.xml';
/** A larger one is not read. */
export const MAX_COMIC_INFO_BYTES = 2 ** 20;
const ANY_COMIC_INFO = /(?:^|\/)ComicInfo\.xml$/i;

/**
 * The ComicInfo.xml among the entries of an archive. Some programs archive a whole folder, in which it is beside the
 * pages, or write its name in lower case. In a pack of several chapters, that of one says nothing of the others.
 */
export function findComicInfo<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
): Entry | undefined {
  const expected = entries.find(({ name }) => name === COMIC_INFO_NAME);
  if (expected) return expected;
  const [found, ...others] = entries.filter(({ name }) => ANY_COMIC_INFO.test(name));
  if (!found || others.length > 0) return undefined;
  const folder = dirname(found.name);
  const isBeside = ({ name }: Entry) => folder === '.' || name.startsWith(`${folder}/`);
  return pageEntries(entries).every(isBeside) ? found : undefined;
}

/**
 * Unknown values are left out, and characters that XML 1.0 does not allow are removed. The same metadata always gives the
 * same text.
 */
export async function comicInfoXml(metadata: ComicMetadata): Promise<string> {
  const { default: Builder } = await import('fast-xml-builder');
  const builder = new Builder({
    format: true,
    ignoreAttributes: false,
    suppressEmptyNode: true,
    suppressBooleanAttributes: false,
  });
  return builder.build({
    '?xml': { '@_version': '1.0', '@_encoding': 'utf-8' },
    ComicInfo: comicInfoElements(metadata),
  });
}
