/** One run of the simulation: machines, processes, a store and a strict service, with faults. */
import type { LedgerDocument } from '../../../src/service/permits/ledger-document.js';
import { MAX_REQUEST_MS } from '../../../src/service/permits/ledger-rules.js';
import { quotaOf, type Quota } from '../../../src/service/quotas.js';
import { Dice } from './dice.js';
import { EventLoop } from './event-loop.js';
import { Kernel, SharedStore, SimulatedServer } from './machine.js';
import { SimulatedProcess } from './simulated-process.js';
import { StrictService, type Arrival, type ServiceOptions } from './strict-service.js';

export const GENERAL = quotaOf('host');
export const HOME = quotaOf('host GET /at-home/server/{id}');
export const HOUR = quotaOf('host POST /author');
export type Group = 'general' | 'home' | 'hour';
export const GROUPS: Readonly<Record<Group, readonly Quota[]>> = {
  general: [GENERAL],
  home: [GENERAL, HOME],
  hour: [GENERAL, HOUR],
};

export interface FaultKind extends ServiceOptions {
  readonly untilMs: number;
  /** The share of each group in the requests. */
  readonly mix: Readonly<Partial<Record<Group, number>>>;
  /** The quota that decides how much is sent. */
  readonly binding: Quota;
  readonly concurrency?: (dice: Dice) => number;
  readonly isOnServer?: boolean;
  readonly hasTwoKernels?: boolean;
  readonly hasNoLocks?: boolean;
  readonly wallErrorMs?: number;
  readonly uptimeMs?: number;
  /** Requests and responses are slow, or lost. */
  readonly slowNetwork?: boolean;
  /** The network holds a request for minutes after its connection was closed. */
  readonly heldRequests?: number;
  readonly slowAfterStop?: boolean;
  readonly responseMs?: (dice: Dice) => number;
  readonly slowTransactions?: number;
  readonly lateTimers?: number;
  readonly torn?: number;
  readonly lostReplies?: number;
  readonly slowReplies?: number;
  readonly killAtGrant?: number;
  readonly killAfterSend?: number;
  readonly killBeforeSettle?: number;
  readonly killProbe?: number;
  readonly stopAtGrant?: number;
  readonly maxStopMs?: number;
  readonly stopBeforeWrite?: number;
  readonly sleepAtGrant?: number;
  readonly setup: (world: World) => void;
}

export interface Report {
  /** Requests over a limit, by cause. */
  readonly violations: Readonly<Record<string, number>>;
  readonly sent: number;
  /** The share of the binding limit that was used while all waited for it; undefined where none did. */
  readonly use: number | undefined;
  /** The least share of a process against the largest; undefined where faults hit all but one. */
  readonly fairness: number | undefined;
  readonly probesAtOnce: number;
  readonly duringBan: number;
}

export interface ProcessOptions {
  readonly concurrency?: number;
  readonly mix?: FaultKind['mix'];
  readonly isSlow?: boolean;
}

export class World {
  readonly loop = new EventLoop();
  readonly dice: Dice;
  readonly store: SharedStore;
  readonly service: StrictService;
  readonly server: SimulatedServer | undefined;
  readonly kernels: Kernel[] = [];
  readonly processes = new Set<SimulatedProcess>();
  /** All processes, living or not. */
  readonly #all: SimulatedProcess[] = [];
  readonly #violations: Record<string, number> = {};
  readonly #probes = new Set<SimulatedProcess>();
  #probesAtOnce = 0;
  #processIds = 0;
  #boots = 0;
  /** Requests that a fault has delayed after the check, or that the network has held. */
  #hasDelayedRequest = false;
  #isStepped = false;

  constructor(
    readonly kind: FaultKind,
    seed: number,
  ) {
    this.dice = new Dice(seed);
    this.server = kind.isOnServer ? new SimulatedServer(this.loop) : undefined;
    this.store = new SharedStore(this.loop, this.dice, !kind.hasNoLocks);
    const quotas = [GENERAL, HOME, HOUR];
    this.service = new StrictService(this.dice, kind, quotas, (quota, counted) => {
      this.#recordViolation(quota, counted);
    });
    kind.setup(this);
  }

  get isOpen(): boolean {
    return this.loop.nowMs < this.kind.untilMs;
  }

