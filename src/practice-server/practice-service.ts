/**
 * The practice service: a stand-in for the reading service on loopback, written from the specification alone.
 * It serves what the specification shows, holds its clients to every rule, remembers what they did, and can be
 * told to misbehave. Each start is a service of its own; nothing is shared.
 */
import { PRACTICE_REALM, type PersonalClient } from './accounts.js';
import type { CaptchaDemand } from './captcha-check.js';
import type { Method } from './endpoint.js';
import type { FaultPlan } from './page-faults.js';
import type { Hook, RawHandler } from './middleware.js';
import type { LimiterState } from './limiter.js';
import type { Library } from './library/library.js';
import { openListeners, type Listeners } from './listeners.js';
import { violationsIn, type LogEntry, type ReceivedReport, type Role } from './request-log.js';
import type { ApiFaultPlan } from './api-faults.js';
import type { PracticeOptions } from './practice-options.js';
import type { ReportHostState } from './report-receiver.js';
import { createWiring, type PracticeWiring } from './wiring.js';

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
  state(): LimiterState;

  /** Page loads go wrong from now on, as planned; of several plans, the first with a word on a load decides. */
  misbehave(plan: FaultPlan): void;
  /** Page loads go well again. */
  behave(): void;
  /** The API or the authentication service answers wrongly from now on, as planned. */
  misanswer(plan: ApiFaultPlan): void;
  /** Answers of your own for the paths of a host (`api` where absent) that begin so; the result takes it back. */
  answerWith(pathStart: string, handler: RawHandler, host?: Role): () => void;
  demandCaptcha(demand?: CaptchaDemand): void;
  setReportHost(state: ReportHostState): Promise<void>;
  /** Other programs on the same address use so much of the limits that such a request counts in. */
  othersUse(line: { readonly method: Method; readonly path: string }, times: number): void;
  ban(): void;
  liftBan(): void;
  /** Every base URL handed out so far answers 403. */
  expireBaseUrls(): void;
  expireAccessTokens(): void;
  endRefreshTokens(): void;
  setClientState(id: string, state: PersonalClient['state']): void;
  enableRealm(enabled: boolean): void;
  /** Every secret there is: passwords, client secrets, all tokens given so far. None may be found elsewhere. */
  secrets(): readonly string[];
  /** Breaks every connection and lets the ports go. */
  stop(): Promise<void>;
}

/** What the service can be asked and told, over its parts. */
function controls(parts: PracticeWiring, { network }: Listeners) {
  const { gate, tokens, serviceTimeMs } = parts;
  return {
    violations: () => violationsIn(parts.log),
    peaks: () => gate.peaks(),
    state: () => gate.state(serviceTimeMs()),
    misbehave: (plan: FaultPlan) => void parts.plans.push(plan),
    behave: () => void parts.plans.splice(0),
    misanswer: (plan: ApiFaultPlan) => {
      parts.misanswers.plan(plan);
    },
    answerWith(pathStart: string, handler: RawHandler, host: Role = 'api') {
      const hook: Hook = { host, pathStart, handler };
      parts.hooks.add(hook);
      return () => void parts.hooks.delete(hook);
    },
    demandCaptcha: (demand: CaptchaDemand = {}) => {
      parts.captcha.demand(demand);
    },
    async setReportHost(state: ReportHostState) {
      parts.reportHostState.now = state;
      await (state === 'dead' ? network.close() : network.reopen());
    },
    othersUse({ method, path }: { method: Method; path: string }, times: number) {
      for (let time = 0; time < times; time += 1) {
        gate.arrive({ role: 'api', method, path }, serviceTimeMs());
      }
    },
    ban: () => {
      gate.ban(serviceTimeMs());
    },
    liftBan: () => {
      gate.liftBan();
    },
    expireBaseUrls() {
      for (const handedOut of parts.baseUrls.all()) handedOut.expiresAtMs = 0;
    },
    expireAccessTokens: () => {
      tokens.issued.expireAccessTokens();
    },
    endRefreshTokens: () => {
      tokens.issued.endRefreshTokens();
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
  const parts = createWiring(options, {
    // Nobody can ask before the listeners are there.
    nextOrigin: (fault) => listeners.nextOrigin(fault),
    elsewhere: () => `${listeners.api.origin}/redirected`,
  });
  const listeners = await openListeners(options, parts.frontDoor);
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
    library: parts.library,
    log: parts.log,
    reports: parts.reportHost.reports,
    ...controls(parts, listeners),
    async stop() {
      parts.stopping.abort();
      await listeners.close();
    },
  };
}
