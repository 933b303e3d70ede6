/**
 * The lines of the outbox's journal, to text and back. Each begins with the line break that ends whatever was
 * torn off before it, then a checksum, a tab, and one entry as JSON:
 *
 *   due      a load is over and its report is to be sent
 *   settled  that report is done with: sent, given up, or dropped, with the reason
 *   load     a settled load as it is kept for the figures, without its address
 *   totals   how many were settled in which way before the last compaction
 *
 * A line that is torn, altered or of an unknown kind is skipped, and nothing else is lost.
 */
import { createHash } from 'node:crypto';
import { reportProblem, type HealthReport } from './health-report.js';

/** How a report's way ended. */
export type Ending = 'sent' | 'given-up' | 'dropped';

export interface DueEntry {
  readonly kind: 'due';
  /** Counts up within one journal. */
  readonly id: number;
  /** When the load was over, by the wall clock. */
  readonly atMs: number;
  readonly report: HealthReport;
}

export interface SettledEntry {
  readonly kind: 'settled';
  readonly id: number;
  readonly ending: Ending;
  readonly atMs: number;
  /** Why, where it was not sent: "status 400", "too old", "too many". */
  readonly reason?: string;
}

/** One load, as the figures need it. */
export interface PastLoad {
  readonly atMs: number;
  readonly node: string;
  readonly success: boolean;
  readonly bytes: number;
  readonly durationMs: number;
  readonly cached: boolean;
}

interface LoadEntry {
  readonly kind: 'load';
  readonly load: PastLoad;
}

export interface Totals {
  readonly sent: number;
  readonly givenUp: number;
  readonly dropped: number;
  /** Reports given up or dropped, by reason; at most a few dozen reasons. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly lastSentAtMs?: number;
}

interface TotalsEntry {
  readonly kind: 'totals';
  /** The next report's id, so that one that is settled and compacted away is never given again. */
  readonly nextId: number;
  readonly totals: Totals;
}

export type JournalEntry = DueEntry | SettledEntry | LoadEntry | TotalsEntry;

/** The entry's line, with the line break that begins it. */
export function toLine(entry: JournalEntry): string {
  const json = JSON.stringify(entry);
  return `\n${checksum(json)}\t${json}`;
}

/** The entries of a journal in order, and how many lines held none. Never throws. */
export function readLines(text: string): {
  readonly entries: JournalEntry[];
  readonly skipped: number;
} {
  const entries: JournalEntry[] = [];
  let skipped = 0;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const entry = fromLine(line);
    if (entry) entries.push(entry);
    else skipped += 1;
  }
  return { entries, skipped };
}

function fromLine(line: string): JournalEntry | undefined {
  const tab = line.indexOf('\t');
  const json = line.slice(tab + 1);
  if (tab === -1 || line.slice(0, tab) !== checksum(json)) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return isEntry(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Long enough that a torn or altered line does not pass by chance; nobody is kept out by it. */
function checksum(json: string): string {
  return createHash('sha256').update(json).digest('hex').slice(0, 16);
}

const ENDINGS: readonly unknown[] = ['sent', 'given-up', 'dropped'] satisfies Ending[];

function isEntry(value: unknown): value is JournalEntry {
  if (!isRecord(value)) return false;
  switch (value['kind']) {
    case 'due':
      return isWhole(value['id'], value['atMs']) && reportProblem(value['report']) === undefined;
    case 'settled':
      return isWhole(value['id'], value['atMs']) && ENDINGS.includes(value['ending']);
    case 'load':
      return isPastLoad(value['load']);
    case 'totals':
      return isWhole(value['nextId']) && isTotals(value['totals']);
    default:
      return false;
  }
}

function isPastLoad(value: unknown): value is PastLoad {
  return (
    isRecord(value) &&
    isWhole(value['atMs'], value['bytes'], value['durationMs']) &&
    typeof value['node'] === 'string' &&
    typeof value['success'] === 'boolean' &&
    typeof value['cached'] === 'boolean'
  );
}

function isTotals(value: unknown): value is Totals {
  return (
    isRecord(value) &&
    isWhole(value['sent'], value['givenUp'], value['dropped'], value['lastSentAtMs'] ?? 0) &&
    isRecord(value['reasons']) &&
    isWhole(...Object.values(value['reasons']))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isWhole(...values: readonly unknown[]): boolean {
  return values.every((value) => Number.isSafeInteger(value));
}
