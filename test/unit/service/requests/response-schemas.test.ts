import fc from 'fast-check';
import { ZodError } from 'zod';
import {
  chapterEntity,
  single,
  titleEntity,
} from '../../../../src/service/catalogue/response-schemas.js';
import { originalName } from '../../../../src/library/comic-info/fields.js';
import { toChapter } from '../../../../src/service/chapters.js';
import { toTitle, withChosenName, type Title } from '../../../../src/service/titles.js';

const NAMING = { titleLanguage: undefined };

const ID = 'a96676e5-8ae2-425e-b549-7f15dd34a6d8';
const ATTRIBUTES = {
  title: null,
  volume: null,
  chapter: '10.5',
  pages: 3,
  translatedLanguage: 'en',
  externalUrl: null,
  version: 1,
  publishAt: '2024-01-05T12:00:00+00:00',
};
const chapterWith = (attributes: object, rest: object = {}) =>
  chapterEntity.read({
    id: ID.toUpperCase(),
    type: 'chapter',
    attributes: { ...ATTRIBUTES, ...attributes },
    relationships: [],
    ...rest,
  });

describe("a chapter's answer", () => {
  test('is accepted with unknown members', () => {
    const read = chapterWith({ mood: 'good' }, { news: [1] });
    expect(read.success && toChapter(read.data, NAMING)).toMatchObject({
      id: ID,
      number: '10.5',
      volume: undefined,
      isUnavailable: false,
      titleId: undefined,
      groups: [],
    });
  });

  test.each([
    ['a number as a text', { pages: '3' }, { pages: undefined }],
    ['a text as a number', { chapter: 10.5, volume: 2 }, { number: '10.5', volume: '2' }],
    ['less than no pages', { pages: -1 }, { pages: undefined }],
    ['no pages', { pages: null }, { pages: undefined }],
    ['half a version', { version: 1.5 }, { version: 1 }],
    ['no version', { version: undefined }, { version: 1 }],
    ['no language', { translatedLanguage: undefined }, { language: 'und' }],
    ['a null language', { translatedLanguage: null }, { language: 'und' }],
    ['an endless title', { title: 'x'.repeat(2_000) }, { title: undefined }],
    ['times that are not texts', { publishAt: 7, createdAt: {} }, { publishAt: undefined }],
  ])('with %s is read with a default', (_, attributes, expected) => {
    const read = chapterWith(attributes);
    expect(read).toMatchObject({ success: true, isComplete: false });
    expect(read.success && toChapter(read.data, NAMING)).toMatchObject({ id: ID, ...expected });
  });

  test('that is complete is read as such', () => {
    expect(chapterWith({})).toMatchObject({ success: true, isComplete: true });
  });

  test('with relationships that have no id is read without them', () => {
    const relationships = [null, { id: null, type: 'user' }, { id: ID, type: 'manga' }, 'x'];
    const read = chapterWith({}, { relationships });
    expect(read).toMatchObject({ success: true, isComplete: false });
    expect(read.success && toChapter(read.data, NAMING)).toMatchObject({ titleId: ID });
  });

  test('has the title that an earlier one of the same list had, which is read once', () => {
    let looks = 0;
    const title = {
      get title() {
        looks += 1;
        return { en: 'Lighthouse' };
      },
    };
    const relationships = [{ id: ID, type: 'manga', attributes: title }];
    const titles = new Map<string, Title>();
    const [first, second] = [1, 2].map(() => {
      const read = chapterWith({}, { relationships });
      return read.success ? toChapter(read.data, NAMING, titles).partialTitle : undefined;
    });
    expect(first).toMatchObject({ id: ID, name: 'Lighthouse' });
    expect(second).toBe(first);
    expect(looks).toBe(1);
  });

  test('with attributes that are not an object is refused', () => {
    expect(chapterWith({}, { attributes: [] }).success).toBe(false);
    expect(chapterWith({}, { attributes: null }).success).toBe(false);
  });

  test('with another id than a UUID, or of another type, is refused', () => {
    expect(chapterWith({}, { id: '../../etc' }).success).toBe(false);
    expect(chapterWith({}, { type: 'manga' }).success).toBe(false);
  });

  test('loses what moves a cursor or turns a line', () => {
    const read = chapterWith({ title: ' a\u001B[2Jb\u202Ec\n d ', translatedLanguage: 'e\u0007n' });
    expect(read.success && toChapter(read.data, NAMING)).toMatchObject({
      title: 'a[2Jbc d',
      language: 'en',
    });
  });

  test('with a time that is none has no time', () => {
    const read = chapterWith({ publishAt: 'yesterday' });
    expect(read.success && toChapter(read.data, NAMING).publishAt).toBeUndefined();
  });

  test('relationships without what was asked for still name groups and title', () => {
    const relationships = [
      { id: ID, type: 'manga' },
      { id: ID, type: 'scanlation_group', attributes: null },
      { id: ID, type: 'scanlation_group', attributes: { name: 7 } },
    ];
    const read = chapterWith({}, { relationships });
    expect(read.success && toChapter(read.data, NAMING)).toMatchObject({
      titleId: ID,
      partialTitle: undefined,
      groups: [
        { id: ID, name: '' },
        { id: ID, name: '' },
      ],
    });
  });
});

