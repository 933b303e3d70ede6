/** Several processes that call a stand-in through one shared ledger, and the work that is dealt out to them. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PeriodScale } from '../../src/rate-limit/quotas.js';

export interface CrewOptions {
  readonly processes: number;
  readonly url: string;
  readonly folder: string;
  readonly path: string;
  readonly periodScale?: PeriodScale;
  /** Requests of one process at a time. */
  readonly atOnce: number;
  /** What is special about the processes, in turn. */
  readonly members?: readonly MemberOptions[];
  /** By how much each process's wall clock is wrong, in turn; it is stepped to the other side during the run. */
  readonly wallOffsetsMs?: readonly number[];
}

export interface MemberOptions {
  /** As if it ran in another boot, whose monotonic clock is off by so much. */
  readonly boot?: { readonly id: string; readonly host: string };
  readonly clockOffsetMs?: number;
  /** A command that starts node, such as `unshare --time`. */
  readonly launcher?: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

export interface CrewReport {
  /** Requests that were answered well, by process. */
  readonly shares: readonly number[];
  readonly failures: readonly string[];
  readonly warnings: readonly string[];
}

interface Said {
  readonly ready?: true;
  readonly done?: boolean;
  readonly code?: string;
  readonly message?: string;
  readonly warned?: string;
}

const DIST = pathToFileURL(resolve(process.env['TANKOBON_DIST'] ?? 'dist')).href;

export class Crew {
  readonly #members: { readonly child: ChildProcess; share: number; underWay: number }[] = [];
  readonly failures: string[] = [];
  readonly warnings: string[] = [];
  #left = 0;
  #joined = 0;
  #finished: (() => void) | undefined;

  constructor(private readonly options: CrewOptions) {}

  /** Starts the processes; resolves when all could begin. */
  async muster(): Promise<void> {
    const { processes } = this.options;
    await Promise.all(Array.from({ length: processes }, () => this.join()));
  }

  async join(): Promise<void> {
    const { url, folder, path, periodScale, wallOffsetsMs = [], members = [] } = this.options;
    const wallOffsetMs = wallOffsetsMs[this.#joined % wallOffsetsMs.length];
    const special: MemberOptions = members[this.#joined % members.length] ?? {};
    const { boot, clockOffsetMs, uid, gid, launcher = [] } = special;
    this.#joined += 1;
    const job = { url, folder, path, periodScale, wallOffsetMs, boot, clockOffsetMs, dist: DIST };
    const [execPath = process.execPath, ...execArgv]: readonly string[] = [
      ...launcher,
      process.execPath,
    ];
    const child = fork(resolve('test/support/workers/caller.js'), [JSON.stringify(job)], {
      execPath,
      execArgv,
      ...(uid !== undefined && { uid }),
      ...(gid !== undefined && { gid }),
    });
    const member = { child, share: 0, underWay: 0 };
    child.on('message', (said: Said) => {
      if (said.warned !== undefined) this.warnings.push(said.warned);
      if (said.done === undefined) return;
      member.underWay -= 1;
      if (said.done) member.share += 1;
      else this.failures.push(`${said.code ?? 'unknown'}: ${said.message ?? ''}`);
      this.#deal(member);
    });
    child.on('exit', () => {
      // What a killed process had under way is nobody's any more.
      member.underWay = 0;
      this.#check();
    });
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => {
        throw new Error('A process ended before it was ready.');
      }),
    ]);
    this.#members.push(member);
    if (this.#left > 0) this.#deal(member);
  }

  /** Deals out so many requests; each process takes the next when it has done one. Resolves when all are done. */
  async call(requests: number): Promise<void> {
    this.#left = requests;
    const finished = new Promise<void>((done) => {
      this.#finished = done;
    });
    for (const member of this.#members) this.#deal(member);
    await finished;
  }

  report(): CrewReport {
    const { failures, warnings } = this;
    return { shares: this.#members.map(({ share }) => share), failures, warnings };
  }

  /** Kills one of the processes that still live, as SIGKILL does; false where only one is left. */
  killOne(random: () => number): boolean {
    const living = this.#members.filter(({ child }) => child.exitCode === null && !child.killed);
    const victim = living[Math.floor(random() * living.length)];
    if (living.length < 2 || !victim) return false;
    victim.child.kill('SIGKILL');
    return true;
  }

  async dismiss(): Promise<void> {
    await Promise.all(
      this.#members.map(async ({ child }) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const gone = once(child, 'exit');
        if (child.connected) child.send('end');
        else child.kill('SIGKILL');
        await gone;
      }),
    );
  }

  #deal(member: { readonly child: ChildProcess; underWay: number }): void {
    while (this.#left > 0 && member.underWay < this.options.atOnce && member.child.connected) {
      if (member.child.killed) break;
      this.#left -= 1;
      member.underWay += 1;
      member.child.send('go');
    }
    this.#check();
  }

  #check(): void {
    if (this.#left === 0 && this.#members.every(({ underWay }) => underWay === 0)) {
      this.#finished?.();
    }
  }
}
