/** Holds each row of the table in one mode. */
import { ONE_CHAPTER_ROWS, ONE_CHAPTER_VARIANTS } from './one-chapter-rows.js';
import { IS_LONG_RUN } from './long-run.js';
import {
  expectedIn,
  TitleHistories,
  type HistoryResult,
  type Mode,
  type Step,
} from './title-history.js';

/** `download` may repeat in each run what it skips. */
const SKIPPED = /^\S+: chapter-skipped /;

/** Without changes to files, a short run has only the rows that end otherwise than with them. */
function isInShortRun(mode: Mode, steps: readonly Step[]): boolean {
  const hasChanges = mode === 'update' || mode === 'upgrade';
  return hasChanges || steps.some(({ saved }) => typeof saved !== 'string');
}

export function testOneChapterRows(mode: Mode): void {
  const rows = IS_LONG_RUN
    ? { ...ONE_CHAPTER_ROWS, ...ONE_CHAPTER_VARIANTS }
    : Object.fromEntries(
        Object.entries(ONE_CHAPTER_ROWS).filter(([, of]) => isInShortRun(mode, of)),
      );
  let results: ReadonlyMap<string, HistoryResult>;
  beforeAll(async () => {
    const histories = await TitleHistories.start(mode, rows);
    try {
      results = await histories.run();
    } finally {
      await histories.stop();
    }
  });

  const resultOf = (title: string): HistoryResult => {
    const result = results.get(title);
    if (!result) throw new Error(title);
    return result;
  };

  test.each(Object.keys(rows))('%s: every chapter is saved, and once', (title) => {
    const steps = rows[title] ?? [];
    expect(resultOf(title).steps.map(({ saved }) => saved)).toEqual(
      steps.map(({ saved }) => expectedIn(saved, mode)),
    );
  });

  const isNamed = ({ skipped }: Step): boolean => expectedIn(skipped, mode) !== undefined;
  const named = Object.entries(rows).filter(([, steps]) => steps.some(isNamed));
  test.each(named)('%s: what is left out is named', (title, steps) => {
    const found = resultOf(title).steps.filter((_, index) =>
      isNamed(steps[index] ?? { saved: '' }),
    );
    expect(found.map(({ skipped }) => skipped)).toEqual(
      steps.filter(isNamed).map(({ skipped }) => expectedIn(skipped, mode)),
    );
  });

  test.each(Object.keys(rows))('%s: one more run has no news', (title) => {
    const { steps, again } = resultOf(title);
    const isRepeated = (text: string): boolean =>
      (mode === 'download' || mode === 'update') &&
      SKIPPED.test(text) &&
      steps.at(-1)?.news.includes(text) === true;
    expect(again.news.filter((text) => !isRepeated(text))).toEqual([]);
    expect(again.paths).toEqual(steps.at(-1)?.paths);
  });
}
