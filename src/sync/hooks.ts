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
import type { HookOptions } from './hooks/hook-options.js';
import { isUnknownTo, unannounced } from './history.js';
import type { HookFailureRecord } from './history/sync-lines.js';
import type { SyncSession } from './sync-session.js';

export type { HookOptions } from './hooks/hook-options.js';
export { needsSecret, type HookName } from './hooks/web-hooks.js';

/**
 * A hook that fails is an event and a warning; it never fails the run. Rejects only when the run is interrupted.
 * @param notices the failures, and the chapters that were taken down
 */
export async function runHooks(
  session: SyncSession,
  notices: readonly HookUpdate[],
): Promise<void> {
  const { journal, subscriptions, context, service, userSignal: signal } = session;
  const updates = seriesUpdates(unannounced(journal.state));
  if (updates.length + notices.length + journal.state.changed.size === 0) return;
  const { hooks } = subscriptions;
  const keys = hookKeys(context);
  const hookSession = { hooks, context, got: service.connections.hook, signal };
  forgetRemovedServers(hooks, journal);
  const calls = new HookCalls(session);
  try {
    for (const update of updates) await announce(update, hookSession, keys, calls, session);
    await scanFolders(updates, hookSession, keys, calls, session);
    await scanLibraries(updates, hookSession, keys, calls, session);
    for (const notice of notices) {
      for (const hook of hooksOf(notice, hookSession, keys)) await calls.attempt(hook);
    }
  } finally {
    session.report.hooksFailed = calls.failures;
    if (calls.failures.length > 0) journal.add({ hooksFailed: calls.failures });
  }
}

/** Calls each hook with the chapters that it does not know. Those of a hook that fails are announced with the next run. */
async function announce(
  update: SeriesUpdate,
  session: HookSession,
  keys: Keys,
  calls: HookCalls,
  { journal }: SyncSession,
): Promise<void> {
  const unknownTo = (name: string) =>
    update.chapters.filter(({ id }) => isUnknownTo(name, id, journal.state));
  const names = [...hooksOf(update, session, keys), ...libraryHooks(session, keys)].map(
    ([name]) => name,
  );
  const left = new Map(names.map((name) => [name, new Set(unknownTo(name).map(({ id }) => id))]));
  const record = (): void => {
    for (const [id, except] of hooksLeft(update, left)) journal.add({ announced: [id], except });
  };
  try {
    for (const [name] of hooksOf(update, session, keys)) {
      const chapters = unknownTo(name);
      const hook = hooksOf({ ...update, chapters }, session, keys).find(([each]) => each === name);
      if (chapters.length > 0 && hook && (await calls.attempt(hook))) left.delete(name);
    }
  } finally {
    record();
  }
}

/** By the id of each chapter, the hooks that do not know it. */
function hooksLeft(
  { chapters }: SeriesUpdate,
  left: ReadonlyMap<HookName, ReadonlySet<string>>,
): [string, HookName[]][] {
  return chapters.map(({ id }) => [
    id,
    [...left].flatMap(([name, ids]) => (ids.has(id) ? [name] : [])),
  ]);
}

/** Kavita scans the folder of each title whose files were changed, unless it was called for new chapters there. */
async function scanFolders(
  updates: readonly SeriesUpdate[],
  session: HookSession,
  keys: Keys,
  calls: HookCalls,
  { journal }: SyncSession,
): Promise<void> {
  const { chapters } = journal.state;
  const isLeft = (id: string) => chapters.has(id) && isUnknownTo('kavita', id, journal.state);
  const scanned = updates.filter((update) => !update.chapters.some(({ id }) => isLeft(id)));
  const folders = new Set(scanned.map(({ series }) => series.folder));
  for (const [id, { name, folder }] of changedFor('kavita', journal.state)) {
    const series = { id, name, folder };
    const update: SeriesUpdate = { event: 'series-updated', series, chapters: [] };
    const hook = hooksOf(update, session, keys).find(([each]) => each === 'kavita');
    if (folders.has(folder) || !hook || (await calls.attempt(hook)))
      recordScan('kavita', id, journal);
  }
}

