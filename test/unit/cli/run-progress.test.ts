/** The line of progress in a log. */
import { RunProgress } from '../../../src/cli/output/run-progress.js';
import type { ExpectedChapter } from '../../../src/cli/output/observer.js';
import { RunError } from '../../../src/core/errors.js';
import { fakeClock } from '../../support/fake-clock.js';

const chapters = ['a', 'b', 'c'].map((id) => ({ job: { id } }) as unknown as ExpectedChapter);

test('it counts chapters and bytes, and names the wait', () => {
  const clock = fakeClock();
  const progress = new RunProgress(clock);
  expect(progress.line()).toBe('progress: no chapter yet');
  progress.expect(chapters);
  progress.observe({ type: 'chapter-started', chapter: 'a', pages: 2, kept: 0 });
  progress.observe({ type: 'page-bytes', chapter: 'a', bytes: 2_000_000 });
  clock.advance(2_000);
  progress.observe({ type: 'chapter-saved', chapter: 'a', file: 'a.cbz', pages: 2, bytes: 1 });
  expect(progress.line()).toBe('progress: 1 of 3 chapters, 2.0 MB, 1.0 MB/s, 4 s left');
  progress.observe({
    type: 'waiting',
    for: 'quota',
    until: new Date(clock.wallMs() + 47_000).toISOString(),
    limit: { endpoint: 'GET /at-home/server/{id}', requests: 40, periodMs: 60_000 },
  });
  expect(progress.line()).toMatch(/, 47 s left, waiting 47 s: 40 chapters a minute$/);
});

test('a chapter that a stopped run did not start or finish is not done, and one that is skipped or failed for good is', () => {
  const progress = new RunProgress(fakeClock());
  progress.expect(chapters);
  progress.observe({ type: 'chapter-skipped', chapter: 'a', reason: 'already-there' });
  progress.observe({ type: 'chapter-skipped', chapter: 'b', reason: 'not-started' });
  expect(progress.done).toBe(1);
  const error = new RunError('interrupted', 'Interrupted.');
  const failed = {
    type: 'chapter-failed',
    reason: error.code,
    message: error.message,
    error,
  } as const;
  progress.observe({ ...failed, chapter: 'b', unfinished: true });
  expect(progress.done).toBe(1);
  progress.observe({ ...failed, chapter: 'c' });
  expect(progress.done).toBe(2);
});
