import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { chapterEntity, collection, single, titleEntity } from '../../src/catalogue/answers.js';
import { readChapter } from '../../src/catalogue/chapter.js';
import { readTitle } from '../../src/catalogue/title.js';

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
  chapterEntity.safeParse({
    id: ID.toUpperCase(),
    type: 'chapter',
    attributes: { ...ATTRIBUTES, ...attributes },
    relationships: [],
    ...rest,
  });

describe("a chapter's answer", () => {
  test('is taken with members that nobody knows yet', () => {
    const read = chapterWith({ mood: 'good' }, { news: [1] });
    expect(read.data && readChapter(read.data)).toMatchObject({
      id: ID,
      number: '10.5',
      volume: undefined,
      isUnavailable: false,
      titleId: undefined,
      groups: [],
    });
  });

  test.each([
    ['a number as a text', { pages: '3' }],
    ['a text as a number', { chapter: 10.5 }],
    ['less than no pages', { pages: -1 }],
    ['half a version', { version: 1.5 }],
    ['no language', { translatedLanguage: undefined }],
    ['an endless title', { title: 'x'.repeat(2_000) }],
  ])('with %s is refused', (_, attributes) => {
    expect(chapterWith(attributes).success).toBe(false);
  });

  test('with another id than a UUID, or of another type, is refused', () => {
    expect(chapterWith({}, { id: '../../etc' }).success).toBe(false);
    expect(chapterWith({}, { type: 'manga' }).success).toBe(false);
  });

  test('loses what moves a cursor or turns a line', () => {
    const read = chapterWith({ title: ' a\u001B[2Jb\u202Ec\n d ', translatedLanguage: 'e\u0007n' });
    expect(read.data && readChapter(read.data)).toMatchObject({
      title: 'a[2Jbc d',
      language: 'en',
    });
  });

  test('with a time that is none has no time', () => {
    const read = chapterWith({ publishAt: 'yesterday' });
    expect(read.data && readChapter(read.data).publishAt).toBeUndefined();
  });

  test('relationships without what was asked for still name groups and title', () => {
    const relationships = [
      { id: ID, type: 'manga' },
      { id: ID, type: 'scanlation_group', attributes: null },
      { id: ID, type: 'scanlation_group', attributes: { name: 7 } },
    ];
    const read = chapterWith({}, { relationships });
    expect(read.data && readChapter(read.data)).toMatchObject({
      titleId: ID,
      titleInBrief: undefined,
      groups: [
        { id: ID, name: '' },
        { id: ID, name: '' },
      ],
    });
  });
});

describe("a title's answer", () => {
  const titleWith = (attributes: object) =>
    titleEntity.safeParse({
      id: ID,
      type: 'manga',
      attributes: { title: { en: 'A' }, ...attributes },
    });

  test('may write an empty table as an empty list', () => {
    const read = titleWith({ description: [], altTitles: [], tags: null });
    expect(read.data && readTitle(read.data)).toMatchObject({
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
    [{ title: { en: ' ' }, altTitles: [{ fr: 'Autre' }] }, 'Autre'],
    [{ title: [] }, ''],
  ])('%j is called %j', (attributes, name) => {
    const read = titleWith(attributes);
    expect(read.data && readTitle(read.data).name).toBe(name);
  });
});

test('a collection larger than any page of one is refused', () => {
  const answer = (length: number) => ({
    result: 'ok',
    data: Array.from({ length }, () => 1),
    total: 1,
  });
  const numbers = collection(titleEntity.or(chapterEntity));
  expect(numbers.safeParse(answer(0)).success).toBe(true);
  expect(numbers.safeParse(answer(1_001)).success).toBe(false);
});

test('whatever comes is taken or refused, never half read', () => {
  const schema = single(chapterEntity);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(schema.safeParse(value).success).toBe(false);
      expect(schema.safeParse({ result: 'ok', data: value }).success).toBe(false);
    }),
  );
});
