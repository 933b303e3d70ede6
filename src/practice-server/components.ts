/** All that one practice service consists of, but for its sockets: made from the options, wired, and kept apart. */
import { setMaxListeners } from 'node:events';
import { systemClock } from '../core/clock.js';
import { createApiHost } from './api-host.js';
import { atHomeEndpoint } from './at-home-endpoint.js';
import { createBaseUrls, type BaseUrls } from './issued-base-urls.js';
import { createCaptcha, type Captcha } from './captcha-check.js';
import { coverEndpoints } from './catalogue-covers.js';
import { catalogueEndpoints } from './catalogue-endpoints.js';
import type { FaultName, PageFaultPlan } from './page-faults.js';
import { createMiddleware, type Middleware, type Hook } from './middleware.js';
import { createLimiter, type Limiter } from './limiter.js';
import { createImageHost } from './image-host.js';
import { exampleLibrary, mergeLibraries, createLibrary, type Library } from './library/library.js';
import { addFindings, type OpenEntry } from './request-log.js';
import { createApiFaults, type ApiFaults } from './api-faults.js';
import { createPageServer } from './edge-node.js';
import type { PracticeOptions } from './practice-options.js';
import { createReportHost, type ReportHost, type ReportHostState } from './report-receiver.js';
import { createTokenEndpoint, type TokenEndpoint } from './token-host.js';

export interface Components {
  readonly library: Library;
  readonly log: OpenEntry[];
  readonly plans: PageFaultPlan[];
  readonly hooks: Set<Hook>;
  readonly limiter: Limiter;
  readonly baseUrls: BaseUrls;
  readonly captcha: Captcha;
  readonly apiFaults: ApiFaults;
  readonly tokens: TokenEndpoint;
  readonly reportHost: ReportHost;
  readonly reportHostState: { now: ReportHostState };
  readonly middleware: Middleware;
  readonly stopSignal: AbortController;
  /** The time by which the service counts and stamps, in milliseconds since the epoch. */
  readonly serviceTimeMs: () => number;
}

/** What the deps must be told of the sockets, which come to be after them. */
export interface ServerAddresses {
  /** The origin for the next base URL; with a fault of the base URL, a bad one. */
  readonly nextOrigin: (fault: FaultName | undefined) => string;
  /** A page that is on no node, for redirects. */
  readonly elsewhere: () => string;
}

const BASE_URL_MS = 15 * 60_000;

function libraryOf(options: PracticeOptions): Library {
  const chapters = options.chapters ?? [];
  const more = createLibrary({ titles: [], lists: [], chapters });
  return mergeLibraries(options.library ?? exampleLibrary(), more);
}

export function createComponents(options: PracticeOptions, where: ServerAddresses): Components {
  const { clock = systemClock, imagesFrom = 'nodes', dateSkewMs = 0, latencyMs = 0 } = options;
  const startedMs = clock.wallMs() - clock.monotonicMs();
  // Counted on by the monotonic clock: a step of the local clock is not the service's.
  const serviceTimeMs = (): number => startedMs + clock.monotonicMs();
  const nowMs = (): number => clock.monotonicMs();

  const library = libraryOf(options);
  const log: OpenEntry[] = [];
  const plans: PageFaultPlan[] = [];
  const hooks = new Set<Hook>();
  const stopSignal = new AbortController();
  // Every request that is held back listens for the end.
  setMaxListeners(0, stopSignal.signal);
  const reportHostState: Components['reportHostState'] = { now: 'alive' };
  const limiter = createLimiter(options.limits ?? {}, dateSkewMs);
  const baseUrls = createBaseUrls();
  const captcha = createCaptcha();
  const apiFaults = createApiFaults();
  const tokens = createTokenEndpoint(options.tokens ?? {}, nowMs);
  const reportHost = createReportHost(baseUrls, () => reportHostState.now);
  const servePage = createPageServer({ baseUrls, plans, nowMs, elsewhere: where.elsewhere });

  const own = imagesFrom === 'api';
  const { baseUrlMs = BASE_URL_MS, specificationOnly = false } = options;
  const atHome = atHomeEndpoint({
    library,
    baseUrls,
    plans,
    nextOrigin: where.nextOrigin,
    own,
    baseUrlMs,
    nowMs,
  });
  const covers = specificationOnly ? [] : coverEndpoints(library);
  const catalogue = specificationOnly ? [] : catalogueEndpoints(library, { wallMs: serviceTimeMs });
  const endpoints = [...(options.endpoints ?? []), atHome, captcha.endpoint, ...catalogue];
  // No client can guess the port of the images' host, so the covers are at the API's too.
  endpoints.push(...covers);

  const middleware = createMiddleware({
    clock,
    limiter,
    log,
    hooks,
    serviceTimeMs,
    stampSkewMs: dateSkewMs,
    stopSignal: stopSignal.signal,
    onRequest: options.onRequest,
    latencyMs: (role) => (typeof latencyMs === 'number' ? latencyMs : (latencyMs[role] ?? 0)),
    hosts: {
      api: createApiHost({
        endpoints,
        issued: tokens.issued,
        captcha,
        apiFaults,
        servePage: own ? servePage : undefined,
        rejectBearerWith: options.rejectBearerWith ?? 401,
      }),
      auth(entry) {
        const apiFault = apiFaults.next(entry, undefined);
        if (!apiFault) return tokens.answer(entry);
        addFindings(entry, 'api-fault');
        return apiFault;
      },
      async network(entry) {
        const { now } = reportHostState;
        if (typeof now === 'object' && 'slowMs' in now) {
          await clock.sleep(now.slowMs, stopSignal.signal);
        }
        return reportHost.answer(entry);
      },
      node: servePage,
      images: createImageHost(servePage, covers),
    },
  });
  const state = { library, log, plans, hooks, limiter, baseUrls, captcha, apiFaults, tokens };
  return { ...state, reportHost, reportHostState, middleware, stopSignal, serviceTimeMs };
}
