/**
 * The practice server: a stand-in for MangaDex on loopback, written from the specification alone. It serves what the
 * specification describes, checks every rule, logs the requests, and can inject faults. Instances share nothing.
 */
import { PRACTICE_REALM, type PersonalClient } from './accounts.js';
import type { ApiFaultPlan } from './api-faults.js';
import type { CaptchaRequirement } from './captcha-check.js';
import { createComponents, type Components } from './components.js';
import type { Method } from './endpoint.js';
import type { Library } from './library/library.js';
import type { Limiter, LimiterState } from './limiter.js';
import { openListeners, type Listeners } from './listeners.js';
import type { Interceptor, RawHandler } from './middleware.js';
import type { PageFaultPlan } from './page-faults.js';
import type { PracticeOptions } from './practice-options.js';
import type { ReceivedReport, ReportHostState } from './report-receiver.js';
import { violationsIn, type LogEntry, type Role } from './request-log.js';

export type { PracticeOptions } from './practice-options.js';

export class PracticeService {
  /** Origins, each with its own port. */
  readonly addresses: Readonly<Record<'apiUrl' | 'authUrl' | 'networkUrl' | 'realm', string>>;
  /** The origins of the volunteers' nodes. */
  readonly nodes: readonly string[];
  /** The origin of the service's image host, which serves `/covers/<title id>/<file name>`. */
  readonly imagesUrl: string;
  /** The environment variables that point a client at this server. */
  readonly environment: Readonly<Record<string, string>>;
  /** With `tls`: the certificate (PEM) for a client to trust, for example by NODE_EXTRA_CA_CERTS. */
  readonly certificate?: string;
  readonly library: Library;
  /** Every request, in order of arrival. */
  readonly log: readonly LogEntry[];
  /** The accepted health reports, in order of arrival. */
  readonly reports: readonly ReceivedReport[];
  readonly #components: Components;
  readonly #listeners: Listeners;

  constructor(components: Components, listeners: Listeners, realm: string) {
    const { api, auth, network, images, nodes, certificate } = listeners;
    const [apiUrl, authUrl, networkUrl] = [api.origin, auth.origin, network.origin];
    this.addresses = { apiUrl, authUrl, networkUrl, realm };
    this.nodes = nodes.map(({ origin }) => origin);
    this.imagesUrl = images.origin;
    this.environment = {
      TANKOBON_API_URL: apiUrl,
      TANKOBON_AUTH_URL: authUrl,
      TANKOBON_NETWORK_URL: networkUrl,
      TANKOBON_REALM: realm,
    };
    this.certificate = certificate?.cert;
    this.library = components.library;
    this.log = components.log;
    this.reports = components.reportHost.reports;
    this.#components = components;
    this.#listeners = listeners;
  }

  /** The requests that broke a rule. */
  violations(): readonly LogEntry[] {
    return violationsIn(this.log);
  }

  /** The most requests within one period, by limit: `general` or a quota such as `GET /at-home/server/{id}`. */
  peaks(): ReturnType<Limiter['peaks']> {
    return this.#components.limiter.peaks();
  }

  limiterState(): LimiterState {
    return this.#components.limiter.state(this.#components.serviceTimeMs());
  }

  /** Adds a plan of faulty page loads. The first plan that matches a load applies. */
  injectPageFaults(plan: PageFaultPlan): void {
    this.#components.plans.push(plan);
  }

  clearPageFaults(): void {
    this.#components.plans.splice(0);
  }

  /** Adds a plan of faulty responses of the API or the authentication service. */
  injectApiFault(plan: ApiFaultPlan): void {
    this.#components.apiFaults.inject(plan);
  }

  /** Handles the paths of a host that begin with `pathStart`; the returned function undoes it. */
  intercept(pathStart: string, handler: RawHandler, host: Role = 'api'): () => void {
    const { interceptors } = this.#components;
    const interceptor: Interceptor = { host, pathStart, handler };
    interceptors.add(interceptor);
    return () => void interceptors.delete(interceptor);
  }

  requireCaptcha(requirement: CaptchaRequirement = {}): void {
    this.#components.captcha.require(requirement);
  }

  async setReportHost(state: ReportHostState): Promise<void> {
    const { network } = this.#listeners;
    this.#components.reportHost.state = state;
    await (state === 'dead' ? network.close() : network.reopen());
  }

  /** Counts requests of other programs on the same address against the limits. */
  simulateExternalUse(request: { method: Method; path: string }, times: number): void {
    const { limiter, serviceTimeMs } = this.#components;
    for (let time = 0; time < times; time += 1) {
      limiter.check({ role: 'api', ...request }, serviceTimeMs());
    }
  }

  ban(): void {
    this.#components.limiter.ban(this.#components.serviceTimeMs());
  }

  liftBan(): void {
    this.#components.limiter.liftBan();
  }

  /** All base URLs issued so far respond with 403. */
  expireBaseUrls(): void {
    this.#components.baseUrls.expireAll();
  }

  expireAccessTokens(): void {
    this.#components.tokens.accessTokens.revokeAll();
  }

  revokeRefreshTokens(): void {
    this.#components.tokens.refreshTokens.revokeAll();
  }

  setClientState(id: string, state: PersonalClient['state']): void {
    this.#components.tokens.setClientState(id, state);
  }

  enableRealm(enabled: boolean): void {
    this.#components.tokens.enableRealm(enabled);
  }

  /** All passwords, client secrets and tokens issued so far, none of which may leak. */
  secrets(): readonly string[] {
    return this.#components.tokens.secrets();
  }

  /** Destroys every connection and releases the ports. */
  async stop(): Promise<void> {
    this.#components.stop.abort();
    await this.#listeners.close();
  }
}

/** Starts the server on loopback. The process stays alive until it is stopped. */
export async function startPracticeService(
  options: PracticeOptions = {},
): Promise<PracticeService> {
  const components = createComponents(options, {
    nextOrigin: (...wish) => listeners.nextOrigin(...wish),
    redirectUrl: () => `${listeners.api.origin}/redirected`,
  });
  const listeners = await openListeners(options, components.middleware);
  return new PracticeService(components, listeners, options.tokens?.realm ?? PRACTICE_REALM);
}
