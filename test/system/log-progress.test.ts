/** The progress in a log: a line every 30 seconds with --verbose, which takes too long for the other tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { longTitle } from '../../src/practice-server/library/library.js';
import { startPracticeService } from '../../src/practice-server/practice-service.js';
import { start } from '../support/command.js';

const SECONDS = 36;

test('a download that waits for the limits prints it with --verbose, and without it only what happens', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tankobon-log-'));
  const library = longTitle({ chapters: 60 });
  const service = await startPracticeService({
    library,
    limits: { requests: { 'GET /at-home/server/{id}': 6 } },
  });
  try {
    const target = `title:${library.titles()[0]?.id ?? ''}`;
    // Both count in one ledger: the service sees one address.
    const env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
    const runs = [['--verbose'], []].map((flags, index) => {
      const output = join(folder, String(index));
      return start(['download', target, '--language', 'en', '-o', output, ...flags], { env });
    });
    await delay(SECONDS * 1_000);
    for (const { child } of runs) child.kill('SIGINT');
    const [verbose = '', plain = ''] = await Promise.all(
      runs.map(async ({ finished }) => (await finished).stderr),
    );
    const lines = verbose.match(/^progress: .*$/gm) ?? [];
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^progress: \d+ of 60 chapters, .*waiting \d+ s: 6 chapters a minute$/,
    );
    expect(plain).not.toContain('progress:');
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}, 90_000);
