/** `download`, plain and with --update, of titles in which the number alone does not say what is one chapter. */
import { ONE_CHAPTER_ROWS } from '../../support/one-chapter-rows.js';
import { testOneChapterRows } from '../../support/one-chapter-tests.js';
import { titleId } from '../../support/sync-harness.js';
import { releaseId, TitleHistories, type Mode } from '../../support/title-history.js';

describe('download', () => {
  testOneChapterRows('download');
});

describe('download --update', () => {
  testOneChapterRows('update');
});

async function pathsAfter(mode: Mode, title: string): Promise<Readonly<Record<string, string>>> {
  const histories = await TitleHistories.start(mode, { [title]: ONE_CHAPTER_ROWS[title] ?? [] });
  try {
    await histories.run();
    return histories.resultsOf(title).at(-1)?.paths ?? {};
  } finally {
    await histories.stop();
  }
}

describe('names', () => {
  test('chapters of one number in several volumes have their volume in the name, and need no id', async () => {
    const title = 'two volumes with the same numbers';
    const name = (volume: number, chapter: number) =>
      `${title}/${title} Vol.0${volume} Ch.00${chapter} [Scans].cbz`;
    expect(await pathsAfter('download', title)).toEqual({
      '1.1': name(1, 1),
      '1.2': name(1, 2),
      '2.1': name(2, 1),
      '2.2': name(2, 2),
    });
  });

  const corrected = 'a part that was numbered as the next one, which comes after the correction';
  const numbered = (number: number): string =>
    `${corrected}/${corrected} Ch.00${number} [Scans].cbz`;

  test('the file of a corrected number keeps its name, and the chapter of that number has its id in its own', async () => {
    const { part4, part5 } = await pathsAfter('download', corrected);
    expect(part4).toBe(numbered(5));
    expect(part5).toContain(`${corrected}/${corrected} Ch.005 [Scans]`);
    expect(part5).toContain(releaseId(corrected, 'part5').slice(0, 8));
  });

  test('with --update, each has the name of its number', async () => {
    expect(await pathsAfter('update', corrected)).toEqual({
      part3: numbered(3),
      part4: numbered(4),
      part5: numbered(5),
    });
  });
});

test('people read what gets a release that is skipped since another one is saved', async () => {
  const title = 'another language';
  const histories = await TitleHistories.start('download', {
    [title]: ONE_CHAPTER_ROWS[title] ?? [],
  });
  try {
    await histories.runStep(0);
    const { code, stderr } = await histories.harness.base.download({
      targets: [`title:${titleId(title)}`],
      language: 'pt-br',
      json: false,
    });
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^skipped: 2 chapters: saved in en already; .*--all-releases/m),
    ]);
  } finally {
    await histories.stop();
  }
});
