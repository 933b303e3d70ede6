/** Creates everything that one practice server consists of, except its sockets. */
import { setMaxListeners } from 'node:events';
import { systemClock } from '../core/clock.js';
import { createApiHost } from './api-host.js';
import { ApiFaults } from './api-faults.js';
import { Captcha } from './captcha-check.js';
import { coverEndpoints } from './catalogue-covers.js';
import { catalogueEndpoints } from './catalogue-endpoints.js';
import { createImageHost, createPageServer } from './edge-node.js';
import { atHomeEndpoint, IssuedBaseUrls } from './issued-base-urls.js';
import { createLibrary, exampleLibrary, mergeLibraries } from './library/library.js';
import { Limiter } from './limiter.js';
import { createMiddleware, type Interceptor } from './middleware.js';
import type { FaultName, PageFaultPlan } from './page-faults.js';
import type { PracticeOptions } from './practice-options.js';
import { ReportHost } from './report-receiver.js';
import type { OpenEntry } from './request-log.js';
import { TokenHost } from './token-host.js';

/** URLs that are known only once the listeners are open. */
export interface ServerUrls {
  /** The origin of the next base URL, or a faulty one. */
  readonly nextOrigin: (fault: FaultName | undefined) => string;
  /** A URL that is not on any node, for redirects. */
  readonly redirectUrl: () => string;
}

const BASE_URL_MS = 15 * 60_000;

export type Components = ReturnType<typeof createComponents>;

export function createComponents(options: PracticeOptions, urls: ServerUrls) {
  const { clock = systemClock, imagesFrom = 'nodes', dateSkewMs = 0, latencyMs = 0 } = options;
  const nowMs = (): number => clock.monotonicMs();
  const startedMs = clock.wallMs() - nowMs();
  // Follows the monotonic clock: changes of the local clock do not affect the service.
  const serviceTimeMs = (): number => startedMs + nowMs();

  const { chapters = [], specificationOnly = false } = options;
  const more = createLibrary({ titles: [], lists: [], chapters });
  const library = mergeLibraries(options.library ?? exampleLibrary(), more);
  const log: OpenEntry[] = [];
  const plans: PageFaultPlan[] = [];
  const interceptors = new Set<Interceptor>();
  const stop = new AbortController();
  // Every delayed request listens for the end.
  setMaxListeners(0, stop.signal);
  const limiter = new Limiter(options.limits ?? {}, dateSkewMs);
  const baseUrls = new IssuedBaseUrls();
  const captcha = new Captcha();
  const apiFaults = new ApiFaults();
  const tokens = new TokenHost(options.tokens ?? {}, nowMs);
  const reportHost = new ReportHost(baseUrls);
  const servePage = createPageServer({ baseUrls, plans, nowMs, redirectUrl: urls.redirectUrl });

  const firstParty = imagesFrom === 'api';
  const { baseUrlMs = BASE_URL_MS } = options;
  const { nextOrigin } = urls;
  const covers = specificationOnly ? [] : coverEndpoints(library);
  const endpoints = [
    ...(options.endpoints ?? []),
    atHomeEndpoint({ library, baseUrls, plans, nextOrigin, firstParty, baseUrlMs, nowMs }),
    captcha.endpoint,
    ...(specificationOnly ? [] : catalogueEndpoints(library, { wallMs: serviceTimeMs })),
    // Clients cannot know the port of the image host, so the API host serves the covers too.
    ...covers,
  ];

  const middleware = createMiddleware({
    clock,
    limiter,
    log,
    interceptors,
    serviceTimeMs,
    dateSkewMs,
    stopSignal: stop.signal,
    onRequest: options.onRequest,
    latencyMs: (role) => (typeof latencyMs === 'number' ? latencyMs : (latencyMs[role] ?? 0)),
    hosts: {
      api: createApiHost({
        endpoints,
        issuedTokens: tokens.issuedTokens,
        captcha,
        apiFaults,
        servePage: firstParty ? servePage : undefined,
        rejectBearerWith: options.rejectBearerWith ?? 401,
      }),
      auth: (entry) => apiFaults.next(entry) ?? tokens.respond(entry),
      async network(entry) {
        const { state } = reportHost;
        if (typeof state === 'object' && 'slowMs' in state) {
          await clock.sleep(state.slowMs, stop.signal);
        }
        return reportHost.respond(entry);
      },
      node: servePage,
      images: createImageHost(servePage, covers),
    },
  });
  return {
    library,
    log,
    plans,
    interceptors,
    limiter,
    baseUrls,
    captcha,
    apiFaults,
    tokens,
    reportHost,
    middleware,
    stop,
    serviceTimeMs,
  };
}
