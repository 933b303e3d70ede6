/**
 * Announces the saved chapters, once for each series; those of a run that was killed with those of the next. Hooks that
 * ask for it also hear of failures and of chapters that were taken down.
 */
import { join } from 'node:path';
import type { AppContext } from '../config/context.js';
import { thrownMessage } from '../core/errors.js';
import { openHookKeys } from '../service/login.js';
import {
  HOOK_KEY_NAMES,
  HOOK_SERVICES,
  type HookEvent,
  type HookService,
} from '../config/hook-services.js';
import { HookTimeout, runExecHook } from '../events/exec-hook.js';
import { seriesUpdates, type SeriesUpdate } from '../events/series-updates.js';
import { NO_ID, type HookUpdate } from './hooks/hook-payloads.js';
import {
  kavitaRequest,
  komgaRequest,
  needsSecret,
  ntfyRequest,
  postHook,
  TemporaryHookFailure,
  webhookRequest,
  type HookName,
  type HookSession,
} from './hooks/web-hooks.js';
import { changedFor, forgetRemovedServers, recordScan } from './changed-files.js';
import {
  lastingFailures,
  unknownTo,
  withFailures,
  type TargetNotice,
} from './hooks/known-failures.js';
import type { HookOptions } from './hooks/hook-options.js';
import { isUnknownTo, unannounced } from './history.js';
import type { HookFailureRecord } from './history/sync-lines.js';
import type { SyncSession } from './sync-session.js';

export type { HookOptions } from './hooks/hook-options.js';
export { needsSecret, type HookName } from './hooks/web-hooks.js';

/**
 * A hook that fails is an event and a warning; it never fails the run. Rejects only when the run is interrupted.
 * @param notices the failures, also those that hooks know, and the chapters that were taken down
 */
export async function runHooks(
  session: SyncSession,
  notices: readonly TargetNotice[],
): Promise<void> {
  const { journal, subscriptions } = session;
  forgetEndedFailures(session, notices);
  const updates = seriesUpdates(unannounced(journal.state));
  if (updates.length + notices.length + journal.state.changed.size === 0) return;
  const { hooks } = subscriptions;
  forgetRemovedServers(hooks, journal);
  const run = new HookRun(session);
  try {
    for (const update of updates) await run.announce(update);
    await run.scanFolders(updates);
    if (hooks.komga) await run.scanLibrary(updates);
    for (const notice of notices) await run.notify(notice);
  } finally {
    if (run.failures.length > 0) journal.add({ hooksFailed: run.failures });
  }
}

/** A chapter may fail for good: then its title is not read by each run. All else is tried again by each whole run. */
function forgetEndedFailures(
  { journal, report, options }: SyncSession,
  notices: readonly TargetNotice[],
): void {
  const isWhole = !report.stoppedBy && !options.only;
  for (const [target, known] of journal.state.notified) {
    const updates = notices.filter((each) => each.target === target).map(({ update }) => update);
    const lasting = lastingFailures(
      known,
      updates,
      ({ chapter }) => report.finishedTitles.has(target) || (isWhole && chapter === undefined),
    );
    if (lasting.length < known.length) journal.add({ notified: target, failures: lasting });
  }
}

/** The calls of a run. A hook that did not respond is not called again in it: its attempts take half a minute. */
class HookRun {
  readonly #call: CallHook;
  readonly #unresponsive = new Set<HookName>();
  /** One for each hook. */
  readonly failures: HookFailureRecord[] = [];

  constructor(private readonly session: SyncSession) {
    const { subscriptions, context, service, userSignal: signal } = session;
    const { hooks } = subscriptions;
    this.#call = hookCaller({ hooks, context, got: service.connections.hook, signal });
  }

  /**
   * Calls each hook with the chapters that it does not know, but the one that is called once for all series. Those of a
   * hook that fails are announced with the next run.
   */
  async announce(update: SeriesUpdate): Promise<void> {
    const { journal, subscriptions } = this.session;
    const names = hooksFor(update, subscriptions.hooks);
    const done = new Set<HookName>();
    try {
      for (const name of names.filter((each) => each !== 'komga')) {
        const isUnknown = ({ id }: { readonly id: string }) => isUnknownTo(name, id, journal.state);
        const chapters = update.chapters.filter(isUnknown);
        if (chapters.length > 0 && (await this.attempt(name, { ...update, chapters })))
          done.add(name);
      }
    } finally {
      for (const { id } of update.chapters) {
        const isLeft = (name: HookName) => !done.has(name) && isUnknownTo(name, id, journal.state);
        journal.add({ announced: [id], except: names.filter(isLeft) });
      }
    }
  }

