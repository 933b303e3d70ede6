/** The single executable against the package: how large it is, and how long it takes to say something or ask the service. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { buildExecutable } from '../support/executable.js';
import { Practice } from './practice.js';
import { record, type Measurement } from './records.js';
import { firstRequestMs } from './start-up.js';
import { median, medianRatio, rounded } from './statistics.js';
import { tankobon, timed } from './timed-process.js';

const RUNS = 11;
/** So that the general limit of a second has no word in it. */
const PAUSE_MS = 600;

export const executable: Measurement = {
  name: 'executable',
  about: 'size and start of the single executable (needs the npm registry)',
  async run() {
    const file = buildExecutable();
    const folder = mkdtempSync(join(tmpdir(), 'tankobon-executable-'));
    const practice = await Practice.start({ chapters: [{ pages: 1, bytesPerPage: 2_000 }] });
    try {
      record('executable', {
        what: `the file and its archive in MB; from the process's start to its exit, or to the arrival of its first request, ${RUNS} runs each in turn with the package`,
        rows: [...sizes(file, folder), ...(await starts(file, folder, practice))],
      });
    } finally {
      await practice.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function sizes(file: string, folder: string) {
  const archive = join(folder, 'archive.tar.gz');
  execFileSync('tar', ['-czf', archive, '-C', dirname(file), '.']);
  return [
    { of: 'executable', megabytes: rounded(statSync(file).size / 1e6) },
    { of: 'tar.gz', megabytes: rounded(statSync(archive).size / 1e6) },
  ];
}

async function starts(file: string, folder: string, practice: Practice) {
  const [chapter = ''] = practice.chapters();
  const builds = [
    { name: 'executable', build: (...words: readonly string[]) => [file, ...words] },
    { name: 'package', build: tankobon },
  ];
  const wall = (words: readonly string[]) => async (build: typeof tankobon, name: string) =>
    (await timed({ words: build(...words), env: { TANKOBON_HOME: practice.homeOf(name) } })).wallMs;
  const commands = [
    { of: '--version', measure: wall(['--version']) },
    { of: '--help', measure: wall(['--help']) },
    {
      of: 'download: first request',
      measure: (build: typeof tankobon, name: string, run: number) =>
        firstRequestMs(practice, chapter, { output: join(folder, `${name}-${run}`), name, build }),
    },
  ].map((command) => ({ ...command, ms: builds.map((): number[] => []) }));
  // The first run compiles the package, for all that follow.
  for (let run = -1; run < RUNS; run += 1) {
    for (const { measure, ms } of commands) {
      for (const [index, { build, name }] of builds.entries()) {
        const tookMs = await measure(build, name, run);
        if (run >= 0) ms[index]?.push(tookMs);
      }
    }
    await delay(PAUSE_MS);
  }
  return commands.map(({ of, ms: [own = [], others = []] }) => ({
    of,
    medianMs: Math.round(median(own)),
    timesPackage: rounded(medianRatio(own, others)),
    allMs: own.map(Math.round),
  }));
}