  run(): Report {
    this.loop.runUntil(this.kind.untilMs + MAX_REQUEST_MS + 10_000);
    return {
      violations: this.#violations,
      sent: this.#ownArrivals(GENERAL).length,
      use: this.#use(),
      fairness: this.#fairness(),
      probesAtOnce: this.#probesAtOnce,
      duringBan: this.service.duringBan,
    };
  }

  nextProcessId(): string {
    return `p${(this.#processIds += 1)}`;
  }

  boot(): Kernel {
    const { uptimeMs = this.dice.between(1e3, 1e6), wallErrorMs = 0 } = this.kind;
    const name = `boot${(this.#boots += 1)}`;
    const kernel = new Kernel(name, this.loop, this.dice, { uptimeMs, wallErrorMs });
    this.kernels.push(kernel);
    return kernel;
  }

  start(kernel: Kernel | undefined, options: ProcessOptions = {}): void {
    if (!kernel) return;
    const { concurrency, mix = this.kind.mix, isSlow = false } = options;
    const { dice } = this;
    const process = new SimulatedProcess(this, kernel, {
      concurrency: concurrency ?? this.kind.concurrency?.(dice) ?? 3,
      mix,
      roundTripMs: isSlow ? dice.between(60, 120) : dice.between(0.3, 4),
    });
    if (isSlow) process.isTouched = true;
    this.processes.add(process);
    this.#all.push(process);
    const look = (): void => {
      process.turn();
    };
    this.loop.after(dice.between(0, 20), look, process, 'timer');
  }

  kill(process: SimulatedProcess): void {
    process.isDead = true;
    process.isTouched = true;
    this.processes.delete(process);
    this.store.unlock(process);
  }

  stop(process: SimulatedProcess, durationMs: number): void {
    if (process.isDead || process.isStopped) return;
    process.isStopped = true;
    process.isTouched = true;
    this.loop.after(durationMs, () => {
      if (!process.isDead) this.loop.resume(process);
    });
  }

  sleep(kernel: Kernel, durationMs: number): void {
    for (const process of this.processes) {
      if (process.kernel === kernel) this.stop(process, durationMs);
    }
    kernel.asleepSinceMs = this.loop.nowMs;
    this.loop.after(durationMs, () => {
      kernel.wake();
    });
  }

  shutDown(kernel: Kernel): void {
    for (const process of [...this.processes]) {
      if (process.kernel === kernel) this.kill(process);
    }
    kernel.downSinceMs = this.loop.nowMs;
    this.kernels.splice(this.kernels.indexOf(kernel), 1);
  }

  stepServer(ms: number): void {
    this.#isStepped = true;
    if (this.server) this.server.stepMs += ms;
  }

  /** Puts back an earlier document. */
  restore(): void {
    const earlier = this.dice.pick(this.store.earlier) as LedgerDocument | undefined;
    if (earlier) this.store.lose(structuredClone(earlier));
  }

  transactionMs(): number {
    const { dice, kind } = this;
    return dice.chance(kind.slowTransactions ?? 0) ? dice.between(5, 500) : dice.between(0.05, 0.5);
  }

  timerDelayMs(): number {
    const { dice, kind } = this;
    return dice.chance(kind.lateTimers ?? 0) ? dice.between(5, 400) : dice.between(0, 3);
  }

  /** Whether the process goes on with the request. */
  beforeSend(process: SimulatedProcess): boolean {
    const { dice, kind } = this;
    const { kernel } = process;
    if (dice.chance(kind.stopAtGrant ?? 0))
      this.stop(process, dice.between(1_000, kind.maxStopMs ?? 300_000));
    if (kernel.asleepSinceMs === undefined && dice.chance(kind.sleepAtGrant ?? 0))
      this.sleep(kernel, dice.between(20_000, 300_000));
    if (!dice.chance(kind.killAtGrant ?? 0)) return true;
    this.kill(process);
    return false;
  }

  betweenCheckAndWrite(process: SimulatedProcess): boolean {
    if (!this.dice.chance(this.kind.stopBeforeWrite ?? 0)) return false;
    this.#hasDelayedRequest = true;
    this.stop(process, this.dice.between(1_000, 300_000));
    return true;
  }

