/** What hooks with `on: failed` or `on: taken-down` are called with, from the events of a run: once for each title. */
import type { DownloadMessage } from '../download/events.js';
import type { ChapterFields } from '../selection/chapter-fields.js';
import type { ChapterNotice, SeriesNotice } from './hook-payloads.js';
import type { SyncEvent } from './sync-events.js';

type Series = SeriesNotice['series'];
type NoticeName = 'failed' | 'taken-down';

interface Notice {
  /** A title or a list, as in the failures of a run. */
  readonly target: string;
  readonly update: SeriesNotice & { readonly chapters: ChapterNotice[] };
}

/** Stands for the id of a title where there is none. */
export const NO_ID = '00000000-0000-4000-8000-000000000000';

export class HookNotices {
  readonly #notices = new Map<string, Notice>();
  #current: { readonly series: Series; readonly isNew: boolean } | undefined;

  /**
   * The events that follow are of this title.
   * @param isNew it is read for the first time: what was taken down before is not reported
   */
  begin(series: Series, isNew: boolean): void {
    this.#current = { series, isNew };
  }

  readonly observe = (event: DownloadMessage | SyncEvent): void => {
    if (event.type === 'chapter-failed') {
      if (!event.unfinished) this.#add('failed', { ...noticeOf(event), message: event.message });
    } else if (event.type === 'chapter-skipped') {
      const isTakenDown = event.reason === 'chapter-unavailable' && !this.#current?.isNew;
      if (isTakenDown) this.#add('taken-down', noticeOf(event));
    }
  };

  /** A title or a list that is not available, or the run as a whole. */
  addFailure(target: string, series: Series, { code: reason, message }: Failure): void {
    const update = { event: 'failed' as const, series, chapters: [], reason, message };
    this.#notices.set(`failed ${target}`, { target, update });
  }

  /** @param lasting the targets that failed in the same way in the run before: these are left out */
  updates(lasting: ReadonlySet<string>): readonly SeriesNotice[] {
    return [...this.#notices.values()]
      .filter(({ target, update }) => update.event !== 'failed' || !lasting.has(target))
      .map(({ update }) => update);
  }

  #add(event: NoticeName, chapter: ChapterNotice): void {
    if (!this.#current) return;
    const { series } = this.#current;
    const key = `${event} title:${series.id}`;
    const known = this.#notices.get(key);
    if (known) known.update.chapters.push(chapter);
    else
      this.#notices.set(key, {
        target: `title:${series.id}`,
        update: { event, series, chapters: [chapter] },
      });
  }
}

type ChapterEvent = ChapterFields & { readonly chapter: string; readonly reason: string };

function noticeOf(event: ChapterEvent): ChapterNotice {
  const { chapter: id, series, volume, number, chapterTitle, group, language } = event;
  const { reason, externalUrl } = event;
  return { id, series, volume, number, chapterTitle, group, language, externalUrl, reason };
}

interface Failure {
  readonly code: string;
  readonly message: string;
}
