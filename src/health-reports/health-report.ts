/** Health reports of image loads (spec 2.5, 4.3). */
import * as z from 'zod';
import { RunError } from '../core/errors.js';

/** The body of a report; only loads from base URLs outside the service's own domain are reported. */
export interface HealthReport {
  /** Of the image, as requested. */
  readonly url: string;
  readonly success: boolean;
  /** Bytes received, also of an error page; 0 without a response. */
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

/** Resolves with the status of the response; rejects without one. */
export type SendReport = (report: HealthReport, signal: AbortSignal) => Promise<number>;
