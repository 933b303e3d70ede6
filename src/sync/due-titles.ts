/** Which titles are read in a run: those with news, and a share of all others, so that each is read once a week. */
import type { TitleState } from './history/sync-lines.js';

const DAY_MS = 86_400_000;
/** Edits, take-downs and restorations of chapters are not uploads: they show when the title is read. */
const WEEK_MS = 7 * DAY_MS;

export interface CheckedTitle {
  readonly id: string;
  /** The last upload, by the service. */
  readonly latest: string | undefined;
  /** The options of its subscription, as text. */
  readonly rules: string;
  /** Undefined for a new subscription. */
  readonly state: TitleState | undefined;
  /** Saved chapters of it are not bound yet. */
  readonly isUnbound?: boolean;
}

export interface DueTitles {
  /** New titles, and titles with an upload since the last run, changed options, or an unfinished last run. */
  readonly news: ReadonlySet<string>;
  /** The titles that were not read for the longest time. */
  readonly routine: ReadonlySet<string>;
}

/** `sinceMs`: the time since the last run. Each run reads its share of the week, so that the requests are spread. */
export function dueTitles(
  titles: readonly CheckedTitle[],
  { nowMs, sinceMs }: { readonly nowMs: number; readonly sinceMs: number },
): DueTitles {
  const news = new Set(titles.filter((title) => hasNews(title, nowMs)).map(({ id }) => id));
  const intervalMs = Math.min(Math.max(sinceMs, 0), WEEK_MS);
  const count = Math.ceil((titles.length * intervalMs) / WEEK_MS);
  // A time more than a day in the future is that of a clock that was ahead: nearer ones pass soon.
  const readAtMs = ({ state }: CheckedTitle) =>
    state && state.readAtMs <= nowMs + DAY_MS ? state.readAtMs : 0;
  const others = titles.filter(({ id }) => !news.has(id));
  others.sort((a, b) => readAtMs(a) - readAtMs(b));
  // Intervals vary, and runs are stopped: what would be older than a week in the next run is read too.
  const routine = others.filter(
    (title, index) => index < count || nowMs - readAtMs(title) + intervalMs > WEEK_MS,
  );
  return { news, routine: new Set(routine.map(({ id }) => id)) };
}

function hasNews({ latest, rules, state, isUnbound }: CheckedTitle, nowMs: number): boolean {
  return (
    state === undefined ||
    isUnbound === true ||
    state.isIncomplete === true ||
    state.rules !== rules ||
    state.latest !== latest ||
    // A title with chapters has a last upload: the service does not say which.
    (latest === undefined && state.hasChapters === true) ||
    (state.againAtMs !== undefined && state.againAtMs <= nowMs)
  );
}
