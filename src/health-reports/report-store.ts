/** The stored reports: adds new ones, and takes those that wait, also those of earlier runs. */
import type { Clock } from '../core/clock.js';
import type { HealthReport } from './health-report.js';
import { Spool, spoolFolder, type LockedReport } from './spool.js';

/** After this many stored reports, excess and outdated ones are removed. */
const PRUNE_EVERY = 500;

export interface ReportStoreOptions {
  /** See reportsFolder. Created if missing. */
  readonly folder: string;
  readonly clock: Clock;
  /** Called for each report that is removed without being sent; `isOwn`: this run recorded it. */
  readonly onDropped: (reason: string, isOwn: boolean) => void;
  /** Called once if reports cannot be stored and are sent from memory. */
  readonly onStorageError?: (error: unknown) => void;
}

export class ReportStore {
  readonly #spool: Spool;
  /** The names of the waiting reports, taken from the end. */
  #names: string[] | undefined;
  #added = 0;
  #hasFailed = false;

  constructor(private readonly options: ReportStoreOptions) {
    this.#spool = new Spool(spoolFolder(options.folder));
  }

  /** Stores the report or, if that fails, keeps it in memory. */
  async add(report: HealthReport, atMs: number): Promise<LockedReport> {
    try {
      const held = await this.#spool.add(report, atMs);
      this.#added += 1;
      if (this.#added % PRUNE_EVERY === 0) this.#prune();
      return held;
    } catch (error) {
      if (!this.#hasFailed) this.options.onStorageError?.(error);
      this.#hasFailed = true;
      const release = (): void => {
        this.options.onDropped('not stored', true);
      };
      return { report, isOwn: true, remove: () => undefined, release };
    }
  }

  /** How many reports may wait; at least one before they are listed. */
  get maxWaiting(): number {
    return this.#names?.length ?? 1;
  }

  get isListed(): boolean {
    return this.#names !== undefined;
  }

  /** Lists the waiting reports: takes time linear in their number. */
  list(): void {
    const names = this.#prune().reverse();
    const isOwn = (name: string) => this.#spool.isOwn(name);
    this.#names = [...names.filter((name) => !isOwn(name)), ...names.filter(isOwn)];
  }

  /** To be listed again before the next one is taken. */
  forgetList(): void {
    this.#names = undefined;
  }

  /** The next waiting report, own ones first; `not-available` if another process holds it; undefined if none is left. */
  async take(): Promise<LockedReport | 'not-available' | undefined> {
    const name = this.#names?.pop();
    if (name === undefined) return undefined;
    const held = await this.#spool.claim(name);
    if (held === 'damaged') this.options.onDropped('damaged', this.#spool.isOwn(name));
    return held === 'damaged' || !held ? 'not-available' : held;
  }

  /** Removes excess and outdated reports. */
  #prune(): string[] {
    const { waiting, dropped } = this.#spool.list(this.options.clock.wallMs());
    for (const { name, reason } of dropped) this.options.onDropped(reason, this.#spool.isOwn(name));
    return waiting;
  }
}
