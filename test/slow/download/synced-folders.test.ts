/** A new folder is synced into the one above it before anything says that a chapter in it is saved. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EXAMPLE_CHAPTERS } from '../../../src/practice-server/library/library.js';
import { startPracticeService } from '../../../src/practice-server/practice-service.js';
import { tankobon } from '../../support/command.js';

test('each new folder is synced into its parent before the download archive has the chapter', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tankobon-synced-'));
  const service = await startPracticeService();
  const hook = pathToFileURL(resolve('test/support/workers/sync-log.js')).href;
  const [output, log] = [join(folder, 'new', 'comics'), join(folder, 'log')];
  const archive = join(folder, 'archive.txt');
  writeFileSync(log, '');
  try {
    const words = ['download', EXAMPLE_CHAPTERS.first, '-o', output, '--download-archive', archive];
    const { code } = await tankobon(words, {
      env: {
        ...service.environment,
        NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${hook}`,
        SYNC_LOG: log,
        TANKOBON_HOME: join(folder, 'home'),
      },
    });
    expect(code).toBe(0);
    const lines = readFileSync(log, 'utf8').split('\n');
    const recorded = lines.indexOf(`write ${archive}`);
    expect(recorded).toBeGreaterThan(0);
    // The series has a folder of its own.
    for (const synced of [folder, dirname(output), output])
      expect(lines.slice(0, recorded)).toContain(`fsync ${synced}`);
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
