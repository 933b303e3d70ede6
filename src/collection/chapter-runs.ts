/** The chapters of a title as runs of neighbours in the same state: what a strip of them shows at a glance. Pure. */
import { parseNumber } from '../config/ranges.js';

export interface ChapterInState<State> {
  /** The number; of a chapter without one, its title. */
  readonly number: string;
  /** The run of volumes, see selection/same-chapter/volume-runs.ts. */
  readonly run: number;
  readonly state: State;
}

export interface ChapterRun<State> {
  readonly state: State;
  /** The numbers of the first and the last chapter. */
  readonly first: string;
  readonly last: string;
  readonly count: number;
  /** Where numbers begin again: the volumes through which they go on, such as `2` or `1-10`. */
  readonly volume?: string;
}

/** In reading order. `volumeLabel`: the volumes of a run of volumes, where numbers begin again. */
export function toRuns<State>(
  chapters: readonly ChapterInState<State>[],
  volumeLabel: (run: number) => string | undefined,
): readonly ChapterRun<State>[] {
  const ordered = [...chapters].sort((a, b) => a.run - b.run || compareNumbers(a.number, b.number));
  const byNeighbors: ChapterInState<State>[][] = [];
  for (const chapter of ordered) {
    const neighbors = byNeighbors.at(-1);
    const last = neighbors?.at(-1);
    if (last?.state === chapter.state && last.run === chapter.run) neighbors?.push(chapter);
    else byNeighbors.push([chapter]);
  }
  return byNeighbors.flatMap((neighbors) => {
    const [first, last] = [neighbors[0], neighbors.at(-1)];
    if (!first || !last) return [];
    const volume = volumeLabel(first.run);
    return {
      state: first.state,
      first: first.number,
      last: last.number,
      count: neighbors.length,
      ...(volume !== undefined && { volume }),
    };
  });
}

/** By number, those without one last. */
export function compareNumbers(a: string, b: string): number {
  const [first, second] = [parseNumber(a) ?? Infinity, parseNumber(b) ?? Infinity];
  if (first !== second) return first - second;
  return a < b ? -1 : Number(a > b);
}
