/** A kill at any change of a private collection: no file that is left can be read by others. */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { editChapter } from '../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { tankobonHere } from '../../support/in-process.js';
import { killAtChanges } from '../../support/kill-points.js';
import { posixDescribe } from '../../support/platform.js';
import { chapterId, DAY_MS, syncLibrary } from '../../support/sync-harness.js';
import { writeArchive, readArchive } from '../../support/archive.js';

const ID = chapterId('Alpha', '1');
const LATER = '2030-01-01T00:00:00+00:00';

posixDescribe('a kill in a private collection', () => {
  let service: PracticeService;
  let folder: string;
  let original: string;
  beforeEach(async () => {
    const limits = { general: { requests: 10_000, periodMs: 1_000 }, periodScale: 0.001 };
    const library = syncLibrary(['Alpha'], Date.now() - DAY_MS);
    service = await startPracticeService({ limits, library });
    folder = mkdtempSync(join(tmpdir(), 'tankobon-killed-private-'));
    original = join(folder, 'original');
    mkdirSync(original, { mode: 0o755 });
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await service.stop();
  });

  const here = (...words: readonly string[]) => {
    const env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
    return tankobonHere(words, { env });
  };

  const pathsBelow = (root: string): string[] =>
    readdirSync(root, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));

  const RUNS: Readonly<Record<string, readonly string[]>> = {
    retag: ['retag', 'OUTPUT'],
    'bind --format cbz': ['bind', 'OUTPUT', '-o', 'OUTPUT', '--by', 'title'],
    'bind --format pdf': ['bind', 'OUTPUT', '-o', 'OUTPUT', '--by', 'title', '--format', 'pdf'],
    'bind --format folder': [
      ...['bind', 'OUTPUT', '-o', 'OUTPUT', '--by', 'title', '--format', 'folder'],
    ],
    'adopt --apply': ['adopt', 'OUTPUT', '--apply'],
  };

  test.each(Object.keys(RUNS))(
    '%s leaves nothing for others',
    async (name) => {
      expect((await here('download', ID, '-o', original)).code).toBe(0);
      for (const chapter of service.library.chapters())
        service.library.putChapter(editChapter(chapter, LATER, { title: 'Renamed' }));
      const [file = ''] = pathsBelow(original);
      if (name.startsWith('adopt')) {
        const entries = (await readArchive(file)).filter(
          (entry) => !entry.name.includes('META-INF'),
        );
        await writeArchive(
          file,
          Object.fromEntries(entries.map((each) => [each.name, each.bytes])),
        );
      }
      chmodSync(file, 0o600);
      const below = join(folder, 'comics');
      const prepare = () => {
        rmSync(below, { recursive: true, force: true });
        cpSync(original, below, { recursive: true });
      };
      const words = (RUNS[name] ?? []).map((word) => (word === 'OUTPUT' ? below : word));
      const options = { words, env: service.environment, folder, below, prepare };
      const changes = await killAtChanges(options, (kill) => {
        const open = pathsBelow(below).filter((path) => (statSync(path).mode & 0o077) !== 0);
        expect([kill, open]).toEqual([kill, []]);
        return Promise.resolve();
      });
      expect(changes).toBeGreaterThan(2);
    },
    120_000,
  );
});
