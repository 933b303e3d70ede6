/**
 * The ledger's own code, several processes of it, and a service that counts strictly, in virtual time. The state
 * goes through its text form at each exchange, as it does on disk.
 */
import { readRecord, textOf } from '../../src/rate-limit/ledger-format.js';
import type { LedgerStore } from '../../src/rate-limit/file-store.js';
import { emptyRecord, openRecord, type LedgerRecord } from '../../src/rate-limit/ledger-record.js';
import type { Clock } from '../../src/core/clock.js';
import type { Liveness } from '../../src/rate-limit/process-registry.js';
import { quotasOf } from '../../src/rate-limit/quotas.js';
import type { Permit } from '../../src/rate-limit/rate-ledger.js';
import { SharedLedger } from '../../src/rate-limit/shared-ledger.js';
import { SimulatedTime } from './fake-clock.js';

export interface SimulationOptions {
  readonly processes: number;
  /** Loops in each process. */
  readonly atOnce: number;
  readonly requests: number;
  readonly path: string;
  readonly seed: number;
  /** From the sending to the arrival, and from there to the answer. */
  readonly travelMs: (random: () => number) => number;
  /** How late a process sends what it has a place for, and how late its timers fire. */
  readonly lateMs?: (random: () => number) => number;
  /** By how much the service's clock is off ours. */
  readonly serviceSkewMs?: number;
  readonly each?: (simulation: Simulation) => void;
  /** Each process runs in one of so many kernels, whose clocks have nothing to do with each other; 1 by default. */
  readonly kernels?: number;
  /** Whether a process sees the locks of those under another kernel. */
  readonly seesForeignLocks?: boolean;
}

export interface ReceivedRequest {
  readonly atMs: number;
  readonly process: number;
}

const ENDPOINT = { requests: 40, periodMs: 60_000 };

export class Simulation {
  readonly time = new SimulatedTime();
  readonly random: () => number;
  readonly arrivals: ReceivedRequest[] = [];
  readonly living = new Set<number>();
  readonly #deaths = new Map<number, () => void>();
  #text: string | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #left: number;

  constructor(private readonly options: SimulationOptions) {
    this.random = seeded(options.seed);
    this.#left = options.requests;
  }

  async run(): Promise<readonly ReceivedRequest[]> {
    const { processes } = this.options;
    const all = Array.from({ length: processes }, (_, process) => this.#process(process));
    await this.time.run(Promise.all(all));
    return this.arrivals;
  }

  /** One process dies at once, without a word; what it has sent still arrives. */
  kill(): void {
    const victims = [...this.living];
    const victim = victims[Math.floor(this.random() * victims.length)];
    if (victim === undefined || victims.length === 1) return;
    this.living.delete(victim);
    this.#deaths.get(victim)?.();
  }

  async #process(process: number): Promise<void> {
    const { atOnce } = this.options;
    this.living.add(process);
    const ledger = new SharedLedger({
      store: this.#store(process),
      company: {
        own: `process-${process}`,
        enter: () => Promise.resolve(),
        sweep: () => Promise.resolve(),
        livenessOf: (holder) => Promise.resolve(this.#livenessOf(process, holder)),
        leave: () => undefined,
      },
      clock: this.#clock(process),
      quotasFor: ({ method, url }) => quotasOf(url.host, method, url.pathname),
    });
    const death = new Promise<'dead'>((resolve) => {
      this.#deaths.set(process, () => {
        resolve('dead');
      });
    });
    await Promise.all(Array.from({ length: atOnce }, () => this.#callAll(process, ledger, death)));
  }

  async #callAll(process: number, ledger: SharedLedger, death: Promise<'dead'>): Promise<void> {
    const { path, lateMs = () => 0 } = this.options;
    const url = new URL(path, 'http://service');
    while (this.#left > 0 && this.living.has(process)) {
      this.#left -= 1;
      const place = await Promise.race([ledger.reserve({ method: 'GET', url }), death]);
      if (place === 'dead') return;
      await this.time.sleep(lateMs(this.random));
      if (!this.living.has(process)) return;
      await this.#send(process, place);
      this.options.each?.(this);
    }
  }

  async #send(process: number, place: Permit): Promise<void> {
    const { travelMs, serviceSkewMs = 0 } = this.options;
    await this.time.sleep(travelMs(this.random));
    const { nowMs } = this.time;
    this.arrivals.push({ atMs: nowMs, process });
    const recent = this.arrivals.filter(({ atMs }) => nowMs - atMs < ENDPOINT.periodMs);
    const wallMs = Date.UTC(2026, 5, 1) + nowMs + serviceSkewMs;
    const oldest = recent[0]?.atMs ?? nowMs;
    await this.time.sleep(travelMs(this.random));
    if (!this.living.has(process)) return;
    void place.settle({
      status: 200,
      headers: {
        date: new Date(wallMs).toUTCString(),
        'x-ratelimit-limit': String(ENDPOINT.requests),
        'x-ratelimit-remaining': String(ENDPOINT.requests - recent.length),
        'x-ratelimit-retry-after': String(
          Math.ceil((wallMs + oldest + ENDPOINT.periodMs - nowMs) / 1_000),
        ),
      },
    });
  }

  #store(process: number): LedgerStore {
    return {
      exchange: (change) => {
        const turn = this.#last.then(async () => {
          // A dead process does nothing any more, whatever its code would have done next.
          if (!this.living.has(process)) return new Promise<never>(() => undefined);
          const clock = this.#clock(process);
          const moment = () => ({ nowMs: clock.monotonicMs(), wallMs: clock.wallMs() });
          const boot = `kernel-${this.#kernelOf(process)}`;
          const opened = openRecord(this.#record(), { ...moment(), boot, host: boot });
          const result = await change(opened.state);
          this.#text = textOf(opened.close(moment()));
          return result;
        });
        this.#last = this.living.has(process) ? turn.catch(() => undefined) : this.#last;
        return turn;
      },
    };
  }

  #record(): LedgerRecord {
    if (this.#text === undefined) return emptyRecord('simulated');
    const record = readRecord(this.#text);
    if (record === 'damaged')
      throw new Error(`The ledger cannot read what it wrote: ${this.#text}`);
    return record;
  }

  #kernelOf(process: number): number {
    return process % (this.options.kernels ?? 1);
  }

  #livenessOf(process: number, holder: string): Liveness {
    const other = Number(holder.split('-')[1]);
    const isOneKernel = this.#kernelOf(process) === this.#kernelOf(other);
    const isSeen = isOneKernel || this.options.seesForeignLocks !== false;
    if (isSeen && this.living.has(other)) return 'alive';
    return isOneKernel ? 'dead' : 'unknown';
  }

  /** Kernels started at different times, and their wall clocks are hours apart. */
  #clock(process: number): Clock {
    const { lateMs = () => 0 } = this.options;
    const kernel = this.#kernelOf(process);
    const clock = this.time.clock(() => lateMs(this.random));
    return {
      ...clock,
      monotonicMs: () => clock.monotonicMs() + kernel * 123_456_789.5,
      wallMs: () => clock.wallMs() - kernel * 7_200_000,
    };
  }
}

/** Mulberry32: small, and the same on every machine. */
export function seeded(seed: number): () => number {
  let at = seed;
  return () => {
    at = (at + 0x6d2b79f5) | 0;
    let mixed = Math.imul(at ^ (at >>> 15), 1 | at);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
