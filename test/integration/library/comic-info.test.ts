import fc from 'fast-check';
import { comicInfoXml, languageTag, type ComicMetadata } from '../../../src/library/comic-info.js';
import { schemaErrors } from '../../support/comic-info-schema.js';
import { codePoint, webUrl } from '../../support/any-text.js';

const FULL: ComicMetadata = {
  title: 'Tea & <cake>',
  series: 'The "Best" of ]]> it’s',
  number: '10.5',
  volume: '3',
  summary: 'First line.\r\n\r\n\r\n\r\nSecond – 二 💧 line.  \n',
  publishedAt: new Date('2024-01-31T23:30:00-05:00'),
  writers: ['Doe, Jane', 'Jane  Doe', 'Doe, Jane'],
  pencillers: ['山田'],
  translators: ['Group A', 'Group, B'],
  genres: ['Comedy', 'Drama'],
  tags: ['School Life'],
  web: 'https://mangadex.org/chapter/5f2d0c1e-7a44-4c39-9d10-0b6f6f3a1c01',
  language: 'es-la',
  originalLanguage: 'ja',
  ageRating: 'Mature 17+',
  pages: [{ bytes: 1234, width: 800, height: 1200 }, { bytes: 5 }],
};

describe('ComicInfo.xml', () => {
  test('contains the known values in the order of the schema', async () => {
    const xml = await comicInfoXml(FULL);
    expect(await schemaErrors([xml])).toEqual([]);
    expect(xml).toBe(`<?xml version="1.0" encoding="utf-8"?>
<ComicInfo>
  <Title>Tea &amp; &lt;cake&gt;</Title>
  <Series>The &quot;Best&quot; of ]]&gt; it’s</Series>
  <Number>10.5</Number>
  <Volume>3</Volume>
  <Summary>First line.

Second – 二 💧 line.</Summary>
  <Year>2024</Year>
  <Month>2</Month>
  <Day>1</Day>
  <Writer>Doe Jane, Jane Doe</Writer>
  <Penciller>山田</Penciller>
  <Translator>Group A, Group B</Translator>
  <Genre>Comedy, Drama</Genre>
  <Tags>School Life</Tags>
  <Web>https://mangadex.org/chapter/5f2d0c1e-7a44-4c39-9d10-0b6f6f3a1c01</Web>
  <PageCount>2</PageCount>
  <LanguageISO>es-419</LanguageISO>
  <Manga>YesAndRightToLeft</Manga>
  <AgeRating>Mature 17+</AgeRating>
  <Pages>
    <Page Image="0" ImageSize="1234" ImageWidth="800" ImageHeight="1200"/>
    <Page Image="1" ImageSize="5"/>
  </Pages>
</ComicInfo>
`);
  });

  test('omits unknown values', async () => {
    const xml = await comicInfoXml({ pages: [], title: ' \u0000 ', writers: [], summary: '' });
    expect(await schemaErrors([xml])).toEqual([]);
    expect(xml.match(/<\w+/g)).toEqual(['<ComicInfo', '<PageCount']);
  });

  test.each([
    ['3.5', ''],
    ['', ''],
    ['none', ''],
    ['-1', ''],
    ['99999999999', ''],
    ['007', '<Volume>7</Volume>'],
    ['0', '<Volume>0</Volume>'],
  ])('volume "%s" is written only if it is an integer', async (volume, expected) => {
    expect(/<Volume>.*/.exec(await comicInfoXml({ pages: [], volume }))?.[0] ?? '').toBe(expected);
  });

  test.each([
    ['10.5', '10.5'],
    ['7a', '7a'],
    ['010', '010'],
    ['0', '0'],
    ['1-3', ''],
    ['1–3', ''],
    ['Extra', ''],
  ])('number "%s" is written only if it is a number', async (number, expected) => {
    const found = /<Number>(.*)<\/Number>/.exec(await comicInfoXml({ pages: [], number }))?.[1];
    expect(found ?? '').toBe(expected);
  });

  test.each([
    ['ja', 'YesAndRightToLeft'],
    ['ko', 'No'],
    ['zh-hk', 'No'],
    ['unknown', undefined],
  ])('a series from %s is read %s', async (originalLanguage, expected) => {
    const xml = await comicInfoXml({ pages: [], originalLanguage });
    expect(/<Manga>(.*)<\/Manga>/.exec(xml)?.[1]).toBe(expected);
  });

  test('is valid for any metadata, and the same each time', async () => {
    const text = fc.string({ unit: codePoint, maxLength: 30 });
    const texts = fc.array(text, { maxLength: 3 });
    const metadata = fc.record(
      {
        title: text,
        series: text,
        number: fc.oneof(text, fc.float().map(String)),
        volume: fc.oneof(text, fc.integer().map(String)),
        summary: text,
        publishedAt: fc.date({ noInvalidDate: false }),
        writers: texts,
        pencillers: texts,
        translators: texts,
        genres: texts,
        tags: texts,
        web: fc.oneof(webUrl, text),
        language: fc.oneof(text, fc.constantFrom('es-la', 'zh', 'null', 'ja-ro')),
        originalLanguage: text,
        ageRating: fc.constantFrom('Everyone', 'Teen', 'Mature 17+', 'X18+'),
        pages: fc.array(fc.record({ bytes: fc.nat() }), { maxLength: 2 }),
      },
      { requiredKeys: ['pages'] },
    );
    const samples = fc.sample(metadata, 300) as ComicMetadata[];
    const made = await Promise.all(samples.map((sample) => comicInfoXml(sample)));
    expect(await schemaErrors(made)).toEqual([]);
    expect(await Promise.all(samples.map((sample) => comicInfoXml(sample)))).toEqual(made);
  });
});

describe('languageTag', () => {
  test.each([
    ['en', 'en'],
    ['pt-br', 'pt-BR'],
    ['es-la', 'es-419'],
    ['es', 'es'],
    ['zh', 'zh-Hans'],
    ['zh-hk', 'zh-Hant'],
    ['ja-ro', 'ja-Latn'],
    ['ko-ro', 'ko-Latn'],
    ['zh-ro', 'zh-Latn'],
    ['ES-LA', 'es-419'],
    ['null', undefined],
    ['unknown', undefined],
    ['', undefined],
    ['e', undefined],
    ['en_US', undefined],
  ])('converts %s to %s', (code, tag) => {
    expect(languageTag(code)).toBe(tag);
  });

  test('returns a BCP 47 tag or undefined for any text', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z-]{0,12}$/), (code) => {
        const tag = languageTag(code);
        if (tag !== undefined) expect(Intl.getCanonicalLocales(tag)).toEqual([tag]);
      }),
    );
  });
});
