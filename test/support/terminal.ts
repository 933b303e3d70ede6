/** A program at a pseudo-terminal, which terminal.py provides. Needs python3. */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';

export interface TerminalStep {
  /** The text that the screen must show first. */
  readonly awaits: string;
  readonly types: string;
}

export interface TerminalResult {
  /** All that the terminal showed. */
  readonly screen: string;
  /** The exit code, or minus the number of the signal. */
  readonly code: number;
  /** How many steps were left because the screen did not show what they await. */
  readonly untyped: number;
}

/** Runs the command, typing as the steps say. Rejects with the standard error where there is no terminal. */
export function runAtTerminal(
  command: readonly string[],
  options: {
    readonly steps?: readonly TerminalStep[];
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<TerminalResult> {
  return new Promise((done, failed) => {
    const child = execFile(
      'python3',
      [resolve('test/support/terminal.py')],
      { env: { PATH: process.env['PATH'], TERM: 'xterm', ...options.env } },
      (error, stdout, stderr) => {
        if (error) failed(new Error(`terminal.py: ${stderr || error.message}`));
        else done(JSON.parse(stdout) as TerminalResult);
      },
    );
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(JSON.stringify({ command, steps: options.steps ?? [] }));
  });
}
