/** The figures of the health reports, by node and over time. Pure functions of the recorded loads. */
import { groupBy } from '../core/group-by.js';
import type { Statistics } from './statistics-log.js';

export type PastLoad = Statistics['loads'][number];

/** The times, the share and the rate are of the loads that succeeded; absent where none did. */
interface Figures {
  readonly loads: number;
  /** Of all loads, 0 to 1. */
  readonly successRate: number;
  /** 0 to 1. */
  readonly cachedShare?: number;
  readonly medianMs?: number;
  readonly slowestMs?: number;
  /** The bytes divided by the sum of the durations. */
  readonly bytesPerSecond?: number;
}

export interface NodeFigures extends Figures {
  readonly node: string;
}

/** Times are by the wall clock. */
export interface TimeFigures extends Figures {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The node with the most loads first. */
export function figuresByNode(loads: readonly PastLoad[]): NodeFigures[] {
  return [...groupBy(loads, (load) => load.node)]
    .map(([node, ofNode]) => ({ node, ...figuresOf(ofNode) }))
    .sort((a, b) => b.loads - a.loads || (a.node < b.node ? -1 : 1));
}

/** Divides the time from the first load to the last into `count` equal intervals; empty ones are left out. */
export function figuresOverTime(loads: readonly PastLoad[], count: number): TimeFigures[] {
  if (loads.length === 0) return [];
  const times = loads.map((load) => load.atMs);
  const firstMs = times.reduce((a, b) => Math.min(a, b));
  const lastMs = times.reduce((a, b) => Math.max(a, b));
  const intervalMs = Math.max(1, Math.ceil((lastMs - firstMs + 1) / count));
  return [...groupBy(loads, (load) => Math.floor((load.atMs - firstMs) / intervalMs))]
    .sort(([a], [b]) => a - b)
    .map(([index, ofInterval]) => {
      const fromMs = firstMs + index * intervalMs;
      return { fromMs, toMs: fromMs + intervalMs, ...figuresOf(ofInterval) };
    });
}

function figuresOf(loads: readonly PastLoad[]): Figures {
  const good = loads.filter((load) => load.success);
  const counts = { loads: loads.length, successRate: good.length / loads.length };
  if (good.length === 0) return counts;
  const durations = good.map((load) => load.durationMs).sort((a, b) => a - b);
  const totalMs = durations.reduce((sum, ms) => sum + ms, 0);
  const bytes = good.reduce((sum, load) => sum + load.bytes, 0);
  return {
    ...counts,
    cachedShare: good.filter((load) => load.cached).length / good.length,
    medianMs: median(durations),
    slowestMs: durations.at(-1),
    bytesPerSecond: totalMs > 0 ? Math.round((bytes * 1_000) / totalMs) : undefined,
  };
}

/** Of sorted numbers; the mean of the middle two of an even number of them. */
function median(sorted: readonly number[]): number {
  const middle = (sorted.length - 1) / 2;
  return Math.round(((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2);
}
