/** What becomes of releases and files: one row for each case, for download, `--update`, `--force`, sync and `upgrade`. */
import type { Chapter } from '../../../src/service/chapters.js';
import type { ReadChapter, FoundChapter } from '../../../src/library/file.js';
import { decide, type KnownFiles, type DecisionOptions } from '../../../src/plan/decide.js';
import type { EarlierUpload } from '../../../src/plan/replacement.js';
import { chapterKeys } from '../../../src/selection/same-chapter.js';
import { selectChapters } from '../../../src/selection/select-chapters.js';
import { isInGroup } from '../../../src/selection/exclusions.js';

const NOW_MS = Date.UTC(2026, 5, 15);
const DAY_MS = 86_400_000;

/** `good` is a release by Good, and `fast` by Fast: both of chapter 7. */
function release(id: string, change: Partial<Chapter> = {}): Chapter {
  const at = new Date(NOW_MS - 5 * DAY_MS);
  const [group = ''] = id.split(' ');
  return {
    id,
    number: '7',
    volume: undefined,
    title: undefined,
    language: 'en',
    pages: 20,
    externalUrl: undefined,
    isUnavailable: false,
    version: 2,
    publishAt: at,
    readableAt: at,
    createdAt: at,
    groups: [{ id: `id of ${group}`, name: group }],
    titleId: 'a title',
    partialTitle: undefined,
    ...change,
  };
}

const OWN = { ownership: 'own', isBound: false } as const;

const MODES = {
  download: { better: 'beside' },
  update: { better: 'beside', update: true },
  force: { better: 'beside', force: true },
  sync: { better: 'left-out', waitForGroupMs: 2 * DAY_MS },
  upgrade: { better: 'replaces', waitForGroupMs: 2 * DAY_MS },
} as const satisfies Readonly<Record<string, Partial<DecisionOptions>>>;
type Mode = keyof typeof MODES;

interface Case {
  /** What the service lists. */
  readonly listed: readonly Chapter[];
  /** Files by the id of the chapter that they have; those of this version are up to date. */
  readonly files?: Readonly<Record<string, Partial<FoundChapter>>>;
  readonly history?: readonly string[];
  /** Chapters that the service moved from the titles that their files name. */
  readonly moved?: readonly string[];
  readonly damaged?: Readonly<Record<string, string>>;
  /** Chapters in files that the service does not list. */
  readonly uploads?: readonly ({ readonly release: Chapter } & Partial<EarlierUpload>)[];
  readonly archived?: Readonly<Record<string, Partial<ReadChapter['metadata']>>>;
  /** Chapters that are targets themselves. */
  readonly named?: readonly Chapter[];
  readonly options?: Partial<DecisionOptions>;
  /** Only what is said of this release. */
  readonly about?: string;
  readonly groups?: readonly string[];
  readonly excluded?: readonly string[];
  readonly languages?: readonly string[];
}

function changesOf(
  { listed, uploads = [], named = [], groups = ['good'], languages = ['en'], ...facts }: Case,
  mode: Mode,
): readonly string[] {
  const { files = {}, history = [], damaged = {}, archived = {}, excluded = [], moved } = facts;
  const known = uploads.map(({ release: old, ...more }): EarlierUpload => {
    const archive = { ...OWN, chapterId: old.id, file: `${old.id}.cbz` };
    return {
      release: { ...old, isUnavailable: true },
      archive: { ...archive, ...files[old.id] },
      hasOwnNumber: false,
      isDeleted: true,
      ...more,
    };
  });
  const all = [...listed, ...known.map((each) => each.release)];
  const keys = chapterKeys(all, { nowMs: NOW_MS, numbersRestart: false });
  const selection = { languages, groups, excludedGroups: excluded };
  const found = selectChapters(listed, selection, { nowMs: NOW_MS, keys });
  const options: DecisionOptions = {
    selection,
    update: false,
    blocked: undefined,
    force: false,
    waitForGroupMs: 0,
    countsAsSaved: () => false,
    isUnwanted: ({ groups: of }) =>
      of.some((group) => excluded.some((name) => isInGroup(group, name))),
    nowMs: NOW_MS,
    ...MODES[mode],
    ...facts.options,
  };
  const knownFiles: KnownFiles = {
    library: {
      find: (id) =>
        files[id] && {
          chapterId: id,
          file: `${id}.cbz`,
          ...OWN,
          version: 2,
          ...files[id],
        },
      findDamaged: (id) =>
        damaged[id] === undefined ? undefined : { file: damaged[id], readError: 'damaged' },
    },
    history: { has: (id) => history.includes(id) },
    archived: new Map(
      Object.entries(archived).map(([chapterId, metadata]) => {
        const read = { ...OWN, chapterId, file: `${chapterId}.cbz`, state: undefined };
        return [chapterId, { ...read, metadata, record: undefined, written: undefined, pages: [] }];
      }),
    ),
  };
  const title = {
    releases: listed,
    earlier: [],
    selected: found.selected.map(({ chapter }) => ({ id: chapter.id, chapter, why: '' })),
    excluded: found.excluded,
    keys,
    uploads: known,
    movedIds: new Set(moved),
  };
  const targets = named.map((chapter) => ({ id: chapter.id, chapter, why: 'named' }));
  const { changes } = decide({ named: targets, titles: [title] }, options, knownFiles);
  const said = changes.map((change) => {
    switch (change.kind) {
      case 'save':
        return ['save', change.release.id, ...beside(change.betterThan?.chapterId)].join(' ');
      case 'replace': {
        const removed = change.removes.map(({ file }) => `removes ${file}`);
        return ['replace', change.file.file, 'by', change.release.id, change.why, ...removed].join(
          ' ',
        );
      }
      case 'extract':
        return `extract ${change.release.id} from ${change.book.file}`;
      case 'wait':
        return `wait ${change.release.id}`;
      case 'skip':
        return ['skip', change.id, change.reason, ...beside(change.file)].join(' ');
      case 'keep':
        return `keep ${change.file} ${change.why}`;
    }
  });
  return said.filter((line) => line.includes(facts.about ?? ''));
}

