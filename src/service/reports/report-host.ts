/**
 * Sends one health report to the report host (spec 4.3), over its own connections, which never carry a token. An active
 * backoff delays the report, and a 429 is recorded for all processes.
 */
import type { ServiceClient } from '../client.js';
import type { Connections } from '../requests/connections.js';
import { endpointUrl } from '../../config/service-addresses.js';
import type { SendReport } from './health-report.js';

export interface ReportHostDeps {
  /** The specification's {network_url}. */
  readonly networkUrl: URL;
  readonly connections: Pick<Connections, 'report'>;
  readonly client: Pick<ServiceClient, 'reserve'>;
}

export function reportHost({ networkUrl, connections, client }: ReportHostDeps): SendReport {
  const request = { method: 'POST' as const, url: endpointUrl(networkUrl, '/report') };
  return async (json, signal) => {
    const permit = await client.reserve(request, signal);
    try {
      const response = await connections.report({ url: request.url, json, signal, permit });
      await permit?.settle(response);
      return response.status;
    } catch (error) {
      await permit?.settle();
      throw error;
    }
  };
}
