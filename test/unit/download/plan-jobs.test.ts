/** Which of the selected chapters are downloaded, and to which file. */
import { join } from 'node:path';
import type { Chapter } from '../../../src/service/chapters.js';
import {
  LibraryIndex,
  type ExistingArchive,
  type ScannedFiles,
} from '../../../src/library/scan.js';
import { parseRecords } from '../../../src/library/record.js';
import { compareWithLibrary, planJobs, type JobOptions } from '../../../src/download/plan-jobs.js';
import type { ChosenChapter } from '../../../src/download/plan-selection.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0503';
const OTHER = '1d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0503';
const OUTPUT = join('/', 'library');
const FILE = join(OUTPUT, 'Old Name.cbz');

const chapter = (id = ID): Chapter => ({
  id,
  number: '1',
  volume: undefined,
  title: undefined,
  language: 'en',
  pages: 1,
  externalUrl: undefined,
  isUnavailable: false,
  version: 2,
  publishAt: undefined,
  readableAt: undefined,
  createdAt: undefined,
  groups: [],
  titleId: undefined,
  partialTitle: undefined,
});
const chosen = (id = ID): ChosenChapter => ({ id, chapter: chapter(id), why: 'named' });

describe('a selected chapter', () => {
  const compare = (
    existing: Partial<ExistingArchive> | undefined,
    { history = [] as string[], force = false, update = false } = {},
  ) =>
    compareWithLibrary(
      [chosen()],
      {
        library: {
          find: () => existing && { chapterId: ID, file: FILE, ownership: 'own', ...existing },
          findDamaged: () => undefined,
        },
        history: { has: (id) => history.includes(id) },
      },
      { force, update },
    );

  test('without an archive is missing', () => {
    expect(compare(undefined)).toEqual({
      missing: [chosen()],
      skipped: [],
      finished: [],
      kept: [],
    });
  });

  test('in the download archive is skipped, except with --force', () => {
    expect(compare(undefined, { history: [ID] })).toMatchObject({
      missing: [],
      skipped: [{ id: ID, reason: 'in-download-archive' }],
    });
    expect(compare(undefined, { history: [ID], force: true }).missing).toEqual([chosen()]);
  });

  test('with an archive of its version is skipped, and is finished', () => {
    expect(compare({ version: 2 })).toEqual({
      missing: [],
      skipped: [{ id: ID, reason: 'already-there', file: FILE }],
      finished: [ID],
      kept: [],
    });
  });

  test('with an archive of another program, or behind a link, is skipped by every flag and named', () => {
    for (const ownership of ['foreign', 'link'] as const) {
      const existing = { version: 1, ownership };
      for (const flags of [{ force: true }, { update: true }])
        expect(compare(existing, flags)).toMatchObject({
          missing: [],
          skipped: [{ id: ID, reason: 'newer-version', file: FILE }],
          kept: [{ file: FILE, ownership }],
        });
      expect(compare(existing).kept).toEqual([]);
    }
  });

  test('with an archive of an unknown version is skipped', () => {
    expect(compare({}).skipped).toMatchObject([{ reason: 'already-there' }]);
  });

  test('with an older archive is skipped as such and keeps its workspace; --update compares its pages', () => {
    expect(compare({ version: 1 })).toEqual({
      missing: [],
      skipped: [{ id: ID, reason: 'newer-version', file: FILE }],
      finished: [],
      kept: [],
    });
    const { missing } = compare({ version: 1 }, { update: true });
    const archive = { chapterId: ID, file: FILE, ownership: 'own', version: 1 };
    const compared = { archive, saved: { version: 1 } };
    expect(missing).toEqual([{ ...chosen(), replaces: FILE, compared }]);
  });

  test('with --force replaces its own archive, but not a bound file', () => {
    expect(compare({ version: 2 }, { force: true }).missing).toMatchObject([{ replaces: FILE }]);
    const bound = compare({ version: 2, isBound: true }, { force: true });
    expect(bound.missing).toEqual([chosen()]);
  });
});

