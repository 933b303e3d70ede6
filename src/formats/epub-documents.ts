/**
 * The documents of an EPUB 3.3 with fixed layout, one image per page. Komga shows it as images only if each page's
 * document has at most 1,024 bytes and nothing else is in the reading order (docs/readers.md); Kindle's converters need
 * the old `meta` elements and the NCX.
 */
import { createHash } from 'node:crypto';
import { languageTag } from '../cbz/comic-info.js';
import type { ChapterMetadata } from '../cbz/comic-info-reader.js';
import { escapeXml } from '../core/xml-text.js';
import type { ImageDimensions } from '../image/dimensions.js';
import type { ImageExtension } from '../image/format.js';
import { UNKNOWN_DATE } from './book.js';
import type { BookPage } from './book-pages.js';
import { isLongStrip } from './book-metadata.js';
import type { EpubDialect } from './device/devices.js';
import type { PageProfile } from './device/page-profile.js';
import { hasStripShape } from './device/page-statistics.js';
import { assignSpreads, type Spread } from './spreads.js';

export interface EpubPage extends Pick<
  BookPage,
  'name' | 'extension' | 'chapterTitle' | 'kind' | 'background'
> {
  readonly dimensions: ImageDimensions;
}

export interface EpubBook {
  readonly title: string;
  readonly metadata: ChapterMetadata;
  /** The book's position in the series. */
  readonly position: string | undefined;
  /** Distinguishes the book from all others; the same for the same book. */
  readonly identity: string;
  /** Set for a book for a device. */
  readonly profile?: PageProfile | undefined;
}

export const EPUB_MIME_TYPE = 'application/epub+zip';
const MEDIA_TYPES: Readonly<Record<ImageExtension, string>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
};

export const CONTAINER_XML = `<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
  <rootfiles>
    <rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/>
  </rootfiles>
</container>
`;

export const STYLE_CSS = `html, body { margin: 0; padding: 0; width: 100%; height: 100%; }
img { display: block; width: 100%; height: 100%; object-fit: contain; }
`;

/** `screen`: the page fills it, as far as its shape allows; by default the page has the size of its image. */
export function pageXhtml(
  page: EpubPage,
  index: number,
  language: string,
  screen?: ImageDimensions,
): string {
  const { width, height } = screen ? heldAs(page.dimensions, screen) : page.dimensions;
  const style = screen ? ` style="${placedIn(page.dimensions, { width, height })}"` : '';
  const body = page.background === 'black' ? '<body style="background:#000">' : '<body>';
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" lang="${escapeXml(language)}" xml:lang="${escapeXml(language)}">
<head><title>${index + 1}</title>
<meta name="viewport" content="width=${width}, height=${height}"/>
<link rel="stylesheet" type="text/css" href="../style.css"/></head>
${body}<img src="../images/${page.name}" alt="${index + 1}"${style}/></body>
</html>
`;
}

/** The screen, on its side for an image that is wider than high. */
function heldAs(image: ImageDimensions, { width, height }: ImageDimensions): ImageDimensions {
  return image.width > image.height ? { width: height, height: width } : { width, height };
}

/** In pixels, and not by object-fit, which some converters for e-readers ignore. */
function placedIn({ width, height }: ImageDimensions, screen: ImageDimensions): string {
  const scale = Math.min(screen.width / width, screen.height / height);
  const [shownWidth, shownHeight] = [Math.round(width * scale), Math.round(height * scale)];
  const left = Math.floor((screen.width - shownWidth) / 2);
  const top = Math.floor((screen.height - shownHeight) / 2);
  return `position:absolute;left:${left}px;top:${top}px;width:${shownWidth}px;height:${shownHeight}px`;
}

export function epubLanguage({ language }: ChapterMetadata): string {
  return (language === undefined ? undefined : languageTag(language)) ?? 'und';
}

/** `c001-012.xhtml` for `c001-012.png`. */
export function pageDocument({ name }: Pick<EpubPage, 'name'>): string {
  return name.replace(/\.\w+$/, '.xhtml');
}

export function navXhtml(book: EpubBook, pages: readonly EpubPage[]): string {
  const language = escapeXml(epubLanguage(book.metadata));
  const items = tableOfContents(book, pages).map(
    ({ title, href }) => `      <li><a href="${href}">${escapeXml(title)}</a></li>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="${language}" xml:lang="${language}">
<head><title>${escapeXml(book.title)}</title><meta name="viewport" content="width=1000, height=1500"/></head>
<body>
  <nav epub:type="toc">
    <ol>
${items.join('\n')}
    </ol>
  </nav>
</body>
</html>
`;
}

/** For readers and converters of EPUB 2, such as those for Kindle. */
export function tocNcx(book: EpubBook, pages: readonly EpubPage[]): string {
  const points = tableOfContents(book, pages).map(
    ({ title, href }, index) =>
      `    <navPoint id="n${index + 1}" playOrder="${index + 1}"><navLabel><text>${escapeXml(title)}</text></navLabel><content src="${href}"/></navPoint>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1">
  <head>
    <meta name="dtb:uid" content="${bookUrn(book)}"/>
    <meta name="dtb:depth" content="1"/>
    <meta name="dtb:totalPageCount" content="0"/>
    <meta name="dtb:maxPageNumber" content="0"/>
  </head>
  <docTitle><text>${escapeXml(book.title)}</text></docTitle>
  <navMap>
${points.join('\n')}
  </navMap>
</ncx>
`;
}

/** At least one entry, which the EPUB standard requires. */
function tableOfContents(book: EpubBook, pages: readonly EpubPage[]) {
  const chapters = pages.flatMap((page) =>
    page.chapterTitle === undefined
      ? []
      : [{ title: page.chapterTitle, href: `pages/${pageDocument(page)}` }],
  );
  return chapters.length > 0 ? chapters : [{ title: book.title, href: 'nav.xhtml' }];
}

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

/** A UUID of version 8 (RFC 9562), made from the identity. */
function bookUrn({ identity }: EpubBook): string {
  const hex = createHash('sha256').update(identity).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ];
  return `urn:uuid:${[...parts, hex.slice(20, 32)].join('-')}`;
}
