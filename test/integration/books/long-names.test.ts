/** Names near the limit of file systems, 255 bytes: whatever is added to them fits, since they are shortened for it. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { bindFolder } from '../../support/bind-harness.js';
import { chapterId, testImage, writeChapterFile } from '../../support/chapter-files.js';
import { longRunRows } from '../../support/long-run.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-long-names-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const bookFiles = (extension: string) =>
  readdirSync(join(folder, 'out'), { recursive: true, encoding: 'utf8' })
    .map((path) => basename(path))
    .filter((name) => name.endsWith(extension))
    .sort();

/** Names of 240 bytes, in characters of four, one, two and three bytes. */
const TITLES = ['😀', ...longRunRows('a', 'é', '漫')].map((text) =>
  text.repeat(240 / Buffer.byteLength(text)),
);

describe.each(TITLES)('the books of a title called %.1s…', (series) => {
  beforeEach(async () => {
    for (const number of [1, 2])
      await writeChapterFile(join(folder, 'in', `Ch ${number}.cbz`), {
        id: chapterId(number),
        version: 1,
        series,
        number: String(number),
        volume: '1',
        title: series,
        translators: [series],
        images: [await testImage('jpeg', number), await testImage('jpeg', number + 2)],
      });
  });

  test.each(['cbz', 'epub', 'pdf', 'folder'] as const)('are written as %s', async (format) => {
    for (const by of ['volume', 'title', 'chapter'] as const) {
      const { books, errors } = await bindFolder(folder, { format, by });
      expect([errors, books.map(({ status }) => status)]).toEqual([
        [],
        by === 'chapter' ? ['saved', 'saved'] : ['saved'],
      ]);
      // A second run finds them.
      const again = await bindFolder(folder, { format, by });
      expect(again.books.every(({ status }) => status === 'skipped')).toBe(true);
    }
  });

  test.each(['cbz', 'epub', 'pdf'] as const)('are divided into parts as %s', async (format) => {
    const options = { format, maxSize: 6_000, by: 'title' } as const;
    const { books, errors } = await bindFolder(folder, options);
    expect([errors, books.map(({ status }) => status)]).toEqual([[], ['saved']]);
    const names = bookFiles(`.${format}`);
    expect(names.length).toBeGreaterThan(1);
    for (const [index, name] of names.entries())
      expect(name).toContain(` part ${index + 1}.${format}`);
    const again = await bindFolder(folder, options);
    expect(again.books.every(({ status }) => status === 'skipped')).toBe(true);
  });

  test('keep their volume, language and part in the name', async () => {
    await writeChapterFile(join(folder, 'in', 'Ch 9.cbz'), {
      id: chapterId(9),
      version: 1,
      series,
      language: 'pt-BR',
      number: '9',
      volume: '1',
      images: [await testImage('jpeg', 5), await testImage('jpeg', 6)],
    });
    const { books, errors } = await bindFolder(folder, { format: 'cbz', maxSize: 6_000 });
    expect([errors, books.map(({ status }) => status)]).toEqual([[], ['saved', 'saved']]);
    const names = books.map(({ file }) => basename(file, '.cbz')).sort();
    expect(names).toEqual([
      expect.stringMatching(/ Vol\.01 \[en\]$/),
      expect.stringMatching(/ Vol\.01 \[pt-br\]$/i),
    ]);
    expect(bookFiles('.cbz').every((name) => / Vol\.01 \[[\w-]+\] part \d\.cbz$/.test(name))).toBe(
      true,
    );
  });
});