/** One call of each server for all series. */
async function scanLibraries(
  updates: readonly SeriesUpdate[],
  session: HookSession,
  keys: Keys,
  calls: HookCalls,
  { journal }: SyncSession,
): Promise<void> {
  for (const hook of libraryHooks(session, keys)) {
    const [name] = hook;
    const isLeft = (id: string) => journal.state.chapters.get(id)?.hooks?.includes(name);
    const ids = updates.flatMap(({ chapters }) => chapters.map(({ id }) => id)).filter(isLeft);
    const changed = changedFor('komga', journal.state);
    if (ids.length + changed.length === 0 || !(await calls.attempt(hook))) continue;
    for (const [id] of changed) recordScan('komga', id, journal);
    for (const id of ids) {
      const hooks = journal.state.chapters.get(id)?.hooks ?? [];
      journal.add({ announced: [id], except: hooks.filter((each) => each !== name) });
    }
  }
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
  const update: HookUpdate = {
    event: 'test',
    series: { id: NO_ID, name: 'tankobon', folder },
    chapters: [],
  };
  const keys = hookKeys(session.context);
  const results = new Map<HookName, HookFailure | undefined>();
  for (const [hook, action] of [
    ...hooksOf(update, session, keys),
    ...libraryHooks(session, keys),
  ]) {
    if (!names.includes(hook)) continue;
    const failure = await action().then(
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

/** What a person checks first; undefined if that is the hook in the file. */
function hintFor(
  hook: HookName,
  error: unknown,
  { hooks: { webhook } }: HookSession,
): string | undefined {
  if (error instanceof MissingKey) return error.hint;
  const service = HOOK_SERVICES.find((each) => each === hook);
  const takesKey = service && (service !== 'webhook' || (webhook && needsSecret(webhook)));
  return takesKey
    ? `Check its address, and the ${HOOK_KEY_NAMES[service]}: tankobon login --for ${service}`
    : undefined;
}

type Hook = readonly [hook: HookName, action: () => Promise<void>];

/** Without `on`, a hook hears of new chapters. */
const DEFAULT_EVENTS: readonly HookEvent[] = ['new'];

function isWanted({ event }: HookUpdate, on: readonly HookEvent[] = DEFAULT_EVENTS): boolean {
  return event === 'test' || on.includes(event === 'series-updated' ? 'new' : event);
}

/** The hooks that are called for a series with this update. */
function hooksOf(update: HookUpdate, session: HookSession, keys: Keys): Hook[] {
  const wanted = Object.entries(session.hooks).filter(([, { on }]) => isWanted(update, on));
  const { exec, webhook, ntfy, kavita } = Object.fromEntries(wanted) as HookOptions;
  const { context, signal } = session;
  const list: Hook[] = [];
  if (exec) list.push(['exec', () => runExecHook(exec.command, update, context, signal)]);
  if (webhook) {
    list.push([
      'webhook',
      async () => {
        const secret = needsSecret(webhook) ? await keys.require('webhook') : undefined;
        await postHook(webhookRequest(webhook, update, secret), session);
      },
    ]);
  }
  if (ntfy) {
    list.push([
      'ntfy',
      async () => postHook(ntfyRequest(ntfy, update, await keys.read('ntfy')), session),
    ]);
  }
  if (kavita) {
    list.push([
      'kavita',
      async () => postHook(kavitaRequest(kavita, update, await keys.require('kavita')), session),
    ]);
  }
  return list;
}

/** The hooks that are called once for all series. */
function libraryHooks(session: HookSession, keys: Keys): Hook[] {
  const { komga } = session.hooks;
  if (!komga) return [];
  const action = async () => postHook(komgaRequest(komga, await keys.require('komga')), session);
  return [['komga', action]];
}

/** The calls of a run. A hook that did not respond is not called again in it: its attempts take half a minute. */
class HookCalls {
  readonly #unresponsive = new Set<HookName>();
  /** One for each hook. */
  readonly failures: HookFailureRecord[] = [];

  constructor(private readonly session: Pick<SyncSession, 'listeners' | 'warn' | 'userSignal'>) {}

  /** Resolves with whether the hook was called, and did not fail. */
  async attempt([hook, action]: Hook): Promise<boolean> {
    const { listeners, warn, userSignal } = this.session;
    if (this.#unresponsive.has(hook)) {
      const message = 'It was not called again, since it did not respond in this run.';
      listeners.observe({ type: 'hook-failed', hook, message });
      return false;
    }
    try {
      await action();
      return true;
    } catch (error) {
      userSignal.throwIfAborted();
      if (isUnresponsive(error)) this.#unresponsive.add(hook);
      const message = thrownMessage(error);
      listeners.observe({ type: 'hook-failed', hook, message });
      if (!this.failures.some((failure) => failure.hook === hook))
        this.failures.push({ hook, message });
      const hint = error instanceof MissingKey ? error.hint : undefined;
      warn(`The hook ${hook} failed: ${message}`, hint);
      return false;
    }
  }
}

/** Whether the next call would take as long in vain. */
function isUnresponsive(error: unknown): boolean {
  return error instanceof TemporaryHookFailure || error instanceof HookTimeout;
}

class MissingKey extends Error {
  readonly hint: string;

  constructor(service: HookService) {
    super('no key is stored');
    this.hint = `Run: tankobon login --for ${service}`;
  }
}

interface Keys {
  readonly read: (service: HookService) => Promise<string | undefined>;
  /** Rejects if there is none. */
  readonly require: (service: HookService) => Promise<string>;
}

/** Each key is read once a run, also from a keychain that does not answer, and hidden in all output. */
function hookKeys(context: AppContext): Keys {
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
    require: async (service) => {
      const key = await read(service);
      if (key !== undefined) return key;
      throw new MissingKey(service);
    },
  };
}
