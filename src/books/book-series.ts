/** The name of the series in the documents of a book that `bind` wrote. Everything else in them stays. Pure. */
import { MANIFEST_NAME } from '../library/mark.js';
import { COMIC_INFO_NAME } from '../library/comic-info.js';
import { isRecord, parseJson } from '../core/json.js';
import { escapeXml } from '../core/xml-text.js';

export interface SeriesRename {
  readonly from: string;
  readonly to: string;
}

/** The series itself, or the title of a book, such as `Series, Vol. 3`; any other text stays. */
export function renamedSeries(text: string, { from, to }: SeriesRename): string {
  if (text !== from && !text.startsWith(`${from}, `)) return text;
  return to + text.slice(from.length);
}

/** `files`: new digests of files of a book in a folder. */
export function renameInManifest(
  json: string,
  { from, to }: SeriesRename,
  files: Readonly<Record<string, string>> = {},
): string {
  const manifest = parseJson(json);
  if (!isRecord(manifest) || !Array.isArray(manifest['chapters'])) return json;
  const chapters = manifest['chapters'].map((chapter: unknown) => {
    const metadata = isRecord(chapter) ? chapter['metadata'] : undefined;
    if (!isRecord(chapter) || !isRecord(metadata) || metadata['series'] !== from) return chapter;
    return { ...chapter, metadata: { ...metadata, series: to } };
  });
  const known = manifest['files'];
  const renamed = {
    ...manifest,
    chapters,
    ...(isRecord(known) && { files: { ...known, ...files } }),
  };
  return `${JSON.stringify(renamed)}\n`;
}

export function renameInComicInfo(xml: string, rename: SeriesRename): string {
  // The builder of ComicInfo.xml escapes it too: renamed back, the text is the one that was written.
  const escape = (text: string) => escapeXml(text).replaceAll("'", '&apos;');
  return replaceText(xml, /(<Series>)([^<]*)(<\/Series>)/, rename, escape);
}

type RenameIn = (text: string, rename: SeriesRename) => string;

/** The entries of a CBZ or an EPUB that contain the name. */
export const RENAMED_ENTRIES: ReadonlyMap<string, RenameIn> = new Map<string, RenameIn>([
  [MANIFEST_NAME, (json, rename) => renameInManifest(json, rename)],
  [COMIC_INFO_NAME, renameInComicInfo],
  [
    'OEBPS/content.opf',
    (xml, rename) =>
      [
        /(<dc:title>)([^<]*)(<\/dc:title>)/,
        /(<meta property="belongs-to-collection" id="series">)([^<]*)(<)/,
        /(<meta name="calibre:series" content=")([^"]*)(")/,
      ].reduce((text, pattern) => replaceText(text, pattern, rename), xml),
  ],
  ['OEBPS/nav.xhtml', (xml, rename) => replaceText(xml, /(<title>)([^<]*)(<\/title>)/, rename)],
  [
    'OEBPS/toc.ncx',
    (xml, rename) => replaceText(xml, /(<docTitle><text>)([^<]*)(<\/text>)/, rename),
  ],
]);

/** The first match of start, text and end. */
export function replaceText(
  xml: string,
  pattern: RegExp,
  rename: SeriesRename,
  escape = escapeXml,
): string {
  return xml.replace(pattern, (whole, start: string, text: string, end: string) => {
    const old = unescapeXml(text);
    const renamed = renamedSeries(old, rename);
    return renamed === old ? whole : `${start}${escape(renamed)}${end}`;
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

function unescapeXml(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '');
}
