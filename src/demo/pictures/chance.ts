/** Chance that repeats itself: everything drawn follows from a seed. */

/** Taken out once: in the inner loops a module's own name is found faster than a global's member. */
const { floor, imul } = Math;

export interface Chance {
  /** A number from 0 up to, but not with, 1. */
  next(): number;
  /** A number from `low` up to, but not with, `high`. */
  between(low: number, high: number): number;
  /** A whole number from 0 up to, but not with, `count`. */
  below(count: number): number;
}

/** A stream of chance numbers (mulberry32): the same seed, the same numbers. */
export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    below: (count) => floor(next() * count),
  };
}
