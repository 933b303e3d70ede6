/** What is known of the reports, with metrics by node and over time. */
import { groupBy } from '../../core/group-by.js';
import type { CircuitState } from './circuit-breaker.js';
import type { RecordedLoad } from './report-journal.js';

export interface ReportStatus {
  readonly sent: number;
  /** Refused by the report host. */
  readonly givenUp: number;
  readonly dropped: number;
  /** Reports given up or dropped, by reason. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly waiting: number;
  readonly oldestWaitingAgeMs?: number;
  /** By the wall clock. */
  readonly lastSentAtMs?: number;
  readonly host: {
    /** `down`: the circuit breaker is open, and at most one report a minute is tried. */
    readonly state: 'up' | 'down';
    readonly lastError?: CircuitState['lastError'];
  };
  readonly nodes: readonly NodeMetrics[];
  readonly overTime: readonly IntervalMetrics[];
  /** Damaged lines of the statistics, which were skipped. */
  readonly damagedLines: number;
}

/** The report host in words. Without a report sent or an error, nothing is known about it. */
export function hostStateOf({ host, sent, givenUp, lastSentAtMs }: ReportStatus) {
  if (host.state === 'down') return 'down';
  const isContacted =
    sent + givenUp > 0 || lastSentAtMs !== undefined || host.lastError !== undefined;
  return isContacted ? 'ok' : 'not contacted yet';
}

/** The times, the share and the rate cover successful loads only; absent if there are none. */
interface Metrics {
  readonly loads: number;
  /** 0 to 1. */
  readonly successRate: number;
  /** 0 to 1. */
  readonly cachedShare?: number;
  readonly medianMs?: number;
  readonly slowestMs?: number;
  /** Total bytes divided by total duration. */
  readonly bytesPerSecond?: number;
}

export interface NodeMetrics extends Metrics {
  readonly node: string;
}

/** Times are by the wall clock. */
export interface IntervalMetrics extends Metrics {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The node with the most loads first. */
export function metricsByNode(loads: readonly RecordedLoad[]): NodeMetrics[] {
  return [...groupBy(loads, (load) => load.node)]
    .map(([node, nodeLoads]) => ({ node, ...metricsOf(nodeLoads) }))
    .sort((a, b) => b.loads - a.loads || (a.node < b.node ? -1 : 1));
}

/** Divides the time from the first load to the last into `count` equal intervals; empty ones are left out. */
export function metricsOverTime(loads: readonly RecordedLoad[], count: number): IntervalMetrics[] {
  if (loads.length === 0) return [];
  const times = loads.map((load) => load.atMs);
  const firstMs = times.reduce((a, b) => Math.min(a, b));
  const lastMs = times.reduce((a, b) => Math.max(a, b));
  const intervalMs = Math.max(1, Math.ceil((lastMs - firstMs + 1) / count));
  return [...groupBy(loads, (load) => Math.floor((load.atMs - firstMs) / intervalMs))]
    .sort(([a], [b]) => a - b)
    .map(([index, intervalLoads]) => {
      const fromMs = firstMs + index * intervalMs;
      return { fromMs, toMs: fromMs + intervalMs, ...metricsOf(intervalLoads) };
    });
}

function metricsOf(loads: readonly RecordedLoad[]): Metrics {
  const successful = loads.filter((load) => load.success);
  const counts = { loads: loads.length, successRate: successful.length / loads.length };
  if (successful.length === 0) return counts;
  const durations = successful.map((load) => load.durationMs).sort((a, b) => a - b);
  const totalMs = durations.reduce((sum, ms) => sum + ms, 0);
  const bytes = successful.reduce((sum, load) => sum + load.bytes, 0);
  return {
    ...counts,
    cachedShare: successful.filter((load) => load.cached).length / successful.length,
    medianMs: median(durations),
    slowestMs: durations.at(-1),
    bytesPerSecond: totalMs > 0 ? Math.round((bytes * 1_000) / totalMs) : undefined,
  };
}

/** Expects sorted numbers. For an even count, the mean of the middle two. */
function median(sorted: readonly number[]): number {
  const middle = (sorted.length - 1) / 2;
  return Math.round(((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2);
}
