/**
 * The practice service: a stand-in for the reading service on loopback, written from the specification alone.
 * It serves what the specification shows, holds its clients to every rule, remembers what they did, and can be
 * told to injectPageFaults. Each start is a service of its own; nothing is shared.
 */
import { PRACTICE_REALM, type PersonalClient } from './accounts.js';
import type { CaptchaRequirement } from './captcha-check.js';
import type { Method } from './endpoint.js';
import type { PageFaultPlan } from './page-faults.js';
import type { Hook, RawHandler } from './middleware.js';
import type { LimiterState } from './limiter.js';
import type { Library } from './library/library.js';
import { openListeners, type Listeners } from './listeners.js';
import { violationsIn, type LogEntry, type ReceivedReport, type Role } from './request-log.js';
import type { ApiFaultPlan } from './api-faults.js';
import type { PracticeOptions } from './practice-options.js';
import type { ReportHostState } from './report-receiver.js';
import { createComponents, type Components } from './components.js';

export type { PracticeOptions } from './practice-options.js';

export interface PracticeService {
  /** Without a slash at the end; each host has a port of its own. */
  readonly addresses: {
    readonly apiUrl: string;
    readonly authUrl: string;
    readonly networkUrl: string;
    readonly realm: string;
  };
  /** The volunteers' nodes, as origins. */
  readonly nodes: readonly string[];
  /** The origin of the service's own host of images, which has the covers: `/covers/<title id>/<file name>`. */
  readonly imagesUrl: string;
  /** The variables that point a client at this service. */
  readonly environment: Readonly<Record<string, string>>;
  /** With `tls`: the certificate (PEM) that a client must trust, as NODE_EXTRA_CA_CERTS does. */
  readonly certificate?: string;
  readonly library: Library;
  /** Every request, in order of arrival. */
  readonly log: readonly LogEntry[];
  /** The requests in which the client broke a rule; empty for a client that behaves. */
  violations(): readonly LogEntry[];
  /** The accepted health reports, in order of arrival. */
  readonly reports: readonly ReceivedReport[];
  /** The most arrivals in any stretch of a period, by limit: `general`, or such as `GET /at-home/server/{id}`. */
  peaks(): ReadonlyMap<string, { readonly limit: number; readonly peak: number }>;
  /** Whether the service is answering this address. */
  limiterState(): LimiterState;

  /** Page loads go wrong from now on, as planned; of several plans, the first with a word on a load decides. */
  injectPageFaults(plan: PageFaultPlan): void;
  /** Page loads go well again. */
  clearPageFaults(): void;
  /** The API or the authentication service answers wrongly from now on, as planned. */
  injectApiFault(plan: ApiFaultPlan): void;
  /** Answers of your own for the paths of a host (`api` where absent) that begin so; the result takes it back. */
  intercept(pathStart: string, handler: RawHandler, host?: Role): () => void;
  requireCaptcha(demand?: CaptchaRequirement): void;
  setReportHost(state: ReportHostState): Promise<void>;
  /** Other programs on the same address use so much of the limits that such a request counts in. */
  simulateExternalUse(
    line: { readonly method: Method; readonly path: string },
    times: number,
  ): void;
  ban(): void;
  liftBan(): void;
  /** Every base URL handed out so far answers 403. */
  expireBaseUrls(): void;
  expireAccessTokens(): void;
  revokeRefreshTokens(): void;
  setClientState(id: string, state: PersonalClient['state']): void;
  enableRealm(enabled: boolean): void;
  /** Every secret there is: passwords, client secrets, all tokens given so far. None may be found elsewhere. */
  secrets(): readonly string[];
  /** Breaks every connection and lets the ports go. */
  stop(): Promise<void>;
}

/** What the service can be asked and told, over its deps. */
function controls(deps: Components, { network }: Listeners) {
  const { limiter, tokens, serviceTimeMs } = deps;
  return {
    violations: () => violationsIn(deps.log),
    peaks: () => limiter.peaks(),
    limiterState: () => limiter.state(serviceTimeMs()),
    injectPageFaults: (plan: PageFaultPlan) => void deps.plans.push(plan),
    clearPageFaults: () => void deps.plans.splice(0),
    injectApiFault: (plan: ApiFaultPlan) => {
      deps.apiFaults.plan(plan);
    },
    intercept(pathStart: string, handler: RawHandler, host: Role = 'api') {
      const hook: Hook = { host, pathStart, handler };
      deps.hooks.add(hook);
      return () => void deps.hooks.delete(hook);
    },
    requireCaptcha: (demand: CaptchaRequirement = {}) => {
      deps.captcha.demand(demand);
    },
    async setReportHost(state: ReportHostState) {
      deps.reportHostState.now = state;
      await (state === 'dead' ? network.close() : network.reopen());
    },
    simulateExternalUse({ method, path }: { method: Method; path: string }, times: number) {
      for (let time = 0; time < times; time += 1) {
        limiter.arrive({ role: 'api', method, path }, serviceTimeMs());
      }
    },
    ban: () => {
      limiter.ban(serviceTimeMs());
    },
    liftBan: () => {
      limiter.liftBan();
    },
    expireBaseUrls() {
      for (const issued of deps.baseUrls.all()) issued.expiresAtMs = 0;
    },
    expireAccessTokens: () => {
      tokens.issued.expireAccessTokens();
    },
    revokeRefreshTokens: () => {
      tokens.issued.revokeRefreshTokens();
    },
    setClientState: (id: string, state: PersonalClient['state']) => {
      tokens.setClientState(id, state);
    },
    enableRealm: (enabled: boolean) => {
      tokens.enableRealm(enabled);
    },
    secrets: () => tokens.secrets(),
  };
}

/** Starts the service on loopback. Stop it, or the process stays up. */
export async function startPracticeService(
  options: PracticeOptions = {},
): Promise<PracticeService> {
  const deps = createComponents(options, {
    // Nobody can ask before the listeners are there.
    nextOrigin: (fault) => listeners.nextOrigin(fault),
    elsewhere: () => `${listeners.api.origin}/redirected`,
  });
  const listeners = await openListeners(options, deps.middleware);
  const { api, auth, network, images, nodes, certificate } = listeners;
  const realm = options.tokens?.realm ?? PRACTICE_REALM;
  return {
    addresses: { apiUrl: api.origin, authUrl: auth.origin, networkUrl: network.origin, realm },
    nodes: nodes.map(({ origin }) => origin),
    imagesUrl: images.origin,
    environment: {
      TANKOBON_API_URL: api.origin,
      TANKOBON_AUTH_URL: auth.origin,
      TANKOBON_NETWORK_URL: network.origin,
      TANKOBON_REALM: realm,
    },
    ...(certificate ? { certificate: certificate.cert } : {}),
    library: deps.library,
    log: deps.log,
    reports: deps.reportHost.reports,
    ...controls(deps, listeners),
    async stop() {
      deps.stopSignal.abort();
      await listeners.close();
    },
  };
}
