/** The chapters of a title as runs of neighbours in the same state: what a strip of them shows at a glance. Pure. */
import { parseNumber } from '../selection/ranges.js';
import { numberKey } from '../selection/reading-order.js';

export interface ListedChapter<State> {
  /** The number; of a chapter without one, its title. */
  readonly number: string;
  readonly volume: string | undefined;
  readonly state: State;
}

export interface ChapterRun<State> {
  readonly state: State;
  /** The numbers of the first and the last chapter. */
  readonly first: string;
  readonly last: string;
  readonly count: number;
  /** If the numbers restart in each volume, and the volume is known. */
  readonly volume?: string;
}

/** In reading order. A run has chapters of one volume if the numbers restart in each. */
export function toRuns<State>(
  chapters: readonly ListedChapter<State>[],
  numbersRestart: boolean,
): readonly ChapterRun<State>[] {
  const volumeOf = ({ volume }: ListedChapter<State>) =>
    numbersRestart && volume !== undefined ? numberKey(volume) : undefined;
  const ordered = [...chapters].sort(
    (a, b) =>
      compareNumbers(volumeOf(a) ?? '', volumeOf(b) ?? '') || compareNumbers(a.number, b.number),
  );
  const runs: ChapterRun<State>[] = [];
  for (const chapter of ordered) {
    const { number, state } = chapter;
    const volume = volumeOf(chapter);
    const run = runs.at(-1);
    if (run?.state === state && run.volume === volume)
      runs[runs.length - 1] = { ...run, last: number, count: run.count + 1 };
    else
      runs.push({
        state,
        first: number,
        last: number,
        count: 1,
        ...(volume !== undefined && { volume }),
      });
  }
  return runs;
}

/** By number, those without one last. */
export function compareNumbers(a: string, b: string): number {
  const [first, second] = [parseNumber(a) ?? Infinity, parseNumber(b) ?? Infinity];
  if (first !== second) return first - second;
  return a < b ? -1 : Number(a > b);
}
