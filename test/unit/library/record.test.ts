/** The record of a chapter: what was written is read back, and a hostile one counts as absent. */
import fc from 'fast-check';
import {
  comicInfoXml,
  READ_FIELDS,
  type ComicMetadata,
  readComicInfo,
  writtenMetadata,
} from '../../../src/library/comic-info.js';
import { formatRecord, parseRecords, type ChapterRecord } from '../../../src/library/record.js';
import { codePoint, webUrl } from '../../support/any-text.js';

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const text = optional(fc.string({ unit: codePoint }));
const texts = optional(fc.array(fc.string({ unit: codePoint }), { maxLength: 4 }));
const uuid = fc.uuid();
const sha256 = fc.stringMatching(/^[0-9a-f]{64}$/);
const day = fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true });

const comic: fc.Arbitrary<ComicMetadata> = fc.record({
  title: text,
  series: text,
  number: optional(fc.constantFrom('1', '10.5', '2b', 'x')),
  volume: optional(fc.constantFrom('1', '02', 'none')),
  summary: text,
  publishedAt: optional(day),
  writers: texts,
  pencillers: texts,
  translators: texts,
  genres: texts,
  tags: texts,
  web: optional(webUrl),
  language: optional(fc.constantFrom('en', 'pt-br', 'zh', 'null')),
  originalLanguage: optional(fc.constantFrom('ja', 'ko', 'ja-ro')),
  ageRating: optional(fc.constantFrom('Everyone', 'X18+')),
  pages: fc.constant([]),
});

const record: fc.Arbitrary<ChapterRecord> = fc.record({
  chapterId: optional(uuid),
  titleId: optional(uuid),
  version: optional(fc.integer({ min: 1 })),
  updatedAt: optional(day),
  quality: optional(fc.constantFrom('data', 'data-saver')),
  pages: optional(fc.array(sha256, { maxLength: 20 })),
  metadata: optional(comic.map(writtenMetadata)),
});

test('what is written is read back, and the same record gives the same text', () => {
  fc.assert(
    fc.property(record, (written) => {
      const json = formatRecord(written) ?? '';
      const [read] = parseRecords(json) ?? [];
      expect(read).toEqual(written);
      expect(formatRecord(read ?? {})).toBe(json);
    }),
  );
});

test('the record keeps each field that is read from ComicInfo.xml', () => {
  const values = { text: 'A text', texts: ['A', 'B'], date: new Date('2024-05-01') };
  const metadata = Object.fromEntries(
    READ_FIELDS.map(({ name, kind }) => [name, typeof kind === 'object' ? kind[0] : values[kind]]),
  );
  expect(Object.keys(metadata)).toContain('notes');
  const [read] = parseRecords(formatRecord({ metadata }) ?? '') ?? [];
  expect(read?.metadata).toEqual(metadata);
});

test('the metadata of the record is what readers see in ComicInfo.xml', async () => {
  await fc.assert(
    fc.asyncProperty(comic, async (metadata) => {
      expect(await readComicInfo(await comicInfoXml(metadata))).toEqual(writtenMetadata(metadata));
    }),
  );
});

test('any other JSON, and any other text, counts as absent and never throws', () => {
  const hostile = fc.oneof(
    fc.json(),
    fc.string({ unit: codePoint }),
    fc.jsonValue().map((value) => JSON.stringify({ chapters: value })),
    fc.jsonValue().map((value) => JSON.stringify({ chapters: [{ metadata: value }] })),
  );
  fc.assert(
    fc.property(hostile, (json) => {
      for (const chapter of parseRecords(json) ?? []) {
        expect(formatRecord(chapter)).toBeDefined();
        expect(Object.keys(chapter)).not.toContain('__proto__');
      }
    }),
  );
});

test.each([
  ['no chapter', { chapters: [] }],
  ['an id that is not a UUID', { chapters: [{ chapterId: '../../x' }] }],
  ['a digest that is not one', { chapters: [{ pages: ['A'.repeat(64)] }] }],
  ['more pages than an archive has', { chapters: [{ pages: Array(65_536).fill('0'.repeat(64)) }] }],
  ['more chapters than a book has', { chapters: Array(20_001).fill({}) }],
  ['a version below 1', { chapters: [{ version: 0 }] }],
  ['a time that is not one', { chapters: [{ updatedAt: 'yesterday' }] }],
])('%s counts as absent', (_, value) => {
  expect(parseRecords(JSON.stringify(value))).toBeUndefined();
});

test('nesting of any depth, and a text of any size, count as absent', () => {
  expect(parseRecords('['.repeat(1_000_000))).toBeUndefined();
  const nested = `{"chapters":[{"metadata":${'['.repeat(100_000)}${']'.repeat(100_000)}}]}`;
  expect(parseRecords(nested)).toBeUndefined();
  const padded = JSON.stringify({ chapters: [{}] }) + ' '.repeat(16 * 2 ** 20);
  expect(parseRecords(padded)).toBeUndefined();
  expect(formatRecord({ metadata: { summary: 'x'.repeat(16 * 2 ** 20) } })).toBeUndefined();
});