  /** Kavita scans the folder of each title whose files were changed, unless it was called for new chapters there. */
  async scanFolders(updates: readonly SeriesUpdate[]): Promise<void> {
    const { journal } = this.session;
    const { chapters } = journal.state;
    const isLeft = (id: string) => chapters.has(id) && isUnknownTo('kavita', id, journal.state);
    const scanned = updates.filter((update) => !update.chapters.some(({ id }) => isLeft(id)));
    const folders = new Set(scanned.map(({ series }) => series.folder));
    for (const [id, { name, folder }] of changedFor('kavita', journal.state))
      if (folders.has(folder) || (await this.attempt('kavita', scanOf({ id, name, folder }))))
        recordScan('kavita', id, journal);
  }

  /** Komga scans its library once for all series. */
  async scanLibrary(updates: readonly SeriesUpdate[]): Promise<void> {
    const { journal } = this.session;
    const isLeft = (id: string) => journal.state.chapters.get(id)?.hooks?.includes('komga');
    const ids = updates.flatMap(({ chapters }) => chapters.map(({ id }) => id)).filter(isLeft);
    const changed = changedFor('komga', journal.state);
    if (ids.length + changed.length === 0 || !(await this.attempt('komga', scanOf(ALL)))) return;
    for (const [id] of changed) recordScan('komga', id, journal);
    for (const id of ids) {
      const hooks = journal.state.chapters.get(id)?.hooks ?? [];
      journal.add({ announced: [id], except: hooks.filter((each) => each !== 'komga') });
    }
  }

  /** Calls each hook with what it does not know. A failure that it did not hear of is repeated by the next run. */
  async notify({ target, update }: TargetNotice): Promise<void> {
    const { journal, subscriptions } = this.session;
    const names = hooksFor(update, subscriptions.hooks);
    const known = journal.state.notified.get(target) ?? [];
    const left = new Set<HookName>(names);
    try {
      for (const name of names) {
        const unknown = unknownTo(name, update, known);
        if (!unknown || (await this.attempt(name, unknown))) left.delete(name);
      }
    } finally {
      if (update.event === 'failed' && names.length > 0)
        journal.add({ notified: target, failures: withFailures(known, update, [...left]) });
    }
  }

  /** Resolves with whether the hook was called, and did not fail. */
  async attempt(hook: HookName, update: HookUpdate): Promise<boolean> {
    const { listeners, warn, userSignal } = this.session;
    if (this.#unresponsive.has(hook)) {
      const message = 'It was not called again, since it did not respond in this run.';
      listeners.observe({ type: 'hook-failed', hook, message });
      return false;
    }
    try {
      await this.#call(hook, update);
      return true;
    } catch (error) {
      userSignal.throwIfAborted();
      // The next call would take as long in vain.
      if (error instanceof TemporaryHookFailure || error instanceof HookTimeout)
        this.#unresponsive.add(hook);
      const message = thrownMessage(error);
      listeners.observe({ type: 'hook-failed', hook, message });
      if (!this.failures.some((failure) => failure.hook === hook))
        this.failures.push({ hook, message });
      warn(`The hook ${hook} failed: ${message}`, hookHint(error));
      return false;
    }
  }
}

const ALL = { id: NO_ID, name: 'tankobon', folder: '' };

/** Without chapters: for a media server, which looks for changes itself. */
function scanOf(series: SeriesUpdate['series']): SeriesUpdate {
  return { event: 'series-updated', series, chapters: [] };
}

export interface HookFailure {
  readonly message: string;
  readonly hint: string;
}

/** Calls each hook with a test. The failures, by hook. */
export async function testHooks(
  session: HookSession,
  folder: string,
  names: readonly HookName[],
  editCommand: string,
): Promise<ReadonlyMap<HookName, HookFailure | undefined>> {
  const series = { id: NO_ID, name: 'tankobon', folder };
  const update: HookUpdate = { event: 'test', series, chapters: [] };
  const call = hookCaller(session);
  const results = new Map<HookName, HookFailure | undefined>();
  for (const hook of hooksFor(update, session.hooks)) {
    if (!names.includes(hook)) continue;
    const failure = await call(hook, update).then(
      () => undefined,
      (error: unknown) => ({
        message: thrownMessage(error),
        hint: hintFor(hook, error, session) ?? `To correct it, run: ${editCommand}`,
      }),
    );
    session.signal.throwIfAborted();
    results.set(hook, failure);
  }
  return results;
}

