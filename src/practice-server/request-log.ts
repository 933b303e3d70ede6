/** The practice service's memory of what was asked of it: every request, in order of arrival. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FaultName } from './page-faults.js';
import type { Quality } from './library/library.js';
import { isViolation, type Finding } from './rule-checks.js';

export type Role = 'api' | 'auth' | 'network' | 'node' | 'images';

/** A page load, as the node that served it saw it. */
interface PageLoad {
  readonly chapter: string;
  /** From 1. */
  readonly page: number;
  readonly quality: Quality;
  /** From 1: how many times this page was asked for, of whichever node. */
  readonly attempt: number;
  readonly fault?: FaultName;
}

export interface LogEntry {
  /** When the head of the request was there, by the clock's monotonic count. */
  readonly atMs: number;
  readonly host: Role;
  /** `http://127.0.0.1:<port>` of the listener. */
  readonly origin: string;
  readonly method: string;
  /** Exactly as it came, without the query. */
  readonly path: string;
  /** Without the `?`; empty where there is none. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** 0 until answered, and for ever where no answer was given. */
  readonly status: number;
  /** Of the answer's body: how many bytes were handed to the connection. */
  readonly sentBytes: number;
  /** The request's body; empty where there was none. */
  readonly body: string;
  /** Every finding, in the order found. */
  readonly findings: readonly Finding[];
  /** The first finding. */
  readonly finding?: Finding;
  readonly load?: PageLoad;
}

/** A health report that was accepted (spec 2.5). */
export interface ReceivedReport {
  readonly atMs: number;
  readonly url: string;
  readonly success: boolean;
  readonly bytes: number;
  readonly duration: number;
  readonly cached: boolean;
}

/** An entry while its request is at work. */
export interface OpenEntry extends LogEntry {
  status: number;
  sentBytes: number;
  body: string;
  findings: Finding[];
  finding?: Finding;
  load?: PageLoad;
}

/** Adds what was found. */
export function addFindings(entry: OpenEntry, ...findings: readonly (Finding | undefined)[]): void {
  for (const finding of findings) {
    if (finding === undefined) continue;
    entry.findings.push(finding);
    entry.finding ??= finding;
  }
}

/** The entries in which the client broke a rule. */
export function violationsIn(log: readonly LogEntry[]): readonly LogEntry[] {
  return log.filter((entry) => entry.findings.some(isViolation));
}
