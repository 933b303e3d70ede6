/** What the outbox holds, read without disturbing those who write to it: the figures of `tankobon report-status`. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere } from '../kernel/files.js';
import { readHostState } from './breaker.js';
import { readLines, type PastLoad, type Totals } from './journal-line.js';
import { journalFiles, removeJournals } from './journal-slots.js';
import { pastLoad, stateOf } from './journal-state.js';
import {
  figuresByNode,
  figuresOverTime,
  type NodeFigures,
  type TimeFigures,
} from './statistics.js';

export interface ReportStatus {
  readonly sent: number;
  readonly waiting: number;
  readonly givenUp: number;
  readonly dropped: number;
  /** Reports given up or dropped, by reason. */
  readonly reasons: Readonly<Record<string, number>>;
  /** Absent when none waits. */
  readonly oldestWaitingAgeMs?: number;
  /** By the wall clock, ms since the epoch. */
  readonly lastSentAtMs?: number;
  readonly host: {
    /** `down`: the breaker is open, and at most one report a minute is tried. */
    readonly state: 'well' | 'down';
    readonly lastError?: { readonly atMs: number; readonly reason: string };
  };
  readonly nodes: readonly NodeFigures[];
  readonly overTime: readonly TimeFigures[];
  /** Lines of the journals that were torn or altered, and skipped. */
  readonly damagedLines: number;
}

/** Stretches that the time of the loads is cut into. */
const STRETCHES = 48;

/** Reads the outbox of `folder`; one that is not there is an empty one. */
export async function readReportStatus(folder: string, nowMs: number): Promise<ReportStatus> {
  const loads: PastLoad[] = [];
  const waitingSinceMs: number[] = [];
  let totals: Totals = { sent: 0, givenUp: 0, dropped: 0, reasons: {} };
  let damagedLines = 0;
  for (const { file } of await journalFiles(folder)) {
    const { entries, skipped } = readLines((await readIfThere(file))?.toString('utf8') ?? '');
    const state = stateOf(entries);
    const due = [...state.waiting.values()];
    loads.push(...state.loads, ...due.map(pastLoad));
    waitingSinceMs.push(...due.map((entry) => entry.atMs));
    totals = together(totals, state.totals);
    damagedLines += skipped;
  }
  const { downSinceTryMs, lastError } = await readHostState(folder);
  const oldestMs = waitingSinceMs.reduce((least, ms) => Math.min(least, ms), Infinity);
  return {
    ...totals,
    waiting: waitingSinceMs.length,
    ...(waitingSinceMs.length === 0 ? {} : { oldestWaitingAgeMs: Math.max(0, nowMs - oldestMs) }),
    host: {
      state: downSinceTryMs === undefined ? 'well' : 'down',
      ...(lastError ? { lastError } : {}),
    },
    nodes: figuresByNode(loads),
    overTime: figuresOverTime(loads, STRETCHES),
    damagedLines,
  };
}

/** Forgets all reports and figures but those that a running process holds; says how many journals these are. */
export async function clearOutbox(folder: string): Promise<{ readonly inUse: number }> {
  const { inUse } = await removeJournals(folder);
  if (inUse === 0) await rm(join(folder, 'report-host.json'), { force: true });
  return { inUse };
}

function together(one: Totals, other: Totals): Totals {
  const reasons = { ...one.reasons };
  for (const [reason, count] of Object.entries(other.reasons)) {
    reasons[reason] = (reasons[reason] ?? 0) + count;
  }
  const lastSentAtMs = Math.max(one.lastSentAtMs ?? 0, other.lastSentAtMs ?? 0);
  return {
    sent: one.sent + other.sent,
    givenUp: one.givenUp + other.givenUp,
    dropped: one.dropped + other.dropped,
    reasons,
    ...(lastSentAtMs > 0 ? { lastSentAtMs } : {}),
  };
}
