/** SIGUSR2 prints the progress at once, and neither ends the run nor mixes with its results. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EXAMPLE_CHAPTERS } from '../../../src/practice-server/library/library.js';
import { startPracticeService } from '../../../src/practice-server/practice-service.js';
import { start } from '../../support/command.js';
import { longRunRows } from '../../support/long-run.js';
import { posixTest } from '../../support/platform.js';

posixTest.each(['--json', '--quiet', ...longRunRows('--no-reports')])(
  'a running download with %s prints a line to standard error',
  async (flag) => {
    const folder = mkdtempSync(join(tmpdir(), 'tankobon-usr2-'));
    const service = await startPracticeService({ latencyMs: { node: 150 } });
    try {
      const env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
      const words = ['download', EXAMPLE_CHAPTERS.first, '-o', folder, flag];
      const { child, finished } = start(words, { env });
      while (!service.log.some(({ host }) => host === 'node')) await delay(5);
      child.kill('SIGUSR2');
      const { code, stdout, stderr } = await finished;
      expect(code).toBe(0);
      expect(stderr.match(/^progress: 0 of 1 chapters.*$/gm)).toHaveLength(1);
      expect(stdout).not.toContain('progress:');
    } finally {
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
