/**
 * The circuit breaker of the report host: while the host is down, one report a minute is sent as a probe, by all
 * processes of the machine together. The state is in memory, and read again from their common file after a failure and
 * before a probe. Times are of the monotonic clock; after a reboot one probe may be sent too early.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { Clock } from '../../core/clock.js';
import { makeFolders, readFileIfExistsSync } from '../../core/files.js';
import { PRIVATE_FOLDER_MODE } from '../../core/own-folder.js';

/** Between two probes of a host that is down. */
export const PROBE_INTERVAL_MS = 60_000;
/** Temporary failures in a row after which the host counts as down. */
export const MAX_FAILURES = 3;

const stateSchema = z.object({
  /** While the circuit is open: when a report was last tried, by the monotonic clock. */
  lastTryMs: z.number().optional(),
  /** The last failure, by the wall clock; kept when the circuit closes. */
  lastError: z.object({ atMs: z.number(), reason: z.string() }).optional(),
});
export type CircuitState = z.infer<typeof stateSchema>;

/** The common state; a missing or damaged file counts as a closed circuit. */
export function readCircuitState(folder: string): CircuitState {
  try {
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
  #state: CircuitState;
  #isStored = true;

  constructor(
    private readonly folder: string,
    private readonly clock: Clock,
  ) {
    this.#state = readCircuitState(folder);
  }

  isOpen(): boolean {
    return this.#state.lastTryMs !== undefined;
  }

  /** Whether nothing may be sent now, not even a probe. */
  isBlocked(): boolean {
    const { lastTryMs } = this.#state;
    if (lastTryMs === undefined) return false;
    const sinceMs = this.clock.monotonicMs() - lastTryMs;
    return sinceMs >= 0 && sinceMs < PROBE_INTERVAL_MS;
  }

  /** Whether one report may be sent: while the circuit is open, one a minute as a probe. */
  mayRequest(): boolean {
    if (!this.isOpen()) return true;
    if (this.isBlocked()) return false;
    // Another process may have sent the probe.
    this.#readAgain();
    if (this.isBlocked()) return false;
    if (this.isOpen()) this.#write({ ...this.#state, lastTryMs: this.clock.monotonicMs() });
    return true;
  }

  /** Lets the next request through as a probe. */
  makeProbeDue(): void {
    const lastTryMs = this.clock.monotonicMs() - PROBE_INTERVAL_MS;
    if (this.isOpen()) this.#write({ ...this.#state, lastTryMs });
  }

  /** The host responded. */
  recordSuccess(): void {
    this.#failures = 0;
    if (this.isOpen()) this.#write({ lastError: this.#state.lastError });
  }

  /** `isUnavailable`: one failure of this kind opens the circuit. */
  recordFailure(reason: string, isUnavailable: boolean): void {
    this.#failures += 1;
    this.#readAgain();
    const opens = isUnavailable || this.#failures >= MAX_FAILURES || this.isOpen();
    this.#write({
      lastTryMs: opens ? this.clock.monotonicMs() : undefined,
      lastError: { atMs: this.clock.wallMs(), reason },
    });
  }

  #readAgain(): void {
    if (this.#isStored) this.#state = readCircuitState(this.folder);
  }

  /** Where the file cannot be written, each process decides for itself. */
  #write(state: CircuitState): void {
    this.#state = state;
    const file = stateFile(this.folder);
    try {
      makeFolders(dirname(file), PRIVATE_FOLDER_MODE);
      writeFileSync(file, JSON.stringify(state), { mode: 0o600 });
      this.#isStored = true;
    } catch {
      this.#isStored = false;
    }
  }
}

function stateFile(folder: string): string {
  return join(folder, 'report-host.json');
}
