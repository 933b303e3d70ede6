/** The events of binding as sentences for people. */
import { basename, dirname, join } from 'node:path';
import { groupBy } from '../../core/group-by.js';
import { formatBytes, pluralize } from '../../core/human-format.js';
import { LEFT_OUT_REASONS, type BindEvent } from '../../books/bind-events.js';

/** A folder is named after its volume alone, so it gets the series' name, which the folder above has. */
export function bookLabel(file: string): string {
  const name = basename(file);
  return /\.(cbz|epub|pdf)$/i.test(name) ? name : join(basename(dirname(file)), name);
}

/** Such as `chapter 5` or `chapters 5, 7-9`. */
function chapterNumbers(numbers: readonly string[]): string {
  const isOne = numbers.length === 1 && !numbers[0]?.includes('-');
  return `${isOne ? 'chapter' : 'chapters'} ${numbers.join(', ')}`;
}

type BookPlanned = Extract<BindEvent, { readonly type: 'book-planned' }>;

/** Such as `; missing: chapter 5`; empty if there is nothing to say. */
function bookNote({ missing, volumeInferred = [] }: BookPlanned): string {
  const gaps = missing.length === 0 ? '' : `; missing: ${chapterNumbers(missing)}`;
  const inferred =
    volumeInferred.length === 0 ? '' : `; volume inferred: ${chapterNumbers(volumeInferred)}`;
  return `${gaps}${inferred}`;
}

/** One line for each book that is written, with what its plan said; none for a book that is there already. */
export class BookLines {
  readonly #notes = new Map<string, string>();

  plan(event: BookPlanned): void {
    this.#notes.set(event.file, bookNote(event));
  }

  /** @param isShown whether a book without a note has a line too: its path is on standard output anyway */
  saved(event: Extract<BindEvent, { readonly type: 'book-saved' }>, isShown: boolean): string[] {
    const { file, book = file } = event;
    const note = this.#notes.get(book) ?? '';
    // The first part of a book in parts has the note.
    this.#notes.delete(book);
    return isShown || note !== '' ? [`${describeBindEvent(event)}${note}`] : [];
  }
}

type LeftOut = Extract<BindEvent, { readonly type: 'chapter-left-out' }>;

/** One line for each reason. */
export function describeLeftOut(leftOut: readonly LeftOut[]): string[] {
  return [...groupBy(leftOut, ({ reason }) => reason)].flatMap(([reason, chapters]) => {
    const [only] = chapters;
    if (only && chapters.length === 1) return [describeBindEvent(only)];
    return [`left out: ${pluralize(chapters.length, 'chapter')}: ${LEFT_OUT_REASONS[reason]}`];
  });
}

export function describeBindEvent(
  event: Exclude<BindEvent, { readonly type: 'chapter-removed' }>,
): string {
  switch (event.type) {
    case 'book-planned': {
      const { file, chapters, pages } = event;
      return `${bookLabel(file)}: ${pluralize(chapters, 'chapter')}, ${pluralize(pages, 'page')}${bookNote(event)}`;
    }
    case 'book-saved':
      return `${bookLabel(event.file)}: saved, ${pluralize(event.pages, 'page')}, ${formatBytes(event.bytes)}`;
    case 'book-skipped':
      return `${bookLabel(event.file)}: skipped, has all chapters`;
    case 'book-failed':
      return `error: ${event.message}`;
    case 'volume-incomplete': {
      const { series, volume = '', missing, unavailable = [] } = event;
      const others =
        unavailable.length === 0
          ? ''
          : `; MangaDex does not have ${chapterNumbers(unavailable)} (hosted elsewhere, or taken down)`;
      return `${series} Vol. ${volume}: not bound yet; missing: ${chapterNumbers(missing)}${others}`;
    }
    case 'chapters-unavailable': {
      const { series, volume = '', chapters } = event;
      return `${series} Vol. ${volume}: bound without ${chapterNumbers(chapters)}, which MangaDex does not have (hosted elsewhere, or taken down)`;
    }
    case 'chapter-left-out':
      return event.message === undefined
        ? `left out: ${event.file}: ${LEFT_OUT_REASONS[event.reason]}`
        : `error: ${event.message}`;
    case 'bind-summary': {
      const { saved, skipped, failed, leftOut, removed } = event;
      return [
        `${pluralize(saved, 'book')} saved`,
        ...(skipped > 0 ? [`${skipped} skipped`] : []),
        ...(failed > 0 ? [`${failed} failed`] : []),
        ...(leftOut > 0 ? [`${pluralize(leftOut, 'chapter')} left out`] : []),
        ...(removed > 0 ? [`${pluralize(removed, 'chapter file')} removed`] : []),
      ].join(', ');
    }
  }
}
