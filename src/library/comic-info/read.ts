/** Reads `ComicInfo.xml`, of tankobon and of other programs: what is unknown or invalid is left out. */
import { isRecord } from '../../core/json.js';
import {
  comicInfoElements,
  toChapterMetadata,
  type ChapterMetadata,
  type ComicMetadata,
} from './fields.js';

/** Empty for a text that is not ComicInfo. */
export async function readComicInfo(xml: string): Promise<ChapterMetadata> {
  return (await readValidComicInfo(xml)) ?? {};
}

/** Undefined for a text that is not ComicInfo. */
export async function readValidComicInfo(xml: string): Promise<ChapterMetadata | undefined> {
  const { XMLParser } = await import('fast-xml-parser');
  const parser = new XMLParser({ parseTagValue: false, ignoreAttributes: true });
  let root: unknown;
  try {
    root = (parser.parse(xml) as Record<string, unknown>)['ComicInfo'];
  } catch {
    return undefined;
  }
  // An element without content is a text.
  if (root === '') return {};
  return isRecord(root) ? toChapterMetadata(root) : undefined;
}

/** What readComicInfo gives for the ComicInfo.xml of this metadata. */
export function writtenMetadata(metadata: ComicMetadata): ChapterMetadata {
  return toChapterMetadata(comicInfoElements(metadata));
}
