/**
 * Several processes on the journals of one folder: threads whose calls to the system happen one at a time, in an order
 * that the seed decides. Files and locks are real. A process can be killed before any call and in the middle of a write,
 * be suspended, and find the disk full.
 */
import { Worker } from 'node:worker_threads';
import { MODULES_URL } from './build-folders.js';

export interface Faults {
  /** Kills before the call with this number, of all processes together. */
  readonly killAt?: number;
  /** Kills at random calls; this many processes at most. */
  readonly kills?: number;
  readonly fullDisks?: boolean;
  readonly suspensions?: boolean;
}

interface Message {
  readonly type: 'ready' | 'call' | 'stored' | 'sent' | 'done' | 'ended' | 'failed';
  readonly number?: number;
  readonly call?: string;
  readonly error?: string;
}

const [GO, KILL, FULL] = [1, 2, 3];
/** Reports of one process, which a kill may repeat. */
export const MAX_IN_FLIGHT = 3;

class SimulatedThread {
  readonly control = new Int32Array(new SharedArrayBuffer(8));
  readonly #worker = new Worker(new URL('workers/journal-process.js', import.meta.url), {
    workerData: { control: this.control, maxInFlight: MAX_IN_FLIGHT, modulesUrl: MODULES_URL },
  });
  readonly #messages: Message[] = [];
  #wake: () => void = () => undefined;

  constructor() {
    this.#worker.on('message', (message: Message) => {
      this.#messages.push(message);
      this.#wake();
    });
  }

  async next(): Promise<Message> {
    for (;;) {
      const message = this.#messages.shift();
      if (message) return message;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  start(job: object): void {
    this.#worker.postMessage(job);
  }

  /** Ends the call that it waits before. */
  proceed(ending: number, share: number): void {
    this.control[1] = Math.floor(share * 1_000);
    Atomics.store(this.control, 0, ending);
    Atomics.notify(this.control, 0);
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}

export class JournalSimulation {
  readonly #threads: SimulatedThread[] = [];

  static async open(threads: number): Promise<JournalSimulation> {
    const simulation = new JournalSimulation();
    for (let count = 0; count < threads; count += 1)
      simulation.#threads.push(new SimulatedThread());
    for (const thread of simulation.#threads) await thread.next();
    return simulation;
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.stop()));
  }

  /** Runs processes until all reports are sent; `onCall` is called between any two calls to the system. */
  async run(
    folder: string,
    seed: number,
    faults: Faults,
    onCall: (result: SimulationResult) => void,
  ) {
    const run = new SimulationRun(folder, seed, faults, onCall);
    await run.start(this.#threads.slice(0, -1));
    // The last one is left alone: it delivers what the others left.
    await new SimulationRun(folder, seed, {}, onCall, run.result).start(this.#threads.slice(-1), 0);
    return run.result;
  }
}

export class SimulationResult {
  calls = 0;
  /** Numbers of the reports whose line was written. */
  readonly stored = new Set<number>();
  /** Notifications whose end was written. */
  readonly done = new Set<number>();
  readonly sent = new Set<number>();
  /** Notifications that were sent whose end is not written, by process. */
  readonly inFlight = new Map<number, SimulatedProcess>();
  /** Notifications that were sent again although their end was written, or while another process had them in flight. */
  readonly repeated: number[] = [];
  /** Notifications that were sent again since they were in flight when a process ended. */
  repeatedAfterKill = 0;
  /** The most notifications of one process that a kill would have repeated. */
  maxInFlight = 0;

  lost(): number[] {
    return [...this.stored].filter((number) => !this.sent.has(number));
  }
}

interface SimulatedProcess {
  suspendedUntil: number;
  isLiving: boolean;
}

class SimulationRun {
  readonly #random: () => number;
  #killsLeft: number;
  #isDiskFull = false;
  #nextNumber = 1;

  constructor(
    private readonly folder: string,
    seed: number,
    private readonly faults: Faults,
    private readonly onCall: (result: SimulationResult) => void,
    readonly result = new SimulationResult(),
  ) {
    this.#random = randomOf(seed);
    this.#killsLeft = faults.kills ?? 0;
  }

  async start(threads: readonly SimulatedThread[], loads = 4): Promise<void> {
    const living = new Map<SimulatedThread, SimulatedProcess>();
    const idle: SimulatedThread[] = [...threads];
    const begin = async (thread: SimulatedThread, count: number): Promise<void> => {
      const firstNumber = this.#nextNumber;
      this.#nextNumber += count;
      living.set(thread, { suspendedUntil: 0, isLiving: true });
      thread.start({
        folder: this.folder,
        loads: count,
        firstNumber,
        seed: Math.floor(this.#random() * 1e6),
      });
      if (await this.#untilCall(thread, living)) idle.push(thread);
    };
    for (const thread of idle.splice(0)) await begin(thread, loads);
    while (living.size > 0) {
      const active = [...living].filter(
        ([, { suspendedUntil }]) => suspendedUntil <= this.result.calls,
      );
      const [thread, state] = active[Math.floor(this.#random() * active.length)] ?? [];
      this.result.calls += 1;
      if (!thread || !state) continue;
      if (this.faults.suspensions && this.#random() < 0.01) {
        state.suspendedUntil = this.result.calls + 100;
        continue;
      }
      const isKilled = this.#isKilled();
      thread.proceed(isKilled ? KILL : this.#isFull() ? FULL : GO, this.#random());
      if (await this.#untilCall(thread, living)) {
        idle.push(thread);
        if (isKilled && this.#random() < 0.8) await begin(idle.shift() ?? thread, 3);
      }
      this.onCall(this.result);
    }
  }

  #isKilled(): boolean {
    if (this.result.calls === this.faults.killAt) return true;
    if (this.#killsLeft === 0 || this.#random() > 0.02) return false;
    this.#killsLeft -= 1;
    return true;
  }

  #isFull(): boolean {
    if (this.faults.fullDisks && this.#random() < 0.02) this.#isDiskFull = !this.#isDiskFull;
    return this.#isDiskFull;
  }

  /** True if the process ended. */
  async #untilCall(
    thread: SimulatedThread,
    living: Map<SimulatedThread, SimulatedProcess>,
  ): Promise<boolean> {
    const process = living.get(thread);
    if (!process) throw new Error('The process has ended.');
    for (;;) {
      const { type, number = 0, error } = await thread.next();
      if (type === 'failed') throw new Error(error);
      if (type === 'call') return false;
      if (type === 'ended') {
        living.delete(thread);
        process.isLiving = false;
        return true;
      }
      if (type === 'stored') this.result.stored.add(number);
      if (type === 'sent') this.#recordSent(number, process);
      if (type === 'done') {
        this.result.done.add(number);
        this.result.inFlight.delete(number);
      }
    }
  }

  #recordSent(number: number, process: SimulatedProcess): void {
    const { sent, inFlight, repeated } = this.result;
    if (sent.has(number)) {
      // With full disks, an end may have waited in memory and be lost with the process.
      if (this.faults.fullDisks || inFlight.get(number)?.isLiving === false)
        this.result.repeatedAfterKill += 1;
      else repeated.push(number);
    }
    sent.add(number);
    inFlight.set(number, process);
    const ofProcess = [...inFlight.values()].filter((each) => each === process);
    // With full disks, ends wait in memory.
    if (!this.faults.fullDisks)
      this.result.maxInFlight = Math.max(this.result.maxInFlight, ofProcess.length);
  }
}

function randomOf(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
