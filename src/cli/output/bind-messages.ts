/** The events of binding for people, where a line needs several of them. */
import { basename } from 'node:path';
import {
  BIND_EVENTS,
  bookNote,
  type BookPlanned,
  type BookSaved,
  type ChapterLeftOut,
} from '../../events/bind-events.js';
import { groupBy } from '../../core/group-by.js';
import { firstNames, pluralize } from '../../core/human-format.js';
import { eventText } from '../../events/printed-event.js';
import { LEFT_OUT_REASONS } from '../../events/reasons.js';
import type { AppEvent, Observer } from './observer.js';

/** One line for each book that is written, with what its plan said; none for a book that is there already. */
export class BookLines {
  readonly #planned = new Map<string, BookPlanned>();

  plan(event: BookPlanned): void {
    this.#planned.set(event.file, event);
  }

  /** @param isShown whether a book without a note has a line too: its path is on standard output anyway */
  saved(event: BookSaved, isShown: boolean): string[] {
    const { file, book = file } = event;
    const planned = this.#planned.get(book);
    const note = planned ? bookNote({ ...planned, missing: event.missing ?? planned.missing }) : '';
    // The first part of a book in parts has the note.
    this.#planned.delete(book);
    return isShown || note !== '' ? [`${eventText(BIND_EVENTS, event)}${note}`] : [];
  }
}

/** Without `json`, chapters that are in no book are reported in one line for each reason, before the first other event. */
export function collectLeftOut(
  { observe, note }: Pick<Observer, 'observe' | 'note'>,
  json = false,
) {
  let leftOut: ChapterLeftOut[] = [];
  const reportLeftOut = (): void => {
    for (const line of describeLeftOut(leftOut))
      note(
        line,
        leftOut.map(({ file }) => file),
      );
    leftOut = [];
  };
  return {
    reportLeftOut,
    observe: (event: AppEvent): void => {
      if (!json && event.type === 'chapter-left-out' && event.message === undefined)
        leftOut.push(event);
      else {
        reportLeftOut();
        observe(event);
      }
    },
  };
}

/** One line for each reason, and for each archive that is not read. */
function describeLeftOut(leftOut: readonly ChapterLeftOut[]): string[] {
  return [...groupBy(leftOut, ({ reason }) => reason)].flatMap(([reason, chapters]) => {
    const [only] = chapters;
    if (only && chapters.length === 1) return [eventText(BIND_EVENTS, only)];
    // How many chapters they have is not known.
    if (reason === 'other-archive') return chapters.map((each) => eventText(BIND_EVENTS, each));
    const line = `left out: ${pluralize(chapters.length, 'chapter')}: ${LEFT_OUT_REASONS[reason]}`;
    // The owner may want another one in the book, or give them a volume.
    return [`${line}: ${firstNames(chapters.map(({ file }) => basename(file)))}`];
  });
}
