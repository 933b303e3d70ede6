/**
 * The documents of an EPUB 3.3 with fixed layout, one image per page. Komga shows it as images only if each page's
 * document has at most 1,024 bytes and nothing else is in the reading order (docs/readers.md); Kindle's converters need
 * the old `meta` elements and the NCX.
 */
import { languageTag, type ChapterMetadata } from '../library/comic-info.js';
import { escapeXml } from '../core/xml-text.js';
import type { ImageDimensions } from '../core/image-dimensions.js';
import { sha256Of } from '../core/sha256.js';
import type { BookPage } from './book-pages.js';
import type { PageProfile } from './page-profile.js';

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

interface PageOptions {
  readonly language: string;
  /** The page fills it, as far as its shape allows; by default the page has the size of its image. */
  readonly screen?: ImageDimensions | undefined;
  readonly direction?: 'rtl' | 'ltr' | undefined;
}

export function pageXhtml(
  page: EpubPage,
  index: number,
  { language, screen, direction = 'ltr' }: PageOptions,
): string {
  const { width, height } = screen ? heldAs(page.dimensions, screen) : page.dimensions;
  const style = screen ? ` style="${placedIn(page, { width, height }, direction)}"` : '';
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
function placedIn(
  { dimensions: { width, height }, kind }: EpubPage,
  screen: ImageDimensions,
  direction: 'rtl' | 'ltr',
): string {
  const scale = Math.min(screen.width / width, screen.height / height);
  const [shownWidth, shownHeight] = [Math.round(width * scale), Math.round(height * scale)];
  const freeWidth = screen.width - shownWidth;
  // Side by side, the halves of a spread touch at the fold.
  const leftHalf = direction === 'rtl' ? 'second-half' : 'first-half';
  const isHalf = kind === 'first-half' || kind === 'second-half';
  const left = kind === leftHalf ? freeWidth : isHalf ? 0 : Math.floor(freeWidth / 2);
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

/** A UUID of version 8 (RFC 9562), made from the identity. */
export function bookUrn({ identity }: EpubBook): string {
  const hex = sha256Of(identity);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ];
  return `urn:uuid:${[...parts, hex.slice(20, 32)].join('-')}`;
}