/** What to do if a key is missing, or a certificate is not trusted; undefined for other failures. */
function hookHint(error: unknown): string | undefined {
  if (error instanceof MissingKey) return error.hint;
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    if ('code' in at && /SELF_SIGNED|UNABLE_TO/.test(String(at.code)))
      return 'For a certificate of your own, set NODE_EXTRA_CA_CERTS to the file of its authority.';
  return undefined;
}

/** What a person checks first; undefined if that is the hook in the file. */
function hintFor(
  hook: HookName,
  error: unknown,
  { hooks: { webhook } }: HookSession,
): string | undefined {
  const hint = hookHint(error);
  if (hint !== undefined) return hint;
  const service = HOOK_SERVICES.find((each) => each === hook);
  const takesKey = service && (service !== 'webhook' || (webhook && needsSecret(webhook)));
  return takesKey
    ? `Check its address, and the ${HOOK_KEY_NAMES[service]}: tankobon login --for ${service}`
    : undefined;
}

/** In the order in which they are called. */
const HOOK_NAMES = ['exec', 'webhook', 'ntfy', 'kavita', 'komga'] as const;

/** Without `on`, a hook hears of new chapters. */
const DEFAULT_EVENTS: readonly HookEvent[] = ['new'];

/** The hooks that are called with this update. */
function hooksFor({ event }: HookUpdate, hooks: HookOptions): readonly HookName[] {
  const what = event === 'series-updated' ? 'new' : event;
  return HOOK_NAMES.filter((name) => {
    const hook = hooks[name];
    return hook && (what === 'test' || (hook.on ?? DEFAULT_EVENTS).includes(what));
  });
}

type CallHook = (name: HookName, update: HookUpdate) => Promise<void>;

/** How each hook of the file is called. */
type Senders = {
  readonly [Name in HookName]: (
    hook: NonNullable<HookOptions[Name]>,
    update: HookUpdate,
  ) => Promise<void>;
};

/** Calls a hook of the file. */
function hookCaller(session: HookSession): CallHook {
  const { hooks, context, signal } = session;
  const keys = hookKeys(context);
  const senders: Senders = {
    exec: ({ command }, update) => runExecHook(command, update, context, signal),
    webhook: async (hook, update) => {
      const secret = needsSecret(hook) ? await keys.require('webhook') : undefined;
      await postHook(webhookRequest(hook, update, secret), session);
    },
    ntfy: async (hook, update) =>
      postHook(ntfyRequest(hook, update, await keys.read('ntfy')), session),
    kavita: async (hook, update) =>
      postHook(kavitaRequest(hook, update, await keys.require('kavita')), session),
    komga: async (hook) => postHook(komgaRequest(hook, await keys.require('komga')), session),
  };
  const send = async <Name extends HookName>(
    name: Name,
    hook: HookOptions[Name],
    update: HookUpdate,
  ) => {
    if (hook) await senders[name](hook, update);
  };
  return (name, update) => send(name, hooks[name], update);
}

class MissingKey extends Error {
  readonly hint: string;

  constructor(service: HookService) {
    super('no key is stored');
    this.hint = `Run: tankobon login --for ${service}`;
  }
}

/** Each key is read once a run, also from a keychain that does not answer, and hidden in all output. */
function hookKeys(context: AppContext) {
  const stored = openHookKeys(join(context.paths.state, 'credentials'), context.openKeychain);
  const reads = new Map<HookService, Promise<string | undefined>>();
  const read = async (service: HookService) => {
    const reading = reads.get(service) ?? stored.read(service);
    reads.set(service, reading);
    const key = await reading;
    if (key !== undefined) context.redactor.add(key);
    return key;
  };
  return {
    read,
    /** Rejects if there is none. */
    require: async (service: HookService) => {
      const key = await read(service);
      if (key !== undefined) return key;
      throw new MissingKey(service);
    },
  };
}
