/** The health report of a page load (spec 4.3). */
import type { ImageOutcome } from '../image/load-image.js';
import type { Reports } from '../health-reports/health-report.js';
import type { IsFirstParty } from '../api/first-party-domain.js';

export interface ReportDeps {
  /** Absent where the user wants no reports. */
  readonly reports: Reports | undefined;
  readonly isFirstParty: IsFirstParty;
}

/** One report for every load from a base URL outside the service's own domain, and none for any other (spec 4.3). */
export async function reportLoad(
  url: URL,
  outcome: ImageOutcome,
  success: boolean,
  { reports, isFirstParty }: ReportDeps,
  signal: AbortSignal,
): Promise<void> {
  if (!reports || (await isFirstParty(url))) return;
  const { bytes, durationMs, cached } = outcome;
  const body = { url: url.href, success, bytes, duration: durationMs, cached };
  if (success) await reports.record(body);
  else await unlessAborted(reports.recordAndSend(body), signal);
}

/** Whoever wants to stop does not wait for a report host; the report is stored by then, or lost with its load. */
async function unlessAborted(act: Promise<void>, signal: AbortSignal): Promise<void> {
  const leave = new AbortController();
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true, signal: leave.signal },
    );
  });
  try {
    await Promise.race([act, aborted]);
  } finally {
    leave.abort();
  }
}
