/**
 * The metadata of a PDF as XMP (ISO 16684-1), with series and number as Calibre and Kavita read them. The info dictionary
 * has neither these nor people apart.
 */
import { languageTag } from '../library/comic-info.js';
import { escapeXml } from '../core/xml-text.js';
import { UNKNOWN_DATE, type Book } from './book.js';
import { bookPosition } from './book-metadata.js';

const CALIBRE = 'http://calibre-ebook.com/xmp-namespace';

/** The elements inside of `rdf:RDF`. */
export function xmpDescription(
  { group, metadata }: Pick<Book, 'group' | 'metadata'>,
  title: string,
): string {
  const { writers = [], pencillers = [], translators = [], summary, language } = metadata;
  const { genres = [], tags = [] } = metadata;
  const date = `${(metadata.publishedAt ?? UNKNOWN_DATE).toISOString().slice(0, 19)}Z`;
  return [
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"',
    ' xmlns:xmp="http://ns.adobe.com/xap/1.0/"',
    ` xmlns:calibre="${CALIBRE}" xmlns:calibreSI="${CALIBRE}-series-index">`,
    array('dc:title', 'Alt', [title]),
    array('dc:creator', 'Seq', [...new Set([...writers, ...pencillers])]),
    array('dc:publisher', 'Bag', translators),
    array('dc:description', 'Alt', summary === undefined ? [] : [summary]),
    array('dc:subject', 'Bag', [...genres, ...tags]),
    array(
      'dc:language',
      'Bag',
      [languageTag(language ?? '')].filter((tag) => tag !== undefined),
    ),
    `<xmp:CreateDate>${date}</xmp:CreateDate><xmp:CreatorTool>tankobon</xmp:CreatorTool>`,
    series(metadata.series, bookPosition(group)),
    '</rdf:Description>',
  ].join('');
}

function array(name: string, kind: 'Alt' | 'Bag' | 'Seq', values: readonly string[]): string {
  if (values.length === 0) return '';
  // Each item of alternatives needs a language.
  const start = kind === 'Alt' ? '<rdf:li xml:lang="x-default">' : '<rdf:li>';
  const items = values.map((value) => `${start}${escapeXml(value)}</rdf:li>`).join('');
  return `<${name}><rdf:${kind}>${items}</rdf:${kind}></${name}>`;
}

function series(name = '', position: string | undefined): string {
  if (name === '') return '';
  const index =
    position !== undefined && /^\d+(\.\d+)?$/.test(position)
      ? `<calibreSI:series_index>${position}</calibreSI:series_index>`
      : '';
  const value = `<rdf:value>${escapeXml(name)}</rdf:value>`;
  return `<calibre:series rdf:parseType="Resource">${value}${index}</calibre:series>`;
}
