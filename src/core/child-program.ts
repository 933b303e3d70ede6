/**
 * Programs of the build that run in a process of their own, since they load a native library: a call of it cannot be
 * interrupted, and what a hostile input does to it stays there.
 */
import {
  spawn,
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  type SpawnOptions,
} from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * @param program its compiled file, which is beside the module that starts it
 * @param options by default the standard streams are pipes
 */
export function spawnProgram(program: URL, args: readonly string[]): ChildProcessWithoutNullStreams;
export function spawnProgram(
  program: URL,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess;
export function spawnProgram(
  program: URL,
  args: readonly string[],
  options: SpawnOptions = {},
): ChildProcess {
  return spawn(process.execPath, [fileURLToPath(program), ...args], {
    env: environmentOfOthers(),
    windowsHide: true,
    ...options,
  });
}

/** A library gets none of this program's own variables, some of which are secrets. */
function environmentOfOthers(): NodeJS.ProcessEnv {
  const variables = Object.entries(process.env).filter(([name]) => !name.startsWith('TANKOBON_'));
  return Object.fromEntries(variables);
}
