/** A chapter that was taken down is named, is not a failure, and its file stays. */
import { readFileSync } from 'node:fs';
import { restoreChapter, takeDownChapter } from '../../../src/practice-server/library/library.js';
import { COMMANDS, EitherHarness, newsIn } from '../../support/either-command.js';
import { chapterId } from '../../support/sync-harness.js';

const one = chapterId('Alpha', '1');

describe.each(COMMANDS)('%s', (command) => {
  let harness: EitherHarness;
  afterEach(() => harness.stop());

  test.each([false, true])(
    'its file stays as it is (with changes: %s), and is there once the chapter is restored',
    async (changes) => {
      harness = await EitherHarness.start(command, { 1: null, 2: null });
      const [file = ''] = harness.sync.base.archives().filter((each) => each.includes('001'));
      const before = readFileSync(file);
      harness.change('1', takeDownChapter);
      const { code, lines } = await harness.run({ changes });
      expect(code).toBe(0);
      expect(newsIn(lines)).toMatchObject([
        { type: 'chapter-skipped', chapter: one, reason: 'chapter-unavailable', number: '1' },
      ]);
      harness.change('1', restoreChapter);
      const { lines: later } = await harness.run({ changes });
      expect(newsIn(later)).toEqual([]);
      expect(harness.requests()).toEqual({ atHome: 0, pages: 0 });
      expect(readFileSync(file)).toEqual(before);
    },
  );
});
