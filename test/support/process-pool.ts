/** A pool of processes that call a stub server through one shared ledger. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { PeriodScale } from '../../src/service/quotas.js';
import { MODULES_URL } from './build-folders.js';

export interface ProcessPoolOptions {
  readonly processes: number;
  readonly url: string;
  readonly folder: string;
  /** URLs of a ledger server, assigned to the processes in turn, instead of the folder. */
  readonly servers?: readonly string[];
  readonly maxOutageMs?: number;
  readonly path: string;
  readonly periodScale?: PeriodScale;
  /** The whole life of a request; by default that of the program. */
  readonly maxRequestMs?: number;
  /** Concurrent requests of one process. */
  readonly concurrency: number;
  /** Assigned to the processes in turn. */
  readonly variants?: readonly ProcessVariant[];
  /** The error of each process's wall clock, in turn; its sign changes repeatedly. */
  readonly wallOffsetsMs?: readonly number[];
}

export interface ProcessVariant {
  /** Simulates another boot, whose monotonic clock differs by `clockOffsetMs`. */
  readonly boot?: { readonly id: string; readonly host: string };
  readonly clockOffsetMs?: number;
  /** A command that starts node, such as `unshare --time`. */
  readonly launcher?: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

export interface ProcessPoolReport {
  /** Successful requests of each process. */
  readonly shares: readonly number[];
  readonly failures: readonly string[];
  readonly warnings: readonly string[];
}

interface Message {
  readonly ready?: true;
  readonly done?: boolean;
  readonly code?: string;
  readonly message?: string;
  readonly warning?: string;
}

interface PoolProcess {
  readonly child: ChildProcess;
  share: number;
  underWay: number;
}

export class ProcessPool {
  readonly #processes: PoolProcess[] = [];
  readonly #starts: Promise<void>[] = [];
  readonly failures: string[] = [];
  readonly warnings: string[] = [];
  #left = 0;
  #started = 0;
  #onFinished: (() => void) | undefined;

  constructor(private readonly options: ProcessPoolOptions) {}

  /** Resolves when all processes are ready. */
  async startAll(): Promise<void> {
    const { processes } = this.options;
    await Promise.all(Array.from({ length: processes }, () => this.startOne()));
  }

  startOne(): Promise<void> {
    const ready = this.#start();
    this.#starts.push(ready);
    return ready;
  }

  async #start(): Promise<void> {
    const { url, folder, path, periodScale, wallOffsetsMs = [], variants = [] } = this.options;
    const { servers = [], maxOutageMs, maxRequestMs } = this.options;
    const server = servers[this.#started % servers.length];
    const wallOffsetMs = wallOffsetsMs[this.#started % wallOffsetsMs.length];
    const variant: ProcessVariant = variants[this.#started % variants.length] ?? {};
    const { boot, clockOffsetMs, uid, gid, launcher = [] } = variant;
    this.#started += 1;
    const job = {
      url,
      folder,
      path,
      periodScale,
      wallOffsetMs,
      boot,
      clockOffsetMs,
      server,
      maxOutageMs,
      maxRequestMs,
      dist: MODULES_URL,
    };
    const [execPath = process.execPath, ...execArgv]: readonly string[] = [
      ...launcher,
      process.execPath,
    ];
    const script = resolve('test/support/workers/caller.js');
    const child = fork(script, [JSON.stringify(job)], { execPath, execArgv, uid, gid });
    const poolProcess: PoolProcess = { child, share: 0, underWay: 0 };
    const receive = (message: Message): void => {
      this.#receive(poolProcess, message);
    };
    child.on('message', receive);
    child.on('exit', () => {
      // The requests of a killed process are not awaited, and its last messages may come later than its end.
      child.off('message', receive);
      poolProcess.underWay = 0;
      this.#checkFinished();
    });
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => {
        throw new Error('A process ended before it was ready.');
      }),
    ]);
    this.#processes.push(poolProcess);
    if (this.#left > 0) this.#assign(poolProcess);
  }

  /** Distributes the requests; each process gets the next when it has finished one. Resolves when all are done. */
  async call(requests: number): Promise<void> {
    this.#left = requests;
    const finished = new Promise<void>((done) => {
      this.#onFinished = done;
    });
    for (const poolProcess of this.#processes) this.#assign(poolProcess);
    await finished;
  }

  report(): ProcessPoolReport {
    const { failures, warnings } = this;
    return { shares: this.#processes.map(({ share }) => share), failures, warnings };
  }

  /** Kills a random live process with SIGKILL; false if only one is left. */
  killOne(random: () => number): boolean {
    const live = this.#processes.filter(({ child }) => child.exitCode === null && !child.killed);
    const victim = live[Math.floor(random() * live.length)];
    if (live.length < 2 || !victim) return false;
    victim.child.kill('SIGKILL');
    return true;
  }

  async stopAll(): Promise<void> {
    await Promise.allSettled(this.#starts);
    await Promise.all(
      this.#processes.map(async ({ child }) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const exited = once(child, 'exit');
        if (child.connected) child.send('end');
        else child.kill('SIGKILL');
        await exited;
      }),
    );
  }

  #receive(poolProcess: PoolProcess, { done, code, message, warning }: Message): void {
    if (warning !== undefined) this.warnings.push(warning);
    if (done === undefined) return;
    poolProcess.underWay -= 1;
    if (done) poolProcess.share += 1;
    else this.failures.push(`${code ?? 'unknown'}: ${message ?? ''}`);
    this.#assign(poolProcess);
  }

  #assign(poolProcess: PoolProcess): void {
    const { child } = poolProcess;
    while (this.#left > 0 && poolProcess.underWay < this.options.concurrency && child.connected) {
      if (child.killed) break;
      this.#left -= 1;
      poolProcess.underWay += 1;
      child.send('go');
    }
    this.#checkFinished();
  }

  #checkFinished(): void {
    if (this.#left === 0 && this.#processes.every(({ underWay }) => underWay === 0)) {
      this.#onFinished?.();
    }
  }
}
