/** What an index finds: the same after any writes and removals as an index of the files that are left. */
import { join } from 'node:path';
import fc from 'fast-check';
import { LibraryIndex } from '../../../src/library/scan.js';
import { type FoundChapter } from '../../../src/library/file.js';

const FOLDER = join('/', 'library');
const chapterOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const NOTHING_ELSE = {
  damaged: [],
  unidentified: [],
  hiddenFolders: [],
  leftoverFiles: [],
  links: [],
};
const indexOf = (archives: readonly FoundChapter[]) =>
  new LibraryIndex({ archives, ...NOTHING_ELSE });

const archive = fc.record({
  name: fc.constantFrom('One/1.cbz', 'one/1.CBZ', 'One/2.cbz', 'Two/1.cbz', '1.cbz'),
  number: fc.integer({ min: 1, max: 4 }),
  titleId: fc.constantFrom(undefined, 'title-1', 'title-2'),
  version: fc.integer({ min: 1, max: 3 }),
});
const toArchive = ({ name, number, ...more }: { name: string; number: number }) => ({
  ...more,
  chapterId: chapterOf(number),
  file: join(FOLDER, name),
  ownership: 'own' as const,
  isBound: false,
});
const change = fc.record({ saved: archive, removed: fc.option(archive) });

test('an index after changes finds what an index of the files that are left finds', () => {
  fc.assert(
    fc.property(fc.array(archive), fc.array(change), (first, changes) => {
      const index = indexOf(first.map(toArchive));
      for (const { saved, removed } of changes)
        index.update([toArchive(saved)], removed ? [toArchive(removed).file] : []);
      const fresh = indexOf(index.archives);
      for (const number of [1, 2, 3, 4]) {
        const id = chapterOf(number);
        expect(new Set(index.copiesOf(id))).toEqual(new Set(fresh.copiesOf(id)));
        expect(index.find(id)?.version).toBe(fresh.find(id)?.version);
      }
      for (const name of ['One', 'Two', '.']) {
        const folder = join(FOLDER, name);
        expect(new Set(index.inFolder(folder))).toEqual(new Set(fresh.inFolder(folder)));
        for (const path of [join(folder, '1.cbz'), join(folder, '2.cbz')])
          expect(new Set(index.filesAt(path))).toEqual(new Set(fresh.filesAt(path)));
      }
      for (const titleId of ['title-1', 'title-2'])
        expect(new Set(index.ofTitle(titleId))).toEqual(new Set(fresh.ofTitle(titleId)));
      expect(new Set(index.withoutTitle)).toEqual(new Set(fresh.withoutTitle));
    }),
  );
});

test('a path is taken by a file that some file system considers the same, of a chapter or not', () => {
  const unidentified = [join(FOLDER, 'Series', 'A.cbz')];
  const index = new LibraryIndex({ archives: [], ...NOTHING_ELSE, unidentified });
  expect(index.filesAt(join(FOLDER, 'series', 'a.CBZ'))).toEqual(unidentified);
  expect(index.filesAt(join(FOLDER, 'series', 'b.cbz'))).toEqual([]);
});
