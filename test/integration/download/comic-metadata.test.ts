/** ComicInfo.xml for every title of the example library, including odd names. */
import { comicInfoXml, comicMetadata } from '../../../src/library/comic-info.js';
import { builtInTemplate } from '../../../src/config/names.js';
import { nameValues } from '../../../src/download/planning/comic-metadata.js';
import { resolveTargets, type Resolution } from '../../../src/selection/resolve-targets.js';
import { parseTarget } from '../../../src/selection/target.js';
import { EXAMPLE_CHAPTERS, EXAMPLE_TITLES } from '../../../src/practice-server/library/library.js';
import { startPractice, type Practice } from '../../support/catalogue-harness.js';
import { schemaErrors } from '../../support/comic-info-schema.js';

let practice: Practice;
let found: Resolution;

beforeAll(async () => {
  practice = await startPractice();
  const { unavailable, future, external, ...readable } = EXAMPLE_CHAPTERS;
  expect([unavailable, future, external]).not.toContain(undefined);
  found = await resolveTargets(
    Object.values(readable).map((id) => parseTarget(id)),
    { client: practice.client, signal: new AbortController().signal, warn: () => undefined },
  );
  await found.loadedTitles;
});

afterAll(() => practice.stop());

const titleOf = (id: string | undefined) => (id === undefined ? undefined : found.titles.get(id));
const named = (id: string) => {
  const chapter = found.chapters.find((each) => each.id === id);
  if (!chapter) throw new Error(`no chapter ${id}`);
  return chapter;
};

test('every ComicInfo.xml is valid', async () => {
  const pages = [{ bytes: 10, width: 3, height: 4 }];
  const documents = await Promise.all(
    found.chapters.map((chapter) =>
      comicInfoXml(comicMetadata(chapter, titleOf(chapter.titleId), pages)),
    ),
  );
  expect(documents.length).toBeGreaterThan(12);
  expect(await schemaErrors(documents)).toEqual([]);
});

test('people, groups, rating and language are in the elements that readers use', async () => {
  const chapter = named(EXAMPLE_CHAPTERS.portuguese);
  const xml = await comicInfoXml(comicMetadata(chapter, titleOf(EXAMPLE_TITLES.lighthouse), []));
  for (const element of [
    '<Series>The Lighthouse Cat of Minami Island</Series>',
    '<Summary>O farol da ilha se apaga, e só a gata sabe por quê.</Summary>',
    '<Writer>Aoi Minase</Writer>',
    '<Penciller>Ren Kurogane</Penciller>',
    '<Translator>Maré Alta</Translator>',
    '<Genre>Adventure, Slice of Life, Seinen</Genre>',
    '<Tags>Animals</Tags>',
    `<Web>https://mangadex.org/chapter/${chapter.id}</Web>`,
    '<LanguageISO>pt-BR</LanguageISO>',
    '<Manga>YesAndRightToLeft</Manga>',
    '<AgeRating>Everyone</AgeRating>',
  ]) {
    expect(xml).toContain(element);
  }
  const korean = comicMetadata(
    named(EXAMPLE_CHAPTERS.starlightSpanish),
    titleOf(EXAMPLE_TITLES.starlight),
    [],
  );
  expect(await comicInfoXml(korean)).toMatch(/es-419[^]*<Manga>No<[^]*<AgeRating>Teen</);
});

test.each([
  [
    'first',
    'The Lighthouse Cat of Minami Island Ch.001 Vol.01 - The Light Goes Out [Tidewater Scans].cbz',
  ],
  [
    'joint',
    'The Lighthouse Cat of Minami Island Ch.004 Vol.02 - Tea at the _Gull & Anchor_ [Tidewater Scans + Paper Lantern].cbz',
  ],
  [
    'decimal',
    'The Lighthouse Cat of Minami Island Ch.010.5 Vol.02 - Extra_ The Day Off [Tidewater Scans].cbz',
  ],
  ['bare', 'The Lighthouse Cat of Minami Island.cbz'],
  ['reserved', 'CON Ch.001 - nul.txt. [A_B_ _Scans_ & _Co_].cbz'],
] as const)('the default name of the %s chapter', (which, expected) => {
  const chapter = named(EXAMPLE_CHAPTERS[which]);
  const path = builtInTemplate({ hasLanguages: false, hasTitleFolder: true })(
    nameValues(chapter, titleOf(chapter.titleId)),
  );
  expect(path.split('/').at(-1)).toBe(expected);
  expect(path.split('/')[0]).toBe(
    which === 'reserved' ? 'CON_' : 'The Lighthouse Cat of Minami Island',
  );
});

test.each([
  ['number', '2'],
  ['none', undefined],
] as const)('with volumeField %s, Volume is %j', async (volumeField, expected) => {
  const metadata = comicMetadata(named(EXAMPLE_CHAPTERS.joint), undefined, [], { volumeField });
  expect(/<Volume>(.*)<\/Volume>/.exec(await comicInfoXml(metadata))?.[1]).toBe(expected);
});

test.each([
  ['first', 'number', 'Vol.1 Ch.1 - The Light Goes Out'],
  ['first', 'none', 'Ch.1 - The Light Goes Out'],
  ['bare', 'number', undefined],
] as const)('the numbered Title of the %s chapter', async (which, volumeField, expected) => {
  const fields = { volumeField, titleField: 'numbered' } as const;
  const xml = await comicInfoXml(
    comicMetadata(named(EXAMPLE_CHAPTERS[which]), undefined, [], fields),
  );
  expect(/<Title>(.*)<\/Title>/.exec(xml)?.[1]).toBe(expected);
  expect(await schemaErrors([xml])).toEqual([]);
});

test('LocalizedSeries, the name in the original language, is all that the schema does not have', async () => {
  const title = titleOf(EXAMPLE_TITLES.lighthouse);
  const chapter = named(EXAMPLE_CHAPTERS.first);
  const plain = await comicInfoXml(comicMetadata(chapter, title, []));
  const localized = await comicInfoXml(
    comicMetadata(chapter, title, [], { localizedSeries: true }),
  );
  expect(plain).not.toContain('LocalizedSeries');
  expect(localized).toContain('<LocalizedSeries>南島の灯台猫</LocalizedSeries>');
  expect(localized.replace(/\n *<LocalizedSeries>.*/, '')).toBe(plain);
});

test('Summary is the description as plain text, without the links after it', () => {
  const title = titleOf(EXAMPLE_TITLES.lighthouse);
  if (!title) throw new Error('no title');
  const description = {
    en: '**The light** goes [out](https://example.org).\n\n---\n\n- [Raw](https://example.org)',
  };
  const { summary } = comicMetadata(named(EXAMPLE_CHAPTERS.first), { ...title, description }, []);
  expect(summary).toBe('The light goes out.');
});