  onWrite(process: SimulatedProcess, isProbe: boolean): void {
    const { dice, kind } = this;
    for (const prober of this.#probes)
      if (prober.isDead || prober.isStopped) this.#probes.delete(prober);
    if (isProbe) {
      this.#probes.add(process);
      this.#probesAtOnce = Math.max(this.#probesAtOnce, this.#probes.size);
      if (dice.chance(kind.killProbe ?? 0)) {
        this.loop.after(
          dice.between(0, 30),
          () => {
            if (dice.chance(0.7)) this.kill(process);
            else this.stop(process, dice.between(10_000, 300_000));
          },
          process,
        );
      }
    }
    if (!dice.chance(kind.killAfterSend ?? 0)) return;
    this.loop.after(
      dice.between(0, 60),
      () => {
        this.kill(process);
      },
      process,
    );
  }

  beforeSettle(process: SimulatedProcess): boolean {
    this.#probes.delete(process);
    if (!this.dice.chance(this.kind.killBeforeSettle ?? 0)) return true;
    this.kill(process);
    return false;
  }

  /** How long a request takes to arrive: never longer than its connection lives, unless the network holds it. */
  travelMs(leftMs: number, ageMs: number): number {
    const { dice, kind } = this;
    const maxMs = Math.max(30, leftMs * 0.9999);
    if (dice.chance(kind.heldRequests ?? 0)) {
      this.#hasDelayedRequest = true;
      return dice.between(0, 120_000);
    }
    if (kind.slowAfterStop && ageMs > 1_000 && dice.chance(0.7)) return dice.between(0, maxMs);
    const slow = kind.slowNetwork ? dice.value() : 1;
    if (slow < 0.04) return dice.between(0, Math.min(5_000, maxMs));
    if (slow < 0.08) return dice.between(0, maxMs);
    return slow < 0.1 ? Infinity : Math.min(dice.between(2, 30), maxMs);
  }

  returnMs(): number {
    const { dice, kind } = this;
    const extraMs = kind.responseMs?.(dice) ?? 0;
    const slow = kind.slowNetwork ? dice.value() : 1;
    if (slow < 0.05) return dice.between(0, 5_000);
    if (slow < 0.07) return dice.between(0, 29_000);
    return slow < 0.09 ? Infinity : dice.between(2, 30) + extraMs;
  }

  /** Causes that no ledger can help are named. */
  #recordViolation(quota: Quota, counted: readonly Arrival[]): void {
    const { kind } = this;
    const own = counted.filter(({ request }) => request.sender);
    let cause = 'unexplained';
    if (this.#hasDelayedRequest)
      cause = kind.stopBeforeWrite ? 'stopped before the write' : 'held by the network';
    else if (own.length < counted.length || kind.announced) cause = 'other programs';
    else if (kind.hasTwoKernels) cause = 'two kernels';
    else if (this.store.generation > 0) cause = 'lost ledger';
    else if (this.#isStepped) cause = 'clock step';
    this.#violations[cause] = (this.#violations[cause] ?? 0) + 1;
  }

  #ownArrivals({ key }: Quota): readonly Arrival[] {
    const { arrivals = [] } = this.service.windows.get(key) ?? {};
    return arrivals.filter(({ request, atMs }) => request.sender && atMs <= this.kind.untilMs);
  }

  /** From the time between each request and the one that has to wait for it. */
  #use(): number | undefined {
    const { binding } = this.kind;
    const arrivals = this.#ownArrivals(binding);
    const limit = this.service.windows.get(binding.key)?.limit ?? binding.requests;
    const gaps = arrivals
      .slice(limit)
      .map(({ atMs }, index) => atMs - (arrivals[index]?.atMs ?? atMs));
    const sumMs = gaps.reduce((sum, gap) => sum + gap, 0);
    return gaps.length === 0 ? undefined : (binding.periodMs * gaps.length) / sumMs;
  }

  #fairness(): number | undefined {
    const whole = this.#all.filter(
      ({ isTouched, bornMs, hasWholeMix }) => !isTouched && bornMs < 1_000 && hasWholeMix,
    );
    const shares = whole.map(({ share }) => share);
    const most = Math.max(...shares);
    return shares.length < 2 || most === 0 ? undefined : Math.min(...shares) / most;
  }
}
