/** What the progress bars call the chapters of a run: the number, and then what distinguishes it from the others. */
import type { ExpectedChapter } from './observer.js';
import type { ProgressLabel } from './progress-line.js';

/** The series is named where there are several, or where the chapter has no title. */
export function chapterLabels(
  chapters: readonly ExpectedChapter[],
): ReadonlyMap<string, ProgressLabel> {
  const isOneSeries = new Set(chapters.map(({ seriesName }) => seriesName)).size <= 1;
  return new Map(
    chapters.map(({ job, chapter, seriesName }) => {
      if (!chapter) return [job.id, { number: '', title: job.id }];
      const number = chapter.number === undefined ? '' : `Ch. ${chapter.number}`;
      const title = chapter.title ?? '';
      const words = isOneSeries && title !== '' ? [title] : [seriesName ?? '', title];
      return [job.id, { number, title: words.filter((word) => word !== '').join(': ') }];
    }),
  );
}
