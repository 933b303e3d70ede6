/**
 * Several processes that use the real ledger code against a service that counts strictly, in simulated time. The state
 * is converted to text and back in each transaction, as on disk.
 */
import { momentOf, type Clock } from '../../src/core/clock.js';
import { parseDocument, serializeDocument } from '../../src/service/permits/ledger-document.js';
import { LedgerHistory } from '../../src/service/permits/ledger-history.js';
import { MAX_REQUEST_MS, type LedgerRules } from '../../src/service/permits/ledger-rules.js';
import type { LedgerStore } from '../../src/service/permits/ledger-store.js';
import { quotaOf, quotasOf } from '../../src/service/quotas.js';
import type { Permit } from '../../src/service/permits/rate-ledger.js';
import { RedisFailure } from '../../src/service/redis/redis-failure.js';
import { RedisStore } from '../../src/service/redis/redis-store.js';
import { SharedLedger } from '../../src/service/permits/shared-ledger.js';
import { SimulatedTime } from './fake-clock.js';
import { ScriptServer } from './script-server.js';
import { seeded } from './seeded.js';

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
  /** The number of kernels, with unrelated clocks, that the processes on a server run in; 1 by default. */
  readonly kernels?: number;
  /** Instead of a file: a server, and how long a message takes to it or from it. */
  readonly serverTravelMs?: (random: () => number) => number;
}

export interface ReceivedRequest {
  readonly atMs: number;
  readonly process: number;
}

const RULES: LedgerRules = { quotaOf, maxRequestMs: MAX_REQUEST_MS };
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
      store: this.options.serverTravelMs ? this.#onServer(process) : this.#onFile(process),
      clock: this.#clock(process),
      rules: RULES,
      quotaKeysOf: ({ method, url }) =>
        quotasOf(url.host, method, url.pathname).map(({ key }) => key),
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
      if (permit.isValid()) await this.#send(process, permit);
      else {
        this.#left += 1;
        await Promise.race([permit.settle('unsent'), death]);
      }
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

  #onFile(process: number): LedgerStore {
    const clock = this.#clock(process);
    const processId = `process-${process}`;
    const history = new LedgerHistory({ processId, host: 'host', rules: RULES });
    const found = () => (this.#text === undefined ? undefined : parseDocument(this.#text));
    return {
      processId,
      isOnServer: false,
      transaction: (change) => {
        const result = this.#last.then(() => {
          // A dead process does nothing more.
          if (!this.living.has(process)) return new Promise<never>(() => undefined);
          const moment = momentOf(clock);
          const reading = { ...moment, boot: 'boot' };
          const opened = history.open(found(), reading, true);
          if ('usedBy' in opened) throw new Error('There is one kernel.');
          const { document } = opened;
          const changed = change({ document, ...moment });
          history.stamp(document, reading);
          this.#text = serializeDocument(document);
          history.remember(document);
          return { result: changed, moment };
        });
        this.#last = this.living.has(process) ? result.catch(() => undefined) : this.#last;
        return result;
      },
      forget: (id) => {
        history.forget(id);
      },
      peek: () => Promise.reject(new Error('Not needed.')),
      shortenWaits: () => undefined,
      close: () => undefined,
    };
  }

  #onServer(process: number): LedgerStore {
    const { serverTravelMs = () => 0 } = this.options;
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
    return new RedisStore({
      runner: { evaluate, shortenWaits: () => undefined, close: () => undefined },
      clock: this.#clock(process),
      host: `kernel-${this.#kernelOf(process)}`,
      displayUrl: 'redis://simulated',
      maxOutageMs: 600_000,
      rules: RULES,
      warn: () => undefined,
    });
  }

  #kernelOf(process: number): number {
    return process % (this.options.kernels ?? 1);
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
