/**
 * The edge network's health report (spec 2.5, 4.3): what is said of one load of one page. Judged here,
 * so that nothing that is not a right report is ever journalled or sent.
 */
import { RunError } from '../kernel/errors.js';

/** One load of one page from a base URL outside the service's own domain; the body that is sent. */
export interface HealthReport {
  /** The full address of the picture that was asked for, with its scheme. */
  readonly url: string;
  readonly success: boolean;
  /** Bytes as they arrived, also those of an error page; 0 when nothing answered. */
  readonly bytes: number;
  /** The complete load in whole milliseconds, not the time to the first byte. */
  readonly duration: number;
  /** Whether the node had the picture in its cache. */
  readonly cached: boolean;
}

/** What is wrong with `value` as a report, in a few words; `undefined` when it is right. Never throws. */
export function reportProblem(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'it is no object';
  const { url, success, bytes, duration, cached } = value as Record<string, unknown>;
  if (typeof url !== 'string' || !/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url)) {
    return 'url is no full web address';
  }
  if (typeof success !== 'boolean') return 'success is neither true nor false';
  if (!isCount(bytes)) return 'bytes is no whole number from 0 on';
  if (!isCount(duration)) return 'duration is no whole number from 0 on';
  if (typeof cached !== 'boolean') return 'cached is neither true nor false';
  return undefined;
}

/** The report with these five fields and no other; throws RunError('fault') when it is none. */
export function checkedReport(value: HealthReport): HealthReport {
  const problem = reportProblem(value);
  if (problem !== undefined) {
    throw new RunError('fault', `A health report cannot be sent: ${problem}.`);
  }
  const { url, success, bytes, duration, cached } = value;
  return { url, success, bytes, duration, cached };
}

/** The node that a report speaks of: its host, with the port where it is not the usual one. */
export function nodeOf(report: Pick<HealthReport, 'url'>): string {
  return new URL(report.url).host;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
