/** All that one practice service consists of, but for its sockets: made from the options, wired, and kept apart. */
import { setMaxListeners } from 'node:events';
import { systemClock } from '../core/clock.js';
import { createApiHost } from './api-host.js';
import { atHomeEndpoint } from './at-home-endpoint.js';
import { createBaseUrls, type BaseUrls } from './issued-base-urls.js';
import { createCaptcha, type Captcha } from './captcha-check.js';
import { coverEndpoints } from './catalogue-covers.js';
import { catalogueEndpoints } from './catalogue-endpoints.js';
import type { FaultName, FaultPlan } from './page-faults.js';
import { createMiddleware, type Middleware, type Hook } from './middleware.js';
import { createLimiter, type Limiter } from './limiter.js';
import { createImageHost } from './image-host.js';
import { exampleLibrary, joinedLibraries, shelved, type Library } from './library/library.js';
import { judge, type OpenEntry } from './request-log.js';
import { createApiFaults, type ApiFaults } from './api-faults.js';
import { createPageServer } from './edge-node.js';
import type { PracticeOptions } from './practice-options.js';
import { createReportHost, type ReportHost, type ReportHostState } from './report-receiver.js';
import { createTokenEndpoint, type TokenEndpoint } from './token-host.js';

export interface PracticeWiring {
  readonly library: Library;
  readonly log: OpenEntry[];
  readonly plans: FaultPlan[];
  readonly hooks: Set<Hook>;
  readonly gate: Limiter;
  readonly baseUrls: BaseUrls;
  readonly captcha: Captcha;
  readonly misanswers: ApiFaults;
  readonly tokens: TokenEndpoint;
  readonly reportHost: ReportHost;
  readonly reportHostState: { now: ReportHostState };
  readonly frontDoor: Middleware;
  readonly stopping: AbortController;
  /** The time by which the service counts and stamps, in milliseconds since the epoch. */
  readonly serviceTimeMs: () => number;
}

/** What the parts must be told of the sockets, which come to be after them. */
export interface ServerAddresses {
  /** The origin for the next base URL; with a fault of the base URL, a bad one. */
  readonly nextOrigin: (fault: FaultName | undefined) => string;
  /** A page that is on no node, for redirects. */
  readonly elsewhere: () => string;
}

const BASE_URL_MS = 15 * 60_000;

function libraryOf(options: PracticeOptions): Library {
  const chapters = options.chapters ?? [];
  const more = shelved({ titles: [], lists: [], chapters });
  return joinedLibraries(options.library ?? exampleLibrary(), more);
}

export function createWiring(options: PracticeOptions, where: ServerAddresses): PracticeWiring {
  const { clock = systemClock, imagesFrom = 'nodes', dateSkewMs = 0, latencyMs = 0 } = options;
  const startedMs = clock.wallMs() - clock.monotonicMs();
  // Counted on by the monotonic clock: a step of the local clock is not the service's.
  const serviceTimeMs = (): number => startedMs + clock.monotonicMs();
  const nowMs = (): number => clock.monotonicMs();

  const library = libraryOf(options);
  const log: OpenEntry[] = [];
  const plans: FaultPlan[] = [];
  const hooks = new Set<Hook>();
  const stopping = new AbortController();
  // Every request that is held back listens for the end.
  setMaxListeners(0, stopping.signal);
  const reportHostState: PracticeWiring['reportHostState'] = { now: 'alive' };
  const gate = createLimiter(options.limits ?? {}, dateSkewMs);
  const baseUrls = createBaseUrls();
  const captcha = createCaptcha();
  const misanswers = createApiFaults();
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

  const frontDoor = createMiddleware({
    clock,
    gate,
    log,
    hooks,
    serviceTimeMs,
    stampSkewMs: dateSkewMs,
    stopping: stopping.signal,
    onRequest: options.onRequest,
    latencyMs: (role) => (typeof latencyMs === 'number' ? latencyMs : (latencyMs[role] ?? 0)),
    hosts: {
      api: createApiHost({
        endpoints,
        issued: tokens.issued,
        captcha,
        misanswers,
        servePage: own ? servePage : undefined,
        rejectBearerWith: options.rejectBearerWith ?? 401,
      }),
      auth(entry) {
        const misanswer = misanswers.next(entry, undefined);
        if (!misanswer) return tokens.answer(entry);
        judge(entry, 'misanswered');
        return misanswer;
      },
      async network(entry) {
        const { now } = reportHostState;
        if (typeof now === 'object' && 'slowMs' in now) {
          await clock.sleep(now.slowMs, stopping.signal);
        }
        return reportHost.answer(entry);
      },
      node: servePage,
      images: createImageHost(servePage, covers),
    },
  });
  const state = { library, log, plans, hooks, gate, baseUrls, captcha, misanswers, tokens };
  return { ...state, reportHost, reportHostState, frontDoor, stopping, serviceTimeMs };
}
