/** A practice service with one chapter, and the program as a user other than root, who may write everywhere. */
import { rmSync } from 'node:fs';
import { startPracticeService } from '../../src/practice-server/practice-service.js';
import { generateChapter } from '../../src/practice-server/library/library.js';
import { LOGIN_ENV } from './auth/harness.js';
import { tankobon } from './command.js';
import { copyProgram } from './readable-program.js';

type RunOptions = Parameters<typeof tankobon>[1];

/** Undefined if the tests do not run as root: the program then runs as their user. */
export const otherUid = (uid: number): number | undefined =>
  process.getuid?.() === 0 ? uid : undefined;

export type OtherUserHarness = Awaited<ReturnType<typeof startAsOtherUser>>;

/** @param uid of `otherUid` */
export async function startAsOtherUser(chapterId: string, uid: number | undefined) {
  const copy = uid === undefined ? undefined : copyProgram();
  const chapters = [generateChapter({ id: chapterId, pages: 2, bytesPerPage: 4_000 })];
  // The ledgers of the runs are new, but the service remembers all of them.
  const limits = { general: { requests: 10_000, periodMs: 1_000 }, periodScale: 0.001 };
  const service = await startPracticeService({ chapters, specificationOnly: true, limits });
  return {
    service,
    /** Runs a command line at the service. */
    run: (line: string, options: RunOptions) =>
      tankobon(line.split(' '), {
        ...options,
        env: { ...service.environment, ...LOGIN_ENV, ...options?.env },
        program: copy?.program,
        uid,
      }),
    stop: async (): Promise<void> => {
      if (copy) rmSync(copy.folder, { recursive: true });
      await service.stop();
    },
  };
}
