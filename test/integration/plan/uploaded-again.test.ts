/** Chapters that were deleted and uploaded again under another id, or renumbered: never two files of one number. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEntry } from '../../support/archive.js';
import { COMMANDS, EitherHarness, newsIn } from '../../support/either-command.js';
import { addElement } from '../../support/owner-edits.js';
import { chapterId, DAY_MS } from '../../support/sync-harness.js';

describe.each(COMMANDS)('%s', (command) => {
  let harness: EitherHarness;
  afterEach(() => harness.stop());

  const fileOf = (number: string): string =>
    harness.sync.base.archives().find((file) => file.includes(`Ch.${number} `)) ?? '';

  test('a chapter that was uploaded again is skipped with its file; with changes it replaces that, which is kept for 30 days, edits stay, and the next run is silent', async () => {
    harness = await EitherHarness.start(command, { 1: null, 2: null });
    const [before, file] = [harness.paths(), fileOf('001')];
    await addElement(file, '<CommunityRating>5</CommunityRating>');
    const bytes = readFileSync(file);
    const id = harness.uploadAgain('1', { title: 'Again' });
    const { code, lines, stderr } = await harness.run();
    expect([code, stderr, harness.paths()]).toEqual([0, '', before]);
    expect(newsIn(lines)).toMatchObject([
      { type: 'chapter-skipped', chapter: id, reason: 'uploaded-again', file },
    ]);
    const planned = await harness.run({ changes: true, dryRun: true });
    expect(planned.lines.filter(({ type }) => type === 'planned')).toMatchObject([
      { chapter: id, why: `uploaded again; it replaces ${file}` },
    ]);
    const replaced = await harness.run({ changes: true });
    expect([replaced.code, replaced.stderr]).toEqual([0, '']);
    expect(newsIn(replaced.lines)).toMatchObject([
      { type: 'chapter-saved', chapter: id, kept: ['CommunityRating'], replacedFile: file },
    ]);
    expect(harness.paths()).toEqual([
      'Alpha/Alpha Ch.001 - Again [Scans II].cbz',
      'Alpha/Alpha Ch.002 [Scans].cbz',
    ]);
    const xml = await readEntry(fileOf('001'), 'ComicInfo.xml');
    expect(xml).toContain('<CommunityRating>5</CommunityRating>');
    expect(xml).toContain('<Title>Again</Title>');
    const kept = join(harness.output, '.tankobon-replaced');
    const path = join(harness.today(), 'Alpha', 'Alpha Ch.001 [Scans].cbz.replaced');
    expect(readFileSync(join(kept, path)).equals(bytes)).toBe(true);
    await harness.expectSettled();
    // Each run is a week after the one before.
    harness.sync.clock.advance(16 * DAY_MS);
    harness.upload('3');
    await harness.run();
    expect(existsSync(kept)).toBe(true);
    harness.upload('4');
    await harness.run();
    expect(existsSync(kept)).toBe(false);
  });

  test('a saved chapter that gets the number of a deleted one is reported; with changes it replaces that, the edits in both files stay, and the next run is silent', async () => {
    harness = await EitherHarness.start(command, { 1: null, 2: null, 2.5: null });
    const chapter = chapterId('Alpha', '2.5');
    const [before, deleted, file] = [harness.paths(), fileOf('002'), fileOf('002.5')];
    await addElement(deleted, '<CommunityRating>5</CommunityRating><Review>First</Review>');
    await addElement(file, '<Review>Second</Review>');
    harness.remove('2');
    harness.edit('2.5', { chapter: '2' });
    const { lines } = await harness.run();
    const reported = { type: 'chapter-changed', chapter, changed: ['number'] };
    expect(newsIn(lines)).toMatchObject([
      command === 'sync' ? reported : { type: 'chapter-skipped', chapter, reason: 'newer-version' },
    ]);
    expect(harness.paths()).toEqual(before);
    const event = {
      type: 'chapter-retagged',
      chapter,
      changed: ['number'],
      newFile: deleted,
      removedFile: deleted,
      kept: ['Review', 'CommunityRating'],
    };
    const planned = await harness.run({ changes: true, dryRun: true });
    // A sync compares with the service when it runs.
    expect(newsIn(planned.lines)).toMatchObject([command === 'sync' ? reported : event]);
    const replaced = await harness.run({ changes: true });
    expect(replaced.code).toBe(0);
    expect(newsIn(replaced.lines)).toMatchObject([event]);
    expect(harness.paths()).toEqual(before.slice(0, 2));
    const xml = await readEntry(deleted, 'ComicInfo.xml');
    expect(xml).toContain(`https://mangadex.org/chapter/${chapter}`);
    expect(xml).toContain('<CommunityRating>5</CommunityRating>');
    expect(xml).toContain('<Review>Second</Review>');
    await harness.expectSettled();
  });
});
