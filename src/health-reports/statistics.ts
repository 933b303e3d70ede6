/** The figures of the health reports: by node, and over time. Pure arithmetic over the loads that are kept. */
import type { Statistics } from './statistics-log.js';

/** One load, as the log keeps it. */
export type PastLoad = Statistics['loads'][number];

export interface NodeFigures {
  readonly node: string;
  readonly loads: number;
  /** Of all loads, 0 to 1. */
  readonly successRate: number;
  /** Of the loads that succeeded, 0 to 1; absent where none did. */
  readonly cachedShare?: number;
  /** Of the loads that succeeded; absent where none did. */
  readonly medianMs?: number;
  readonly slowestMs?: number;
  /** Bytes of the loads that succeeded over the time that they took, each for itself. */
  readonly bytesPerSecond?: number;
}

/** A stretch of time and what was loaded in it. */
export interface TimeFigures extends Omit<NodeFigures, 'node'> {
  /** By the wall clock. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** One line a node, the busiest first. */
export function figuresByNode(loads: readonly PastLoad[]): NodeFigures[] {
  const byNode = new Map<string, PastLoad[]>();
  for (const load of loads) {
    const sofar = byNode.get(load.node);
    if (sofar) sofar.push(load);
    else byNode.set(load.node, [load]);
  }
  return [...byNode]
    .map(([node, ofNode]) => ({ node, ...figuresOf(ofNode) }))
    .sort((one, other) => other.loads - one.loads || (one.node < other.node ? -1 : 1));
}

/** At most `parts` equal stretches from the first load to the last; stretches without a load are left out. */
export function figuresOverTime(loads: readonly PastLoad[], parts: number): TimeFigures[] {
  const times = loads.map((load) => load.atMs);
  const firstMs = times.reduce((least, ms) => Math.min(least, ms), Infinity);
  const lastMs = times.reduce((most, ms) => Math.max(most, ms), -Infinity);
  if (loads.length === 0) return [];
  const lengthMs = Math.max(1, Math.ceil((lastMs - firstMs + 1) / parts));
  const stretches = new Map<number, PastLoad[]>();
  for (const load of loads) {
    const index = Math.floor((load.atMs - firstMs) / lengthMs);
    const sofar = stretches.get(index);
    if (sofar) sofar.push(load);
    else stretches.set(index, [load]);
  }
  return [...stretches]
    .sort(([one], [other]) => one - other)
    .map(([index, inIt]) => {
      const fromMs = firstMs + index * lengthMs;
      return { fromMs, toMs: fromMs + lengthMs, ...figuresOf(inIt) };
    });
}

function figuresOf(loads: readonly PastLoad[]): Omit<NodeFigures, 'node'> {
  const good = loads.filter((load) => load.success);
  const counts = { loads: loads.length, successRate: good.length / loads.length };
  if (good.length === 0) return counts;
  const durations = good.map((load) => load.durationMs).sort((one, other) => one - other);
  const totalMs = durations.reduce((sum, ms) => sum + ms, 0);
  const bytes = good.reduce((sum, load) => sum + load.bytes, 0);
  return {
    ...counts,
    cachedShare: good.filter((load) => load.cached).length / good.length,
    medianMs: median(durations),
    slowestMs: durations.at(-1) ?? 0,
    ...(totalMs > 0 ? { bytesPerSecond: Math.round((bytes * 1_000) / totalMs) } : {}),
  };
}

/** Of numbers in order; the mean of the middle two where there is no middle one. */
function median(ordered: readonly number[]): number {
  const middle = (ordered.length - 1) / 2;
  const low = ordered[Math.floor(middle)] ?? 0;
  const high = ordered[Math.ceil(middle)] ?? 0;
  return Math.round((low + high) / 2);
}
