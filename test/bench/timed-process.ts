/** A whole process, from its start to its exit: how long it took, what it cost, and what it said meanwhile. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { systemClock } from '../../src/core/clock.js';

export interface TimedRun {
  /** By the machine's monotonic clock, which all processes share. */
  readonly startedMs: number;
  readonly wallMs: number;
  /** User and system time together. */
  readonly cpuMs: number;
  readonly peakMebibytes: number;
  /** Lines of standard output, with the moment at which each came, in ms from the start. */
  readonly lines: readonly { readonly atMs: number; readonly text: string }[];
}

export interface Command {
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** The program under measurement, as `npm run build` made it. */
export function tankobon(...words: readonly string[]): readonly string[] {
  return [process.execPath, resolve(process.env['TANKOBON_BIN'] ?? 'bin/tankobon.js'), ...words];
}

/** The same of another build, whose bin is named in TANKOBON_BASELINE, so that two builds meet in one run. */
const BASELINE_BIN = process.env['TANKOBON_BASELINE'];
export const baseline: typeof tankobon | undefined = BASELINE_BIN
  ? (...words) => [process.execPath, BASELINE_BIN, ...words]
  : undefined;

/** Runs the command under GNU time. Rejects where it does not end with exit code 0. */
export async function timed(command: Command): Promise<TimedRun> {
  const folder = mkdtempSync(join(tmpdir(), 'tankobon-timed-'));
  const figures = join(folder, 'figures');
  try {
    const startedMs = systemClock.monotonicMs();
    const words = ['-f', '%U %S %M', '-o', figures, ...command.words];
    const child = spawn('/usr/bin/time', words, {
      cwd: command.cwd ?? folder,
      env: { PATH: process.env['PATH'], HOME: folder, ...command.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const lines: { atMs: number; text: string }[] = [];
    createInterface(child.stdout).on('line', (text) => {
      lines.push({ atMs: systemClock.monotonicMs() - startedMs, text });
    });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
    const code = await new Promise<number | null>((done, failed) => {
      child.once('error', failed);
      child.once('close', done);
    });
    const wallMs = systemClock.monotonicMs() - startedMs;
    if (code !== 0) {
      throw new Error(`${command.words.join(' ')} ended with ${code}: ${complaint}`);
    }
    const [user = 0, system = 0, peakKibibytes = 0] = readFileSync(figures, 'utf8')
      .trim()
      .split(' ')
      .map(Number);
    return {
      startedMs,
      wallMs,
      cpuMs: (user + system) * 1_000,
      peakMebibytes: peakKibibytes / 1024,
      lines,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
