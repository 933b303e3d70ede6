/** A kill at changes of files on a reader: the next run leaves whole books and nothing else, and none comes twice. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLibrary } from '../../../src/practice-server/library/library.js';
import { startPracticeService } from '../../../src/practice-server/practice-service.js';
import { readLibraryFile } from '../../../src/library/file.js';
import { tankobonHere } from '../../support/in-process.js';
import { killRewound } from '../../support/kill-points.js';
import { IS_LONG_RUN } from '../../support/long-run.js';
import { chapterId, DAY_MS, syncChapter, syncTitle, titleId } from '../../support/sync-harness.js';
import { NO_LIMITS } from '../../support/no-limits.js';

const id = (number: string) => chapterId('Tea', number);
const EXPECTED = {
  'Tea (no volume yet).kepub.epub': [id('3')],
  'Tea Vol.01.kepub.epub': [id('1'), id('2')],
};
/** Each run takes other changes. */
const KILLS = IS_LONG_RUN ? 12 : 2;

test('a killed run is finished by the next one, and the one after that does nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tankobon-killed-device-'));
  const chapters = ['1', '2', '3'].map((number) =>
    syncChapter('Tea', number, Date.now() - 9 * DAY_MS, { volume: number < '3' ? '1' : null }, 1),
  );
  const library = createLibrary({ titles: [syncTitle('Tea')], chapters });
  const service = await startPracticeService({ library, limits: NO_LIMITS });
  try {
    const work = join(folder, 'work');
    const reader = join(work, 'reader');
    const file = join(work, 'subscriptions.yaml');
    const env = { ...service.environment, TANKOBON_HOME: join(work, 'home') };
    const words = ['sync', '--file', file];
    mkdirSync(work);
    const keys = 'output: comics, for: kobo-libra, device-output: reader';
    const text = `id: tea\nseries:\n  - { target: "title:${titleId('Tea')}", ${keys} }\n`;
    writeFileSync(file, text, { mode: 0o600 });
    // Without the reader, so that all changes of the killed run are those of its books.
    expect(await tankobonHere(words, { env })).toMatchObject({ code: 0 });
    mkdirSync(reader);
    await killRewound({ words, env, work, below: reader, kills: KILLS }, async (kill) => {
      expect(await tankobonHere(words, { env })).toMatchObject({ code: 0 });
      const found: Record<string, unknown> = {};
      for (const name of readdirSync(join(reader, 'Tea'))) {
        const book = await readLibraryFile(join(reader, 'Tea', name));
        found[name] =
          book.kind === 'book' ? book.chapters.map(({ chapterId: each }) => each) : book.kind;
      }
      expect({ kill, found }).toEqual({ kill, found: EXPECTED });
      const again = await tankobonHere([...words, '--quiet'], { env });
      expect({ kill, ...again }).toMatchObject({ kill, code: 0, stdout: '', stderr: '' });
      // What its owner removes stays removed, also of a killed run.
      rmSync(join(reader, 'Tea'), { recursive: true });
      expect(await tankobonHere([...words, '--quiet'], { env })).toMatchObject({ code: 0 });
      expect(readdirSync(reader)).toEqual(['.tankobon-device']);
    });
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});
