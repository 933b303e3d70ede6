/** The paths of new and replaced files. */
import { join } from 'node:path';
import { LibraryIndex, type ScannedFiles } from '../../../src/library/scan.js';
import type { UnnamedWrite } from '../../../src/plan/change.js';
import { withPaths, type ReplacedName } from '../../../src/plan/paths.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0503';
const OTHER = '1d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0503';
const OUTPUT = join('/', 'library');
const FILE = join(OUTPUT, 'Old Name.cbz');

const save = (id = ID): UnnamedWrite => {
  const release = { id, chapter: undefined, why: '' };
  return { kind: 'save', release, betterThan: undefined };
};
const replace = (file: string, chapterId = ID): UnnamedWrite => {
  const release = { id: ID, chapter: undefined, why: '' };
  const why = chapterId === ID ? 'changed' : 'better-release';
  return { kind: 'replace', release, file: { file, chapterId, saved: {} }, why, removes: [] };
};

function place(
  changes: readonly UnnamedWrite[],
  existing: Partial<ScannedFiles> = {},
  newNames: ReadonlyMap<string, ReplacedName> = new Map(),
) {
  const none = { archives: [], damaged: [], unidentified: [], links: [] };
  const scanned = { ...none, hiddenFolders: [], leftoverFiles: [], ...existing };
  const { writes, kept } = withPaths(changes, {
    output: OUTPUT,
    library: new LibraryIndex(scanned),
    templateName: () => ({ path: 'Chapter 1.cbz', recorded: { path: 'Chapter 1.cbz' } }),
    newNames,
  });
  return { paths: writes.map(({ path }) => path), writes, kept };
}

const marked = (id: string) => join(OUTPUT, `Chapter 1 (${id.slice(0, 8)}).cbz`);

test('a new file has the name of the template, in the output folder', () => {
  expect(place([save()])).toMatchObject({ paths: [join(OUTPUT, 'Chapter 1.cbz')], kept: [] });
});

test('two chapters, or another archive, with one name: the id is added', () => {
  expect(place([save(), save(OTHER)]).paths).toEqual([marked(ID), marked(OTHER)]);
  const file = join(OUTPUT, 'chapter 1.CBZ');
  const taken = { chapterId: OTHER, file, ownership: 'own' as const };
  expect(place([save()], { archives: [taken] }).paths).toEqual([marked(ID)]);
});

test('a file that cannot be read keeps its path, and is named', () => {
  const file = join(OUTPUT, 'Chapter 1.cbz');
  const { paths, kept } = place([save()], { damaged: [{ file, readError: 'i/o error' }] });
  expect(paths).toEqual([marked(ID)]);
  expect(kept).toMatchObject([{ file, why: 'unreadable', path: marked(ID) }]);
});

test('a file that replaces another one has its name, which nothing else may have', () => {
  const old = { chapterId: OTHER, file: FILE, ownership: 'own' as const };
  expect(place([replace(FILE, OTHER)], { archives: [old] }).paths).toEqual([FILE]);
  expect(place([replace(FILE)], { archives: [{ ...old, chapterId: ID }] }).paths).toEqual([FILE]);
});

test('a file that is renamed as it is replaced leaves its name to a new one', () => {
  const file = join(OUTPUT, 'Chapter 1.cbz');
  const recorded = { path: 'New Name.cbz' };
  const newNames = new Map([[ID, { path: join(OUTPUT, 'New Name.cbz'), recorded, series: 'Tea' }]]);
  const archives = [{ chapterId: ID, file, ownership: 'own' as const }];
  const { paths, writes } = place([replace(file), save(OTHER)], { archives }, newNames);
  expect(paths).toEqual([join(OUTPUT, 'New Name.cbz'), file]);
  expect(writes[0]).toMatchObject({ series: 'Tea', file: { file } });
});
