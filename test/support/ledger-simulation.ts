/**
 * Several processes that use the real ledger code against a service that counts strictly, in simulated time. The state
 * is converted to text and back in each transaction, as on disk.
 */
import { parseRecord, serializeRecord } from '../../src/rate-limit/ledger-format.js';
import { MAX_REQUEST_MS } from '../../src/rate-limit/ledger-state.js';
import type { LedgerStore, Liveness, ProcessRegistry } from '../../src/rate-limit/ledger-store.js';
import { LedgerServer } from '../../src/rate-limit/redis/ledger-server.js';
import { RedisFailure } from '../../src/rate-limit/redis/redis-failure.js';
import { RedisStore } from '../../src/rate-limit/redis/redis-store.js';
import { emptyRecord, openRecord, type LedgerRecord } from '../../src/rate-limit/ledger-record.js';
import { momentOf, type Clock } from '../../src/core/clock.js';
import { quotasOf } from '../../src/rate-limit/quotas.js';
import type { Permit } from '../../src/rate-limit/rate-ledger.js';
import { SharedLedger } from '../../src/rate-limit/shared-ledger.js';
import { SimulatedTime } from './fake-clock.js';
import { ScriptServer } from './script-server.js';

export interface SimulationOptions {
  readonly processes: number;
  /** Concurrent requests of each process. */
  readonly concurrency: number;
  readonly requests: number;
  readonly path: string;
  readonly seed: number;
  /** From sending to arrival, and from there to the response. */
  readonly travelMs: (random: () => number) => number;
  /** The delay between a permit and its request, and of timers. */
  readonly lateMs?: (random: () => number) => number;
  /** The difference between the service's clock and ours. */
  readonly serviceSkewMs?: number;
  /** Called after each request. */
  readonly onRequest?: (simulation: Simulation) => void;
  /** The number of kernels, with unrelated clocks, that the processes run in; 1 by default. */
  readonly kernels?: number;
  /** Instead of a file: a server, and how long a message takes to it or from it. */
  readonly serverTravelMs?: (random: () => number) => number;
  /** Default: true. */
  readonly seesLocksOfOtherKernels?: boolean;
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
  readonly server = new ScriptServer(() => Date.UTC(2026, 5, 1) + this.time.nowMs);
  isServerDown = false;
  readonly #deaths = new Map<number, () => void>();
  #text: string | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #left: number;

  constructor(private readonly options: SimulationOptions) {
    this.random = seeded(options.seed);
    this.#left = options.requests;
  }

  isDown(): boolean {
    return this.isServerDown;
  }

  async run(): Promise<readonly ReceivedRequest[]> {
    const { processes } = this.options;
    const all = Array.from({ length: processes }, (_, process) => this.#process(process));
    await this.time.run(Promise.all(all));
    return this.arrivals;
  }

  /** Kills a random process; the requests that it has sent still arrive. */
  kill(): void {
    const victims = [...this.living];
    const victim = victims[Math.floor(this.random() * victims.length)];
    if (victim === undefined || victims.length === 1) return;
    this.living.delete(victim);
    this.#deaths.get(victim)?.();
  }

  async #process(process: number): Promise<void> {
    const { concurrency } = this.options;
    this.living.add(process);
    const ledger = new SharedLedger({
      ...(this.options.serverTravelMs ? this.#onServer(process) : this.#onFile(process)),
      clock: this.#clock(process),
      quotasFor: ({ method, url }) => quotasOf(url.host, method, url.pathname),
    });
    const death = new Promise<'dead'>((resolve) => {
      this.#deaths.set(process, () => {
        resolve('dead');
      });
    });
    await Promise.all(
      Array.from({ length: concurrency }, () => this.#callAll(process, ledger, death)),
    );
  }

