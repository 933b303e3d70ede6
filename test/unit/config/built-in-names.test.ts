/**
 * The names that the built-in template gives: their order in a file list, and what reading programs find in them where they
 * do not read ComicInfo.xml.
 */
import { builtInTemplate, templateFor, type NameTemplate } from '../../../src/config/names.js';

const TEMPLATE = builtInTemplate({ hasLanguages: false, hasTitleFolder: false });
const { volumeFirst, former } = TEMPLATE.builtIn ?? {};
if (!volumeFirst || !former) throw new Error('the built-in template has no other forms');

interface NamedChapter {
  readonly chapter?: string;
  readonly volume?: string | undefined;
  readonly title?: string;
  readonly group?: string;
}

const nameOf = (template: NameTemplate, values: NamedChapter, series = 'Ongoing') =>
  template({ id: 'id', series, group: 'Scans', ...values });

const NATURAL = new Intl.Collator('en', { numeric: true });

function expectInOrder(names: readonly string[]): void {
  expect([...names].sort()).toEqual(names);
  expect([...names].sort(NATURAL.compare)).toEqual(names);
}

/** The chapters of a title that goes on, four to a volume, as the service has them when `listed` volumes came out. */
const ongoing = (listed: number) =>
  ['1', '2', '2.5', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12'].map((chapter) => {
    const volume = Math.ceil(Number(chapter) / 4);
    return { chapter, volume: volume <= listed ? String(volume) : undefined, title: 'Tide' };
  });

describe('names sort in reading order, by code points and naturally', () => {
  test.each([0, 1, 2, 3])('with %i volumes that are named', (listed) => {
    expectInOrder(ongoing(listed).map((each) => nameOf(TEMPLATE, each)));
  });

  test('where each chapter was saved before or after its volume was named', () => {
    const [before, after] = [ongoing(0), ongoing(3)];
    const mixed = before.map((each, index) => (index % 2 === 0 ? each : (after[index] ?? each)));
    expectInOrder(mixed.map((each) => nameOf(TEMPLATE, each)));
  });

  test('where numbers begin again: by volume, and chapters without one last', () => {
    const seasons = [
      ['1', '1'],
      ['2', '1'],
      ['1', '2'],
      ['2', '2'],
      ['3', undefined],
      ['4', undefined],
    ] as const;
    const restarting = templateFor(TEMPLATE, { numbersRestart: true });
    expectInOrder(seasons.map(([chapter, volume]) => nameOf(restarting, { chapter, volume })));
  });

  test('where a title begins again after its files were named', () => {
    const earlier = ongoing(3).map((each) => nameOf(TEMPLATE, each));
    const restarting = templateFor(TEMPLATE, { numbersRestart: true });
    const later = [{ chapter: '1', volume: '4' }, { chapter: '2' }];
    expectInOrder([...earlier, ...later.map((each) => nameOf(restarting, each))]);
  });
});

/**
 * What Kavita's Parser.cs finds in such names (a library of the type Manga, Kareadita/Kavita, commit ed7e9d4), in our words:
 * the number after the first ` Vol.`, and the one after the first `Ch.`. The series is what is before both, as long as
 * something follows a whole number of a volume. Compared with its regular expressions for 4,050 names of the three forms.
 */
function kavitaReads(name: string) {
  const volume = /\sVol\.(\d+(?:\.\d+)?)/.exec(name)?.[1];
  const chapter = /\bCh\.(\d+(?:\.\d)?)/.exec(name)?.[1];
  const series =
    /^(.+?) (?:Ch\.\d+(?:\.\d+)? )?Vol\.(?:\d+|TBD) ./.exec(name) ??
    /^(.+?) Vol\./.exec(name) ??
    /^(.+?) Ch\.\d/.exec(name);
  return { series: series?.[1], volume: toNumber(volume), chapter: toNumber(chapter) };
}

/** Mihon's ChapterRecognition.kt (commit 369fe0c): without the folder's name and volumes, the number after `ch.`. */
function mihonReads(name: string, folder: string): number | undefined {
  const rest = name.toLowerCase().replace(folder.toLowerCase(), '');
  const tagless = rest.replace(/\b(?:v|ver|vol|version|volume|season|s)[^a-z]?\d+/g, '');
  return toNumber(/ch\. *(\d+(?:\.\d+)?)/.exec(tagless)?.[1]);
}

const toNumber = (text: string | undefined) => (text === undefined ? undefined : Number(text));

test.each<[string, NamedChapter, string]>([
  ['Ongoing', { chapter: '1', volume: '1', title: 'Tide' }, 'Ongoing Ch.001 Vol.01 - Tide [Scans]'],
  ['Ongoing', { chapter: '9', title: 'Tide' }, 'Ongoing Ch.009 - Tide [Scans]'],
  ['Ongoing', { chapter: '9', group: '' }, 'Ongoing Ch.009'],
  ['Ongoing', { chapter: '10.5', volume: '2' }, 'Ongoing Ch.010.5 Vol.02 [Scans]'],
  ['Ongoing', { chapter: '1200', volume: '104' }, 'Ongoing Ch.1200 Vol.104 [Scans]'],
  [
    'Mob 100',
    { chapter: '1', volume: '1', title: '7 Days' },
    'Mob 100 Ch.001 Vol.01 - 7 Days [Scans]',
  ],
  ['86', { chapter: '3', volume: '2', title: 'Fog' }, '86 Ch.003 Vol.02 - Fog [Scans]'],
])('Kavita and Mihon read in %s, %j what they read before', (series, values, expected) => {
  const now = nameOf(TEMPLATE, values, series).replace('.cbz', '');
  const before = nameOf(former, values, series).replace('.cbz', '');
  const again = nameOf(volumeFirst, values, series).replace('.cbz', '');
  expect(now).toBe(expected);
  const { chapter, volume } = values;
  const found = { series, volume: toNumber(volume), chapter: toNumber(chapter) };
  for (const name of [before, now, again]) {
    expect(kavitaReads(name)).toEqual(found);
    expect(mihonReads(name, series)).toBe(found.chapter);
  }
});

test('a volume with nothing after it hides the series from Kavita, which has it in ComicInfo.xml', () => {
  const now = nameOf(TEMPLATE, { chapter: '1', volume: '1', group: '' }).replace('.cbz', '');
  expect(kavitaReads(now)).toEqual({ series: 'Ongoing Ch.001', volume: 1, chapter: 1 });
});