function beside(file: string | undefined): readonly string[] {
  return file === undefined ? [] : [`beside ${file}`];
}

const good = release('good');
const fast = release('fast');
/** One numbering in two volumes. */
const NUMBERED = ['1', '2', '3', '4', '5', '6'].map((number) =>
  release(`fast ${number}`, { number, volume: Number(number) > 3 ? '2' : '1' }),
);
const ALL = ['download', 'update', 'force', 'sync', 'upgrade'] as const;
const OLD = { version: 1 };
const now = new Date(NOW_MS);
const UPLOADED_NOW = { createdAt: now, publishAt: now, readableAt: now };
const EXTERNAL = { pages: 0, externalUrl: 'https://publisher.example/7' };

type Expected = Readonly<Partial<Record<Mode, readonly string[]>>>;
const all = (...changes: readonly string[]): Expected =>
  Object.fromEntries(ALL.map((mode) => [mode, changes]));

const ROWS: readonly (readonly [name: string, of: Case, Expected])[] = [
  ['a new chapter', { listed: [good] }, all('save good')],
  [
    'a file that is up to date',
    { listed: [good], files: { good: {} } },
    {
      ...all('skip good already-there beside good.cbz'),
      force: ['replace good.cbz by good forced'],
    },
  ],
  [
    'a file of an unknown version',
    { listed: [good], files: { good: { version: undefined } } },
    { download: ['skip good already-there beside good.cbz'] },
  ],
  [
    'files that changed on the service, of which one is asked for, also if its release is not selected',
    {
      listed: [good, release('good', { number: '8', id: 'other' }), fast],
      files: { good: OLD, other: OLD, fast: OLD },
      options: { update: new Set(['fast', 'other']) },
    },
    {
      sync: [
        'replace other.cbz by other changed',
        'replace fast.cbz by fast changed',
        'skip good newer-version beside good.cbz',
      ],
    },
  ],
  [
    'a file that changed on the service',
    { listed: [good], files: { good: OLD } },
    {
      ...all('skip good newer-version beside good.cbz'),
      update: ['replace good.cbz by good changed'],
      force: ['replace good.cbz by good forced'],
    },
  ],
  [
    'a file of a chapter that was moved from another title',
    { listed: [good], files: { good: {} }, moved: ['good'] },
    {
      ...all('skip good newer-version beside good.cbz'),
      update: ['replace good.cbz by good moved'],
      force: ['replace good.cbz by good forced'],
    },
  ],
  [
    'a chapter in a book that was moved from another title',
    { listed: [good], files: { good: { file: 'b.epub', isBound: true } }, moved: ['good'] },
    { download: ['skip good newer-version beside b.epub'], update: ['extract good from b.epub'] },
  ],
  [
    'a file of another program',
    { listed: [good], files: { good: { ownership: 'foreign', version: undefined } } },
    {
      download: ['skip good already-there beside good.cbz'],
      update: ['skip good already-there beside good.cbz', 'keep good.cbz foreign'],
      force: ['skip good already-there beside good.cbz', 'keep good.cbz foreign'],
    },
  ],
  [
    'a file behind a link',
    { listed: [good], files: { good: { ownership: 'link', version: 1 } } },
    {
      download: ['skip good newer-version beside good.cbz'],
      update: ['skip good newer-version beside good.cbz', 'keep good.cbz link'],
      force: ['skip good newer-version beside good.cbz', 'keep good.cbz link'],
    },
  ],
  [
    'a chapter in a book',
    { listed: [good], files: { good: { file: 'book.epub', isBound: true, version: 1 } } },
    {
      ...all('skip good newer-version beside book.epub'),
      update: ['extract good from book.epub'],
      force: ['save good'],
    },
  ],
  [
    'a chapter in a book that cannot be changed',
    { listed: [good], files: { good: { file: 'book.pdf', isBound: true, version: 1 } } },
    {
      ...all('skip good newer-version beside book.pdf'),
      update: ['skip good fixed-book beside book.pdf'],
      force: ['save good'],
    },
  ],
  [
    'a chapter whose file its owner removed',
    { listed: [good], history: ['good'] },
    { ...all('skip good in-download-archive'), force: ['save good'] },
  ],
  [
    'a damaged file',
    { listed: [good], damaged: { good: 'damaged.cbz' } },
    all('replace damaged.cbz by good damaged'),
  ],
  [
    'a damaged file that is not to be repaired',
    { listed: [good], damaged: { good: 'damaged.cbz' }, options: { force: new Set<string>() } },
    all('save good'),
  ],
  [
    'a release that is not preferred to the saved one',
    { listed: [good, fast], files: { fast: {} }, groups: ['fast', 'good'] },
    {
      download: ['skip fast already-there beside fast.cbz'],
      sync: ['skip fast already-there beside fast.cbz'],
      upgrade: ['skip fast already-there beside fast.cbz'],
    },
  ],
  [
    'a later release of another group, without a preference',
    {
      listed: [fast, release('late', { createdAt: new Date(NOW_MS) })],
      files: { fast: {} },
      options: { waitForGroupMs: 0 },
    },
    {
      ...all(
        'skip late other-release-saved beside fast.cbz',
        'skip fast already-there beside fast.cbz',
      ),
      force: ['replace fast.cbz by fast forced', 'skip late other-release-saved beside fast.cbz'],
    },
  ],
  [
    'a release of a preferred group',
    { listed: [good, fast], files: { fast: {} } },
    {
      download: ['save good'],
      update: ['save good'],
      sync: [
        'skip good other-release-saved beside fast.cbz',
        'skip fast already-there beside fast.cbz',
      ],
      upgrade: ['replace fast.cbz by good better-release'],
    },
  ],
  [
    'a release of the first of the preferred groups, where two others are saved',
    {
      listed: [good, release('second'), fast],
      files: { fast: {}, second: {} },
      groups: ['good', 'second'],
    },
    {
      download: ['save good'],
      upgrade: ['replace second.cbz by good better-release'],
    },
  ],
  [
    'a later upload of the group of the saved one, which may be another chapter',
    {
      listed: [fast, release('fast again', { version: 3, ...UPLOADED_NOW })],
      files: { fast: {} },
      options: { waitForGroupMs: 0 },
    },
    {
      ...all('save fast again', 'skip fast already-there beside fast.cbz'),
      force: ['replace fast.cbz by fast forced', 'save fast again'],
    },
  ],
  [
    'a release of a preferred group, of another volume',
    {
      listed: [release('good', { volume: '11' }), release('fast', { volume: '1' })],
      files: { fast: {} },
    },
    // The volumes share their numbers: they are two runs, and two chapters.
    {
      ...all('save good', 'skip fast already-there beside fast.cbz'),
      force: ['replace fast.cbz by fast forced', 'save good'],
    },
  ],
  [
    'a release of a preferred group that draws the border of the volumes elsewhere',
    {
      listed: [...NUMBERED, release('good 3', { number: '3', volume: '2' })],
      files: Object.fromEntries(NUMBERED.map(({ id }) => [id, {}])),
      about: 'good 3',
    },
    // The volume of the file is another one: it stays, and nothing is saved beside it.
    all('skip good 3 other-release-saved beside fast 3.cbz'),
  ],
  [
    'one of a deleted chapter that was in another volume',
    {
      listed: [
        ...NUMBERED.filter(({ number }) => number !== '3'),
        release('good 3', { number: '3', volume: '2' }),
      ],
      uploads: [{ release: release('fast 3', { number: '3', volume: '1' }) }],
      files: Object.fromEntries(NUMBERED.map(({ id }) => [id, {}])),
      about: 'good 3',
    },
    all('skip good 3 other-release-saved beside fast 3.cbz'),
  ],
  [
    'a release of a preferred group, beside one of a group that is excluded by now',
    { listed: [good, release('bad')], files: { bad: {} }, excluded: ['bad'] },
    {
      download: ['skip good other-release-saved beside bad.cbz'],
      upgrade: ['replace bad.cbz by good better-release'],
    },
  ],
  [
    'a preferred release of a chapter in a book',
    { listed: [good, fast], files: { fast: { file: 'book.cbz', isBound: true } } },
    { upgrade: ['save good beside fast'] },
  ],
  [
    'a preferred release of a chapter of another program',
    { listed: [good, fast], files: { fast: { ownership: 'foreign' } } },
    { upgrade: ['save good beside fast'] },
  ],
  [
    'a preferred release of a chapter whose file its owner removed',
    { listed: [good, fast], history: ['fast'] },
    {
      download: ['save good'],
      sync: ['skip good in-download-archive'],
      upgrade: ['skip good in-download-archive'],
    },
  ],
  [
    'a saved release of a group that is excluded by now',
    { listed: [fast, release('bad')], files: { bad: {} }, groups: [], excluded: ['bad'] },
    {
      download: ['skip fast other-release-saved beside bad.cbz'],
      sync: [
        'skip fast other-release-saved beside bad.cbz',
        'skip bad already-there beside bad.cbz',
      ],
      upgrade: ['replace bad.cbz by fast better-release'],
    },
  ],
  [
    'a preferred language',
    {
      listed: [release('good pt', { language: 'pt-br' }), good],
      files: { good: {} },
      languages: ['pt-br', 'en'],
    },
    {
      download: [
        'skip good pt other-release-saved beside good.cbz',
        'skip good already-there beside good.cbz',
      ],
      upgrade: ['replace good.cbz by good pt better-release'],
    },
  ],
  [
    'a target itself, of which another release is saved',
    { listed: [good, fast], files: { good: {} }, named: [fast] },
    { download: ['save fast', 'skip good already-there beside good.cbz'] },
  ],
  [
    'a chapter that was deleted and uploaded again',
    {
      listed: [release('good again', { createdAt: new Date(NOW_MS), publishAt: new Date(NOW_MS) })],
      uploads: [{ release: release('good old') }],
      files: { 'good old': {} },
    },
    {
      download: ['skip good again uploaded-again beside good old.cbz'],
      update: ['replace good old.cbz by good again uploaded-again'],
      force: ['replace good old.cbz by good again uploaded-again'],
      sync: ['skip good again uploaded-again beside good old.cbz'],
      upgrade: ['replace good old.cbz by good again uploaded-again'],
    },
  ],
  [
    'one whose older upload is in a book',
    {
      listed: [release('good again', { createdAt: new Date(NOW_MS), publishAt: new Date(NOW_MS) })],
      uploads: [{ release: release('good old') }],
      files: { 'good old': { file: 'book.cbz', isBound: true } },
    },
    { update: ['save good again beside good old'], upgrade: ['save good again beside good old'] },
  ],
  [
    'one whose older upload is in a PDF',
    {
      listed: [release('good again', { createdAt: new Date(NOW_MS), publishAt: new Date(NOW_MS) })],
      uploads: [{ release: release('good old') }],
      files: { 'good old': { file: 'book.pdf', isBound: true } },
    },
    { update: ['skip good again fixed-book beside book.pdf'] },
  ],
  [
    'one whose older upload is of another program',
    {
      listed: [release('good again', { createdAt: new Date(NOW_MS), publishAt: new Date(NOW_MS) })],
      uploads: [{ release: release('good old') }],
      files: { 'good old': { ownership: 'foreign' } },
    },
    {
      download: ['skip good again older-upload-kept beside good old.cbz'],
      update: ['skip good again older-upload-kept beside good old.cbz'],
      upgrade: ['skip good again older-upload-kept beside good old.cbz'],
    },
  ],
  [
    'a worse release of a deleted chapter',
    { listed: [fast], uploads: [{ release: good }], files: { good: {} } },
    all('skip fast already-there beside good.cbz'),
  ],
  [
    'a saved chapter that gets the number of a deleted one',
    {
      listed: [release('good', { version: 3 })],
      uploads: [{ release: release('good old') }],
      files: { 'good old': {}, good: {} },
      archived: { good: { number: '8', series: 'A Title' } },
    },
    { update: ['replace good.cbz by good changed removes good old.cbz'] },
  ],
  [
    'one that is uploaded again with the old number of the saved one',
    {
      listed: [release('good', { version: 3 }), release('new', { number: '8' })],
      uploads: [{ release: release('good old') }],
      files: { 'good old': {}, good: {} },
      archived: { good: { number: '8', series: 'A Title' } },
    },
    { update: ['replace good.cbz by good changed removes good old.cbz', 'save new'] },
  ],
  [
    'one that a list lacks, although it was not deleted',
    {
      listed: [release('good', { version: 3 })],
      uploads: [{ release: release('good old'), isDeleted: false }],
      files: { 'good old': {}, good: {} },
      archived: { good: { number: '8', series: 'A Title' } },
    },
    { update: ['replace good.cbz by good changed'] },
  ],
  [
    'one to which its owner gave the number',
    {
      listed: [release('good', { version: 3 })],
      uploads: [{ release: release('good old'), hasOwnNumber: true }],
      files: { 'good old': {}, good: {} },
      archived: { good: { number: '8', series: 'A Title' } },
    },
    { update: ['replace good.cbz by good changed'] },
  ],
  [
    'one of a better group',
    {
      listed: [release('fast', { version: 3 })],
      uploads: [{ release: release('good old') }],
      files: { 'good old': {}, fast: {} },
      archived: { fast: { number: '8', series: 'A Title' } },
    },
    { update: ['replace fast.cbz by fast changed'] },
  ],
  [
    'one that was saved without metadata',
    {
      listed: [release('good', { version: 3 })],
      uploads: [{ release: release('good old') }],
      files: { 'good old': {}, good: {} },
      archived: { good: {} },
    },
    { update: ['replace good.cbz by good changed'] },
  ],
  [
    'an older release of a deleted chapter',
    {
      listed: [release('good again', { publishAt: new Date(NOW_MS - 30 * DAY_MS) })],
      uploads: [{ release: release('good old') }],
      files: { 'good old': {} },
    },
    all('skip good again other-release-saved beside good old.cbz'),
  ],
  [
    'a release in another language, where each language is wanted',
    {
      listed: [release('good pt', { language: 'pt-br' })],
      uploads: [{ release: release('good old') }],
      files: { 'good old': {} },
      languages: [],
    },
    all('save good pt'),
  ],
  [
    'one of a deleted chapter that is a target itself',
    {
      listed: [release('good again')],
      named: [release('good again')],
      uploads: [{ release: release('good old') }],
      files: { 'good old': {} },
    },
    { download: ['save good again'], update: ['save good again'] },
  ],
  [
    'one of a deleted chapter that the history has',
    {
      listed: [release('good again')],
      history: ['good again'],
      uploads: [{ release: release('good old') }],
      files: { 'good old': {} },
    },
    { download: ['skip good again in-download-archive'], force: ['save good again'] },
  ],
  [
    'a new chapter with the number that a saved one had',
    {
      listed: [release('good', { number: '8' }), release('fast')],
      files: { good: {} },
      options: { waitForGroupMs: 0 },
    },
    {
      ...all('save fast', 'skip good already-there beside good.cbz'),
      force: ['save fast', 'replace good.cbz by good forced'],
    },
  ],
  [
    'one with that of a saved one that was taken down',
    {
      listed: [release('good', { number: '8', isUnavailable: true }), release('fast')],
      files: { good: {} },
      options: { waitForGroupMs: 0 },
    },
    { upgrade: ['save fast', 'skip good chapter-unavailable beside good.cbz'] },
  ],
  [
    'a chapter that waits for a preferred group',
    { listed: [release('fast', { readableAt: new Date(NOW_MS - DAY_MS) })] },
    { download: ['save fast'], sync: ['wait fast'], upgrade: ['wait fast'] },
  ],
  [
    'a chapter on another site',
    { listed: [release('good', EXTERNAL)] },
    all('skip good chapter-external'),
  ],
  [
    'a chapter that was taken down',
    { listed: [release('good', { isUnavailable: true })] },
    all('skip good chapter-unavailable'),
  ],
  [
    'a chapter that was taken down, with its file',
    { listed: [release('good', { isUnavailable: true })], files: { good: OLD } },
    all('skip good chapter-unavailable beside good.cbz'),
  ],
  [
    'two releases of one group, which may be two chapters',
    {
      listed: [
        release('good new', { volume: '1', createdAt: new Date(NOW_MS) }),
        release('good', { volume: '1' }),
      ],
    },
    all('save good new', 'skip good other-release-saved'),
  ],
];

describe.each(ROWS)('%s', (_, of, expected) => {
  test.each(Object.entries(expected))('%s', (mode, changes) => {
    expect(changesOf(of, mode as Mode)).toEqual(changes);
  });
});
