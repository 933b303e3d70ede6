/** Collections item by item: whatever stands beside a good entry, the entry is kept, and work is bounded. */
import fc from 'fast-check';
import { ZodError } from 'zod';
import type { ServiceClient } from '../../../../src/service/client.js';
import { fetchTitleFeed } from '../../../../src/service/feeds.js';
import {
  chapterEntity,
  collection,
  titleEntity,
} from '../../../../src/service/catalogue/response-schemas.js';
import { toChapter } from '../../../../src/service/chapters.js';
import { STRICT, uuid } from '../../../../src/service/catalogue/schema-parts.js';
import { toTitle } from '../../../../src/service/titles.js';

const NAMING = { titleLanguage: undefined };

const ID = 'a96676e5-8ae2-425e-b549-7f15dd34a6d8';
const CHAPTER = {
  id: ID,
  type: 'chapter',
  attributes: {
    title: 'First',
    volume: '1',
    chapter: '10.5',
    pages: 12,
    translatedLanguage: 'en',
    externalUrl: null,
    version: 1,
  },
  relationships: [],
};
const TITLE = {
  id: ID,
  type: 'manga',
  attributes: { title: { en: 'A' }, altTitles: [], description: {}, year: 2021, tags: [] },
  relationships: [],
};
const chapters = collection(chapterEntity, 100);
const titles = collection(titleEntity, 100);

/** A good entity with one member replaced, at any depth that matters. */
const oddEntity = (entity: { readonly attributes: object }) =>
  fc
    .tuple(
      fc.constantFrom('id', 'type', 'attributes', 'relationships'),
      fc.constantFrom(...Object.keys(entity.attributes)),
      fc.jsonValue(),
    )
    .map(([member, attribute, value]) =>
      member === 'attributes'
        ? { ...entity, attributes: { ...entity.attributes, [attribute]: value } }
        : { ...entity, [member]: value },
    );

describe('any JSON', () => {
  test('as an answer is read, or refused with an error of the schema', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, total) => {
        for (const answer of [value, { result: 'ok', data: value, total }]) {
          try {
            for (const entity of chapters.parse(answer).items) toChapter(entity, NAMING);
          } catch (error) {
            expect(error).toBeInstanceOf(ZodError);
          }
        }
      }),
    );
  });

  test('beside a good chapter never loses the chapter', () => {
    const odd = fc.array(fc.oneof(fc.jsonValue(), oddEntity(CHAPTER)), { maxLength: 20 });
    fc.assert(
      fc.property(odd, odd, fc.jsonValue(), (before, after, total) => {
        const page = chapters.parse({ result: 'ok', data: [...before, CHAPTER, ...after], total });
        expect(page.received).toBe(before.length + 1 + after.length);
        expect(page.items.map((entity) => toChapter(entity, NAMING))).toContainEqual(
          expect.objectContaining({ id: ID, number: '10.5', pages: 12, title: 'First' }),
        );
      }),
    );
  });

  test('in place of an attribute never loses the title', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(TITLE.attributes)),
        fc.jsonValue(),
        (name, value) => {
          const odd = { ...TITLE, attributes: { ...TITLE.attributes, [name]: value } };
          const { items } = titles.parse({ result: 'ok', data: [odd], total: 1 });
          expect(items.map((entity) => toTitle(entity, NAMING).id)).toEqual([ID]);
        },
      ),
    );
  });
});

/** The list, and how many of its items were read so far. */
function countedReads(list: readonly unknown[]) {
  const read = new Set<string>();
  const proxy = new Proxy([...list], {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) read.add(key);
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  return { proxy, read };
}

describe('the work on a large answer', () => {
  test('is bounded by the number of entries that were asked for', () => {
    const { proxy, read } = countedReads(Array.from({ length: 100_000 }, () => ({})));
    const page = collection(chapterEntity, 20).parse({ result: 'ok', data: proxy, total: 1 });
    expect(page).toMatchObject({ items: [], received: 20 });
    expect(read.size).toBe(20);
  });

  test('is bounded in each entry too', () => {
    const { proxy, read } = countedReads(Array.from({ length: 100_000 }, () => null));
    const entity = { ...CHAPTER, relationships: proxy };
    expect(chapters.parse({ result: 'ok', data: [entity], total: 1 }).items).toHaveLength(1);
    expect(read.size).toBe(1_000);
  });

  test('ends at the first item that does not fit where the list must fit', () => {
    const { proxy, read } = countedReads(Array.from({ length: 900 }, () => null));
    const result = STRICT.listOf(uuid, 1_000).safeParse(proxy);
    expect(result.error?.issues).toHaveLength(1);
    expect(read.size).toBe(1);
  });
});

test('a list that never ends, one entry at a time, is left after 400 requests', async () => {
  let requests = 0;
  const api = () => {
    requests += 1;
    return Promise.resolve({ items: [], received: 1, repaired: 0, total: 1e9 });
  };
  await expect(fetchTitleFeed({ api } as unknown as ServiceClient, ID)).rejects.toMatchObject({
    code: 'bad-response',
  });
  expect(requests).toBe(400);
});
