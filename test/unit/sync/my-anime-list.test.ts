/** What is read from an export of MyAnimeList, and that no document makes the reader fail in another way than by its error. */
import fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { readImportedFile } from '../../../src/sync/import.js';
import { readMyAnimeList } from '../../../src/sync/import/my-anime-list.js';
import { myAnimeListExport } from '../../support/my-anime-list.js';

const read = (xml: string) => readMyAnimeList(Buffer.from(xml));
const inRoot = (xml: string) => `<myanimelist>${xml}</myanimelist>`;

test('id, name and status of each manga, once each, plain and compressed', async () => {
  const xml = myAnimeListExport([
    { malId: '2', name: 'Berserk & <Co>' },
    { malId: '13', name: 'One Piece', status: 'Plan to Read' },
    { malId: '13', name: 'One Piece', status: 'On-Hold' },
    { malId: '0', name: 'Unknown there' },
    { malId: '7', name: '', status: 'Something new' },
  ]);
  const listed = [
    { malId: '2', name: 'Berserk & <Co>', status: 'reading' },
    { malId: '13', name: 'One Piece', status: 'on_hold' },
    { malId: '7', name: '', status: undefined },
  ];
  expect(await read(xml)).toEqual(listed);
  for (const bytes of [Buffer.from(`\ufeff${xml}`), gzipSync(xml)])
    expect(await readImportedFile(bytes, 'list.xml.gz', new AbortController().signal)).toEqual({
      titles: [],
      otherSites: [],
      chapterIds: [],
      listed,
    });
});

test('references in text are read, and unknown ones stay', async () => {
  const name = 'A &amp; B &#x41;&#66; &unknown; &#x7fffffff;';
  const manga = `<manga><manga_mangadb_id>1</manga_mangadb_id><manga_title>${name}</manga_title></manga>`;
  expect((await read(inRoot(manga)))[0]?.name).toBe('A & B AB &unknown; &#x7fffffff;');
});

test('a long list may have more references than the parser would expand of a DTD', async () => {
  const count = 2_000;
  const entries = Array.from({ length: count }, (_, index) => {
    const id = `<manga_mangadb_id>${index + 1}</manga_mangadb_id>`;
    return `<manga>${id}<manga_title>${'A &#38; B &amp; '.repeat(10)}C</manga_title></manga>`;
  });
  const listed = await read(inRoot(entries.join('')));
  expect(listed).toHaveLength(count);
  expect(listed.at(-1)?.name).toBe(`${'A & B & '.repeat(10)}C`);
});

test.each([
  ['an entity', '<!DOCTYPE x [<!ENTITY a "aaa">]><myanimelist></myanimelist>', 'entities or a DTD'],
  ['a DTD from elsewhere', '<!DOCTYPE x SYSTEM "file:///etc/passwd"><myanimelist/>', 'DTD'],
  ['deep elements', inRoot(`${'<a>'.repeat(10_000)}${'</a>'.repeat(10_000)}`), 'too deep'],
  ['a lost end', myAnimeListExport([{ malId: '1', name: 'A' }]).slice(0, -20), 'not whole'],
  ['a lost end within a tag', '<myanimelist><manga><manga_title', 'not whole'],
  ['crossed elements', inRoot('<manga><a></manga></a>'), 'no manga'],
  ['another document', '<html><myanimelist></myanimelist></html>', 'not an export'],
  ['text around it', 'x<myanimelist></myanimelist>', 'no manga'],
  ['an anime list', inRoot('<anime><series_title>A</series_title></anime>'), 'anime list'],
  ['an empty list', inRoot('<myinfo></myinfo>'), 'no manga'],
])('%s is refused', async (_, xml, message) => {
  await expect(read(xml)).rejects.toThrow(message);
  await expect(
    readImportedFile(gzipSync(xml), 'list', new AbortController().signal),
  ).rejects.toMatchObject({
    code: 'bad-input-file',
  });
});

test('no text makes the reader fail in another way', async () => {
  const part = fc.constantFrom(
    '<',
    '>',
    '/',
    '<manga>',
    '</manga>',
    '<![CDATA[',
    ']]>',
    '&#',
    ';',
    '<!--',
    'a',
    '<?',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(part, fc.string())), async (parts) => {
      const failure: unknown = await read(inRoot(parts.join(''))).catch((error: unknown) => error);
      if (failure instanceof Error) expect(failure.message).toMatch(/^its? /);
    }),
  );
});
