/** Announces the saved chapters, once for each series; those of a run that was killed with those of the next. */
import type { Got } from 'got';
import { join } from 'node:path';
import type { AppContext } from '../config/context.js';
import { thrownMessage } from '../core/errors.js';
import { openHookKeys } from '../auth/hook-keys.js';
import type { HookService } from '../auth/hook-services.js';
import { EXEC_TIME_LIMIT_MS, runExecHook } from '../download/exec-hook.js';
import { seriesUpdates, type SeriesUpdate } from '../download/series-updates.js';
import {
  kavitaRequest,
  komgaRequest,
  needsSecret,
  ntfyRequest,
  postHook,
  webhookRequest,
  type HookName,
  type HookRequest,
} from './web-hooks.js';
import type { HookOptions } from './hook-options.js';
import { unannounced } from './sync-journal.js';
import type { SyncSession } from './sync-session.js';

/** What hooks are called with, besides the update. */
export interface HookSession {
  readonly hooks: HookOptions;
  readonly context: AppContext;
  readonly got: Got;
  readonly signal: AbortSignal;
}

/** A hook that fails is an event and a warning; it never fails the run. Rejects only when the run is interrupted. */
export async function runHooks(session: SyncSession): Promise<void> {
  const { journal, subscriptions, context, service, userSignal: signal } = session;
  const updates = seriesUpdates(unannounced(journal.state));
  if (updates.length === 0) return;
  const { hooks } = subscriptions;
  const keys = hookKeys(context);
  const hookSession = { hooks, context, got: service.connections.hook, signal };
  for (const update of updates) {
    for (const [hook, action] of hooksOf(update, hookSession, keys))
      await attempt(hook, action, session);
    journal.add({ announced: update.chapters.map(({ id }) => id) });
  }
  for (const [hook, action] of libraryHooks(hookSession, keys))
    await attempt(hook, action, session);
}

/** Calls each hook with a test. The failures, by hook. */
export async function testHooks(
  session: HookSession,
  folder: string,
  names: readonly HookName[],
): Promise<ReadonlyMap<HookName, string | undefined>> {
  const update: SeriesUpdate = {
    event: 'test',
    series: { id: '00000000-0000-4000-8000-000000000000', name: 'tankobon', folder },
    chapters: [],
  };
  const keys = hookKeys(session.context);
  const results = new Map<HookName, string | undefined>();
  for (const [hook, action] of [
    ...hooksOf(update, session, keys),
    ...libraryHooks(session, keys),
  ]) {
    if (!names.includes(hook)) continue;
    const failure = await action().then(
      () => undefined,
      (error: unknown) => thrownMessage(error),
    );
    session.signal.throwIfAborted();
    results.set(hook, failure);
  }
  return results;
}

type Hook = readonly [hook: HookName, action: () => Promise<void>];

/** The hooks that are called for each series. */
function hooksOf(update: SeriesUpdate, session: HookSession, keys: Keys): Hook[] {
  const { exec, webhook, ntfy, kavita } = session.hooks;
  const { context, signal } = session;
  const { env, clock, redactor } = context;
  const list: Hook[] = [];
  if (exec) {
    const options = { env, clock, redactor, timeLimitMs: EXEC_TIME_LIMIT_MS, signal };
    list.push(['exec', () => runExecHook(exec, update, options)]);
  }
  if (webhook) {
    list.push([
      'webhook',
      async () => {
        const secret = needsSecret(webhook) ? await keys.require('webhook') : undefined;
        await post(webhookRequest(webhook, update, secret), session);
      },
    ]);
  }
  if (ntfy !== undefined) {
    list.push([
      'ntfy',
      async () => post(ntfyRequest(ntfy, update, await keys.read('ntfy')), session),
    ]);
  }
  if (kavita) {
    list.push([
      'kavita',
      async () => post(kavitaRequest(kavita, update, await keys.require('kavita')), session),
    ]);
  }
  return list;
}

/** The hooks that are called once for all series. */
function libraryHooks(session: HookSession, keys: Keys): Hook[] {
  const { komga } = session.hooks;
  if (!komga) return [];
  const action = async () => post(komgaRequest(komga, await keys.require('komga')), session);
  return [['komga', action]];
}

function post(request: HookRequest, { got, context, signal }: HookSession): Promise<void> {
  return postHook(request, { got, clock: context.clock, signal });
}

async function attempt(
  hook: HookName,
  action: () => Promise<void>,
  { observeSync, warn, userSignal }: SyncSession,
): Promise<void> {
  try {
    await action();
  } catch (error) {
    userSignal.throwIfAborted();
    const message = thrownMessage(error);
    observeSync({ type: 'hook-failed', hook, message });
    warn(`The hook ${hook} failed: ${message}`);
  }
}

interface Keys {
  readonly read: (service: HookService) => Promise<string | undefined>;
  /** Rejects if there is none. */
  readonly require: (service: HookService) => Promise<string>;
}

/** Each key is read once a run, and hidden in all output. */
function hookKeys(context: AppContext): Keys {
  const stored = openHookKeys(join(context.paths.state, 'credentials'));
  const known = new Map<HookService, string | undefined>();
  const read = async (service: HookService) => {
    if (!known.has(service)) known.set(service, await stored.read(service));
    const key = known.get(service);
    if (key !== undefined) context.redactor.add(key);
    return key;
  };
  return {
    read,
    require: async (service) => {
      const key = await read(service);
      if (key !== undefined) return key;
      throw new Error(`no key is stored. Run: tankobon login --for ${service}`);
    },
  };
}
