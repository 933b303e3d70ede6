/** The program as a user runs it: a process of its own, from the compiled code. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { join } from 'node:path';
import { DIST } from './build-folders.js';

/** The file that node runs. */
export const PROGRAM = join(DIST, 'program/main.js');

export interface Finished {
  /** The exit code; null where a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly finished: Promise<Finished>;
}

/** Starts `tankobon <words>`; of this machine's environment only the path and Node's options are passed. */
export function start(
  words: readonly string[],
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly cwd?: string;
    readonly input?: string;
    /** Needs root, and a program that this user can read. */
    readonly uid?: number;
    /** The file that node runs; the built program by default. */
    readonly program?: string;
  } = {},
): Running {
  const child = spawn(process.execPath, [options.program ?? PROGRAM, ...words], {
    cwd: options.cwd,
    uid: options.uid,
    gid: options.uid,
    env: {
      PATH: process.env['PATH'],
      NODE_OPTIONS: process.env['NODE_OPTIONS'],
      // Most runs have a state folder of their own: each would write a cache that no other run reads.
      TANKOBON_CODE_CACHE: 'false',
      ...options.env,
    },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const finished = new Promise<Finished>((done, failed) => {
    child.once('error', failed);
    child.once('close', (code, signal) => {
      // A user cannot act on a warning of Node.
      if (/^\(node:\d+\) /m.test(stderr)) failed(new Error(`Node warned: ${stderr}`));
      done({ code, signal, stdout, stderr });
    });
  });
  return { child, finished };
}

/** Runs it to its end. */
export async function tankobon(...args: Parameters<typeof start>): Promise<Finished> {
  return start(...args).finished;
}
