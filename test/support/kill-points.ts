/** Runs the program once for each change that it makes below a folder, and kills it before that change. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tankobon } from './command.js';
import { IS_LONG_RUN } from './long-run.js';

export interface KilledRun {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** For the state of the runs: each has its own, since only the files below `below` are under test. */
  readonly folder: string;
  /** Only changes in it are counted. */
  readonly below: string;
  /** Restores what the program changes. */
  readonly prepare: () => void;
  /** How many of the changes a long run kills at, spread evenly; by default all. */
  readonly maxKills?: number | undefined;
}

const hook = pathToFileURL(resolve('test/support/workers/kill-hook.js')).href;

async function run(
  { words, env, folder, below }: KilledRun,
  change: Readonly<Record<string, string>>,
) {
  return tankobon(words, {
    env: {
      ...env,
      TANKOBON_HOME: mkdtempSync(join(folder, 'home-')),
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${hook}`,
      KILL_BELOW: below,
      ...change,
    },
  });
}

/** Calls `check` after each killed run. Resolves with the number of changes. */
export async function killAtEachChange(
  options: KilledRun,
  check: (kill: number) => Promise<void>,
): Promise<number> {
  const count = join(options.folder, 'count');
  options.prepare();
  const { code, stderr } = await run(options, { KILL_COUNT: count });
  if (code !== 0) throw new Error(stderr);
  const changes = Number(readFileSync(count, 'utf8'));
  const { maxKills = changes } = options;
  const step = IS_LONG_RUN ? Math.max(1, Math.ceil(changes / maxKills)) : changes;
  for (let kill = 1 + Math.floor(Math.random() * step); kill <= changes; kill += step) {
    options.prepare();
    const { signal } = await run(options, { KILL_AT: String(kill) });
    // A chunk more or less may be written.
    if (signal === 'SIGKILL') await check(kill);
    else if (kill < changes / 2) throw new Error(`not killed at change ${kill} of ${changes}`);
  }
  return changes;
}
