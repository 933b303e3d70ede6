/** The package document of an EPUB: its metadata, its files, and the order and the sides of its pages. */
import { escapeXml } from '../core/xml-text.js';
import type { ImageExtension } from '../core/image-format.js';
import { UNKNOWN_DATE } from './book.js';
import { isLongStrip } from './book-metadata.js';
import type { EpubDialect } from '../config/devices.js';
import { hasStripShape } from './device/page-statistics.js';
import {
  bookUrn,
  epubLanguage,
  pageDocument,
  type EpubBook,
  type EpubPage,
} from './epub-documents.js';
import { assignSpreads, type Spread } from './spreads.js';

const MEDIA_TYPES: Readonly<Record<ImageExtension, string>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
};

export function contentOpf(book: EpubBook, pages: readonly EpubPage[]): string {
  const direction = book.metadata.direction ?? 'ltr';
  const isStrip = isStripBook(book, pages);
  const spreads = isStrip ? pages.map(() => undefined) : assignSpreads(pages, direction);
  const items = pages.flatMap((page, index) => [
    `    <item id="i${index + 1}" href="images/${page.name}" media-type="${MEDIA_TYPES[page.extension]}"${index === 0 ? ' properties="cover-image"' : ''}/>`,
    `    <item id="p${index + 1}" href="pages/${pageDocument(page)}" media-type="application/xhtml+xml"/>`,
  ]);
  const references = spreads.map((side, index) => {
    const properties = side && ` properties="${spreadProperty(side, book.profile?.dialect)}"`;
    return `    <itemref idref="p${index + 1}"${properties ?? ''}/>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="book-id" xml:lang="${escapeXml(epubLanguage(book.metadata))}">
  <metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
${metadataLines(book, pages[0], { direction, isStrip })
  .map((line) => `    ${line}`)
  .join('\n')}
  </metadata>
  <manifest>
    <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
    <item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
    <item id="style" href="style.css" media-type="text/css"/>
${items.join('\n')}
  </manifest>
  <spine toc="ncx" page-progression-direction="${direction}">
${references.join('\n')}
  </spine>
</package>
`;
}

/** Kobo reads the property with its prefix, Kindle the one without. The one for the center has a prefix in both. */
function spreadProperty(side: Spread, dialect: EpubDialect | undefined): string {
  const isPrefixed = side === 'center' || dialect === 'kobo';
  return `${isPrefixed ? 'rendition:' : ''}page-spread-${side}`;
}

/** By the tag of the title, or if most pages have the shape. */
function isStripBook({ metadata }: EpubBook, pages: readonly EpubPage[]): boolean {
  const strips = pages.filter(({ kind, dimensions }) =>
    kind ? kind === 'strip' : hasStripShape(dimensions),
  );
  return isLongStrip(metadata) || strips.length > pages.length / 2;
}

function metadataLines(
  book: EpubBook,
  first: EpubPage | undefined,
  { direction, isStrip }: { readonly direction: string; readonly isStrip: boolean },
): string[] {
  const { metadata, profile } = book;
  const meta = (name: string, content: string) =>
    `<meta name="${name}" content="${escapeXml(content)}"/>`;
  const property = (name: string, value: string) =>
    `<meta property="${name}">${escapeXml(value)}</meta>`;
  const element = (name: string, value: string | undefined) =>
    value === undefined ? [] : [`<dc:${name}>${escapeXml(value)}</dc:${name}>`];
  const { width = 0, height = 0 } = profile?.screen ?? first?.dimensions ?? {};
  return [
    `<dc:identifier id="book-id">${bookUrn(book)}</dc:identifier>`,
    ...element('title', book.title),
    ...element('language', epubLanguage(metadata)),
    ...people('creator', metadata.writers, 'aut'),
    ...people('creator', metadata.pencillers, 'art'),
    ...translators(metadata),
    ...element('description', metadata.summary),
    ...[...(metadata.genres ?? []), ...(metadata.tags ?? [])].flatMap((tag) =>
      element('subject', tag),
    ),
    ...element('date', metadata.publishedAt?.toISOString().slice(0, 10)),
    property(
      'dcterms:modified',
      `${(metadata.publishedAt ?? UNKNOWN_DATE).toISOString().slice(0, 19)}Z`,
    ),
    property('rendition:layout', 'pre-paginated'),
    property('rendition:orientation', 'auto'),
    property('rendition:spread', isStrip ? 'none' : 'landscape'),
    ...(isStrip && !profile ? [property('rendition:flow', 'scrolled-continuous')] : []),
    ...seriesLines(book, meta),
    meta('cover', 'i1'),
    meta('fixed-layout', 'true'),
    meta('original-resolution', `${width}x${height}`),
    meta('book-type', 'comic'),
    meta('primary-writing-mode', direction === 'rtl' ? 'horizontal-rl' : 'horizontal-lr'),
    meta('zero-gutter', 'true'),
    meta('zero-margin', 'true'),
    meta('orientation-lock', 'none'),
  ];
}

function people(
  element: 'creator' | 'contributor',
  names: readonly string[] = [],
  role: string,
): string[] {
  return names.flatMap((name, index) => [
    `<dc:${element} id="${role}${index + 1}">${escapeXml(name)}</dc:${element}>`,
    `<meta refines="#${role}${index + 1}" property="role" scheme="marc:relators">${role}</meta>`,
  ]);
}

/**
 * The scanlation groups: Komga reads people only from `dc:creator`, with their role. Mihon takes the first of these for
 * the author, and the publisher for the scanlator.
 */
function translators({ writers = [], pencillers = [], ...metadata }: EpubBook['metadata']) {
  const groups = metadata.translators ?? [];
  const hasAuthor = writers.length + pencillers.length > 0;
  return [
    ...people(hasAuthor ? 'creator' : 'contributor', groups, 'trl'),
    ...(groups.length === 0
      ? []
      : [`<dc:publisher>${escapeXml(groups.join(', '))}</dc:publisher>`]),
  ];
}

/** The series as an EPUB collection, and as Calibre writes it. */
function seriesLines(
  { metadata: { series = '' }, position }: EpubBook,
  meta: (name: string, content: string) => string,
): string[] {
  if (series === '') return [];
  const hasIndex = position !== undefined && /^\d+(\.\d+)?$/.test(position);
  return [
    `<meta property="belongs-to-collection" id="series">${escapeXml(series)}</meta>`,
    '<meta refines="#series" property="collection-type">series</meta>',
    ...(hasIndex ? [`<meta refines="#series" property="group-position">${position}</meta>`] : []),
    meta('calibre:series', series),
    ...(hasIndex ? [meta('calibre:series_index', position)] : []),
  ];
}
