/** The one place that wires real parts: connections, ledger, client, session, reports, for the run of one command. */
import { parseDuration } from '../kernel/duration.js';
import type { ImageLoader } from '../delivery/image-load.js';
import type { Reports } from '../reports/health-report.js';
import { readAddresses, type ServiceAddresses } from '../service/addresses.js';
import {
  createServiceClient,
  type Bearer,
  type ClientParts,
  type ServiceClient,
} from '../service/client.js';
import { openConnections, type Connections } from '../service/connections.js';
import { OutageMonitor } from '../service/outage.js';
import { openMachineLedger } from '../service/machine-ledger.js';
import { ownDomain, type IsOwn } from '../service/own-domain.js';
import type { RateLedger, Wait } from '../service/rate-ledger.js';
import type { Wiring } from './run.js';

/** What the parts have to say while they work. */
export interface Tellings {
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
  readonly isOwn: IsOwn;
  readonly connections: Connections;
  readonly ledger: RateLedger;
  readonly outages: OutageMonitor;
  /** Without a login: for the token endpoint, and for whoever is nobody. */
  readonly anonymous: ServiceClient;
  /** The same for whoever is logged in. */
  as(bearer: Bearer): ServiceClient;
  /** Has this done before the connections are closed. */
  beforeClose(act: () => Promise<void>): void;
  close(): Promise<void>;
}

/** After this long without a sign of life, a person wants to know why a command does not end. */
const CLOSE_NOTICE_MS = 1_000;

export async function openService(run: Wiring, tellings: Tellings): Promise<Service> {
  const { settings, clock, folders } = run;
  const addresses = readAddresses(settings);
  const isOwn = ownDomain(addresses.apiUrl);
  const connections = await openConnections(settings, run.env, addresses);
  const ledger = openMachineLedger({
    folder: folders.ledger,
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
  const parts: ClientParts = {
    addresses,
    isOwn,
    connections,
    ledger,
    clock,
    outages,
    maxAnswerBytes,
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
    as: (bearer) => createServiceClient({ ...parts, bearer }),
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
export function imageLoader(run: Wiring, service: Service, client: ServiceClient): ImageLoader {
  return {
    page: service.connections.page,
    admit: (line, signal) => client.admit(line, signal),
    clock: run.clock,
    maxPageBytes: run.settings.maxPageBytes,
  };
}

/** Whether a report for this report host waits in the spool. */
export async function hasReports(run: Wiring, service: Service): Promise<boolean> {
  const { reportsFolder, Spool, spoolFolder } = await import('../reports/spool.js');
  const folder = reportsFolder(run.folders.state, service.addresses.networkUrl);
  return !new Spool(spoolFolder(folder)).isEmpty();
}

/** Sends reports over this service's connections. `finish` is the caller's to call. */
export async function openReports(
  run: Wiring,
  service: Service,
  tellings: Pick<Tellings, 'warn'>,
): Promise<Reports> {
  const { ReportSender } = await import('../reports/sender.js');
  const { reportsFolder } = await import('../reports/spool.js');
  const { reportHost } = await import('../reports/report-host.js');
  const { networkUrl } = service.addresses;
  return new ReportSender({
    folder: reportsFolder(run.folders.state, networkUrl),
    clock: run.clock,
    send: reportHost({ networkUrl, connections: service.connections, client: service.anonymous }),
    onStorageError: (error) => {
      const why = error instanceof Error ? error.message : String(error);
      tellings.warn(`Health reports cannot be stored and are sent from memory: ${why}`);
    },
  });
}
