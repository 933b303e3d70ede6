/**
 * What a journal says when it is read from beginning to end: which reports wait, how many ended in which way,
 * and the last loads for the figures. Pure; everything it keeps is bounded.
 */
import { nodeOf } from './health-report.js';
import {
  toLine,
  type DueEntry,
  type JournalEntry,
  type PastLoad,
  type SettledEntry,
  type Totals,
} from './journal-line.js';

/** Settled loads kept for the figures, per journal. */
export const LOADS_KEPT = 5_000;
/** Reasons counted one by one; the rest count together. */
const REASONS_KEPT = 30;

export interface JournalState {
  nextId: number;
  /** By id, oldest first. */
  readonly waiting: Map<number, DueEntry>;
  /** Settled loads, oldest first. */
  loads: PastLoad[];
  totals: Totals;
  /** Lines read or written since the last compaction. */
  lines: number;
}

export function emptyState(): JournalState {
  return {
    nextId: 1,
    waiting: new Map(),
    loads: [],
    totals: { sent: 0, givenUp: 0, dropped: 0, reasons: {} },
    lines: 0,
  };
}

export function stateOf(entries: readonly JournalEntry[]): JournalState {
  const state = emptyState();
  for (const entry of entries) applyEntry(state, entry);
  return state;
}

/** Takes one more line into account. A settling of something that does not wait changes nothing. */
export function applyEntry(state: JournalState, entry: JournalEntry): void {
  state.lines += 1;
  switch (entry.kind) {
    case 'due':
      if (entry.id < state.nextId) return;
      state.nextId = entry.id + 1;
      state.waiting.set(entry.id, entry);
      return;
    case 'settled':
      settle(state, entry);
      return;
    case 'load':
      keepLoad(state, entry.load);
      return;
    case 'totals':
      state.nextId = Math.max(state.nextId, entry.nextId);
      state.totals = entry.totals;
  }
}

function settle(state: JournalState, entry: SettledEntry): void {
  const due = state.waiting.get(entry.id);
  if (!due) return;
  state.waiting.delete(entry.id);
  keepLoad(state, pastLoad(due));
  const { totals } = state;
  if (entry.ending === 'sent') {
    state.totals = { ...totals, sent: totals.sent + 1, lastSentAtMs: entry.atMs };
    return;
  }
  const field = entry.ending === 'dropped' ? 'dropped' : 'givenUp';
  const reasons = countReason(totals.reasons, entry.reason ?? 'unknown');
  state.totals = { ...totals, [field]: totals[field] + 1, reasons };
}

function countReason(
  reasons: Readonly<Record<string, number>>,
  reason: string,
): Record<string, number> {
  const known = reason in reasons || Object.keys(reasons).length < REASONS_KEPT;
  const name = known ? reason : 'other';
  return { ...reasons, [name]: (reasons[name] ?? 0) + 1 };
}

function keepLoad(state: JournalState, load: PastLoad): void {
  state.loads.push(load);
  // Cut in large steps, so that the cost of a load stays constant.
  if (state.loads.length > 2 * LOADS_KEPT) state.loads = state.loads.slice(-LOADS_KEPT);
}

/** The load that a report speaks of. The page's address is left out: what was read is nobody's business later. */
export function pastLoad(due: DueEntry): PastLoad {
  const { report, atMs } = due;
  return {
    atMs,
    node: nodeOf(report),
    success: report.success,
    bytes: report.bytes,
    durationMs: report.duration,
    cached: report.cached,
  };
}

/** Lines that a compaction would leave, of those that are there. */
export function linesNeeded(state: JournalState): number {
  return 1 + Math.min(state.loads.length, LOADS_KEPT) + state.waiting.size;
}

/** The whole journal anew, with nothing in it that is no longer needed. */
export function compactText(state: JournalState): string {
  const { nextId, totals, waiting } = state;
  return [
    ...state.loads.slice(-LOADS_KEPT).map((load) => toLine({ kind: 'load', load })),
    ...[...waiting.values()].map(toLine),
    // Last, since its next id is above those of the reports that wait.
    toLine({ kind: 'totals', nextId, totals }),
  ].join('');
}
