/** A kill at any change that `adopt --apply` makes in the library: each file is as it was, or adopted and restorable. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPracticeService } from '../../../src/practice-server/practice-service.js';
import { readComment, writeArchive } from '../../support/archive.js';
import { tankobonHere } from '../../support/in-process.js';
import { killAtChanges } from '../../support/kill-points.js';
import { chapterId, DAY_MS, syncLibrary } from '../../support/sync-harness.js';
import { NO_LIMITS } from '../../support/no-limits.js';

const PAGES = { '1.jpg': Buffer.alloc(3_000, 1), '2.jpg': Buffer.alloc(3_000, 2) };
const NAMES = ['c001.zip', 'c002.cbz'];

test('each file is as it was, or adopted, after each kill; the next run completes it, and --undo restores all', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tankobon-killed-adopt-'));
  const library = syncLibrary(['Alpha'], Date.now() - DAY_MS);
  const service = await startPracticeService({ limits: NO_LIMITS, library });
  try {
    const [original, output] = [join(folder, 'original'), join(folder, 'manga')];
    mkdirSync(join(original, 'Alpha'), { recursive: true });
    await writeArchive(join(original, 'Alpha', 'c001.zip'), PAGES);
    await writeArchive(join(original, 'Alpha', 'c002.cbz'), PAGES, 'a comment');
    const wasIn = (name: string) => readFileSync(join(original, 'Alpha', name));
    const isIn = (name: string) => readFileSync(join(output, 'Alpha', name));
    const prepare = () => {
      rmSync(output, { recursive: true, force: true });
      cpSync(original, output, { recursive: true });
    };
    const run = async (...words: readonly string[]) => {
      const env = { ...service.environment, TANKOBON_HOME: mkdtempSync(join(folder, 'home-')) };
      return (await tankobonHere(['adopt', output, ...words], { env })).code;
    };
    const words = ['adopt', output, '--apply'];
    const options = { words, env: service.environment, folder, below: output, prepare };
    const changes = await killAtChanges(options, async (kill) => {
      for (const name of NAMES) {
        // The entries are where they were: the record follows them.
        const entries = wasIn(name).indexOf('PK\u0001\u0002');
        expect([kill, isIn(name).subarray(0, entries)]).toEqual([
          kill,
          wasIn(name).subarray(0, entries),
        ]);
      }
      expect([kill, await run('--apply')]).toEqual([kill, 0]);
      expect([kill, readdirSync(join(output, 'Alpha')).sort()]).toEqual([kill, NAMES]);
      expect(await readComment(join(output, 'Alpha', 'c001.zip'))).toContain(
        chapterId('Alpha', '1'),
      );
      expect(isIn('c002.cbz').includes(chapterId('Alpha', '2'))).toBe(true);
      expect([kill, await run('--undo')]).toEqual([kill, 0]);
      for (const name of NAMES) expect([kill, isIn(name)]).toEqual([kill, wasIn(name)]);
    });
    expect(changes).toBeGreaterThan(5);
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}, 600_000);
