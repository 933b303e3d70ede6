/** What becomes of the metadata and the name of a file whose pages stay: the decision that retag and --update share. */
import type { FoundChapter } from '../../../src/library/file.js';
import {
  decideRetag,
  keptInUnchanged,
  type ComparedFile,
} from '../../../src/plan/chapter-changes.js';
import { decideFiles } from '../../../src/plan/decide.js';
import type { Chapter } from '../../../src/service/chapters.js';
import type { Title } from '../../../src/service/titles.js';

const at = (day: number) => new Date(Date.UTC(2030, 0, day));
const chapter = { id: 'c', titleId: 'new', version: 2, updatedAt: at(2) } as Chapter;
const title = { id: 'new', name: 'New' } as Title;
const titles = (...ids: readonly string[]) => new Map(ids.map((id) => [id, { ...title, id }]));

describe('a file is of a chapter that was moved', () => {
  const archive = (more: Partial<FoundChapter>): FoundChapter => ({
    chapterId: 'c',
    file: 'a.cbz',
    ownership: 'own',
    isBound: false,
    ...more,
  });
  const compare = (more: Partial<FoundChapter>, ...listed: readonly string[]) =>
    decideFiles([archive(more)], new Map([['c', chapter]]), titles(...listed));

  test.each([
    ['if it names another title that the service has', { titleId: 'old' }, ['new', 'old'], [true]],
    ['but not if that title is gone: it was merged', { titleId: 'old' }, ['new'], [false]],
    ['but not if it names the same title', { titleId: 'new' }, ['new', 'old'], [false]],
    ['but not if it names none', {}, ['new', 'old'], [false]],
  ] as const)('%s', (_, more, listed, [isMoved]) => {
    expect(compare(more, ...listed)).toMatchObject([{ kind: 'retag', isMoved }]);
  });

  test('and stays if tankobon did not write it', () => {
    expect(compare({ ownership: 'foreign' }, 'new')).toMatchObject([{ why: 'foreign' }]);
  });

  test('and stays if the service does not list its title', () => {
    expect(compare({})).toMatchObject([{ kind: 'keep', why: 'not-listed' }]);
  });

  test('and a chapter that changed is named once where only books have it', () => {
    const book = archive({ isBound: true, version: 1 });
    const decideAll = (...files: readonly FoundChapter[]) =>
      decideFiles(files, new Map([['c', chapter]]), titles('new'));
    expect(decideAll(archive({ isBound: true, version: 2 }))).toEqual([]);
    expect(decideAll(book, book)).toMatchObject([{ kind: 'skip', reason: 'newer-version' }]);
    expect(decideAll(book, archive({}))).toMatchObject([{ kind: 'retag' }]);
  });
});

const UNCHANGED = { changed: [], edited: [], unknown: [] };

function decided(change: Partial<ComparedFile>) {
  const file = '/comics/a.cbz';
  const compared = {
    file,
    chapter,
    title,
    removes: [],
    to: file,
    root: '/comics',
    merged: UNCHANGED,
    record: { version: 2, updatedAt: at(2) },
    version: 2,
    isMoved: false,
    hasComparedPages: false,
    ...change,
  };
  return decideRetag(compared as unknown as ComparedFile);
}

test.each<readonly [string, Partial<ComparedFile>, object]>([
  ['a file that is up to date stays', {}, { kind: 'keep', mayHaveOtherPages: false }],
  ['so does one without metadata', { merged: undefined }, { kind: 'keep' }],
  [
    'so does one that its owner edited',
    { merged: { ...UNCHANGED, edited: ['title'] } },
    { kind: 'keep', edited: ['title'] },
  ],
  [
    'other metadata are written',
    { merged: { ...UNCHANGED, changed: ['volume'] } },
    { kind: 'retag', changed: ['volume'], revision: undefined },
  ],
  ['another name is given', { to: '/comics/b.cbz' }, { kind: 'retag', changed: [] }],
  [
    'a moved chapter names its title from then on, and keeps its version',
    { isMoved: true },
    { kind: 'retag', newTitleId: 'new', revision: undefined },
  ],
  [
    'a newer version is written, and the time stays while the pages are not compared',
    { record: { version: 1, updatedAt: at(1) } },
    { kind: 'retag', mayHaveOtherPages: true, revision: { version: 2, updatedAt: at(1) } },
  ],
  [
    'the time is written too once they are',
    { record: { version: 1, updatedAt: at(1) }, hasComparedPages: true },
    { kind: 'retag', mayHaveOtherPages: false, revision: { version: 2, updatedAt: at(2) } },
  ],
  [
    'a file of an older tankobon gets a record once its pages were compared',
    { record: undefined, hasComparedPages: true },
    { kind: 'retag', revision: { version: 2 } },
  ],
])('%s', (_, change, expected) => {
  expect(decided(change)).toMatchObject(expected);
});

test('elements of others are named only beside an edit', () => {
  expect(keptInUnchanged({ edited: [], unknown: ['Notes'] })).toEqual([]);
  expect(keptInUnchanged({ edited: ['title'], unknown: ['Notes'] })).toEqual(['title', 'Notes']);
});
