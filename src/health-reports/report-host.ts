/**
 * One health report to the network's host (spec 4.3): over the connections kept for it, which never see a token.
 * The host is one of the service's own, so an active backoff delays the report, and a 429 is recorded for all processes.
 */
import { endpointUrl } from '../rate-limit/service-addresses.js';
import type { ServiceClient } from '../api/client.js';
import type { Connections } from '../api/connections.js';
import { sendRequest } from '../api/send-request.js';
import type { SendReport } from './health-report.js';

export interface ReportHostParts {
  /** The specification's {network_url}. */
  readonly networkUrl: URL;
  readonly connections: Pick<Connections, 'report'>;
  readonly client: Pick<ServiceClient, 'reserve'>;
}

/** The response body is read only so that the connection can be reused, and no further than this. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** Sends over real connections. Content-Type is exactly `application/json`, without a charset. */
export function reportHost(parts: ReportHostParts): SendReport {
  const url = endpointUrl(parts.networkUrl, '/report');
  return async (report, signal) => {
    const place = await parts.client.reserve({ method: 'POST', url }, signal);
    try {
      const answer = await sendRequest(parts.connections.report, {
        method: 'POST',
        url,
        json: report,
        headers: { 'content-type': 'application/json' },
        signal,
      });
      const { status, headers } = answer;
      void answer.text(MAX_ANSWER_BYTES).catch(() => undefined);
      await place?.settle({ status, headers });
      return status;
    } catch (error) {
      await place?.settle();
      throw error;
    }
  };
}
