/**
 * What is tried again, and when: failures that pass by themselves, few times, with growing and uneven pauses.
 * Each try goes through the ledger like any other request; these pauses come on top.
 */
import { hasCode } from '../kernel/errors.js';

/** One request and two repeats of it. */
export const MOST_TRIES = 3;

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;

/** The pause before the try that follows the `failed`th, drawn between half of it and the whole. */
export function pauseMs(failed: number, random: () => number): number {
  const fullMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failed - 1));
  return fullMs * (0.5 + random() / 2);
}

/** A failure that may be gone the next time; an answer of the wrong shape or size will not be. */
export class PassingFailure extends Error {
  /**
   * @param failure what to throw where it has not passed
   * @param serviceSaysMs how long the service asks to wait, where it does
   */
  constructor(
    readonly failure: Error,
    readonly serviceSaysMs?: number,
  ) {
    super(failure.message, { cause: failure });
  }
}

/** The same error, marked as passing where it is one: no connection, or a broken one. */
export function markPassing(error: unknown): unknown {
  return hasCode(error, 'unreachable') ? new PassingFailure(error) : error;
}
