import { pageName } from '../../../src/config/names.js';
import { chapterPrefix, coverName } from '../../../src/books/book.js';
import { escapeXml } from '../../../src/core/xml-text.js';
import { navXhtml, pageXhtml } from '../../../src/books/epub-documents.js';
import { contentOpf } from '../../../src/books/epub-package.js';
import { assignSpreads } from '../../../src/books/spreads.js';

const page = (name: string, chapterTitle?: string) => ({
  name,
  extension: 'png' as const,
  dimensions: { width: 100_000, height: 100_000 },
  chapterTitle,
});
const BOOK = { title: 'A & B', metadata: { series: 'A & B' }, position: '1', identity: 'a' };

describe('documents of an EPUB', () => {
  test('the document of a page has at most 1,024 bytes, which Komga requires', () => {
    const longest = page(`c1234-${pageName(9_999, 99_999, 'webp')}`);
    expect(pageXhtml(longest, 99_999, { language: 'zh-Hant-HK' }).length).toBeLessThanOrEqual(
      1_024,
    );
  });

  test.each([
    ['rtl', 'first-half', 0],
    ['rtl', 'second-half', 100],
    ['ltr', 'first-half', 100],
    ['ltr', 'second-half', 0],
    ['rtl', 'single', 50],
  ] as const)('on a screen, the halves of a spread touch: %s, %s', (direction, kind, left) => {
    const narrow = { ...page('c001-001-1.png'), dimensions: { width: 900, height: 1_500 }, kind };
    const screen = { width: 1_000, height: 1_500 };
    const document = pageXhtml(narrow, 0, { language: 'en', screen, direction });
    expect(document).toContain(`left:${left}px;top:0px;width:900px;height:1500px`);
  });

  test('the table of contents has an entry for each chapter', () => {
    const nav = navXhtml(BOOK, [page('c000-000.png'), page('c001-001.png', 'Ch. 1 <x>')]);
    expect(nav.match(/<li>.*<\/li>/g)).toEqual([
      '<li><a href="pages/c001-001.xhtml">Ch. 1 &lt;x&gt;</a></li>',
    ]);
  });

  test('the reading order has the pages only', () => {
    const opf = contentOpf(BOOK, [page('c001-001.png'), page('c001-002.png')]);
    expect(opf.match(/<itemref idref="(\w+)"/g)).toEqual([
      '<itemref idref="p1"',
      '<itemref idref="p2"',
    ]);
  });

  test('the groups are creators with the role of a translator after the authors, and the publisher', () => {
    const metadata = { writers: ['Ann'], translators: ['A & B', 'C'] };
    const opf = contentOpf({ ...BOOK, metadata }, [page('c001-001.png')]);
    expect(opf.match(/<dc:(creator|contributor|publisher).*/g)).toEqual([
      '<dc:creator id="aut1">Ann</dc:creator>',
      '<dc:creator id="trl1">A &amp; B</dc:creator>',
      '<dc:creator id="trl2">C</dc:creator>',
      '<dc:publisher>A &amp; B, C</dc:publisher>',
    ]);
  });

  test('a group is not taken for the author of a book without one', () => {
    const opf = contentOpf({ ...BOOK, metadata: { translators: ['C'] } }, [page('c001-001.png')]);
    expect(opf).toContain('<dc:contributor id="trl1">C</dc:contributor>');
    expect(opf).not.toContain('<dc:creator');
  });

  test('removes characters that XML does not allow', () => {
    expect(escapeXml('a\u0000\uFFFE<"&>')).toBe('a&lt;&quot;&amp;&gt;');
  });
});

describe('spreads', () => {
  const tall = { dimensions: { width: 2, height: 3 } };
  const wide = { dimensions: { width: 4, height: 3 } };
  const halves = [
    { ...tall, kind: 'first-half' as const },
    { ...tall, kind: 'second-half' as const },
  ];
  test.each([
    ['begin on the side that is read first', [tall, tall, tall, tall], 'center right left right'],
    [
      'begin there again after a spread',
      [tall, tall, tall, wide, tall, tall],
      'center right left center right left',
    ],
    [
      'leave no page before a spread without its neighbor',
      [tall, tall, tall, tall, wide, tall],
      'center left right left center right',
    ],
    [
      'have the halves of a spread face each other',
      [tall, tall, ...halves, tall, tall, ...halves],
      'center left right left right left right left',
    ],
    [
      'have the halves face each other also at the beginning',
      [...halves, tall, tall],
      'right left right left',
    ],
    [
      'show a turned spread alone, before its halves',
      [tall, { ...tall, kind: 'turned-spread' as const }, ...halves],
      'center center right left',
    ],
  ])('%s', (_, pages, expected) => {
    expect(assignSpreads(pages, 'rtl').join(' ')).toBe(expected);
    const mirrored = { left: 'right', right: 'left', center: 'center' };
    const ltr = assignSpreads(pages, 'ltr').map((side) => mirrored[side]);
    expect(ltr.join(' ')).toBe(expected);
  });
});

test('the names of pages sort in reading order', () => {
  const chapters = 1_200;
  const names = [coverName('jpg')];
  for (const chapter of [0, 1, 9, 99, 999, 1_199])
    for (const index of [0, 9, 99, 999])
      names.push(chapterPrefix(chapter, chapters) + pageName(index, 1_000, 'png'));
  expect([...names].sort()).toEqual(names);
});
