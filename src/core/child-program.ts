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
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHILD_PROGRAM_OPTION, isExecutable } from './executable.js';

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
  const words = isExecutable
    ? [CHILD_PROGRAM_OPTION, basename(program.pathname)]
    : [fileURLToPath(program)];
  return spawn(process.execPath, [...words, ...args], {
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