  async #callAll(process: number, ledger: SharedLedger, death: Promise<'dead'>): Promise<void> {
    const { path, lateMs = () => 0 } = this.options;
    const url = new URL(path, 'http://service');
    while (this.#left > 0 && this.living.has(process)) {
      this.#left -= 1;
      const permit = await Promise.race([ledger.reserve({ method: 'GET', url }), death]);
      if (permit === 'dead') return;
      await this.time.sleep(lateMs(this.random));
      if (!this.living.has(process)) return;
      await this.#send(process, permit);
      this.options.onRequest?.(this);
    }
  }

  async #send(process: number, permit: Permit): Promise<void> {
    const { travelMs, serviceSkewMs = 0 } = this.options;
    await this.time.sleep(travelMs(this.random));
    const { nowMs } = this.time;
    this.arrivals.push({ atMs: nowMs, process });
    const recent = this.arrivals.filter(({ atMs }) => nowMs - atMs < ENDPOINT.periodMs);
    const wallMs = Date.UTC(2026, 5, 1) + nowMs + serviceSkewMs;
    const oldest = recent[0]?.atMs ?? nowMs;
    await this.time.sleep(travelMs(this.random));
    if (!this.living.has(process)) return;
    void permit.settle({
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

  #onFile(process: number): { store: LedgerStore; processes: ProcessRegistry } {
    return {
      store: this.#store(process),
      processes: {
        ownId: `process-${process}`,
        register: () => Promise.resolve(),
        livenessOf: (id) => Promise.resolve(this.#livenessOf(process, id)),
        unregister: () => undefined,
      },
    };
  }

  #onServer(process: number): { store: LedgerStore; processes: ProcessRegistry } {
    const { serverTravelMs = () => 0 } = this.options;
    const clock = this.#clock(process);
    const host = `kernel-${this.#kernelOf(process)}`;
    const evaluate = async (_: unknown, __: unknown, args: readonly string[]): Promise<unknown> => {
      await this.time.sleep(serverTravelMs(this.random));
      // A dead process does nothing more.
      if (!this.living.has(process)) return new Promise<never>(() => undefined);
      if (this.isServerDown) throw new RedisFailure('no connection', true);
      const reply = this.server.evaluate(args);
      await this.time.sleep(serverTravelMs(this.random));
      // The reply is lost although the server did what it was asked.
      if (this.isDown()) throw new RedisFailure('no connection', true);
      return reply;
    };
    const processes = new LedgerServer(
      { evaluate, shortenWaits: () => undefined, close: () => undefined },
      clock,
      host,
    );
    const store = new RedisStore({
      server: processes,
      clock,
      host,
      displayUrl: 'redis://simulated',
      maxOutageMs: 600_000,
      maxRequestMs: MAX_REQUEST_MS,
      warn: () => undefined,
    });
    return { store, processes };
  }

  #store(process: number): LedgerStore {
    return {
      transaction: (change) => {
        const result = this.#last.then(async () => {
          // A dead process does nothing more.
          if (!this.living.has(process)) return new Promise<never>(() => undefined);
          const clock = this.#clock(process);
          const boot = `kernel-${this.#kernelOf(process)}`;
          const opened = openRecord(this.#record(), { ...momentOf(clock), boot, host: boot });
          const value = await change(opened.state);
          this.#text = serializeRecord(opened.close(momentOf(clock)));
          return value;
        });
        this.#last = this.living.has(process) ? result.catch(() => undefined) : this.#last;
        return result;
      },
    };
  }

  #record(): LedgerRecord {
    if (this.#text === undefined) return emptyRecord('simulated');
    const record = parseRecord(this.#text);
    if (record === 'damaged') throw new Error(`The ledger cannot read its own text: ${this.#text}`);
    return record;
  }

  #kernelOf(process: number): number {
    return process % (this.options.kernels ?? 1);
  }

  #livenessOf(process: number, processId: string): Liveness {
    const other = Number(processId.split('-')[1]);
    const isOneKernel = this.#kernelOf(process) === this.#kernelOf(other);
    const isVisible = isOneKernel || this.options.seesLocksOfOtherKernels !== false;
    if (isVisible && this.living.has(other)) return 'alive';
    return isOneKernel ? 'dead' : 'unknown';
  }

  /** Kernels started at different times, and their wall clocks differ by hours. */
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

/** Mulberry32. */
export function seeded(seed: number): () => number {
  let at = seed;
  return () => {
    at = (at + 0x6d2b79f5) | 0;
    let mixed = Math.imul(at ^ (at >>> 15), 1 | at);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
