import { xmpDescription } from '../../../src/books/pdf-metadata.js';

const GROUP = {
  by: 'volume',
  series: 'A & B',
  language: 'en',
  volume: '3',
  chapters: [],
  missing: [],
} as const;

test('the XMP of a PDF names each author, and series and number as Calibre writes them', () => {
  const metadata = { series: 'A & B', writers: ['Ann', '<Bo>'], pencillers: ['Ann'] };
  const xmp = xmpDescription({ group: GROUP, metadata }, 'A & B, Vol. 3');
  expect(xmp).toContain('<rdf:li xml:lang="x-default">A &amp; B, Vol. 3</rdf:li>');
  expect(xmp).toContain('<rdf:Seq><rdf:li>Ann</rdf:li><rdf:li>&lt;Bo&gt;</rdf:li></rdf:Seq>');
  expect(xmp).toContain(
    '<rdf:value>A &amp; B</rdf:value><calibreSI:series_index>3</calibreSI:series_index>',
  );
});

test('what is not known is left out', () => {
  const group = { ...GROUP, volume: 'extra' };
  const xmp = xmpDescription({ group, metadata: { series: 'A' } }, 'A');
  expect(xmp).not.toMatch(/series_index>|dc:(creator|publisher|description|subject|language)>/);
});
