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
  const plain = readPlainElements(xml);
  if (plain) return toChapterMetadata(plain);
  const { XMLParser } = await import('fast-xml-parser');
  // Despite its name, `htmlEntities` decodes `&#39;` too, which Go and Python write.
  const parser = new XMLParser({
    parseTagValue: false,
    ignoreAttributes: true,
    htmlEntities: true,
  });
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

const DECLARATION = /<\?xml version="1\.0" encoding="utf-8"\?>/iy;
const ROOT = /\s*<ComicInfo(?: [\w:]+="[^"<&]*")*>/y;
const ELEMENT = /\s*<([A-Z]\w*)>([^<\r]*)<\/\1>/y;
const PAGES = /\s*<Pages>(?:\s*<Page(?: \w+="[^"<]*")*\/>)*\s*<\/Pages>/y;
const END = /\s*<\/ComicInfo>\s*$/y;
const ENTITY = /&(\w*;?)/g;
const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['amp;', '&'],
  ['lt;', '<'],
  ['gt;', '>'],
  ['quot;', '"'],
  ['apos;', "'"],
]);

/**
 * The elements of a text in the form that tankobon writes: a scan of thousands of files would spend half of its time in a
 * parser. Undefined for any other form, and for a text without elements, which the parser reads.
 */
function readPlainElements(xml: string): Readonly<Record<string, string>> | undefined {
  let position = 0;
  const next = (part: RegExp): RegExpExecArray | null => {
    part.lastIndex = position;
    const found = part.exec(xml);
    if (found) position = part.lastIndex;
    return found;
  };
  if (!next(DECLARATION) || !next(ROOT)) return undefined;
  const elements = new Map<string, string>();
  let isPlain = true;
  const toCharacter = (entity: string, name: string): string => {
    const character = CHARACTERS.get(name);
    isPlain &&= character !== undefined;
    return character ?? entity;
  };
  for (let found = next(ELEMENT); found; found = next(ELEMENT)) {
    const [, name = '', text = ''] = found;
    // The parser makes a list of an element that is there twice.
    isPlain &&= !elements.has(name);
    elements.set(name, text.replace(ENTITY, toCharacter));
    next(PAGES);
  }
  return isPlain && elements.size > 0 && next(END) ? Object.fromEntries(elements) : undefined;
}

/** What readComicInfo gives for the ComicInfo.xml of this metadata. */
export function writtenMetadata(metadata: ComicMetadata): ChapterMetadata {
  return toChapterMetadata(comicInfoElements(metadata));
}
