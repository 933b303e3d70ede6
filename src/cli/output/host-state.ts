import type { ReportStatus } from '../../service/reports.js';

export type HostState = 'not contacted yet' | 'ok' | 'down';

/** The report host in words. Without a report sent or an error, nothing is known about it. */
export function hostStateOf({ host, sent, givenUp, lastSentAtMs }: ReportStatus): HostState {
  if (host.state === 'down') return 'down';
  const isContacted =
    sent + givenUp > 0 || lastSentAtMs !== undefined || host.lastError !== undefined;
  return isContacted ? 'ok' : 'not contacted yet';
}