describe("a title's answer", () => {
  const titleWith = (attributes: object) =>
    titleEntity.read({
      id: ID,
      type: 'manga',
      attributes: { title: { en: 'A' }, ...attributes },
    });

  test('may write an empty table as an empty list', () => {
    const read = titleWith({ description: [], altTitles: [], tags: null });
    expect(read.success && toTitle(read.data, NAMING)).toMatchObject({
      name: 'A',
      description: {},
      tags: [],
    });
  });

  test.each([
    [{ title: { en: 'English', 'ja-ro': 'Roman' } }, 'English'],
    [{ title: { ja: '漢字', 'ko-ro': 'Hangugeo' }, originalLanguage: 'ko' }, 'Hangugeo'],
    [{ title: { ja: '漢字', 'ja-ro': 'Kanji' } }, 'Kanji'],
    [{ title: { ja: '漢字' } }, '漢字'],
    [{ title: { ja: '字' }, altTitles: [{ 'ja-ro': 'Ji' }, { en: 'Letter' }] }, 'Letter'],
    [{ title: { ja: '字' }, altTitles: [{ fr: 'Lettre' }, { 'ja-ro': 'Ji' }] }, 'Ji'],
    [
      {
        title: { fr: 'Lettre' },
        altTitles: [{ 'zh-hk': '字' }, { 'zh-ro': 'Zi' }],
        originalLanguage: 'zh-hk',
      },
      'Zi',
    ],
    [{ title: { fr: 'Lettre' }, altTitles: [{ 'zh-hk': '字' }], originalLanguage: 'zh-hk' }, '字'],
    [{ title: { en: ' ' }, altTitles: [{ fr: 'Autre' }] }, 'Autre'],
    [{ title: [] }, ''],
    [{ title: null, altTitles: [{ en: 'Other' }] }, 'Other'],
    [{ altTitles: { 0: { en: 'Other' } } }, 'A'],
    [{ altTitles: null, links: null, description: [], year: '2021' }, 'A'],
    [{ altTitles: [null, 7], links: [], tags: [null, { attributes: [] }] }, 'A'],
  ])('%j is called %j', (attributes, name) => {
    const read = titleWith(attributes);
    expect(read.success && toTitle(read.data, NAMING).name).toBe(name);
  });

  const MOUNTAIN = {
    title: { en: 'Yama no Koe' },
    altTitles: [
      { 'ja-ro': 'Yama no Koe' },
      { ja: '山の声' },
      { en: 'Voice of the Mountain' },
      { en: 'Mountain Voice', fr: 'La voix de la montagne' },
    ],
  };
  test.each([
    ['the main name before alternatives of its language', 'en,ja', MOUNTAIN, 'Yama no Koe'],
    ['an alternative name', 'ja', MOUNTAIN, '山の声'],
    ['a second language of one map', 'fr', MOUNTAIN, 'La voix de la montagne'],
    ['the second choice, where none has the first', 'de,ja,en', MOUNTAIN, '山の声'],
    ['no name of a code that only begins with it', 'jv,ja-hk', MOUNTAIN, 'Yama no Koe'],
    ['the default, where no language has a name', 'de', MOUNTAIN, 'Yama no Koe'],
    [
      'the first of several in a language',
      'en',
      { ...MOUNTAIN, title: { 'ja-ro': 'Yama no Koe' } },
      'Voice of the Mountain',
    ],
    ['none of `[]`', 'ja', { title: [], altTitles: [{ fr: 'La voix' }, { ja: '声' }] }, '声'],
    [
      'none that is not visible',
      'ja',
      { altTitles: [{ ja: '\u200f \u0000' }, { ja: '声' }] },
      '声',
    ],
  ])('a choice of languages takes %s', (_, languages, attributes, name) => {
    const read = titleWith(attributes);
    const naming = { titleLanguage: languages.split(',') };
    expect(read.success && toTitle(read.data, naming).name).toBe(name);
    const byDefault = read.success ? toTitle(read.data, NAMING) : undefined;
    expect(byDefault && withChosenName(byDefault, naming).name).toBe(name);
  });

  test('the original name is another one than that of the series, whatever this is', () => {
    const read = titleWith({ ...MOUNTAIN, originalLanguage: 'ja' });
    const title = read.success ? toTitle(read.data, NAMING) : undefined;
    const originalOf = (series: string) => title && originalName({ ...title, name: series });
    expect(['My Name', '山の声'].map(originalOf)).toEqual(['山の声', 'Yama no Koe']);
  });

  test.each([
    ['2021', 2021],
    ['about 2021', undefined],
    [20.5, undefined],
  ])('with the year %j has the year %j', (year, expected) => {
    const read = titleWith({ year });
    expect(read.success && toTitle(read.data, NAMING).year).toBe(expected);
  });
});

test('whatever comes is taken or refused, never half read', () => {
  const schema = single(chapterEntity);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(() => schema.parse(value)).toThrow(ZodError);
      expect(() => schema.parse({ result: 'ok', data: value })).toThrow(ZodError);
    }),
  );
});
