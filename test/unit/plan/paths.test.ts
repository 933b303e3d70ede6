/** The paths of new and replaced files. */
import { join } from 'node:path';
import { pathBelow } from '../../../src/core/relative-paths.js';
import { compileNameTemplate, shortIdPath } from '../../../src/config/names.js';
import { LibraryIndex, type ScannedFiles } from '../../../src/library/scan.js';
import type { UnnamedWrite } from '../../../src/plan/change.js';
import { newPath, withPaths, type ReplacedName } from '../../../src/plan/paths.js';

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
  const taken = { chapterId: OTHER, file, ownership: 'own' as const, isBound: false };
  expect(place([save()], { archives: [taken] }).paths).toEqual([marked(ID)]);
});

test('a file that cannot be read keeps its path, and is named', () => {
  const file = join(OUTPUT, 'Chapter 1.cbz');
  const { paths, kept } = place([save()], { damaged: [{ file, readError: 'i/o error' }] });
  expect(paths).toEqual([marked(ID)]);
  expect(kept).toMatchObject([{ file, why: 'unreadable', path: marked(ID) }]);
});

test('a file that replaces another one has its name, which nothing else may have', () => {
  const old = { chapterId: OTHER, file: FILE, ownership: 'own' as const, isBound: false };
  expect(place([replace(FILE, OTHER)], { archives: [old] }).paths).toEqual([FILE]);
  expect(place([replace(FILE)], { archives: [{ ...old, chapterId: ID }] }).paths).toEqual([FILE]);
});

test('a file that is renamed as it is replaced leaves its name to a new one', () => {
  const file = join(OUTPUT, 'Chapter 1.cbz');
  const recorded = { path: 'New Name.cbz' };
  const newNames = new Map([[ID, { path: join(OUTPUT, 'New Name.cbz'), recorded, series: 'Tea' }]]);
  const archives = [{ chapterId: ID, file, ownership: 'own' as const, isBound: false }];
  const { paths, writes } = place([replace(file), save(OTHER)], { archives }, newNames);
  expect(paths).toEqual([join(OUTPUT, 'New Name.cbz'), file]);
  expect(writes[0]).toMatchObject({ series: 'Tea', file: { file } });
});

