/**
 * The circuit breaker before the report host: when the host is down, at most one report a minute is sent to see
 * whether it is back. All processes of the machine share it, through one small file beside the journals. Times
 * are by the monotonic clock, which no change of the date moves; after a reboot it starts low, and the worst
 * that comes of that is one probe too early.
 */
import { join } from 'node:path';
import type { Clock } from '../kernel/clock.js';
import { readIfThere, writeWhole } from '../kernel/files.js';
import { lockFile, tryLockFile } from '../kernel/lock.js';
import type { Verdict } from './verdict.js';

/** From one probe of a host that is down to the next. */
export const PROBE_PAUSE_MS = 60_000;
/** Failures in a row, of the kind that passes, after which the host counts as down. */
export const MOST_FAILURES = 3;

/** A lock is held for a write of one small file. */
const LOCK_PATIENCE_MS = 500;
/** Where there can be no lock, each process decides for itself. */
const UNLOCKABLE = { release: () => undefined };

export interface HostState {
  /** When a report was last tried in vain, by the monotonic clock; absent while the host is well. */
  readonly downSinceTryMs?: number;
  /** The last failure, by the wall clock; kept when the host is well again. */
  readonly lastError?: { readonly atMs: number; readonly reason: string };
}

/** `free`: the host is well. `probe`: it is down, and this one report may try. `no`: not now. */
export type Leave = 'free' | 'probe' | 'no';

/** Whether a report may be sent; pure. */
function leaveAt(state: HostState, nowMs: number): Leave {
  if (state.downSinceTryMs === undefined) return 'free';
  const sinceMs = nowMs - state.downSinceTryMs;
  return sinceMs >= PROBE_PAUSE_MS || sinceMs < 0 ? 'probe' : 'no';
}

/** The state as the file has it; a damaged file says nothing, and the host counts as well. */
export async function readHostState(folder: string): Promise<HostState> {
  try {
    const bytes = await readIfThere(stateFile(folder));
    return bytes ? parseState(bytes.toString('utf8')) : {};
  } catch {
    return {};
  }
}

export class Breaker {
  #failures = 0;
  /** Where the file cannot be written, this process at least remembers. */
  #remembered: HostState | undefined;

  constructor(
    private readonly folder: string,
    private readonly clock: Clock,
  ) {}

  async isOpen(): Promise<boolean> {
    return (await this.#state()).downSinceTryMs !== undefined;
  }

  /** Asks for leave to send one report. With `evenNow` a host that is down is probed although it is not time. */
  async ask(evenNow = false): Promise<Leave> {
    const leave = leaveAt(await this.#state(), this.clock.monotonicMs());
    if (leave === 'free' || (leave === 'no' && !evenNow)) return leave;
    return this.#underLock(async () => {
      const state = await this.#state();
      const still = leaveAt(state, this.clock.monotonicMs());
      if (still === 'free' || (still === 'no' && !evenNow)) return still;
      await this.#write({ ...state, downSinceTryMs: this.clock.monotonicMs() });
      return 'probe';
    });
  }

  /** Hears how one report fared. */
  async hear(verdict: Verdict): Promise<void> {
    if (verdict.kind === 'passing' || verdict.kind === 'down') {
      this.#failures += 1;
      return this.#alone(() => this.#noteFailure(verdict));
    }
    // Either way the host is there, and answers.
    this.#failures = 0;
    if (!(await this.isOpen())) return;
    return this.#alone(async () => {
      const { lastError } = await this.#state();
      await this.#write(lastError ? { lastError } : {});
    });
  }

  async #noteFailure(verdict: Extract<Verdict, { kind: 'passing' | 'down' }>): Promise<void> {
    const isDown =
      verdict.kind === 'down' || this.#failures >= MOST_FAILURES || (await this.isOpen());
    await this.#write({
      ...(isDown ? { downSinceTryMs: this.clock.monotonicMs() } : {}),
      lastError: { atMs: this.clock.wallMs(), reason: verdict.reason },
    });
  }

  async #state(): Promise<HostState> {
    return this.#remembered ?? readHostState(this.folder);
  }

  /** Whoever does not get the lock at once leaves the probe to the one who did. */
  async #underLock(decide: () => Promise<Leave>): Promise<Leave> {
    const lock = await tryLockFile(lockFileName(this.folder)).catch(() => UNLOCKABLE);
    if (!lock) return 'no';
    try {
      return await decide();
    } finally {
      lock.release();
    }
  }

  /** Reads and writes with nobody in between. */
  async #alone(change: () => Promise<void>): Promise<void> {
    const wait = { giveUpAfterMs: LOCK_PATIENCE_MS };
    const lock = await lockFile(lockFileName(this.folder), wait).catch(() => UNLOCKABLE);
    try {
      await change();
    } finally {
      lock?.release();
    }
  }

  async #write(state: HostState): Promise<void> {
    try {
      await writeWhole(stateFile(this.folder), JSON.stringify(state), { mode: 0o600 });
      this.#remembered = undefined;
    } catch {
      this.#remembered = state;
    }
  }
}

function lockFileName(folder: string): string {
  return join(folder, 'report-host.lock');
}

function stateFile(folder: string): string {
  return join(folder, 'report-host.json');
}

function parseState(text: string): HostState {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) return {};
  const { downSinceTryMs, lastError } = value as Record<string, unknown>;
  return {
    ...(typeof downSinceTryMs === 'number' ? { downSinceTryMs } : {}),
    ...(isLastError(lastError) ? { lastError } : {}),
  };
}

function isLastError(value: unknown): value is { atMs: number; reason: string } {
  if (typeof value !== 'object' || value === null) return false;
  const { atMs, reason } = value as Record<string, unknown>;
  return typeof atMs === 'number' && typeof reason === 'string';
}
