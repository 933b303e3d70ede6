/**
 * HTTPS_PROXY and NO_PROXY, as everywhere. A proxy is used as a tunnel alone (CONNECT, RFC 9110 9.3.6): it sees
 * which host is called, and neither reads a request nor adds a Via to it, which the service forbids (spec 8.1.4).
 */
import type { Agent } from 'node:https';
import { UsageError } from '../core/errors.js';
import { USER_AGENT } from './user-agent.js';

export type ProxyEnvironment = Readonly<NodeJS.ProcessEnv>;

/** The tunnel's far end for a URL, from the environment; undefined where it is called directly. */
export function proxyFor(url: URL, env: ProxyEnvironment): URL | undefined {
  const text = env['HTTPS_PROXY'] ?? env['https_proxy'] ?? '';
  if (text === '' || url.protocol !== 'https:') return undefined;
  if (isExcepted(url, env['NO_PROXY'] ?? env['no_proxy'] ?? '')) return undefined;
  const withScheme = text.includes('://') ? text : `http://${text}`;
  const proxy = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  if (proxy?.protocol === 'http:' || proxy?.protocol === 'https:') return proxy;
  // The address may hold a password, so it is not repeated.
  throw new UsageError('bad-setting', 'HTTPS_PROXY is no address of an http: or https: proxy.');
}

/** Entries are `*`, a host, or a domain with all names under it, each perhaps with a port. */
function isExcepted(url: URL, list: string): boolean {
  const host = url.hostname.toLowerCase();
  const port = url.port === '' ? '443' : url.port;
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', onlyPort] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (name === '' || (onlyPort !== undefined && onlyPort !== port)) return false;
      return host === name || host.endsWith(`.${name}`);
    });
}

/** An agent whose connections are tunnels through the proxy, with TLS to the host itself inside. */
export async function tunnelAgent(
  proxy: URL,
  options: {
    readonly keepAlive: boolean;
    readonly maxFreeSockets: number;
    readonly autoSelectFamilyAttemptTimeout: number;
    readonly connectTimeoutMs: number;
  },
): Promise<Agent> {
  const { default: hpagent } = await import('hpagent');
  const { connectTimeoutMs, ...kept } = options;
  const { autoSelectFamilyAttemptTimeout } = kept;
  const headers = { 'user-agent': USER_AGENT };
  // All that hpagent hands to the connection to the proxy; its type leaves out what Node takes beyond.
  const proxyRequestOptions = { headers, autoSelectFamilyAttemptTimeout };
  return new hpagent.HttpsProxyAgent({
    ...kept,
    proxy,
    minVersion: 'TLSv1.2',
    timeout: connectTimeoutMs,
    proxyRequestOptions,
  });
}
