/**
 * Media servers scan the folders in which a run renamed, replaced or removed files, as they do for new chapters. Those
 * that could not be called scan with the next run.
 */
import { join } from 'node:path';
import { MEDIA_SERVERS } from '../config/hook-services.js';
import { commonFolder } from '../events/series-updates.js';
import type { HookOptions } from './hooks/hook-options.js';
import type { SyncJournal, SyncState } from './history.js';
import type { ChangedTitle } from './history/sync-lines.js';
import type { DueTitle, SyncSession } from './sync-session.js';

type MediaServer = (typeof MEDIA_SERVERS)[number];

function mediaServersOf(hooks: HookOptions): readonly MediaServer[] {
  return MEDIA_SERVERS.filter((name) => hooks[name] !== undefined);
}

/**
 * Calls `act`, which passes on each path of the title that it changes. If the run is killed, the next one lets the servers
 * scan.
 */
export async function withScan<T>(
  { id, label: name, output }: DueTitle,
  { journal, subscriptions }: SyncSession,
  act: (onChanged: (path: string) => void) => Promise<T>,
): Promise<T> {
  const servers = mediaServersOf(subscriptions.hooks);
  const changed: string[] = [];
  const onChanged = (path: string): void => {
    changed.push(path);
  };
  if (servers.length === 0) return act(onChanged);
  const before = journal.state.changed.get(id);
  journal.add({ changed: id, name, folder: output, servers: [...servers] });
  try {
    return await act(onChanged);
  } finally {
    const ofBefore = before ? [join(before.folder, 'file')] : [];
    const folder = commonFolder([...changed, ...ofBefore]);
    if (changed.length > 0) journal.add({ changed: id, name, folder, servers: [...servers] });
    else journal.add({ changed: id, ...(before ?? { name, folder: output, servers: [] }) });
  }
}

/** The titles whose folders the server is to scan, by their ids. */
export function changedFor(server: MediaServer, { changed }: SyncState): [string, ChangedTitle][] {
  return [...changed].filter(([, { servers }]) => servers.includes(server));
}

export function recordScan(server: MediaServer, id: string, journal: SyncJournal): void {
  const title = journal.state.changed.get(id);
  if (!title) return;
  const servers = title.servers.filter((each) => each !== server);
  journal.add({ changed: id, ...title, servers });
}

/** Servers that the subscriptions file does not have any more. */
export function forgetRemovedServers(hooks: HookOptions, journal: SyncJournal): void {
  const known = mediaServersOf(hooks);
  for (const server of MEDIA_SERVERS)
    if (!known.includes(server))
      for (const [id] of changedFor(server, journal.state)) recordScan(server, id, journal);
}
