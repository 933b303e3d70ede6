/** Health reports of image loads (spec 2.5, 4.3), checked before they are stored or sent. */
import * as z from 'zod';
import { RunError } from '../core/errors.js';

/** The body that is sent; for loads from base URLs outside the service's own domain only. */
export interface HealthReport {
  /** The full address of the image, as requested. */
  readonly url: string;
  readonly success: boolean;
  /** Bytes received, also of an error page; 0 when nothing answered. */
  readonly bytes: number;
  /** The complete load in whole milliseconds, not the time to the first byte. */
  readonly duration: number;
  /** Whether the node had the image in its cache. */
  readonly cached: boolean;
}

const count = z.number().int().nonnegative();

/** Drops fields that are not part of a report. */
export const healthReportSchema: z.ZodType<HealthReport> = z.object({
  url: z.string().refine((url) => /^https?:\/\/[^/]/i.test(url) && URL.canParse(url)),
  success: z.boolean(),
  bytes: count,
  duration: count,
  cached: z.boolean(),
});

/** The report with its five fields only; throws RunError('fault') for an invalid one. */
export function validReport(report: HealthReport): HealthReport {
  const result = healthReportSchema.safeParse(report);
  if (result.success) return result.data;
  const problem = z.prettifyError(result.error).replace(/\s+/g, ' ');
  throw new RunError('fault', `Invalid health report: ${problem}`);
}

/** Resolves with the response's status; rejects where there is none. Obeys the signal. */
export type SendReport = (report: HealthReport, signal: AbortSignal) => Promise<number>;

export interface Reports {
  /** Stores the report and sends it in the background. Resolves once it is stored. Throws for an invalid report. */
  record(report: HealthReport): Promise<void>;
  /**
   * The same for a failed load, ahead of other reports; waits until its delivery was attempted, at most `maxWaitMs`
   * (2,000), and not at all while the host is known to be down.
   */
  recordAndSend(report: HealthReport, maxWaitMs?: number): Promise<void>;
  /**
   * Before the exit: waits for the rest, at most `maxWaitMs` (2,000), and less where the host does not respond; then
   * leaves what is left to a later run. The counts are of the reports recorded here.
   */
  finish(maxWaitMs?: number): Promise<{ sent: number; waiting: number }>;
}
