/** `tankobon sync` over a long time: kills, an outage in real time, and a large collection. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { formatIdentityComment } from '../../src/library/mark.js';
import { scanLibrary } from '../../src/library/scan.js';
import { createLibrary, uuidOf } from '../../src/practice-server/library/library.js';
import { startPracticeService } from '../../src/practice-server/practice-service.js';
import { start } from '../support/command.js';
import { countRead } from '../support/count-read.js';
import { emptyZip } from '../support/empty-zip.js';
import { killSync } from '../support/killed-sync.js';
import { readWithinWeek, subscribeMany } from '../support/many-titles.js';
import { PEAK_MEMORY_OPTION, peakKibIn } from '../support/peak-memory.js';
import { DAY_MS, SyncHarness, syncLibrary, syncTitle, titleId } from '../support/sync-harness.js';

const SUBSCRIPTIONS = 2_000;
const ARCHIVES = 10_000;

test('killed at 10 random moments, it ends with every chapter once, and all in the history', async () => {
  await killSync(10, 300, 2_500);
});

test('an outage of 20 seconds in real time is waited for', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tankobon-sync-outage-'));
  const service = await startPracticeService({
    library: syncLibrary(['Alpha', 'Beta'], Date.now() - 9 * DAY_MS),
  });
  try {
    const file = join(folder, 'subscriptions.yaml');
    writeFileSync(
      file,
      `defaults: { output: ${join(folder, 'comics')} }\nseries:\n  - target: title:${titleId('Alpha')}\n  - target: title:${titleId('Beta')}\n`,
    );
    const env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
    const { finished } = start(['sync', '--file', file, '--json'], { env });
    while (service.log.filter(({ host }) => host === 'api').length < 2) await delay(5);
    const reset = { status: 0, delivery: { how: 'reset' } } as const;
    const takeBack = service.intercept('/', () => reset);
    await delay(20_000);
    takeBack();
    const { code, stdout } = await finished;
    expect({ code, saved: stdout.split('"chapter-saved"').length - 1 }).toEqual({
      code: 0,
      saved: 4,
    });
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('10,000 archives are opened once; a run of 2,000 subscriptions with nothing new stays within its limits', async () => {
  const names = Array.from({ length: SUBSCRIPTIONS }, (_, index) => `Title ${index}`);
  const harness = await SyncHarness.start(() =>
    createLibrary({ titles: names.map(syncTitle), chapters: [], lists: [] }),
  );
  try {
    for (let at = 0; at < ARCHIVES; at += 1) {
      const folder = join(harness.base.output, `Series ${at % 500}`);
      mkdirSync(folder, { recursive: true });
      const comment = formatIdentityComment({ chapterId: uuidOf('archive', at) });
      writeFileSync(join(folder, `${at}.cbz`), emptyZip(comment));
    }
    const scan = async () => {
      const read = countRead();
      const startedMs = performance.now();
      const { archives } = await scanLibrary(harness.base.output, {
        stateFolder: harness.base.folder,
      });
      const ms = performance.now() - startedMs;
      const opened = read.files();
      read.restore();
      return { opened, archives: archives.length, ms };
    };
    const first = await scan();
    const second = await scan();
    expect(first).toMatchObject({ opened: ARCHIVES, archives: ARCHIVES });
    expect(second).toMatchObject({ opened: 0, archives: ARCHIVES });
    process.stderr.write(
      `index of ${ARCHIVES} files: ${(first.ms / second.ms).toFixed(1)} times faster\n`,
    );

    harness.write(
      `series:\n${names.map((name) => `  - target: title:${titleId(name)}\n`).join('')}`,
    );
    await harness.sync();
    harness.catalogueRequests();
    // A process of its own, so that its memory and processor time can be measured.
    const env = {
      ...harness.service.environment,
      TANKOBON_HOME: join(harness.base.folder, 'home'),
    };
    const { code, stdout, stderr } = await measured(harness.file, env);
    expect({ code, saved: stdout.includes('"saved":0') }).toEqual({ code: 0, saved: true });
    const { cpuS } = usageIn(stdout);
    const maxRssMb = peakKibIn(stderr) / 1024;
    process.stderr.write(`nothing new: ${cpuS.toFixed(1)} s of CPU, ${maxRssMb.toFixed(0)} MB\n`);
    expect(harness.catalogueRequests().length).toBeLessThanOrEqual(SUBSCRIPTIONS / 100 + 5);
    expect(cpuS).toBeLessThan(10);
    expect(maxRssMb).toBeLessThan(150);
  } finally {
    await harness.stop();
  }
});

test('a daily sync of 2,000 titles reads each within a week', async () => {
  const harness = await subscribeMany(2_000);
  try {
    await readWithinWeek(harness, 2_000, DAY_MS);
  } finally {
    await harness.stop();
  }
});

/** Runs the program with a report of its resources at the end of its output. */
async function measured(file: string, env: Readonly<Record<string, string>>) {
  const report = join(file, '..', 'usage.cjs');
  writeFileSync(
    report,
    `process.on('exit', () => {
      const { userCPUTime, systemCPUTime } = process.resourceUsage();
      require('fs').writeSync(1, JSON.stringify({ type: 'usage', cpuS: (userCPUTime + systemCPUTime) / 1e6 }) + '\\n');
    });`,
  );
  const { finished } = start(['sync', '--file', file, '--json'], {
    env: { ...env, NODE_OPTIONS: `--require ${report} ${PEAK_MEMORY_OPTION}` },
  });
  return finished;
}

function usageIn(stdout: string): { readonly cpuS: number } {
  const line = stdout.split('\n').find((one) => one.includes('"usage"')) ?? '{}';
  return JSON.parse(line) as { cpuS: number };
}
