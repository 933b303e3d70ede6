/**
 * An instance of got for each kind of host, and functions for pages and reports, so that credentials cannot reach the
 * wrong host: only the instances of the API and of hooks keep them. got's retries and redirects are off: only the client
 * decides to send a request.
 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Delays, ExtendOptions, Got, Options } from 'got';
import { USER_AGENT } from '../../core/version.js';
import {
  guardPageAddresses,
  privateLookup,
  type PageAddressOptions,
} from './page-address-guard.js';
import { proxyFor, tunnelAgent, type ProxyEnvironment } from './proxy.js';
import { bufferBodies } from './buffered-body.js';
import { pageGetter, type GetPage } from './get-page.js';
import { jsonPoster, type PostJson } from './post-json.js';
import { withDeadline, type PhaseLimits } from './request-deadline.js';

export interface TimeLimits extends PhaseLimits {
  /** The limit of a whole page. */
  readonly pageTimeoutMs: number;
  /** The limit of a whole request to the API or the token endpoint. */
  readonly apiTimeoutMs: number;
  /** The limit of a whole health report. */
  readonly reportTimeoutMs: number;
}

export interface Connections {
  readonly api: Got;
  readonly auth: Got;
  readonly page: GetPage;
  readonly report: PostJson;
  /** Hooks of the user: webhooks, ntfy and media servers. Plain http: only within private networks. */
  readonly hook: Got;
  /** Closes all connections. Requests in flight fail. */
  close(): void;
}

/** Node's options for each request. */
const REQUEST_OPTIONS = {
  // In bytes. The connection of a server that sends more is closed.
  maxHeaderSize: 64 * 1024,
  minVersion: 'TLSv1.2',
  // Its default depends on a variable of the environment.
  rejectUnauthorized: true,
} as const;
/** The limit per host. */
const MAX_IDLE_CONNECTIONS = 16;
/** The limit for each address of a host. Node's default of 250 ms is too short for a slow connection. */
const ADDRESS_ATTEMPT_TIMEOUT_MS = 2_500;
/** The limit of a whole request to a hook. */
const HOOK_TIMEOUT_MS = 10_000;
/** Used to find the proxy, and an invalid setting, before the first request. */
const ANY_HOST = new URL('https://host');

/**
 * Throws `bad-setting` for an invalid address of a proxy.
 *
 * @param pageAddresses decides where pages may be loaded from
 */
