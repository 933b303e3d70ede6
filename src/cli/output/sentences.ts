/** Waits and skipped chapters for people: what depends on the state of a run, and on several events. */
import { groupBy } from '../../core/group-by.js';
import { formatCountdown, pluralize } from '../../core/human-format.js';
import {
  DOWNLOAD_EVENTS,
  type SkippedEvent,
  type WaitingEvent,
} from '../../events/download-events.js';
import { eventLines, eventText } from '../../events/printed-event.js';
import { isNamedSkip, skipReasonText } from '../../events/reasons.js';
import { describeLimit } from '../../events/wait-sentences.js';
import type { Observer } from './observer.js';

/** Shorter waits are not shown. */
const MIN_SHOWN_WAIT_MS = 2_000;

/** What a run waits for now. */
export interface CurrentWait extends Pick<WaitingEvent, 'for' | 'limit'> {
  readonly leftMs: number;
}

const WAIT_NAMES: Partial<Record<WaitingEvent['for'], string>> = {
  cooldown: 'cooldown',
  outage: 'outage',
  lock: 'ledger locked',
};

/** Such as `waiting 47 s: 40 chapters a minute`. */
export function describeCurrentWait(wait: CurrentWait): string {
  return `waiting ${formatCountdown(wait.leftMs)}: ${WAIT_NAMES[wait.for] ?? describeLimit(wait)}`;
}

/** Requests that wait for the same reason until the same time share one line. */
export class WaitLines {
  #last: string | undefined;

  linesFor(event: WaitingEvent, nowMs: number): readonly string[] {
    const lines = eventLines(DOWNLOAD_EVENTS, event, nowMs);
    const text = lines.join('\n');
    if (text === this.#last) return [];
    this.#last = text;
    return lines;
  }
}

/** A short wait is shown only during an outage. */
export function isShownWait(event: WaitingEvent, nowMs: number): boolean {
  return event.for === 'outage' || Date.parse(event.until) - nowMs > MIN_SHOWN_WAIT_MS;
}

/** Notes the lines of describeSkipped, which may name the files. */
export function noteSkipped(skipped: readonly SkippedEvent[], note: Observer['note']): void {
  const files = skipped.flatMap(({ file }) => file ?? []);
  for (const line of describeSkipped(skipped)) note(line, files);
}

/** Further ones that are named one by one are only counted. */
const MAX_NAMED = 20;

/** One line for each chapter that a user may miss, and one for each other reason. */
export function describeSkipped(skipped: readonly SkippedEvent[]): string[] {
  return [...groupBy(skipped, skipReasonText)].flatMap(([words, chapters]) => {
    // Where one language is saved, the other one is hardly ever missed.
    const mayMiss = ({ reason, savedLanguage }: SkippedEvent) =>
      isNamedSkip(reason) && savedLanguage === undefined;
    const isNamed = chapters.some(mayMiss) || chapters.length === 1;
    const named = isNamed ? chapters.slice(0, MAX_NAMED) : [];
    const rest = chapters.length - named.length;
    const more = named.length === 0 ? '' : 'more ';
    const count = `${more}${pluralize(rest, 'chapter')}`;
    return [
      ...named.map((event) => eventText(DOWNLOAD_EVENTS, event)),
      ...(rest === 0 ? [] : [`skipped: ${count}: ${words}`]),
    ];
  });
}
