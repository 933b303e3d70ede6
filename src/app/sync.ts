/** One run of `tankobon sync`: which titles have news, series by series what to download, then hooks and report. */
import { toTankobonError, UsageError, type TankobonError } from '../core/errors.js';
import { openDownloadArchive } from '../sync/download-archive.js';
import type { Subscriptions } from '../sync/subscriptions.js';
import { archiveFile, readSyncState, writeSyncState } from '../sync/sync-state.js';
import { UpdatesJournal } from '../sync/updates-journal.js';
import { isTolerable } from '../selection/title-loader.js';
import { shareServer } from './chapter-share.js';
import type { AppContext } from './context.js';
import { downloadRequest } from './download-request.js';
import { withSession } from './download.js';
import type { SeriesReport } from './sync-events.js';
import { runHooks } from './sync-hooks.js';
import { SyncLibraries } from './sync-libraries.js';
import { removeReplaced, syncSeries, type SeriesResult } from './sync-series.js';
import type { SyncListeners, SyncOptions, SyncReport, SyncSession } from './sync-session.js';
import { checkTitles, type DueTitle } from './sync-titles.js';
import { outputOf } from './sync-request.js';

/** Every failure after the start is in the report. Throws UsageError and StorageError before anything is sent. */
export async function runSync(
  context: AppContext,
  subscriptions: Subscriptions,
  options: SyncOptions,
  listeners: SyncListeners,
  signal: AbortSignal,
): Promise<SyncReport> {
  const { folder, maxOutage, share } = options;
  const request = downloadRequest([], { maxOutage, share }, context.settings);
  if (share !== undefined) await shareServer(context);
  const state = await readSyncState(folder);
  const history = await openDownloadArchive(archiveFile(folder));
  return withSession(context, request, listeners, signal, async (service) => {
    const session: SyncSession = {
      ...service,
      options,
      subscriptions,
      state,
      history,
      libraries: new SyncLibraries(folder, service.signal, service.warn),
      journal: new UpdatesJournal(folder),
      observeSync: listeners.observe,
    };
    const run = new SyncRun(session);
    await run.syncTitles();
    return run.finish();
  });
}

class SyncRun {
  readonly #startedAtMs: number;
  readonly #series: SeriesReport[] = [];
  readonly #errors: TankobonError[] = [];
  #titles = 0;
  #notStarted = 0;
  #stoppedBy: TankobonError | undefined;
  #reports = { sent: 0, waiting: 0 };

  constructor(private readonly session: SyncSession) {
    this.#startedAtMs = session.context.clock.wallMs();
  }

  async syncTitles(): Promise<void> {
    const { session } = this;
    try {
      const { titles, due, errors } = await checkTitles(session);
      this.#titles = titles.length;
      if (errors.length === 0) this.#forgetOthers(new Set(titles.map(({ id }) => id)));
      this.#errors.push(...errors);
      await this.#finishReplacements();
      for (const one of due) {
        if (this.#stoppedBy) this.#notStarted += 1;
        else await this.#sync(one);
      }
    } catch (error) {
      if (error instanceof UsageError) throw error;
      this.#stop(toTankobonError(error));
    }
  }

  async #sync(due: DueTitle): Promise<void> {
    const { options, state } = this.session;
    try {
      this.#add(await syncSeries(due, this.session));
    } catch (error) {
      if (!isTolerable(error)) throw error;
      const { id, title } = due;
      const known = state.titles[id];
      if (known) known.isIncomplete = true;
      this.#errors.push(error);
      const counts = { new: 0, replaced: 0, skipped: 0, failed: 1, waiting: [] };
      this.#report({ titleId: id, name: title.name, ...counts });
    }
    if (!options.dryRun) await writeSyncState(options.folder, state);
  }

  #add({ errors, notStarted, stoppedBy, reports, ...series }: SeriesResult): void {
    this.#errors.push(...errors);
    this.#notStarted += notStarted;
    this.#reports = { sent: this.#reports.sent + reports.sent, waiting: reports.waiting };
    this.#report(series);
    if (stoppedBy) this.#stop(stoppedBy);
  }

  #report(series: SeriesReport): void {
    this.#series.push(series);
    const { titleId, waiting, ...counts } = series;
    const event = { ...counts, title: titleId, waiting: waiting.length };
    this.session.observeSync({ type: 'series-synced', ...event });
  }

  /** Titles that are not subscribed to any more: subscribed to again, they are new. */
  #forgetOthers(ids: ReadonlySet<string>): void {
    const { state, options, subscriptions } = this.session;
    if (options.only.length > 0) return;
    const paused = new Set(subscriptions.series.map(({ target }) => target.id));
    const kept = Object.entries(state.titles).filter(([id]) => ids.has(id) || paused.has(id));
    state.titles = Object.fromEntries(kept);
  }

  #stop(error: TankobonError): void {
    this.#stoppedBy ??= error;
  }

  /** A run that was killed may have saved a replacement without removing the replaced archive. */
  async #finishReplacements(): Promise<void> {
    const { session } = this;
    if (session.options.dryRun || Object.keys(session.state.replacements).length === 0) return;
    const { series, follows } = session.subscriptions;
    const all = [...series, ...(follows ? [follows.options] : [])];
    const outputs = all.map((one) => outputOf(one, session.options.file, session.context.settings));
    for (const output of new Set(outputs)) await removeReplaced(output, session);
  }

  async finish(): Promise<SyncReport> {
    const { session } = this;
    const { clock } = session.context;
    const report: Omit<SyncReport, 'stoppedBy'> = {
      startedAtMs: this.#startedAtMs,
      endedAtMs: clock.wallMs(),
      series: this.#series,
      titles: this.#titles,
      errors: this.#errors,
      notStarted: this.#notStarted,
      reports: this.#reports,
    };
    if (!session.options.dryRun) {
      // The state is stored first: a hook may take a while.
      await this.#store(report);
      if (!session.userSignal.aborted) {
        await runHooks(session).catch((error: unknown) => {
          this.#stop(toTankobonError(error));
        });
      }
    }
    return { ...report, stoppedBy: this.#stoppedBy };
  }

  async #store({ startedAtMs, endedAtMs, series }: Omit<SyncReport, 'stoppedBy'>): Promise<void> {
    const { state, options } = this.session;
    const sum = (count: (one: SeriesReport) => number) =>
      series.reduce((total, one) => total + count(one), 0);
    state.lastRun = {
      startedAtMs,
      endedAtMs,
      saved: sum((one) => one.new),
      replaced: sum((one) => one.replaced),
      skipped: sum((one) => one.skipped),
      failed: sum((one) => one.failed),
      stopped: this.#stoppedBy?.code,
    };
    await writeSyncState(options.folder, state);
  }
}
