/**
 * The ledger as it is stored: one small JSON document, the same in a file and on a server. What is read is checked, since
 * a damaged ledger must not pass for an empty one; by hand, since loading zod takes longer than a hundred grants. Pure.
 */
import { isRecord, parseJson } from '../../core/json.js';
import type { PauseState } from './pause.js';

/** A request that counts against the quota `key` until then. */
export interface Use {
  /** Identifies the request, which has one use for each of its quotas. */
  readonly id: string;
  readonly key: string;
  untilMs: number;
}

/** A process that waits: one ticket for each kind of request, in order of arrival. */
export interface Ticket {
  readonly processId: string;
  /** The keys of the quotas. */
  readonly quotas: readonly string[];
  /** When the process looked last. */
  seenMs: number;
}

/** What the service says that remains of a quota, until the end of the period that it names. */
interface Cap {
  readonly key: string;
  remaining: number;
  readonly untilMs: number;
  /** How many requests the service says that it allows in the period: for messages. */
  readonly limit?: number | undefined;
}

/** Times are milliseconds by one clock: the monotonic one of a boot, or that of a server. */
export interface LedgerDocument extends PauseState {
  revision: number;
  /** The boot of the machine, or the run of the server. */
  readonly boot: string;
  /** The name of the machine that wrote it last. */
  host: string;
  writtenMs: number;
  /** That moment by the wall clock. */
  wallMs: number;
  uses: Use[];
  tickets: Ticket[];
  caps: Cap[];
  /** Earlier use is unknown: every quota counts as used up until one window after this time. */
  unknownMs?: number | undefined;
}

/** Another version may have other rules: both together would exceed the limits. */
export const LEDGER_VERSION = 4;
/** Far above what all quotas of several hosts in full use need. */
export const MAX_DOCUMENT_BYTES = 1024 * 1024;
const MAX_ENTRIES = 4_000;

export function emptyDocument(boot: string, revision = 0): LedgerDocument {
  const writer = { boot, host: '', writtenMs: 0, wallMs: 0 };
  return { revision, ...writer, uses: [], tickets: [], caps: [] };
}

export function serializeDocument(document: LedgerDocument): string {
  return `${JSON.stringify({ version: LEDGER_VERSION, ...document })}\n`;
}

/** What others need to know of it: all but when processes looked, and what has expired. */
export function contentOf(document: LedgerDocument, nowMs: number): string {
  const { uses, caps, tickets, pause, lastBan, unknownMs } = document;
  const isInForce = ({ untilMs }: { readonly untilMs: number }): boolean => untilMs > nowMs;
  const waiting = tickets.map(({ processId, quotas }) => [processId, quotas]);
  const counted = [uses.filter(isInForce), caps.filter(isInForce)];
  return JSON.stringify([counted, waiting, pause, lastBan, unknownMs]);
}

/** Never throws. */
export function parseDocument(text: string): LedgerDocument | 'damaged' {
  if (text.length > MAX_DOCUMENT_BYTES || !text.endsWith('}\n')) return 'damaged';
  const value = parseJson(text);
  if (!isRecord(value) || value['version'] !== LEDGER_VERSION) return 'damaged';
  delete value['version'];
  return isDocument(value) ? (value as unknown as LedgerDocument) : 'damaged';
}

type Check = (value: unknown) => boolean;

const isTime: Check = (value) => Number.isFinite(value) && Math.abs(Number(value)) < 1e15;
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
/** An id, or a host: safe on a terminal. */
const isName: Check = (value) => typeof value === 'string' && /^[\w.-]{0,100}$/.test(value);
/** A host and a row of the endpoint table: printable ASCII. */
const isKey: Check = (value) =>
  typeof value === 'string' && /^[\x21-\x7e][\x20-\x7e]{0,199}$/.test(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length <= MAX_ENTRIES && value.every(check);
const object =
  (members: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isRecord(value) && Object.entries(members).every(([name, check]) => check(value[name]));

const isDocument = object({
  revision: isCount,
  boot: isName,
  host: isName,
  writtenMs: isTime,
  wallMs: isTime,
  uses: listOf(object({ id: isName, key: isKey, untilMs: isTime })),
  tickets: listOf(object({ processId: isName, quotas: listOf(isKey), seenMs: isTime })),
  caps: listOf(
    object({ key: isKey, remaining: isCount, untilMs: isTime, limit: optional(isCount) }),
  ),
  unknownMs: optional(isTime),
  lastBan: optional(object({ untilMs: isTime, strikes: isCount })),
  pause: optional(
    object({
      kind: (value) => value === 'rate-limited' || value === 'banned',
      sinceMs: isTime,
      untilMs: isTime,
      strikes: isCount,
      probe: optional(object({ id: isName, untilMs: isTime })),
    }),
  ),
});
