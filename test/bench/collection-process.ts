/** The practice service of a collection in a process of its own, and commands whose clock runs faster than the real one. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tankobon, timed, type TimedRun } from './timed-process.js';

const SPEED = 20;
const HOOK = new URL('fast-clock-hook.js', import.meta.url).href;

export interface CollectionService {
  /** Runs a command of the built program with this state folder. */
  run(words: readonly string[], home: string): Promise<MeasuredRun>;
  stop(): void;
}

export interface MeasuredRun extends TimedRun {
  /** The number of times that an archive was opened. */
  readonly opened: number;
}

export async function startCollectionService(titles: number): Promise<CollectionService> {
  const program = fileURLToPath(new URL('collection-service.js', import.meta.url));
  const child = fork(program, [String(titles)]);
  const [environment] = (await once(child, 'message')) as [Readonly<Record<string, string>>];
  return {
    run: async (words, home) => {
      const folder = mkdtempSync(join(tmpdir(), 'tankobon-opened-'));
      const opened = join(folder, 'opened');
      try {
        const run = await timed({
          words: tankobon(...words),
          env: {
            ...environment,
            TANKOBON_HOME: home,
            NODE_OPTIONS: `--import=${HOOK}`,
            BENCH_SPEED: String(SPEED),
            BENCH_OPENED: opened,
          },
        });
        return { ...run, opened: Number(readFileSync(opened, 'utf8')) };
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
    stop: () => {
      child.disconnect();
    },
  };
}
