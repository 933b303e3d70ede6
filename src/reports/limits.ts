/** The numbers that keep the outbox small and out of everybody's way; times in milliseconds. */

/** Reports under way at the same time: more than pages usually are, so that on a long line they catch up with them. */
export const MOST_IN_FLIGHT = 8;
/** Reports that may wait; beyond that the oldest is dropped. */
export const MOST_WAITING = 10_000;
/** A report older than this tells the network nothing any more. */
export const OLDEST_MS = 24 * 60 * 60_000;

/** After a failure that passes, doubled with each in a row. */
export const FIRST_PAUSE_MS = 250;
export const LONGEST_DOUBLING = 4;
/** At exit, a host that has not answered once is not waited for longer than this from the request on. */
export const SILENCE_MS = 1_000;
/** At exit, what a lone probe of a host that is down may still take. */
export const PROBE_PATIENCE_MS = 300;
export const POLL_MS = 20;
