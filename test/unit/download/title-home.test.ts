/** Where the chapters of a title are, by the paths of its files and the template of now. */
import { join } from 'node:path';
import type { FoundChapter } from '../../../src/library/file.js';
import { builtInTemplate, compileNameTemplate } from '../../../src/config/names.js';
import {
  sampleFolders,
  titleHome,
  type KnownChapter,
} from '../../../src/download/planning/title-folder.js';

const known = (path: string, more: Partial<KnownChapter> = {}): KnownChapter => ({
  path,
  isBound: false,
  recorded: {},
  metadata: { series: 'Old', number: '7', volume: '2' },
  ...more,
});

/** The path of chapter 8 of volume 3, if chapter 7 of volume 2 is `chapter`. */
function pathOfNext(template: string, chapter: KnownChapter): string {
  const isBuiltIn = template === BUILT_IN;
  const name = isBuiltIn
    ? builtInTemplate({ hasLanguages: false, hasTitleFolder: true })
    : compileNameTemplate(template);
  const home = titleHome([chapter], {
    template: name,
    hasDefaultName: isBuiltIn,
    numbersRestart: false,
    valuesOf: ({ metadata: { number, volume } }, series) => ({
      id: 'id',
      series,
      chapter: number,
      volume,
    }),
  });
  const series = home?.series ?? 'New';
  const values = { id: 'id', series, chapter: '8', volume: '3' };
  return home?.nameOf(values).path ?? name(values);
}

const BUILT_IN = '';
const FLAT = '{series} {chapter}';
const SERIES = '{series}/{chapter}';
const VOLUMES = '{series}/v{volume}/{chapter}';

test.each([
  // Template, where the chapter is, its template, where the next one goes.
  [SERIES, 'Old/7.cbz', '{series}', 'Old/8.cbz'],
  [SERIES, 'A/B/7.cbz', '{series}', 'A/B/8.cbz'],
  [SERIES, '7.cbz', '{series}', '8.cbz'],
  [VOLUMES, 'A/Old/v2/7.cbz', '{series}/v{volume}', 'A/Old/v3/8.cbz'],
  [VOLUMES, 'Mine/v2/7.cbz', '{series}/v{volume}', 'Mine/v3/8.cbz'],
  [VOLUMES, 'Old/second/7.cbz', '{series}/v{volume}', 'Old/v3/8.cbz'],
  [FLAT, 'Shelf/Old 7.cbz', '', 'Shelf/Old 8.cbz'],
  [SERIES, 'A/Old 7.cbz', '', 'Old/8.cbz'],
  [FLAT, 'Old/7.cbz', '{series}', 'Old 8.cbz'],
  ['Manga/{series}/{chapter}', 'Mine/7.cbz', '{series}', 'Manga/Old/8.cbz'],
  [BUILT_IN, 'Mine/Old 7.cbz', 'My Series', 'Mine/Old Ch.008 Vol.03.cbz'],
  [BUILT_IN, 'Old 7.cbz', '', 'Old/Old Ch.008 Vol.03.cbz'],
  // Archives of older versions do not have their template.
  [SERIES, 'Old/7.cbz', undefined, 'Old/8.cbz'],
  [SERIES, 'Mine/any name.cbz', undefined, 'Mine/8.cbz'],
  [SERIES, 'A/Old/7.cbz', undefined, 'A/Old/8.cbz'],
  [SERIES, 'A/Mine/7.cbz', undefined, 'A/Mine/8.cbz'],
  [SERIES, 'Old/v2/any name.cbz', undefined, 'Old/8.cbz'],
  [VOLUMES, 'Old/7.cbz', undefined, 'Old/v3/8.cbz'],
  ['My Series/{series} {chapter}', 'Old/Old 7.cbz', undefined, 'My Series/Old 8.cbz'],
])('%s, with %s by %s: %s', (template, path, folderTemplate, expected) => {
  expect(pathOfNext(template, known(path, { recorded: { folderTemplate } }))).toBe(expected);
});

test('books say where a title is if their folder is like that of its chapters', () => {
  const isBound = true;
  expect(pathOfNext(SERIES, known('A/Old/Old Vol.02.cbz', { isBound }))).toBe('A/Old/8.cbz');
  expect(pathOfNext(FLAT, known('Old/Old Vol.02.cbz', { isBound }))).toBe('Old 8.cbz');
});

test('without a name of the series in any file, the title has no home', () => {
  expect(pathOfNext(SERIES, known('A/7.cbz', { metadata: {} }))).toBe('New/8.cbz');
});

test('of a title with a thousand chapters in a folder, two are read: the latest', () => {
  const archives = Array.from({ length: 1_000 }, (_, index): FoundChapter => {
    const number = String(index + 1);
    const file = join('Old', `${number}.cbz`);
    return { chapterId: number, file, ownership: 'own', isBound: false };
  });
  const releases = new Map(archives.map(({ chapterId }) => [chapterId, { number: chapterId }]));
  const idsOf = (sample: readonly FoundChapter[]) => sample.map(({ chapterId }) => chapterId);
  expect(idsOf(sampleFolders(archives, releases, 2))).toEqual(['1000', '999']);
  expect(idsOf(sampleFolders(archives, new Map(), 2))).toEqual(['1000', '999']);
});
