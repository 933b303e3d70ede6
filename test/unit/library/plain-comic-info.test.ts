/** What tankobon writes is read without a parser: with the same result. */
import { readValidComicInfo } from '../../../src/library/comic-info.js';

const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n';
const TEXTS = [
  ['plain', '<Title>A title</Title><Number>10.5</Number><Year>2024</Year>'],
  ['entities', '<Title>&lt;a&gt; &amp;amp; &quot;b&quot; &apos;c&apos;</Title>'],
  ['an unknown entity', '<Title>a &eacute; &#233; &amp b & c</Title>'],
  ['white space', '<Title>  a\n  b </Title>\n\n  <Series>\t</Series>'],
  ['a carriage return', '<Summary>a\r\nb</Summary>'],
  ['an element twice', '<Title>a</Title><Title>b</Title>'],
  ['no content', '<Title></Title><Series/>'],
  ['an element inside', '<Title>a<b>c</b></Title>'],
  ['CDATA', '<Title><![CDATA[a & b]]></Title>'],
  ['attributes', '<Title lang="en">a</Title>'],
  ['text between elements', '<Title>a</Title>b<Series>c</Series>'],
  [
    'pages',
    '<Title>a</Title><Pages>\n <Page Image="0" ImageSize="1"/>\n</Pages><Genre>b, c</Genre>',
  ],
  ['nothing', ''],
] as const;

test.each(TEXTS)('a ComicInfo.xml with %s', async (_, content) => {
  const plain = `${DECLARATION}<ComicInfo>\n${content}\n</ComicInfo>\n`;
  const other = `${DECLARATION}<!-- --><ComicInfo>\n${content}\n</ComicInfo>\n`;
  expect(await readValidComicInfo(plain)).toStrictEqual(await readValidComicInfo(other));
});

test('the default of a number, which says nothing, is left out', async () => {
  const numbers = ['Number', 'Volume', 'Year', 'Month', 'Day'].map(
    (name) => `<${name}>-1</${name}>`,
  );
  for (const declaration of [DECLARATION, '<!-- -->']) {
    const text = `${declaration}<ComicInfo><Title>-1</Title>${numbers.join('')}</ComicInfo>`;
    // Undefined fields count as missing.
    expect(await readValidComicInfo(text)).toEqual({ title: '-1' });
  }
});

test('the root may have attributes', async () => {
  const text = `${DECLARATION}<ComicInfo xmlns:xsi="http://a/b"><Title>a</Title></ComicInfo>`;
  expect(await readValidComicInfo(text)).toMatchObject({ title: 'a' });
});

test('characters by their numbers, as Go and Python write them', async () => {
  const title = 'Can&#39;t &#34;stop&#x22; caf&#233; &#931;&#x1F600; &amp;#39;';
  const text = `<ComicInfo><Title>${title}</Title></ComicInfo>`;
  expect(await readValidComicInfo(text)).toMatchObject({
    title: `Can't "stop" café Σ😀 &#39;`,
  });
});