describe('a file that gets other metadata', () => {
  const BEFORE = { id: ID, series: 'Tea', volume: '1', chapter: '7', language: 'en', year: '2018' };
  const AFTER = { ...BEFORE, volume: '2', language: 'fr', year: '2019' };
  const FLAT = '{series} {chapter} [{language}]';
  const DEEP = '{series} ({year})/v{volume}/{chapter} [{language}]';

  function renamed(template: string, moved: (path: string) => string, more = {}): string {
    const format = compileNameTemplate(template);
    const path = format(BEFORE);
    const { folderTemplate, fileTemplate } = format;
    const named = {
      values: AFTER,
      metadata: {},
      written: { series: 'Tea', volume: '1', number: '7' },
      savedId: ID,
      recorded: { path, folderTemplate, fileTemplate },
      ...more,
    };
    const options = {
      templates: [format],
      numbersRestart: false,
      renameTo: undefined,
      keeps: 'people' as const,
    };
    const from = join(OUTPUT, moved(path));
    const { to, recorded } = newPath(from, named, options);
    // Written again, it stays.
    const again = { ...named, recorded: recorded ?? named.recorded };
    expect(newPath(to, again, options).to).toBe(to);
    return pathBelow(OUTPUT, to);
  }

  const NEW = 'Tea (2019)/v2/7 [fr].cbz';

  test.each([
    // What the owner did to the path, and the new one.
    ['did nothing', DEEP, (path: string) => path, NEW],
    ['did nothing', FLAT, (path: string) => path, 'Tea 7 [fr].cbz'],
    ['moved the output folder', DEEP, (path: string) => `disk/${path}`, `disk/${NEW}`],
    ['moved the output folder', FLAT, (path: string) => `disk/${path}`, 'disk/Tea 7 [fr].cbz'],
    ['renamed the file', DEEP, () => 'Tea (2018)/v1/mine.cbz', 'Tea (2018)/v1/mine.cbz'],
    ['renamed and moved it', FLAT, () => 'Shelf/mine.cbz', 'Shelf/mine.cbz'],
    ['moved it', DEEP, () => 'Shelf/7 [en].cbz', 'Shelf/7 [fr].cbz'],
    ['renamed a folder', DEEP, () => 'Tea (2018)/first/7 [en].cbz', 'Tea (2018)/first/7 [fr].cbz'],
    ['gave it its new name', DEEP, () => NEW, NEW],
    [
      'wrote é in two characters',
      'é {chapter} [{language}]',
      (path: string) => path.normalize('NFD'),
      'é 7 [fr].cbz',
    ],
  ])('its owner %s: %s', (_, template, moved, expected) => {
    expect(renamed(template, moved)).toBe(expected);
  });

  test('an id that another file of the name made necessary stays, and goes with the place of another chapter', () => {
    const short = () => `Tea 7 [en] (${ID.slice(0, 8)}).cbz`;
    expect(renamed(FLAT, short)).toBe(`Tea 7 [fr] (${ID.slice(0, 8)}).cbz`);
    const savedId = OTHER;
    const ofOther = () => `Tea 7 [en] (${OTHER.slice(0, 8)}).cbz`;
    expect(renamed(FLAT, ofOther, { savedId })).toBe('Tea 7 [fr].cbz');
    // A killed run left it under the name in which it waits for its own.
    expect(renamed(FLAT, () => `Tea 7 [fr] (${ID}).cbz`)).toBe('Tea 7 [fr].cbz');
  });

  test('such an id is known also in a folder that takes longer or shorter names than the last one', () => {
    const limits = [143, 255];
    const at = (maxNameBytes: number) => {
      const format = compileNameTemplate('{series}/{chapter} {title}', { maxNameBytes });
      return { format, path: format({ ...AFTER, title: 'Storm '.repeat(50) }) };
    };
    for (const [before = 0, now = 0] of [limits, limits.toReversed()]) {
      const { format, path } = at(before);
      const { folderTemplate, fileTemplate } = format;
      const named = {
        values: { ...AFTER, title: 'Storm '.repeat(50) },
        metadata: {},
        written: {},
        savedId: ID,
        recorded: { path, folderTemplate, fileTemplate },
      };
      const options = { numbersRestart: false, renameTo: undefined, keeps: 'people' as const };
      const templates = [at(now).format];
      const from = join(OUTPUT, shortIdPath({ chapterId: ID, path }, format));
      const to = join(OUTPUT, shortIdPath({ chapterId: ID, path: at(now).path }, at(now).format));
      expect(newPath(from, named, { ...options, templates }).to).toBe(to);
    }
  });

  test.each([' (2019)', ''])(
    'a title keeps its folder in one that takes longer or shorter names (%j)',
    (end) => {
      const series = 'The keeper of the lighthouse '.repeat(10).trim() + end;
      const [short, long] = [143, 255].map((maxNameBytes) =>
        compileNameTemplate('{series}/{chapter}', { maxNameBytes }),
      );
      if (!short || !long) throw new Error('no templates');
      const values = { ...AFTER, series };
      const path = short(values);
      const { folderTemplate, fileTemplate } = short;
      const recorded = { path, folderTemplate, fileTemplate };
      const named = { values, metadata: {}, written: { series }, savedId: ID, recorded };
      const options = { numbersRestart: false, renameTo: undefined, keeps: 'people' as const };
      const from = join(OUTPUT, path);
      expect(newPath(from, named, { ...options, templates: [long] }).to).toBe(from);
      const renamed = newPath(from, named, { ...options, templates: [long], renameTo: long });
      expect(renamed.to).toBe(join(OUTPUT, long(values)));
    },
  );

  test.each([
    { path: '' },
    { path: 'Tea 7 [en].cbz', folderTemplate: '', fileTemplate: '{chapter}' },
  ])('that has another name or none in its record, %j, stays', (recorded) => {
    expect(renamed(FLAT, (path) => path, { recorded })).toBe('Tea 7 [en].cbz');
  });

  test('the folders of the title stay if they are to, and only valid ones of a record', () => {
    const format = compileNameTemplate(DEEP);
    const inTitle = format.titleFoldersIn('Old (2018)/v1/7.cbz', BEFORE);
    expect(format(AFTER, inTitle)).toBe('Old (2018)/v2/7 [fr].cbz');
    for (const path of ['../v1/7.cbz', 'a\\b/v1/7.cbz', '/v1/7.cbz', 'Old/7.cbz', '../../v1/7.cbz'])
      expect(format(AFTER, format.titleFoldersIn(path, BEFORE))).toBe(NEW);
  });
});
