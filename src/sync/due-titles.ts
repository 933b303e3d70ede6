/** Which titles have new chapters, so that the releases of all others are not requested. */
import type { TitleState } from './sync-journal.js';

const DAY_MS = 86_400_000;
/** Beyond the last upload, a title can change: a chapter is restored, or gets a new version. */
const MAX_AGE_MS = 7 * DAY_MS;
/** The number of these titles in one run: few, so that a run with nothing new stays within its requests. */
const MAX_ROUTINE_READS = 3;
/** What was published while the last run was under way, or with a wrong clock, must not be missed. */
const FEED_OVERLAP_MS = DAY_MS;

export interface CheckedTitle {
  readonly id: string;
  /** The last upload, by the service. */
  readonly latest: string | undefined;
  /** The options of its subscription, as text. */
  readonly rules: string;
  /** Undefined for a new subscription. */
  readonly state: TitleState | undefined;
}

/**
 * The titles whose releases are read: new ones, and those with an upload since the last run, changed options, an
 * incomplete last run, or an expired `againAtMs`. Also the three whose releases were last read the longest ago.
 */
export function dueTitles(titles: readonly CheckedTitle[], nowMs: number): ReadonlySet<string> {
  const due = new Set(titles.filter((title) => isDue(title, nowMs)).map(({ id }) => id));
  const old = titles.filter(
    ({ id, state }) => !due.has(id) && state && nowMs - state.readAtMs > MAX_AGE_MS,
  );
  old.sort((a, b) => (a.state?.readAtMs ?? 0) - (b.state?.readAtMs ?? 0));
  for (const { id } of old.slice(0, MAX_ROUTINE_READS)) due.add(id);
  return due;
}

function isDue({ latest, rules, state }: CheckedTitle, nowMs: number): boolean {
  return (
    state === undefined ||
    state.isIncomplete === true ||
    state.rules !== rules ||
    state.latest !== latest ||
    (state.againAtMs !== undefined && state.againAtMs <= nowMs)
  );
}

/** From when the feed of followed titles is read. */
export function feedStartMs(lastSuccessMs: number): number {
  return lastSuccessMs - FEED_OVERLAP_MS;
}
