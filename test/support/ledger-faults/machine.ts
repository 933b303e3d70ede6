/** Machines with clocks of their own, and the store that their processes share. */
import type { LedgerDocument } from '../../../src/service/permits/ledger-document.js';
import type { FoundDocument } from '../../../src/service/permits/ledger-history.js';
import type { Dice } from './dice.js';
import type { EventLoop } from './event-loop.js';
import type { SimulatedProcess } from './simulated-process.js';

/** A boot of a machine. Its monotonic clock stands still while it sleeps. */
export class Kernel {
  readonly #startMs: number;
  readonly #uptimeMs: number;
  readonly #rate: number;
  readonly #wallOffsetMs: number;
  #sleptMs = 0;
  asleepSinceMs: number | undefined;
  /** When the machine went down: what it has not sent by then never arrives. */
  downSinceMs = Infinity;

  constructor(
    readonly boot: string,
    private readonly loop: EventLoop,
    dice: Dice,
    { uptimeMs, wallErrorMs }: { readonly uptimeMs: number; readonly wallErrorMs: number },
  ) {
    this.#startMs = loop.nowMs;
    this.#uptimeMs = uptimeMs;
    this.#rate = 1 + dice.between(-4e-4, 4e-4);
    this.#wallOffsetMs = dice.between(-wallErrorMs, wallErrorMs);
  }

  get rate(): number {
    return this.#rate;
  }

  monotonicMs(): number {
    const awakeMs = (this.asleepSinceMs ?? this.loop.nowMs) - this.#startMs - this.#sleptMs;
    return this.#uptimeMs + awakeMs * this.#rate;
  }

  wallMs(): number {
    return this.loop.nowMs + this.#wallOffsetMs;
  }

  wake(): void {
    this.#sleptMs += this.loop.nowMs - (this.asleepSinceMs ?? this.loop.nowMs);
    this.asleepSinceMs = undefined;
  }
}

/** What is stored, in a file or on a server. */
export class SharedStore {
  document: FoundDocument;
  hasLockFile = false;
  /** Counts the documents that were lost. */
  generation = 0;
  token = 0;
  /** On a server: when each process looked last. */
  readonly seenMs = new Map<string, number>();
  /** Earlier documents, for faults. */
  readonly earlier: LedgerDocument[] = [];
  #holders = new Map<string, SimulatedProcess>();
  #waiting: { readonly process: SimulatedProcess; readonly run: () => void }[] = [];

  constructor(
    private readonly loop: EventLoop,
    private readonly dice: Dice,
    /** Whether the kernels see each other's locks. */
    private readonly hasLocks: boolean,
  ) {}

  lose(document: FoundDocument): void {
    this.document = document;
    this.generation += 1;
    this.token += 1;
  }

  store(document: LedgerDocument): void {
    this.document = document;
    this.token += 1;
    this.hasLockFile = true;
    if (this.token % 25 !== 0) return;
    this.earlier.push(structuredClone(document));
    if (this.earlier.length > 40) this.earlier.shift();
  }

  /** Calls `run` when the process holds the lock. */
  lock(process: SimulatedProcess, run: () => void): void {
    const name = this.#lockName(process);
    if (this.#holders.has(name)) {
      this.#waiting.push({ process, run });
      return;
    }
    this.#holders.set(name, process);
    run();
  }

  unlock(process: SimulatedProcess): void {
    const name = this.#lockName(process);
    if (this.#holders.get(name) !== process) return;
    this.#holders.delete(name);
    for (const waiting of this.#waiting.splice(0)) {
      const retry = (): void => {
        this.lock(waiting.process, waiting.run);
      };
      this.loop.after(this.dice.between(0, 3), retry, waiting.process, 'timer');
    }
  }

  #lockName({ kernel }: SimulatedProcess): string {
    return this.hasLocks ? 'all' : kernel.boot;
  }
}

/** A server for the ledger, with a clock of its own. */
export class SimulatedServer {
  run = 1;
  stepMs = 0;
  downUntilMs = -1;

  constructor(private readonly loop: EventLoop) {}

  nowMs(): number {
    return 1e9 + this.loop.nowMs + this.stepMs;
  }
}
