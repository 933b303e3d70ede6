/** The one place that wires real parts: connections, ledger, client, session, reports, for the run of one command. */
import { parseDuration } from '../core/duration.js';
import type { ImageLoaderDeps } from '../image/load-image.js';
import type { Reports } from '../health-reports/health-report.js';
import { readAddresses, type ServiceAddresses } from '../rate-limit/service-addresses.js';
import {
  createServiceClient,
  type TokenProvider,
  type ClientDeps,
  type ServiceClient,
} from '../api/client.js';
import { openConnections, type Connections } from '../api/connections.js';
import { OutageMonitor } from '../api/outage.js';
import { openMachineLedger } from '../rate-limit/machine-ledger.js';
import { firstPartyDomain, type IsFirstParty } from '../api/first-party-domain.js';
import type { RateLedger, Wait } from '../rate-limit/rate-ledger.js';
import type { AppContext } from './context.js';

/** What the parts have to say while they work. */
export interface ServiceListeners {
  readonly onWait: (wait: Wait) => void;
  readonly warn: (message: string) => void;
  /** Told whenever a request has left: there is time until its answer. */
  readonly onSent?: () => void;
  /** How long to wait during an outage; the setting where absent. */
  readonly maxOutage?: string;
}

/** The way to the service, as one command uses it. */
export interface Service {
  readonly addresses: ServiceAddresses;
  readonly isOwn: IsFirstParty;
  readonly connections: Connections;
  readonly ledger: RateLedger;
  readonly outages: OutageMonitor;
  /** Sends no access token: for the token endpoint and for anonymous requests. */
  readonly anonymous: ServiceClient;
  /** The same, with the access tokens of `bearer`. */
  as(bearer: TokenProvider): ServiceClient;
  /** Has this done before the connections are closed. */
  beforeClose(act: () => Promise<void>): void;
  close(): Promise<void>;
}

/** After this long without a sign of life, a person wants to know why a command does not end. */
const CLOSE_NOTICE_MS = 1_000;

export async function openService(run: AppContext, tellings: ServiceListeners): Promise<Service> {
  const { settings, clock, paths } = run;
  const addresses = readAddresses(settings);
  const isOwn = firstPartyDomain(addresses.apiUrl);
  const connections = await openConnections(settings, run.env, addresses);
  const ledger = openMachineLedger({
    folder: paths.ledger,
    addresses,
    clock,
    warn: tellings.warn,
  });
  const outages = new OutageMonitor({
    // Flags and settings are checked where they are read.
    maxOutageMs: parseDuration(tellings.maxOutage ?? settings.maxOutage) ?? 0,
    clock,
    onWait: tellings.onWait,
  });
  const { maxAnswerBytes } = settings;
  const beforeClose: (() => Promise<void>)[] = [];
  const parts: ClientDeps = {
    addresses,
    isFirstParty: isOwn,
    connections,
    ledger,
    clock,
    outages,
    maxResponseBytes: maxAnswerBytes,
    onWait: tellings.onWait,
    ...(tellings.onSent && { onSent: tellings.onSent }),
  };
  return {
    addresses,
    isOwn,
    connections,
    ledger,
    outages,
    anonymous: createServiceClient(parts),
    as: (bearer) => createServiceClient({ ...parts, tokenProvider: bearer }),
    beforeClose: (act) => void beforeClose.push(act),
    async close() {
      const notice = setTimeout(() => {
        tellings.warn('Waiting for the renewed login, to store it.');
      }, CLOSE_NOTICE_MS);
      await Promise.all(beforeClose.map((act) => act()));
      clearTimeout(notice);
      connections.close();
      await ledger.close();
    },
  };
}

/** Loads pages over this service's connections, with this client's leave. */
export function imageLoader(
  run: AppContext,
  service: Service,
  client: ServiceClient,
): ImageLoaderDeps {
  return {
    page: service.connections.page,
    admit: (line, signal) => client.reserve(line, signal),
    clock: run.clock,
    maxPageBytes: run.settings.maxPageBytes,
  };
}

/** Whether a report for this report host waits in the spool. */
export async function hasReports(run: AppContext, service: Service): Promise<boolean> {
  const { reportsFolder, Spool, spoolFolder } = await import('../health-reports/spool.js');
  const folder = reportsFolder(run.paths.state, service.addresses.networkUrl);
  return !new Spool(spoolFolder(folder)).isEmpty();
}

/** Sends reports over this service's connections. `finish` is the caller's to call. */
export async function openHealthReports(
  run: AppContext,
  service: Service,
  tellings: Pick<ServiceListeners, 'warn'>,
): Promise<Reports> {
  const { ReportSender } = await import('../health-reports/sender.js');
  const { reportsFolder } = await import('../health-reports/spool.js');
  const { reportHost } = await import('../health-reports/report-host.js');
  const { networkUrl } = service.addresses;
  return new ReportSender({
    folder: reportsFolder(run.paths.state, networkUrl),
    clock: run.clock,
    send: reportHost({ networkUrl, connections: service.connections, client: service.anonymous }),
    onStorageError: (error) => {
      const why = error instanceof Error ? error.message : String(error);
      tellings.warn(`Health reports cannot be stored and are sent from memory: ${why}`);
    },
  });
}