describe('the job of a chapter', () => {
  const scanned: ScannedFiles = {
    archives: [],
    damaged: [],
    unidentified: [],
    hiddenFolders: [],
    leftoverFiles: [],
    links: [],
  };
  const OPTIONS: JobOptions = {
    output: OUTPUT,
    quality: 'data',
    force: false,
    metadata: true,
    volumeField: 'number',
    titleField: 'plain',
    localizedSeries: false,
    folderTemplate: '',
    keep: { output: OUTPUT, maxAgeMs: 0, nowMs: 0 },
    nameChapter: ({ chapter: number }) => `Chapter ${number ?? ''}.cbz`,
  };
  const resolution = {
    titles: new Map(),
    loadedTitles: Promise.resolve({ titles: new Map(), error: undefined }),
  };
  const plan = (
    selected: readonly ChosenChapter[],
    options: Partial<JobOptions> = {},
    existing: Partial<ScannedFiles> = {},
  ) =>
    planJobs(selected, new LibraryIndex({ ...scanned, ...existing }), resolution, {
      ...OPTIONS,
      ...options,
    }).map(({ job }) => job);

  test('has its name, its identity, and does not replace anything', () => {
    expect(plan([chosen()])).toMatchObject([
      {
        id: ID,
        file: join(OUTPUT, 'Chapter 1.cbz'),
        replace: false,
        comment: `tankobon chapter=${ID} version=2 quality=data`,
      },
    ]);
  });

  test('without metadata is named by the id, and has a record but no ComicInfo.xml', async () => {
    const [job] = plan([chosen()], { metadata: false });
    const [unknown] = plan([{ ...chosen(), chapter: undefined }]);
    expect([job?.file, unknown?.file]).toEqual(Array(2).fill(join(OUTPUT, `${ID}.cbz`)));
    const pages = [{ page: 1, file: '1.png', bytes: 7, sha256: 'a'.repeat(64), crc32: 1 }];
    const described = await unknown?.describe?.(pages);
    expect(described?.comicInfo).toBeUndefined();
    const record = { chapterId: ID, quality: 'data', pages: ['a'.repeat(64)] };
    expect(parseRecords(described?.record ?? '')).toEqual([record]);
    expect((await job?.describe?.(pages))?.comicInfo).toBeUndefined();
  });

  test('gets its id in the name where two chapters, or another archive, have the same', () => {
    const names = (jobs: readonly { file: string }[]) => jobs.map(({ file }) => file);
    expect(names(plan([chosen(), chosen(OTHER)]))).toEqual([
      join(OUTPUT, `Chapter 1 (${ID.slice(0, 8)}).cbz`),
      join(OUTPUT, `Chapter 1 (${OTHER.slice(0, 8)}).cbz`),
    ]);
    const file = join(OUTPUT, 'chapter 1.CBZ');
    const taken = { chapterId: OTHER, file, ownership: 'own' as const };
    expect(names(plan([chosen()], {}, { archives: [taken] }))).toEqual([
      join(OUTPUT, `Chapter 1 (${ID.slice(0, 8)}).cbz`),
    ]);
  });

  test('never has the path of a file that cannot be read, even with --force', () => {
    const damaged = [{ file: join(OUTPUT, 'Chapter 1.cbz'), readError: 'i/o error' }];
    expect(plan([chosen()], { force: true }, { damaged })).toMatchObject([
      { file: join(OUTPUT, `Chapter 1 (${ID.slice(0, 8)}).cbz`) },
    ]);
  });

  test('takes over the name of the release that it replaces', () => {
    const file = join(OUTPUT, 'Chapter 1.cbz');
    const old = { chapterId: OTHER, file, ownership: 'own' as const };
    const replacements = new Map([[ID, old]]);
    const selected = [{ ...chosen(), replaces: file }];
    expect(plan(selected, { replacements }, { archives: [old] })).toMatchObject([
      { file, replaces: file, replacesChapter: OTHER, replace: false },
    ]);
  });

  test('replaces its existing archive under the name that it has', () => {
    const archive = { chapterId: ID, file: FILE, ownership: 'own' as const };
    const [job] = plan([{ ...chosen(), replaces: FILE, compared: { archive, saved: {} } }]);
    expect(job).toMatchObject({ file: FILE, replaces: FILE, replace: true });
  });

  test('that is renamed as it is replaced has the new name', () => {
    const file = join(OUTPUT, 'New Name.cbz');
    const renamed = { file, series: 'Tea' };
    const [job] = plan([{ ...chosen(), replaces: FILE, renamed }]);
    expect(job).toMatchObject({ file, replaces: FILE });
  });

  test('has ComicInfo.xml with the dimensions of its pages if they are known', async () => {
    const [job] = plan([chosen()]);
    const page = { page: 1, file: '1.png', bytes: 7, sha256: '', crc32: 1 };
    const sized = { ...page, page: 2, width: 60, height: 90 };
    const { comicInfo } = (await job?.describe?.([page, sized])) ?? {};
    expect(comicInfo).toContain('<Page Image="0" ImageSize="7"/>');
    expect(comicInfo).toContain('<Page Image="1" ImageSize="7" ImageWidth="60" ImageHeight="90"/>');
  });
});
