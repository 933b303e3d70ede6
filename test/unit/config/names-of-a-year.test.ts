/**
 * A simulated year of many titles whose volumes are named late: each week, the names of the built-in template in reading
 * order, as file lists sort them. Files have the names that they were saved under, or those that `retag` gave all of them.
 */
import { builtInTemplate, templateFor } from '../../../src/config/names.js';
import { seeded } from '../../support/seeded.js';

const TEMPLATE = builtInTemplate({ hasLanguages: false, hasTitleFolder: false });
const TITLES = 40;
const WEEKS = 52;
const NATURAL = new Intl.Collator('en', { numeric: true });

interface SimulatedChapter {
  /** Undefined for a special. */
  readonly number: string | undefined;
  readonly volume: number;
  readonly savedWeek: number;
  /** When the service names the volume. */
  readonly volumeWeek: number;
}

interface SimulatedTitle {
  readonly numbersRestart: boolean;
  /** In reading order; specials come last. */
  readonly chapters: readonly SimulatedChapter[];
}

/** One to three chapters a week, four to nine to a volume, some with decimals and some without a number. */
function simulate(index: number): SimulatedTitle {
  const random = seeded(index + 1);
  const upTo = (max: number) => Math.floor(random() * max);
  const numbersRestart = index % 5 === 0;
  let number = !numbersRestart && index % 3 === 0 ? 960 + upTo(30) : 0;
  let volume = index % 4 === 1 ? 90 + upTo(9) : 1;
  let left = 4 + upTo(6);
  type Saved = Omit<SimulatedChapter, 'volumeWeek'>;
  const numbered: Saved[] = [];
  const specials: Saved[] = [];
  const volumeWeeks = new Map<number, number>();
  const lag = 2 + upTo(10);
  for (let week = 0; week < WEEKS; week += 1) {
    const saved = { savedWeek: week, volume };
    for (let count = 1 + upTo(3); count > 0; count -= 1) {
      number += 1;
      left -= 1;
      numbered.push({ ...saved, number: String(number) });
      if (random() < 0.1) numbered.push({ ...saved, number: `${number}.5` });
    }
    if (random() < 0.05) specials.push({ ...saved, number: undefined });
    if (left > 0) continue;
    volumeWeeks.set(volume, week + lag);
    volume += 1;
    left = 4 + upTo(6);
    if (numbersRestart && volume % 3 === 0) number = 0;
  }
  const chapters = [...numbered, ...specials].map((each) => {
    return { ...each, volumeWeek: volumeWeeks.get(each.volume) ?? Infinity };
  });
  return { numbersRestart, chapters };
}

function nameOf({ numbersRestart }: SimulatedTitle, chapter: SimulatedChapter, hasVolume: boolean) {
  const volume = hasVolume ? String(chapter.volume) : undefined;
  const values = { id: 'id', series: 'Ongoing', title: 'Tide', group: 'Scans' };
  const template = templateFor(TEMPLATE, { numbersRestart });
  return template({ ...values, volume, chapter: chapter.number });
}

interface Check {
  readonly title: SimulatedTitle;
  readonly files: 'as saved' | 'renamed';
  /** In reading order. */
  readonly names: readonly string[];
}

function* checks(): Generator<Check> {
  for (let index = 0; index < TITLES; index += 1) {
    const title = simulate(index);
    const namesOf = new Map(
      title.chapters.map((each) => [each, [false, true].map((has) => nameOf(title, each, has))]),
    );
    for (let week = 0; week < WEEKS; week += 1) {
      const there = title.chapters.filter(({ savedWeek }) => savedWeek <= week);
      // Without a number, nothing says where they belong.
      const numbered = there.filter(({ number }) => number !== undefined);
      const names = (at: (chapter: SimulatedChapter) => number) =>
        numbered.map((each) => namesOf.get(each)?.[Number(at(each) >= each.volumeWeek)] ?? '');
      yield { title, files: 'renamed', names: names(() => week) };
      yield { title, files: 'as saved', names: names(({ savedWeek }) => savedWeek) };
    }
  }
}

const isOrdered = (names: readonly string[], compare: (a: string, b: string) => number) =>
  names.every((name, index) => index === 0 || compare(names[index - 1] ?? '', name) <= 0);
const byCodePoints = (a: string, b: string) => (a < b ? -1 : Number(a > b));

/** Numbers are padded to three digits, and volumes to two. */
const hasMoreDigits = (names: readonly string[]) =>
  new Set(names.map((name) => /Ch\.(\d+)/.exec(name)?.[1]?.length)).size > 1 ||
  new Set(names.map((name) => /Vol\.(\d+)/.exec(name)?.[1]?.length ?? 2)).size > 1;

/** Chapters of two runs, none of which has a volume yet: nothing that the service says distinguishes them. */
function hasUnknownRuns(names: readonly string[]): boolean {
  const numbers = names.flatMap((name) => /Vol\.TBD Ch\.(\d+)/.exec(name)?.[1] ?? []).map(Number);
  return numbers.some((number, index) => number < (numbers[index - 1] ?? 0));
}

test('the names of a year are in reading order, whenever their volumes were named', () => {
  const counts = { checks: 0, unknown: 0, unrenamed: 0, codePoints: 0 };
  for (const { title, files, names } of checks()) {
    counts.checks += 1;
    const isNatural = isOrdered(names, NATURAL.compare);
    // Where numbers begin again, a chapter that was saved without its volume stays last until it is renamed.
    if (title.numbersRestart && files === 'as saved' && !isNatural) counts.unrenamed += 1;
    else if (title.numbersRestart && hasUnknownRuns(names)) counts.unknown += 1;
    else {
      expect(isNatural ? [] : names).toEqual([]);
      if (isOrdered(names, byCodePoints)) continue;
      counts.codePoints += 1;
      expect(hasMoreDigits(names) ? [] : names).toEqual([]);
    }
  }
  // By code points, `1000` is before `999`, and `Vol.100` before `Vol.99`.
  expect(counts).toEqual({ checks: 4_160, unknown: 193, unrenamed: 356, codePoints: 909 });
});

test('the former template had the newest chapters first', () => {
  const former = TEMPLATE.builtIn?.former;
  const names = ['1', '2'].map((chapter, index) =>
    former?.({ id: 'id', series: 'Ongoing', chapter, volume: index === 0 ? '1' : undefined }),
  );
  expect(names.toSorted()).toEqual(names.toReversed());
});
