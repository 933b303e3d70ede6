/** Chapters that are only in volumes, and that change on the service: they are as good as chapter files. */
import { COMMANDS, EitherHarness, newsIn } from '../../support/either-command.js';
import { chapterId } from '../../support/sync-harness.js';

describe.each(COMMANDS)('%s', (command) => {
  let harness: EitherHarness;
  afterEach(() => harness.stop());

  const VOLUMES = ['Alpha/Alpha Vol.01.cbz', 'Alpha/Alpha Vol.02.cbz'];
  beforeEach(async () => {
    const chapters = { 1: '1', 2: '1', 3: '2' };
    harness = await EitherHarness.start(command, chapters, { binds: true });
    expect(harness.paths()).toEqual(VOLUMES);
  });

  test('an edit of the metadata is noted in the book, without a page, and the next run is silent', async () => {
    const file = harness.book('01');
    harness.edit('1', { title: 'Salt' });
    const { lines } = await harness.run({ changes: true });
    expect(newsIn(lines)).toMatchObject([
      { type: 'chapter-retagged', chapter: chapterId('Alpha', '1'), changed: ['title'], file },
    ]);
    expect(harness.requests()).toEqual({ atHome: 1, pages: 0 });
    expect(await harness.chaptersIn(file)).toMatchObject([
      { version: 2, metadata: { number: '1', title: 'Salt' } },
      { version: 1 },
    ]);
    await harness.expectSettled();
  });

  test('without changes, an edit and a chapter that was uploaded again are reported, by a sync once; with them, the book has the new one', async () => {
    harness.edit('2', { title: 'Salt' });
    const id = harness.uploadAgain('1', { volume: '1' });
    const { lines } = await harness.run();
    expect(newsIn(lines)).toMatchObject([
      { type: 'chapter-skipped', chapter: id, reason: 'uploaded-again', file: harness.book('01') },
      command === 'sync'
        ? { type: 'chapter-changed', chapter: chapterId('Alpha', '2'), changed: ['title'] }
        : { type: 'chapter-skipped', chapter: chapterId('Alpha', '2'), reason: 'newer-version' },
    ]);
    if (command === 'sync') expect(newsIn((await harness.run()).lines)).toEqual([]);
    expect(harness.paths()).toEqual(VOLUMES);
    const changed = await harness.run({ changes: true });
    expect(newsIn(changed.lines)).toContainEqual(
      expect.objectContaining({ type: 'chapter-saved', chapter: id }),
    );
    expect(await harness.chaptersIn(harness.book('01'))).toMatchObject([
      { chapterId: id },
      { chapterId: chapterId('Alpha', '2'), metadata: { title: 'Salt' } },
    ]);
    await harness.expectSettled();
  });
});
