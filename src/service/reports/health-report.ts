/** Health reports of image loads (spec 2.5, 4.3). */
import * as z from 'zod';

const count = z.number().int().nonnegative();

/** Drops fields that are not part of a report. */
export const healthReportSchema = z.object({
  /** The address of the image, as requested. */
  url: z.string().refine((url) => /^https?:\/\/[^/]/i.test(url) && URL.canParse(url)),
  success: z.boolean(),
  /** Bytes received, also of an error page; 0 without a response. */
  bytes: count,
  /** The complete load in whole milliseconds, not the time to the first byte. */
  duration: count,
  /** Whether the node had the image in its cache. */
  cached: z.boolean(),
});

/** The body of a report; only loads from base URLs outside the service's own domain are reported. */
export type HealthReport = Readonly<z.infer<typeof healthReportSchema>>;

/** Resolves with the status of the response; rejects without one. */
export type SendReport = (report: HealthReport, signal: AbortSignal) => Promise<number>;
