/** Runs the program of `--exec` after a run: once for each title with saved chapters, as the hook `exec` of sync. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { thrownMessage, UsageError, type TankobonError } from '../../core/errors.js';
import { expandHome } from '../../core/home-folder.js';
import { shellQuoted } from '../../core/shell-quoted.js';
import { toTankobonError } from '../../core/system-errors.js';
import { titleIdOf } from '../planning/comic-metadata.js';
import type { DownloadSession } from '../download-session.js';
import { runExecHook } from '../../events/exec-hook.js';
import type { PlannedChapter } from '../plan.js';
import { savedUpdate, seriesUpdates } from '../../events/series-updates.js';

interface FilesOfRun {
  /** By the ids of the chapters. */
  readonly saved: ReadonlyMap<string, string>;
  /** The books that have chapters whose files were removed, by these. */
  readonly books: ReadonlyMap<string, string>;
}

/** A program that fails is a warning: the chapters are saved. Resolves with the interruption that stopped it, if one did. */
export async function announceSaved(
  chapters: readonly PlannedChapter[],
  { saved, books }: FilesOfRun,
  { request, context, userSignal: signal, warn }: DownloadSession,
): Promise<TankobonError | undefined> {
  const { exec } = request;
  if (exec === undefined) return undefined;
  const updates = chapters.flatMap(({ job: { id }, chapter, seriesName = '' }) => {
    const file = saved.get(id);
    if (file === undefined) return [];
    const titleId = titleIdOf(chapter) ?? '';
    return [savedUpdate(titleId, seriesName, { ...chapter, id }, books.get(file) ?? file)];
  });
  for (const update of seriesUpdates(updates)) {
    try {
      await runExecHook([expandHome(exec)], update, context, signal);
    } catch (error) {
      if (signal.aborted) return toTankobonError(error);
      warn(`The program of --exec failed: ${thrownMessage(error)}`);
    }
  }
  return undefined;
}

/** Throws UsageError `bad-option` for a program that would not start. */
export function checkProgram(given: string, env: Readonly<NodeJS.ProcessEnv>): void {
  // Windows adds extensions, and looks in more folders.
  if (process.platform === 'win32') return;
  const program = expandHome(given);
  const folders = program.includes('/') ? [''] : (env['PATH'] ?? '').split(delimiter);
  const paths = folders.map((folder) => (folder === '' ? program : join(folder, program)));
  if (paths.some(isExecutable)) return;
  throw new UsageError(
    'bad-option',
    `The program of --exec is not found, or not executable: ${given}`,
    { hint: hintFor(program) },
  );
}

function hintFor(program: string): string {
  if (isFile(program))
    return isExecutable(program)
      ? `For a program in this folder: --exec ./${shellQuoted(program)}`
      : `If it is a script, run: chmod +x ${shellQuoted(program)}`;
  return /\s/.test(program)
    ? 'It is one program without arguments: put the command into a script.'
    : 'Pass the path of a program, such as --exec ./notify.sh';
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return isFile(path);
  } catch {
    return false;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
