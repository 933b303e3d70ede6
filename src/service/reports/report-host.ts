/**
 * Sends one health report to the report host (spec 4.3), over its own connections, which never carry a token. An active
 * backoff delays the report, and a 429 is recorded for all processes.
 */
import type { ServiceClient } from '../client.js';
import type { Connections } from '../requests/connections.js';
import { sendRequest } from '../requests/send-request.js';
import { endpointUrl } from '../../config/service-addresses.js';
import type { SendReport } from './health-report.js';

export interface ReportHostDeps {
  /** The specification's {network_url}. */
  readonly networkUrl: URL;
  readonly connections: Pick<Connections, 'report'>;
  readonly client: Pick<ServiceClient, 'reserve'>;
}

const MAX_BODY_BYTES = 64 * 1024;

export function reportHost({ networkUrl, connections, client }: ReportHostDeps): SendReport {
  const request = {
    method: 'POST' as const,
    url: endpointUrl(networkUrl, '/report'),
    // Exactly this, without a charset.
    headers: { 'content-type': 'application/json' },
  };
  return async (json, signal) => {
    const permit = await client.reserve(request, signal);
    try {
      const response = await sendRequest(connections.report, { ...request, json, signal, permit });
      response.drain(MAX_BODY_BYTES);
      await permit?.settle({ status: response.status, headers: response.headers });
      return response.status;
    } catch (error) {
      await permit?.settle();
      throw error;
    }
  };
}
