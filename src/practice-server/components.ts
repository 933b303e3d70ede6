/** Creates everything that one practice server consists of, except its sockets. */
import { sharedSignal } from '../core/abort.js';
import { systemClock } from '../core/clock.js';
import { createApiHost } from './api-host.js';
import { ApiFaults } from './api-faults.js';
import { Captcha } from './captcha-check.js';
import { coverEndpoints } from './catalogue-covers.js';
import { catalogueEndpoints } from './catalogue-endpoints.js';
import { createImageHost, createPageServer } from './edge-node.js';
import { atHomeEndpoint, IssuedBaseUrls, type NextOrigin } from './issued-base-urls.js';
import { createLibrary, exampleLibrary, mergeLibraries } from './library/library.js';
import { Limiter } from './limiter.js';
import { createMiddleware, type Interceptor, type MiddlewareDeps } from './middleware.js';
import type { PageFaultPlan } from './page-faults.js';
import type { PracticeOptions } from './practice-options.js';
import { ReportHost } from './report-receiver.js';
import type { OpenEntry } from './request-log.js';
import { TokenHost } from './token-host.js';

/** URLs that are known only once the listeners are open. */
export interface ServerUrls {
  /** The origin of the next base URL, or a faulty one. */
  readonly nextOrigin: NextOrigin;
  /** A URL that is not on any node, for redirects. */
  readonly redirectUrl: () => string;
}

const BASE_URL_MS = 15 * 60_000;

export type Components = ReturnType<typeof createComponents>;
type State = ReturnType<typeof createState>;

function createState(options: PracticeOptions) {
  const { clock = systemClock, chapters = [], dateSkewMs = 0 } = options;
  const nowMs = (): number => clock.monotonicMs();
  const startedMs = clock.wallMs() - nowMs();
  const baseUrls = new IssuedBaseUrls();
  const stop = new AbortController();
  sharedSignal(stop.signal);
  return {
    clock,
    dateSkewMs,
    nowMs,
    // Follows the monotonic clock: changes of the local clock do not affect the service.
    serviceTimeMs: (): number => startedMs + nowMs(),
    library: mergeLibraries(options.library ?? exampleLibrary(), createLibrary({ chapters })),
    log: [] as OpenEntry[],
    plans: [] as PageFaultPlan[],
    interceptors: new Set<Interceptor>(),
    limiter: new Limiter(options.limits ?? {}, dateSkewMs),
    baseUrls,
    captcha: new Captcha(),
    apiFaults: new ApiFaults(),
    tokens: new TokenHost(options.tokens ?? {}, nowMs),
    reportHost: new ReportHost(baseUrls),
    stop,
  };
}

function createHosts(
  state: State,
  options: PracticeOptions,
  urls: ServerUrls,
): MiddlewareDeps['hosts'] {
  const { clock, library, captcha, apiFaults, tokens, reportHost, stop } = state;
  const { specificationOnly = false, baseUrlMs = BASE_URL_MS, rejectBearerWith = 401 } = options;
  const firstParty = options.imagesFrom === 'api';
  const servePage = createPageServer({ ...state, redirectUrl: urls.redirectUrl });
  const covers = specificationOnly ? [] : coverEndpoints(library);
  const endpoints = [
    ...(options.endpoints ?? []),
    atHomeEndpoint({ ...state, nextOrigin: urls.nextOrigin, firstParty, baseUrlMs }),
    captcha.endpoint,
    ...(specificationOnly ? [] : catalogueEndpoints(library, { wallMs: state.serviceTimeMs })),
    // Clients cannot know the port of the image host, so the API host serves the covers too.
    ...covers,
  ];
  return {
    api: createApiHost({
      endpoints,
      accessTokens: tokens.accessTokens,
      captcha,
      apiFaults,
      servePage: firstParty ? servePage : undefined,
      rejectBearerWith,
    }),
    auth: (entry) => apiFaults.next(entry) ?? tokens.respond(entry),
    async network(entry) {
      const { state: hostState } = reportHost;
      if (typeof hostState === 'object' && 'slowMs' in hostState) {
        await clock.sleep(hostState.slowMs, stop.signal);
      }
      return reportHost.respond(entry);
    },
    node: servePage,
    images: createImageHost(servePage, covers),
  };
}

export function createComponents(options: PracticeOptions, urls: ServerUrls) {
  const state = createState(options);
  const { latencyMs = 0 } = options;
  const middleware = createMiddleware({
    ...state,
    hosts: createHosts(state, options, urls),
    stopSignal: state.stop.signal,
    onRequest: options.onRequest,
    latencyMs: (role) => (typeof latencyMs === 'number' ? latencyMs : (latencyMs[role] ?? 0)),
  });
  return { ...state, middleware };
}
