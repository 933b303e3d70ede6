/** Announces the saved chapters, once for each series; those of a run that was killed with those of the next. */
import { thrownMessage } from '../core/errors.js';
import { join } from 'node:path';
import { openHookKeys } from '../auth/hook-keys.js';
import type { HookService } from '../auth/hook-services.js';
import { runExecHook } from './exec-hook.js';
import { seriesUpdates, type SeriesUpdate } from './hook-payloads.js';
import {
  kavitaRequest,
  komgaRequest,
  ntfyRequest,
  postHook,
  webhookRequest,
  type HookName,
  type HookRequest,
} from './web-hooks.js';
import { unannounced } from './sync-journal.js';
import type { SyncSession } from './sync-session.js';

const EXEC_TIME_LIMIT_MS = 60_000;

/** A hook that fails is an event and a warning; it never fails the run. Rejects only when the run is interrupted. */
export async function runHooks(session: SyncSession): Promise<void> {
  const { journal, subscriptions } = session;
  const updates = seriesUpdates(unannounced(journal.state));
  if (updates.length === 0) return;
  const keys = hookKeys(session);
  for (const update of updates) {
    for (const [hook, action] of hooksOf(update, session, keys))
      await attempt(hook, action, session);
    journal.add({ announced: update.chapters.map(({ id }) => id) });
  }
  const { komga } = subscriptions.hooks;
  if (!komga) return;
  const action = async () => post(komgaRequest(komga, await keys.require('komga')), session);
  await attempt('komga', action, session);
}

type Hook = readonly [hook: HookName, action: () => Promise<void>];

function hooksOf(update: SeriesUpdate, session: SyncSession, keys: Keys): Hook[] {
  const { exec, webhook, ntfy, kavita } = session.subscriptions.hooks;
  const { context, userSignal: signal } = session;
  const { env, clock, redactor } = context;
  const list: Hook[] = [];
  if (exec) {
    const options = { env, clock, redactor, timeLimitMs: EXEC_TIME_LIMIT_MS, signal };
    list.push(['exec', () => runExecHook(exec, update, options)]);
  }
  if (webhook !== undefined)
    list.push(['webhook', () => post(webhookRequest(webhook, update), session)]);
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

function post(request: HookRequest, session: SyncSession): Promise<void> {
  const { service, context, userSignal: signal } = session;
  return postHook(request, { got: service.connections.hook, clock: context.clock, signal });
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
function hookKeys({ context }: SyncSession): Keys {
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
