/**
 * The log behind `tankobon report-status`: each line is a batch of loads and counts, as JSON. Processes append
 * under a lock; a large log is rewritten as one line. A killed process loses at most one batch.
 */
import { constants } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import {
  createFile,
  makePrivateFolder,
  openRegularFile,
  readFileIfExists,
  statIfExists,
  writeFileAtomic,
} from '../core/files.js';
import { parseJson } from '../core/json.js';
import { lockFile } from '../core/lock.js';

/** Loads that a rewritten log keeps. */
export const MAX_LOADS = 5_000;
const MAX_LOG_BYTES = 2 * 2 ** 20;
/** A larger file was not written by tankobon. */
const MAX_READ_BYTES = 4 * MAX_LOG_BYTES;
const LOADS_PER_BATCH = 50;
/** Distinct reasons that are counted; further ones are counted together. */
const MAX_REASONS = 30;
const MAX_LOCK_WAIT_MS = 500;

const count = z.number().int().nonnegative();
const statisticsSchema = z.object({
  sent: count,
  givenUp: count,
  dropped: count,
  /** Reports given up or dropped, by reason. */
  reasons: z.record(z.string(), count),
  /** By the wall clock; 0 if none was sent. */
  lastSentAtMs: count,
  /** Those of one process are in order. */
  loads: z.array(
    z.object({
      /** When the load ended, by the wall clock. */
      atMs: count,
      /** The host of the node, with its port. */
      node: z.string(),
      success: z.boolean(),
      bytes: count,
      durationMs: count,
      cached: z.boolean(),
    }),
  ),
});
export type Statistics = z.infer<typeof statisticsSchema>;

export class StatisticsLog {
  #batch = noStatistics();
  #written = Promise.resolve();

  constructor(private readonly folder: string) {}

  add(statistics: Partial<Statistics>): void {
    addTo(this.#batch, { ...noStatistics(), ...statistics });
    if (this.#batch.loads.length >= LOADS_PER_BATCH) void this.flush();
  }

  /** Writes what was added. Never rejects: the statistics are dispensable. */
  flush(): Promise<void> {
    this.#written = this.#written.then(() => this.#write()).catch(() => undefined);
    return this.#written;
  }

  async #write(): Promise<void> {
    const batch = this.#batch;
    this.#batch = noStatistics();
    const file = logFile(this.folder);
    await makePrivateFolder(this.folder);
    await underLock(this.folder, async () => {
      const stats = await statIfExists(file);
      if (stats && stats.size > MAX_LOG_BYTES) await rewrite(this.folder);
      const handle = stats
        ? await openRegularFile(file, { flags: constants.O_WRONLY | constants.O_APPEND })
        : await createFile(file, { mode: 0o600 });
      // The line break first, so that a line cut off by a kill does not damage this one.
      await handle.writeFile(`\n${JSON.stringify(batch)}`).finally(() => handle.close());
    });
  }
}

export async function readStatistics(
  folder: string,
): Promise<{ readonly statistics: Statistics; readonly damagedLines: number }> {
  const bytes = await readFileIfExists(logFile(folder), { maxBytes: MAX_READ_BYTES });
  const lines = bytes?.toString('utf8').split('\n').filter(Boolean) ?? [];
  const batches = lines
    .map((line) => statisticsSchema.safeParse(parseJson(line)).data)
    .filter((batch) => batch !== undefined);
  return {
    statistics: batches.reduce(addTo, noStatistics()),
    damagedLines: lines.length - batches.length,
  };
}

export async function removeStatistics(folder: string): Promise<void> {
  await underLock(folder, () => rm(logFile(folder), { force: true }));
}

async function rewrite(folder: string): Promise<void> {
  const { statistics } = await readStatistics(folder);
  statistics.loads = statistics.loads.slice(-MAX_LOADS);
  await writeFileAtomic(logFile(folder), JSON.stringify(statistics), { mode: 0o600 });
}

async function underLock(folder: string, action: () => Promise<void>): Promise<void> {
  const options = { timeoutMs: MAX_LOCK_WAIT_MS };
  const lock = await lockFile(join(folder, 'statistics.lock'), options);
  await action().finally(() => lock?.release());
}

function noStatistics(): Statistics {
  return { sent: 0, givenUp: 0, dropped: 0, reasons: {}, lastSentAtMs: 0, loads: [] };
}

function addTo(sum: Statistics, other: Statistics): Statistics {
  sum.sent += other.sent;
  sum.givenUp += other.givenUp;
  sum.dropped += other.dropped;
  sum.lastSentAtMs = Math.max(sum.lastSentAtMs, other.lastSentAtMs);
  for (const [reason, times] of Object.entries(other.reasons)) {
    const isKnown = Object.hasOwn(sum.reasons, reason);
    const name = isKnown || Object.keys(sum.reasons).length < MAX_REASONS ? reason : 'other';
    sum.reasons[name] = (Object.hasOwn(sum.reasons, name) ? (sum.reasons[name] ?? 0) : 0) + times;
  }
  for (const load of other.loads) sum.loads.push(load);
  return sum;
}

function logFile(folder: string): string {
  return join(folder, 'statistics.jsonl');
}
