/**
 * The circuit breaker of the report host: while the host is down, one report a minute is sent as a probe. All processes
 * of the machine share its file. Times are of the monotonic clock; after a reboot one probe may be sent too early.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Clock } from '../core/clock.js';
import { readFileIfExistsSync, writeFileAtomic } from '../core/files.js';
import { lockFile, tryLockFile } from '../core/lock.js';

/** Between two probes of a host that is down. */
export const PROBE_INTERVAL_MS = 60_000;
/** Temporary failures in a row after which the host counts as down. */
export const MAX_FAILURES = 3;

/** A lock is held while one small file is written. */
const MAX_LOCK_WAIT_MS = 500;
/** Without locks, each process decides for itself. */
const NO_LOCK = { release: () => undefined };

const stateSchema = z.object({
  /** While the circuit is open: when a report was last tried, by the monotonic clock. */
  lastTryMs: z.number().optional(),
  /** The last failure, by the wall clock; kept when the circuit closes. */
  lastError: z.object({ atMs: z.number(), reason: z.string() }).optional(),
});
export type CircuitState = z.infer<typeof stateSchema>;

/** The shared state; a damaged file counts as a closed circuit. */
export function readCircuitState(folder: string): CircuitState {
  try {
    // Cheaper than a failed read; usually there has never been a failure.
    if (!existsSync(stateFile(folder))) return {};
    const bytes = readFileIfExistsSync(stateFile(folder), { maxBytes: 4_096 });
    return stateSchema.parse(JSON.parse(bytes?.toString('utf8') ?? '{}'));
  } catch {
    return {};
  }
}

/** Closes the circuit and forgets the last error. */
export function resetCircuit(folder: string): void {
  rmSync(stateFile(folder), { force: true });
}

export class CircuitBreaker {
  #failures = 0;
  /** The state where the file cannot be written. */
  #unwritten: CircuitState | undefined;

  constructor(
    private readonly folder: string,
    private readonly clock: Clock,
  ) {}

  isOpen(): boolean {
    return this.#state().lastTryMs !== undefined;
  }

  /** Whether nothing may be sent now, not even a probe. */
  isBlocked(): boolean {
    const { lastTryMs } = this.#state();
    if (lastTryMs === undefined) return false;
    const sinceMs = this.clock.monotonicMs() - lastTryMs;
    return sinceMs >= 0 && sinceMs < PROBE_INTERVAL_MS;
  }

  /** Whether one report may be sent: while the circuit is open, one a minute as a probe. */
  async mayRequest(): Promise<boolean> {
    if (!this.isOpen()) return true;
    if (this.isBlocked()) return false;
    const lock = await tryLockFile(lockPath(this.folder)).catch(() => NO_LOCK);
    try {
      // A process that holds the lock sends the probe itself.
      if (!lock || this.isBlocked()) return false;
      if (this.isOpen())
        await this.#write({ ...this.#state(), lastTryMs: this.clock.monotonicMs() });
      return true;
    } finally {
      lock?.release();
    }
  }

  /** Lets the next request through as a probe. */
  async makeProbeDue(): Promise<void> {
    const lastTryMs = this.clock.monotonicMs() - PROBE_INTERVAL_MS;
    if (this.isOpen()) await this.#update((state) => ({ ...state, lastTryMs }));
  }

  /** The host responded. */
  async recordSuccess(): Promise<void> {
    this.#failures = 0;
    if (this.isOpen()) await this.#update(({ lastError }) => ({ lastError }));
  }

  /** `isUnavailable`: one failure of this kind opens the circuit. */
  async recordFailure(reason: string, isUnavailable: boolean): Promise<void> {
    this.#failures += 1;
    await this.#update(({ lastTryMs }) => {
      const opens = isUnavailable || this.#failures >= MAX_FAILURES || lastTryMs !== undefined;
      return {
        lastTryMs: opens ? this.clock.monotonicMs() : undefined,
        lastError: { atMs: this.clock.wallMs(), reason },
      };
    });
  }

  #state(): CircuitState {
    return this.#unwritten ?? readCircuitState(this.folder);
  }

  async #update(change: (state: CircuitState) => CircuitState): Promise<void> {
    const wait = { timeoutMs: MAX_LOCK_WAIT_MS };
    const lock = await lockFile(lockPath(this.folder), wait).catch(() => NO_LOCK);
    try {
      await this.#write(change(this.#state()));
    } finally {
      lock?.release();
    }
  }

  async #write(state: CircuitState): Promise<void> {
    try {
      await writeFileAtomic(stateFile(this.folder), JSON.stringify(state), { mode: 0o600 });
      this.#unwritten = undefined;
    } catch {
      this.#unwritten = state;
    }
  }
}

function stateFile(folder: string): string {
  return join(folder, 'circuit-breaker.json');
}

function lockPath(folder: string): string {
  return join(folder, 'circuit-breaker.lock');
}
