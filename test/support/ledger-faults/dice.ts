/** Chance in a simulation: the same for the same seed. */
import { seeded } from '../seeded.js';

export class Dice {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seeded(Math.imul(seed, 2_654_435_761));
  }

  value(): number {
    return this.#random();
  }

  between(min: number, max: number): number {
    return min + this.#random() * (max - min);
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  /** With this mean, and no memory. */
  interval(meanMs: number): number {
    return -Math.log(1 - this.#random()) * meanMs;
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.#random() * values.length)] as T;
  }
}
