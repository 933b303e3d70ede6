/** `download` of a title where MangaDex has another release of a chapter that is saved: never two files of one number. */
import {
  createLibrary,
  editChapter,
  takeDownChapter,
  uuidOf,
  type LibraryChapter,
} from '../../../src/practice-server/library/library.js';
import type { DownloadHarness } from '../../support/download-harness.js';
import type { OptionTexts } from '../../support/option-texts.js';
import { SavedRuns } from '../../support/saved-runs.js';
import { chapter, LATER, named, title } from '../../support/title-library.js';

const targets = [`title:${uuidOf('one')}`];
const first = chapter('one', '1');
/** A later upload of chapter 1. */
const releaseOf = (group: string, language = 'en'): LibraryChapter => ({
  ...chapter('one', '1', {
    at: LATER,
    translatedLanguage: language,
    groups: [{ id: uuidOf(group), name: group }],
  }),
  id: uuidOf(group, language),
});
const others = releaseOf('Others');
const OTHERS_FILE = 'Old/Old Ch.001 [Others].cbz';
const BEFORE = [named('Old', 1), named('Old', 2)];

const runs = new SavedRuns();
let harness: DownloadHarness;
beforeEach(async () => {
  const chapters = [first, chapter('one', '2')];
  const library = createLibrary({ titles: [title('one', 'Old')], chapters });
  harness = await runs.start('the targets', { library }, (started) =>
    started.download({ targets, language: 'en' }),
  );
  harness.service.library.putChapter(others);
});
afterEach(() => harness.stop());

const paths = (): readonly string[] => harness.archivePaths();
const run = (options: OptionTexts = {}) =>
  harness.download({ targets, language: 'en', ...options });

test('a later release of another group is reported with its file and what gets it, and not saved', async () => {
  const { code, events } = await run();
  const [file] = harness.archives().filter((each) => each.endsWith(named('Old', 1)));
  expect(code).toBe(0);
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'chapter-skipped',
      chapter: others.id,
      reason: 'other-release-saved',
      file,
      group: 'Others',
    }),
  );
  expect(events).toContainEqual(
    expect.objectContaining({ chapter: first.id, reason: 'already-there' }),
  );
  const { stderr } = await run({ json: false });
  expect(stderr).toContain(
    `skipped: Old Ch. 1 [Others] (en): another release of the chapter is chosen; download --all-releases gets this one too\n`,
  );
  const planned = await harness.dryRun({ targets, language: 'en' });
  expect(planned.filter(({ type }) => ['planned', 'passed-over'].includes(type))).toEqual([]);
  expect(paths()).toEqual(BEFORE);
});

test('a chapter that is saved in another language is counted with that, and not called the other release', async () => {
  for (const number of ['1', '2'])
    harness.service.library.putChapter({
      ...chapter('one', number, { at: LATER, translatedLanguage: 'fr' }),
      id: uuidOf('French', number),
    });
  const { stderr } = await run({ language: 'fr', json: false });
  expect(stderr).toContain(
    'skipped: 2 chapters: saved in en already; download --all-releases gets this language too\n',
  );
  const { events } = await run({ language: 'fr' });
  expect(events).toContainEqual(
    expect.objectContaining({ reason: 'other-release-saved', savedLanguage: 'en' }),
  );
});

test.each<OptionTexts>([{ allReleases: true }, { group: 'Others' }])(
  'it is saved with %j',
  async (options) => {
    await run(options);
    expect(paths()).toEqual([OTHERS_FILE, ...BEFORE]);
  },
);

test('it is saved if it is a target itself', async () => {
  await harness.download({ targets: [others.id] });
  expect(paths()).toEqual([OTHERS_FILE, ...BEFORE]);
});

test('it is not saved beside one whose group is excluded by now', async () => {
  const { events } = await run({ excludeGroup: 'Scans' });
  expect(events).toContainEqual(
    expect.objectContaining({ chapter: others.id, reason: 'other-release-saved' }),
  );
  expect(paths()).toEqual(BEFORE);
});

test('a release that --group ranks as the saved one does not replace it', async () => {
  await run({ group: 'Third, Fourth' });
  expect(paths()).toEqual(BEFORE);
});

test.each(['fr', 'fr,en'])(
  'a release in another language is not saved beside it with --language %s, only with all',
  async (language) => {
    const french = releaseOf('Scans', 'fr');
    harness.service.library.putChapter(french);
    const { events } = await run({ language });
    expect(events).toContainEqual(
      expect.objectContaining({ chapter: french.id, reason: 'other-release-saved' }),
    );
    expect(paths()).toEqual(BEFORE);
    await run({ language: 'all' });
    expect(paths()).toHaveLength(3);
  },
);

test('--update and --force look after the saved release', async () => {
  harness.service.library.putChapter(editChapter(first, LATER, { title: 'Salt' }));
  const { events } = await run({ update: true });
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'chapter-retagged', chapter: first.id, changed: ['title'] }),
  );
  await run({ force: true });
  expect(paths()).toHaveLength(2);
});

test('a saved release that was taken down keeps its number', async () => {
  harness.service.library.putChapter(takeDownChapter(first));
  const { code, events } = await run();
  expect(code).toBe(0);
  expect(
    events.flatMap((event) => (event.type === 'chapter-skipped' ? [event.reason] : [])).sort(),
  ).toEqual(['already-there', 'chapter-unavailable', 'other-release-saved']);
  expect(paths()).toEqual(BEFORE);
});

test('chapters without a number and a title may be of different stories', async () => {
  const { library } = harness.service;
  const unnumbered = (key: string, at: string): LibraryChapter => ({
    ...chapter('one', '9', { at, chapter: null }),
    id: uuidOf(key),
  });
  library.putChapter(unnumbered('first story', '2024-01-05T12:00:00+00:00'));
  await run();
  library.putChapter(unnumbered('second story', LATER));
  await run();
  expect(paths()).toHaveLength(4);
});
