/**
 * The got instances, one for each kind of host, so that nothing meant for one can reach another: the bearer is
 * known to the API's alone, and a volunteer's node or the report host cannot even be handed one. got's own
 * retries are off and no redirect is followed: each request is one that the client's loop decided to send.
 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Delays, ExtendOptions, Got } from 'got';
import { guardPageAddresses, type PageAddressOptions } from './page-address-guard.js';
import { proxyFor, tunnelAgent, type ProxyEnvironment } from './proxy.js';
import { withDeadline } from './request-deadline.js';
import { USER_AGENT } from './user-agent.js';

export interface TimeLimits {
  readonly connectTimeoutMs: number;
  readonly tlsTimeoutMs: number;
  /** From the request's last byte to the answer's first. */
  readonly firstByteTimeoutMs: number;
  /** Between two pieces of an answer. */
  readonly idleTimeoutMs: number;
  /** One page in all. */
  readonly pageTimeoutMs: number;
  /** One call of the API or the token endpoint in all. */
  readonly apiTimeoutMs: number;
  /** One health report in all. */
  readonly reportTimeoutMs: number;
}

export interface Connections {
  readonly api: Got;
  readonly auth: Got;
  readonly page: Got;
  readonly report: Got;
  /** Drops the connections that are kept alive. What is under way ends with an error. */
  close(): void;
}

/** More than any honest answer needs; a server that sends more gets its connection closed. */
const MAX_HEADER_BYTES = 64 * 1024;
/** How many idle connections are kept to one host. */
const MAX_IDLE_CONNECTIONS = 16;
/**
 * Node tries the addresses of a name one after another, and gives each 250 ms unless told otherwise: too little for
 * a slow line.
 */
const ADDRESS_ATTEMPT_TIMEOUT_MS = 2_500;
/** To learn of the proxy, and of a fault in its address, before anything is called. */
const ANY_HOST = new URL('https://host');

/**
 * Throws `bad-setting` where the environment names a proxy that is none.
 *
 * @param pageAddresses what decides where pages may be loaded from
 */
export async function openConnections(
  limits: TimeLimits,
  env: ProxyEnvironment,
  pageAddresses: PageAddressOptions,
): Promise<Connections> {
  const { got } = await import('got');
  const kept = {
    keepAlive: true,
    maxFreeSockets: MAX_IDLE_CONNECTIONS,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_TIMEOUT_MS,
  } as const;
  const http = new HttpAgent(kept);
  const https = new HttpsAgent({ ...kept, minVersion: 'TLSv1.2' });
  const guard = guardPageAddresses(pageAddresses);
  // Connections of their own: one that is kept alive has been checked as these are.
  const pageHttp = new HttpAgent({ ...kept, lookup: guard.lookup });
  const pageHttps = new HttpsAgent({ ...kept, minVersion: 'TLSv1.2', lookup: guard.lookup });
  const proxy = proxyFor(ANY_HOST, { ...env, NO_PROXY: '', no_proxy: '' });
  const tunnels =
    proxy && (await tunnelAgent(proxy, { ...kept, connectTimeoutMs: limits.connectTimeoutMs }));
  const common: ExtendOptions = {
    agent: { http, https },
    http2: false,
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    https: { minVersion: 'TLSv1.2' },
    hooks: {
      beforeRequest: [
        signHeaders,
        (options) => {
          if (tunnels && options.url && proxyFor(options.url, env)) {
            options.agent = { https: tunnels };
          }
        },
      ],
    },
  };
  const base = once(() => got.extend(common));
  const withoutCredentials = once(() =>
    base().extend({ hooks: { beforeRequest: [dropCredentials] } }),
  );
  const api = once(() => base().extend(timeLimits(limits, limits.apiTimeoutMs)));
  const auth = once(() => withoutCredentials().extend(timeLimits(limits, limits.apiTimeoutMs)));
  const page = once(() =>
    withoutCredentials().extend({
      ...timeLimits(limits, limits.pageTimeoutMs),
      agent: { http: pageHttp, https: pageHttps },
      hooks: {
        beforeRequest: [
          async ({ url }) => {
            if (url) await guard.check(url);
          },
        ],
      },
      // The bytes as they are stored: pictures gain nothing from compression, and a length must be provable.
      decompress: false,
      headers: { 'accept-encoding': 'identity' },
    }),
  );
  const report = once(() =>
    withoutCredentials().extend(timeLimits(limits, limits.reportTimeoutMs)),
  );
  return {
    get api() {
      return api();
    },
    get auth() {
      return auth();
    },
    get page() {
      return page();
    },
    get report() {
      return report();
    },
    close() {
      for (const agent of [http, https, pageHttp, pageHttps, tunnels]) agent?.destroy();
    },
  };
}

/** An instance costs a millisecond to make, and most commands use one of the four. */
function once(make: () => Got): () => Got {
  let made: Got | undefined;
  return () => (made ??= make());
}

/** got's limits for each phase, and our own deadline around the whole. */
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

interface Signed {
  readonly headers: Record<string, string | string[] | undefined>;
}

/** Spec 8.1.3 and 8.1.4: who we are, always, and no sign of a proxy. */
function signHeaders({ headers }: Signed): void {
  headers['user-agent'] = USER_AGENT;
  delete headers['via'];
}

function dropCredentials({ headers }: Signed): void {
  delete headers['authorization'];
  delete headers['cookie'];
}
