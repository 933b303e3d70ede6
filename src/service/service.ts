/** Opens what one command needs of the service: connections, rate ledger, client and health reports. */
import { thrownMessage } from '../core/errors.js';
import { createServiceClient, type ClientDeps, type ServiceClient } from './client.js';
import type { TokenProvider } from './requests/token-use.js';
import { openConnections, type Connections } from './requests/connections.js';
import { firstPartyDomain, type IsFirstParty } from './requests/first-party-domain.js';
import { OutageMonitor } from './requests/outage.js';
import type { ReportSender } from './reports/sender.js';
import { createBandwidthLimit } from './pages/bandwidth-limit.js';
import type { ImageLoaderDeps } from './load-image.js';
import { openLedger } from './ledger.js';
import type { Wait } from './permits/rate-ledger.js';
import { readAddresses, type ServiceAddresses } from '../config/service-addresses.js';
import type { AppContext } from '../config/context.js';
import { ledgerLocation } from '../config/ledger-location.js';
import { prepareStateFolder } from '../config/state-folder.js';

export interface ServiceOptions extends Pick<
  ClientDeps,
  'preload' | 'onRetry' | 'minReportedWaitMs'
> {
  readonly onWait: (wait: Wait) => void;
  readonly warn: (message: string, hint?: string) => void;
}

export interface Service {
  readonly addresses: ServiceAddresses;
  readonly isFirstParty: IsFirstParty;
  readonly connections: Connections;
  readonly outages: OutageMonitor;
  /** Sends no access token: for the token endpoint and for anonymous requests. */
  readonly anonymous: ServiceClient;
  /** A client that sends the access tokens of `tokenProvider`. */
  createClient(tokenProvider: TokenProvider): ServiceClient;
  /**
   * Such as `your clock says 2018-03-01, the service's says 2026-11-21`, for where a wrong clock decides something;
   * undefined if they differ by up to a day.
   */
  readonly describeWrongClock: () => string | undefined;
  /** Calls `action` before the connections are closed. */
  beforeClose(action: () => Promise<void>): void;
  close(): Promise<void>;
}

/** A close that takes longer is explained to the user. */
const CLOSE_NOTICE_MS = 1_000;
const MAX_CLOCK_ERROR_MS = 24 * 60 * 60_000;

/** Opens the service for `action`, and closes it when that is done. */
export async function withService<T>(
  context: AppContext,
  options: ServiceOptions,
  action: (service: Service) => Promise<T>,
): Promise<T> {
  const service = await openService(context, options);
  try {
    return await action(service);
  } finally {
    await service.close();
  }
}

export async function openService(context: AppContext, options: ServiceOptions): Promise<Service> {
  const { settings, env, clock, redactor } = context;
  const { maxOutage: maxOutageMs } = settings;
  const { warn, ...callbacks } = options;
  prepareStateFolder(context, warn);
  const addresses = readAddresses(settings);
  const isFirstParty = firstPartyDomain(addresses.apiUrl);
  const connections = await openConnections(settings, env, addresses);
  const location = await ledgerLocation(context);
  const ledger = await openLedger({ location, addresses, clock, warn, maxOutageMs });
  const outages = new OutageMonitor({ maxOutageMs, clock, onWait: callbacks.onWait });
  const beforeClose: (() => Promise<void>)[] = [];
  let serviceTimeMs: number | undefined;
  const deps: ClientDeps = {
    addresses,
    isFirstParty,
    connections,
    ledger,
    clock,
    redactor,
    outages,
    port443: settings.port443,
    titleLanguage: settings.titleLanguage,
    maxResponseBytes: settings.maxResponseBytes,
    onServiceTime: (ms) => {
      serviceTimeMs = ms;
    },
    ...callbacks,
  };
  return {
    addresses,
    isFirstParty,
    connections,
    outages,
    anonymous: createServiceClient(deps),
    createClient: (tokenProvider) => createServiceClient({ ...deps, tokenProvider }),
    describeWrongClock: () => {
      const nowMs = clock.wallMs();
      if (serviceTimeMs === undefined || Math.abs(serviceTimeMs - nowMs) <= MAX_CLOCK_ERROR_MS)
        return undefined;
      return `your clock says ${dateOf(nowMs)}, the service's says ${dateOf(serviceTimeMs)}`;
    },
    beforeClose: (action) => void beforeClose.push(action),
    async close() {
      const notice = setTimeout(() => {
        warn('Waiting for the renewed login, to store it.');
      }, CLOSE_NOTICE_MS);
      await Promise.all(beforeClose.map((action) => action()));
      clearTimeout(notice);
      connections.close();
      await ledger.close();
    },
  };
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** Page loads over the connections of `service`, counted against its rate limits. */
export function imageLoader(
  { clock, settings, redactor }: AppContext,
  { connections }: Service,
  client: ServiceClient,
): ImageLoaderDeps {
  const { limitRate } = settings;
  return {
    page: connections.page,
    reserve: (request, signal) => client.reserve(request, signal),
    clock,
    redactor,
    maxPageBytes: settings.maxPageBytes,
    bandwidth: limitRate === Infinity ? undefined : createBandwidthLimit(limitRate, clock),
  };
}

/** Whether reports of earlier runs wait for this report host. */
export async function hasReports({ paths }: AppContext, { addresses }: Service): Promise<boolean> {
  const { readWaiting, reportsFolder } = await import('./reports/report-store.js');
  return readWaiting(reportsFolder(paths.state, addresses.networkUrl)).length > 0;
}

/** Sends health reports over the connections of `service`. The caller calls `finish`. */
export async function openHealthReports(
  { paths, clock }: AppContext,
  { addresses, connections, anonymous }: Service,
  { warn }: Pick<ServiceOptions, 'warn'>,
): Promise<ReportSender> {
  const { ReportSender } = await import('./reports/sender.js');
  const { reportsFolder } = await import('./reports/report-store.js');
  const { reportHost } = await import('./reports/report-host.js');
  const { networkUrl } = addresses;
  return new ReportSender({
    folder: reportsFolder(paths.state, networkUrl),
    clock,
    send: reportHost({ networkUrl, connections, client: anonymous }),
    onStorageError: (error) => {
      const reason = thrownMessage(error);
      warn(`Health reports cannot be stored and are sent from memory: ${reason}`);
    },
  });
}
