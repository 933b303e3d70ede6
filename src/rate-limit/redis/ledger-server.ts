/**
 * The ledger's server as one process sees it: calls the script, keeps the process registered while it lives, and keeps
 * what each reply says about the clock and the other processes.
 */
import { randomBytes } from 'node:crypto';
import { systemClock, type Clock } from '../../core/clock.js';
import type { ProcessRegistry } from '../ledger-store.js';
import {
  LEDGER_KEYS,
  LEDGER_SCRIPT,
  PROCESS_LIFETIME_MS,
  readReply,
  scriptArgs,
  type ProcessInfo,
  type ScriptCall,
  type Snapshot,
} from './ledger-script.js';
import type { ScriptRunner } from './redis-connection.js';
import { ServerClock } from './server-clock.js';

const HEARTBEAT_MS = PROCESS_LIFETIME_MS / 3;
/** After this long without a reply a process no longer relies on being registered. */
const MAX_CONFIRMED_MS = (PROCESS_LIFETIME_MS * 2) / 3;

export class LedgerServer implements ProcessRegistry {
  readonly ownId: string;
  readonly clock = new ServerClock();
  /** How often the server's clock was stepped. */
  steps = 0;
  #processes: ReadonlyMap<string, ProcessInfo> = new Map();
  /** By the system clock, since the registration lapses in real time. */
  #confirmedMs = -Infinity;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(
    private readonly runner: ScriptRunner,
    private readonly localClock: Clock,
    private readonly host: string,
  ) {
    this.ownId = `${randomBytes(8).toString('hex')}-${process.pid}`;
  }

  /** Stores `next` if `seen` is the latest state; otherwise returns the latest state. Throws RedisFailure. */
  async compareAndSet(states: Pick<ScriptCall, 'seen' | 'next'>): Promise<Snapshot | undefined> {
    return this.#call({ ...states, registration: 'register' });
  }

  /** The state and the processes, without registering this one. */
  async readState(): Promise<{
    readonly latest: Snapshot | undefined;
    readonly processes: ReadonlyMap<string, ProcessInfo>;
  }> {
    const latest = await this.#call({ registration: 'none' });
    return { latest, processes: this.#processes };
  }

  /** Each compareAndSet registers the process, and removes those that have lapsed. */
  register(): Promise<void> {
    this.#heartbeat ??= setInterval(() => {
      void this.#sendHeartbeat();
    }, HEARTBEAT_MS).unref();
    return Promise.resolve();
  }

  livenessOf(processId: string): Promise<'alive' | 'lapsed'> {
    const isAlive = processId === this.ownId || this.#processes.has(processId);
    return Promise.resolve(isAlive ? 'alive' : 'lapsed');
  }

  isConfirmed(): boolean {
    return systemClock.monotonicMs() - this.#confirmedMs < MAX_CONFIRMED_MS;
  }

  async unregister(): Promise<void> {
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
    // Without it the registration lapses.
    if (this.#confirmedMs > -Infinity)
      await this.#call({ registration: 'unregister' }).catch(() => undefined);
    this.runner.close();
  }

  shortenWaits(): void {
    this.runner.shortenWaits();
  }

  async #sendHeartbeat(): Promise<void> {
    const silentMs = systemClock.monotonicMs() - this.#confirmedMs;
    if (silentMs < HEARTBEAT_MS / 2) return;
    // What fails here fails in the next transaction too.
    await this.#call({ registration: 'register' }).catch(() => undefined);
  }

  async #call(call: Omit<ScriptCall, 'id' | 'info'>): Promise<Snapshot | undefined> {
    const startedMs = systemClock.monotonicMs();
    const sentMs = this.localClock.monotonicMs();
    const info = { host: this.host, pid: process.pid };
    const args = scriptArgs({ ...call, id: this.ownId, info });
    const reply = readReply(await this.runner.evaluate(LEDGER_SCRIPT, LEDGER_KEYS, args));
    const receivedMs = this.localClock.monotonicMs();
    const { serverMs, processes, latest } = reply;
    const wallMs = this.localClock.wallMs();
    if (this.clock.measure({ sentMs, receivedMs, wallMs, serverMs })) this.steps += 1;
    this.#processes = processes;
    if (call.registration === 'register') this.#confirmedMs = startedMs;
    return latest;
  }
}
