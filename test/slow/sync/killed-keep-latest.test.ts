/** A kill at any change of a file, of a sync that moves chapters away: none is lost, and the next run finishes it. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readIdentity } from '../../../src/library/file.js';
import { createLibrary } from '../../../src/practice-server/library/library.js';
import { startPracticeService } from '../../../src/practice-server/practice-service.js';
import { tankobonHere } from '../../support/in-process.js';
import { killRewound } from '../../support/kill-points.js';
import { IS_LONG_RUN } from '../../support/long-run.js';
import { chapterId, DAY_MS, syncChapter, syncTitle, titleId } from '../../support/sync-harness.js';
import { NO_LIMITS } from '../../support/no-limits.js';

const NUMBERS = ['1', '2', '3', '4'];
const id = (number: string) => chapterId('Tea', number);
/** Each run takes other changes. */
const KILLS = IS_LONG_RUN ? 15 : 3;

async function chaptersIn(folder: string, ending: string): Promise<readonly string[]> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith(ending)).map((name) => join(folder, name));
  const found = await Promise.all(files.map((file) => readIdentity(file)));
  return found.flatMap((each) => (typeof each === 'object' ? each.chapterId : [])).sort();
}

test('a killed run leaves each chapter in one of the two places, and the next one ends without a word', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tankobon-killed-keep-latest-'));
  const chapters = NUMBERS.map((number) => syncChapter('Tea', number, Date.now() - 9 * DAY_MS));
  const library = createLibrary({ titles: [syncTitle('Tea')], chapters });
  const service = await startPracticeService({ library, limits: NO_LIMITS });
  try {
    const work = join(folder, 'work');
    const home = join(work, 'home');
    const output = join(work, 'comics');
    const file = join(work, 'subscriptions.yaml');
    const write = (keys: string) => {
      const text = `id: tea\nseries:\n  - { target: "title:${titleId('Tea')}", output: comics${keys} }\n`;
      writeFileSync(file, text, { mode: 0o600 });
    };
    const env = { ...service.environment, TANKOBON_HOME: home };
    const words = ['sync', '--file', file];
    mkdirSync(work);
    write('');
    expect(await tankobonHere(words, { env })).toMatchObject({ code: 0 });
    write(', keep-latest: 1');
    await killRewound({ words, env, work, kills: KILLS }, async (kill) => {
      const found = [
        ...(await chaptersIn(output, '.cbz')),
        ...(await chaptersIn(output, '.replaced')),
      ];
      expect({ kill, found: [...new Set(found)].sort() }).toEqual({
        kill,
        found: NUMBERS.map(id).sort(),
      });
      expect(await tankobonHere(words, { env })).toMatchObject({ code: 0 });
      expect({ kill, there: await chaptersIn(output, '.cbz') }).toEqual({ kill, there: [id('4')] });
      const kept = await chaptersIn(output, '.replaced');
      expect({ kill, kept }).toEqual({ kill, kept: ['1', '2', '3'].map(id).sort() });
      const again = await tankobonHere([...words, '--quiet'], { env });
      expect({ kill, ...again }).toMatchObject({ kill, code: 0, stdout: '', stderr: '' });
      expect(await chaptersIn(output, '.cbz')).toEqual([id('4')]);
    });
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});
