/** A kill at any change that a command makes in a library: after the next run, nothing is there but what it writes. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { editChapter } from '../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { writeSubscription } from '../../support/collection-commands.js';
import { tankobonHere } from '../../support/in-process.js';
import { killAtChanges } from '../../support/kill-points.js';
import { DAY_MS, syncLibrary, titleId } from '../../support/sync-harness.js';

const TITLE = `title:${titleId('Alpha')}`;
const DOWNLOAD = ['download', TITLE, '--language', 'en', '-o', 'OUTPUT'];
const LATER = '2030-01-01T00:00:00+00:00';

const COMMANDS: Readonly<Record<string, { prepare: string[] | undefined; words: string[] }>> = {
  download: { prepare: undefined, words: [...DOWNLOAD, '--cover', '--series-metadata'] },
  'download --bind': { prepare: undefined, words: [...DOWNLOAD, '--bind', 'title'] },
  'download --force': { prepare: DOWNLOAD, words: [...DOWNLOAD, '--force'] },
  sync: { prepare: undefined, words: ['sync', '--file', 'SUBSCRIPTIONS'] },
  'retag --rename-titles': { prepare: DOWNLOAD, words: ['retag', 'OUTPUT', '--rename-titles'] },
  ...Object.fromEntries(
    ['cbz', 'epub', 'pdf', 'folder'].map((format) => {
      const words = ['bind', 'OUTPUT', '-o', 'OUTPUT', '--by', 'title', '--format', format];
      return [`bind --format ${format}`, { prepare: DOWNLOAD, words }];
    }),
  ),
};

describe('a kill at any change leaves nothing that the next run does not remove', () => {
  let service: PracticeService;
  let folder: string;
  beforeEach(async () => {
    const limits = { general: { requests: 100_000, periodMs: 1_000 }, periodScale: 0.001 };
    const library = syncLibrary(['Alpha'], Date.now() - DAY_MS);
    service = await startPracticeService({ limits, library });
    folder = mkdtempSync(join(tmpdir(), 'tankobon-killed-leftovers-'));
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await service.stop();
  });

  test.each(Object.entries(COMMANDS))(
    '%s',
    async (_, { prepare: first, words: given }) => {
      const [original, below] = [join(folder, 'original'), join(folder, 'comics')];
      const subscriptions = join(folder, 'subscriptions');
      writeSubscription(below, subscriptions);
      const run = async (words: readonly string[], output: string): Promise<void> => {
        const home = mkdtempSync(join(folder, 'home-'));
        const env = { ...service.environment, TANKOBON_HOME: home };
        const { code, stdout, stderr } = await tankobonHere(named(words, output), { env });
        if (code !== 0) throw new Error(stdout + stderr);
      };
      const named = (words: readonly string[], output: string) =>
        words.map((word) =>
          word
            .replace('OUTPUT', output)
            .replace('SUBSCRIPTIONS', join(subscriptions, 'subscriptions.yaml')),
        );
      mkdirSync(original);
      if (first) await run(first, original);
      for (const chapter of service.library.chapters())
        service.library.putChapter(editChapter(chapter, LATER, { title: 'Renamed' }));
      const prepare = () => {
        rmSync(below, { recursive: true, force: true });
        cpSync(original, below, { recursive: true });
      };
      const filesNow = () => readdirSync(below, { recursive: true, encoding: 'utf8' }).sort();
      prepare();
      await run(given, below);
      await run(given, below);
      const expected = filesNow();
      const words = named(given, below);
      const options = { words, env: service.environment, folder, below, prepare, maxKills: 12 };
      const changes = await killAtChanges(options, async (kill) => {
        const left = filesNow();
        await run(given, below);
        expect([kill, left, filesNow()]).toEqual([kill, left, expected]);
      });
      expect(changes).toBeGreaterThan(2);
    },
    1_200_000,
  );
});
