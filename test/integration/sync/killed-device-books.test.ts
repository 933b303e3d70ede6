/** A kill at changes of files on a reader: the next run leaves whole books and nothing else, and none comes twice. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createLibrary } from '../../../src/practice-server/library/library.js';
import { startPracticeService } from '../../../src/practice-server/practice-service.js';
import { readLibraryFile } from '../../../src/library/file.js';
import { start } from '../../support/command.js';
import { tankobonHere } from '../../support/in-process.js';
import { IS_LONG_RUN } from '../../support/long-run.js';
import { chapterId, DAY_MS, syncChapter, syncTitle, titleId } from '../../support/sync-harness.js';

const HOOK = pathToFileURL(resolve('test/support/workers/kill-hook.js')).href;
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
  const service = await startPracticeService({ library });
  try {
    const [before, work] = [join(folder, 'before'), join(folder, 'work')];
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
    cpSync(work, before, { recursive: true, preserveTimestamps: true });
    const run = async (change: Readonly<Record<string, string>>) => {
      rmSync(work, { recursive: true });
      cpSync(before, work, { recursive: true, preserveTimestamps: true });
      const NODE_OPTIONS = `${process.env['NODE_OPTIONS'] ?? ''} --import=${HOOK}`;
      return start(words, { env: { ...env, NODE_OPTIONS, KILL_BELOW: reader, ...change } })
        .finished;
    };
    const count = join(folder, 'changes');
    expect(await run({ KILL_COUNT: count })).toMatchObject({ code: 0 });
    const changes = Number(readFileSync(count, 'utf8'));
    expect(changes).toBeGreaterThan(6);
    const step = Math.max(1, Math.floor(changes / KILLS));
    for (let kill = 1 + Math.floor(Math.random() * step); kill <= changes; kill += step) {
      await run({ KILL_AT: String(kill) });
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
    }
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});