export async function openConnections(
  limits: TimeLimits,
  env: ProxyEnvironment,
  pageAddresses: PageAddressOptions,
): Promise<Connections> {
  const { got } = await import('got');
  const agentOptions = {
    keepAlive: true,
    maxFreeSockets: MAX_IDLE_CONNECTIONS,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_TIMEOUT_MS,
  } as const;
  const http = new HttpAgent(agentOptions);
  const tlsOptions = { ...agentOptions, minVersion: REQUEST_OPTIONS.minVersion } as const;
  const https = new HttpsAgent(tlsOptions);
  const guard = guardPageAddresses(pageAddresses);
  // Separate agents: the address of a kept-alive connection has been checked too.
  const pageHttp = bufferBodies(new HttpAgent({ ...agentOptions, lookup: guard.lookup }));
  const pageHttps = bufferBodies(new HttpsAgent({ ...tlsOptions, lookup: guard.lookup }));
  const privateHttp = new HttpAgent({ ...agentOptions, lookup: privateLookup });
  const proxy = proxyFor(ANY_HOST, { ...env, NO_PROXY: '', no_proxy: '' });
  const tunnels = proxy && (await tunnelAgent(proxy, tlsOptions, limits.connectTimeoutMs));
  const isTunnelled = (url: URL): boolean =>
    tunnels !== undefined && proxyFor(url, env) !== undefined;
  const common: ExtendOptions = {
    agent: { http, https },
    http2: false,
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    hooks: {
      beforeRequest: [
        setUserAgent,
        (options) => {
          options.createNativeRequestOptions = nativeRequestOptions;
        },
        (options) => {
          if (proxy && tunnels && options.url && isTunnelled(options.url)) {
            options.agent = { https: tunnels };
            options.context = { proxyHost: proxy.host };
          }
        },
      ],
    },
  };
  const ofApi = timeLimits(limits, limits.apiTimeoutMs);
  const instances = createdOnUse({
    api: () => got.extend(common, ofApi),
    auth: () => got.extend(common, ofApi, { hooks: { beforeRequest: [dropCredentials] } }),
    hook: () =>
      got.extend(common, {
        ...timeLimits({ ...limits, firstByteTimeoutMs: HOOK_TIMEOUT_MS }, HOOK_TIMEOUT_MS),
        agent: { http: privateHttp, https },
      }),
  });
  const agentFor = (url: URL, direct: { http: HttpAgent; https: HttpsAgent }) => {
    if (tunnels && isTunnelled(url)) return tunnels;
    return url.protocol === 'https:' ? direct.https : direct.http;
  };
  // The check has the time limits of the system's resolver.
  const page = pageGetter((url) => guard.check(url, isTunnelled(url)), {
    agentFor: (url) => agentFor(url, { http: pageHttp, https: pageHttps }),
    timeoutMs: limits.pageTimeoutMs,
    phases: limits,
    options: REQUEST_OPTIONS,
  });
  const report = jsonPoster({
    agentFor: (url) => agentFor(url, { http, https }),
    timeoutMs: limits.reportTimeoutMs,
    options: REQUEST_OPTIONS,
  });
  return Object.assign(instances, {
    page,
    report,
    close() {
      for (const agent of [http, https, pageHttp, pageHttps, privateHttp, tunnels])
        agent?.destroy();
    },
  });
}

/** An instance takes a millisecond to create, and most commands use one of them. */
function createdOnUse<Name extends string>(
  creators: Readonly<Record<Name, () => Got>>,
): Readonly<Record<Name, Got>> {
  const instances = {} as Record<Name, Got>;
  for (const name of Object.keys(creators) as Name[]) {
    let instance: Got | undefined;
    const get = () => (instance ??= creators[name]());
    Object.defineProperty(instances, name, { get, enumerable: true });
  }
  return instances;
}

/** got's time limits for each phase, and a deadline for the whole request. */
function timeLimits(limits: TimeLimits, deadlineMs: number): ExtendOptions {
  const timeout: Delays = {
    lookup: limits.connectTimeoutMs,
    connect: limits.connectTimeoutMs,
    secureConnect: limits.tlsTimeoutMs,
    response: limits.firstByteTimeoutMs,
    socket: limits.idleTimeoutMs,
  };
  return { timeout, handlers: [withDeadline(deadlineMs)] };
}

type NativeRequestOptions = ReturnType<Options['createNativeRequestOptions']>;

/**
 * Replaces got's method, which names forty options, most of them undefined: an object of 22 KB for each request, which
 * Node copies twice.
 */
function nativeRequestOptions(this: Options): NativeRequestOptions {
  const { url, agent, method, headers } = this;
  const isSecure = url instanceof URL && url.protocol === 'https:';
  const options: Partial<NativeRequestOptions> = {
    agent: isSecure ? agent.https : agent.http,
    method,
    headers,
    ...REQUEST_OPTIONS,
  };
  // The absent ones have Node's defaults.
  return options as NativeRequestOptions;
}

interface RequestHeaders {
  readonly headers: Record<string, string | string[] | undefined>;
}

/** Spec 8.1.3 and 8.1.4. */
function setUserAgent({ headers }: RequestHeaders): void {
  headers['user-agent'] = USER_AGENT;
  delete headers['via'];
}

function dropCredentials({ headers }: RequestHeaders): void {
  delete headers['authorization'];
  delete headers['cookie'];
}
