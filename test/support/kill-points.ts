/** What a kill before a change that the program makes below a folder leaves there. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
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
  /** How many of the changes a long run kills at, at most, spread evenly. */
  readonly maxKills?: number | undefined;
}

/** A long run kills at one of so many changes, at others each time: a few runs reach all of them. */
export const LONG_RUN_STEP = 3;

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

/** `below` may be on another file system. */
function place(copy: string, below: string): void {
  try {
    renameSync(copy, below);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    cpSync(copy, below, { recursive: true, preserveTimestamps: true });
  }
}

/**
 * Calls `check` after each kill. Resolves with the number of changes. One kill is real, and so is each one at which another
 * change is under way; the other ones take the files from a copy that one run made right before that change,
 * which halves the time.
 */
export async function killAtChanges(
  options: KilledRun,
  check: (kill: number) => Promise<void>,
): Promise<number> {
  const countFile = join(options.folder, 'count');
  const copies = join(options.folder, 'copies');
  mkdirSync(copies);
  options.prepare();
  const { code, stderr } = await run(options, {
    KILL_COUNT: countFile,
    ...(IS_LONG_RUN ? { KILL_COPIES: copies } : {}),
  });
  if (code !== 0) throw new Error(stderr);
  const changes = Number(readFileSync(countFile, 'utf8'));
  const { maxKills = changes } = options;
  const step = IS_LONG_RUN ? Math.max(LONG_RUN_STEP, Math.ceil(changes / maxKills)) : changes;
  const real = Math.ceil((Math.random() * changes) / step);
  for (
    let kill = 1 + Math.floor(Math.random() * step), count = 1;
    kill <= changes;
    kill += step, count += 1
  ) {
    options.prepare();
    const copy = join(copies, String(kill));
    if (count !== real && existsSync(copy)) {
      rmSync(options.below, { recursive: true, force: true });
      place(copy, options.below);
      await check(kill);
      continue;
    }
    const { signal } = await run(options, { KILL_AT: String(kill) });
    // A chunk more or less may be written.
    if (signal === 'SIGKILL') await check(kill);
    else if (kill < changes / 2) throw new Error(`not killed at change ${kill} of ${changes}`);
  }
  return changes;
}

export interface RewoundRun {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** All that the program keeps, its home included: it is put back before each run to what it is now. */
  readonly work: string;
  /** Only changes in it are counted; by default all. */
  readonly below?: string;
  /** At how many of the changes it is killed, spread evenly. */
  readonly kills: number;
}

/** Every so many kills of killRewound are real, also where there is a copy: its files have other inodes. */
const REAL_KILL_STEP = 4;

/**
 * Calls `check` after a run to its end, with undefined, and after each kill. Most kills take the files from copies that one
 * run made before the changes; what a run sends is to be kept in `work` by who receives it. Throws if fewer than half of
 * the others were killed: the number of changes differs from run to run.
 */
export async function killRewound(
  { words, env, work, below, kills }: RewoundRun,
  check: (kill: number | undefined) => Promise<void>,
): Promise<void> {
  const [before, countFile] = [`${work}.before`, `${work}.count`];
  cpSync(work, before, { recursive: true, preserveTimestamps: true });
  const rewoundRun = (change: Readonly<Record<string, string>>) => {
    rmSync(work, { recursive: true });
    cpSync(before, work, { recursive: true, preserveTimestamps: true });
    const NODE_OPTIONS = `${process.env['NODE_OPTIONS'] ?? ''} --import=${hook}`;
    const counted: Readonly<Record<string, string>> =
      below === undefined ? {} : { KILL_BELOW: below };
    return tankobon(words, { env: { ...env, NODE_OPTIONS, ...counted, ...change } });
  };
  const { code, stderr } = await rewoundRun({ KILL_COUNT: countFile });
  if (code !== 0) throw new Error(stderr);
  await check(undefined);
  const changes = Number(readFileSync(countFile, 'utf8'));
  const step = Math.max(1, changes / kills);
  const chosen: number[] = [];
  for (let at = 1 + Math.random() * (step - 1); at <= changes; at += step)
    chosen.push(Math.floor(at));
  const copies = `${work}.copies`;
  mkdirSync(copies);
  await rewoundRun({ KILL_COPIES: copies, KILL_COPIED: work, KILL_COPIES_AT: chosen.join() });
  const firstReal = Math.floor(Math.random() * Math.min(REAL_KILL_STEP, chosen.length));
  let killed = 0;
  for (const [index, kill] of chosen.entries()) {
    const copy = join(copies, String(kill));
    const isReal = index % REAL_KILL_STEP === firstReal || !existsSync(copy);
    if (!isReal) {
      rmSync(work, { recursive: true });
      place(copy, work);
    }
    if (!isReal || (await rewoundRun({ KILL_AT: String(kill) })).signal === 'SIGKILL') killed += 1;
    await check(kill);
  }
  if (chosen.length === 0 || killed < chosen.length / 2)
    throw new Error(`killed ${killed} of ${chosen.length} times`);
}
