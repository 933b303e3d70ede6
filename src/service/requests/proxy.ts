/**
 * HTTPS_PROXY, ALL_PROXY and NO_PROXY. A proxy is used only as a tunnel (CONNECT, RFC 9110 9.3.6, or SOCKS 5, RFC 1928):
 * it sees the host name, cannot read requests, and cannot add a Via header, which the service forbids (spec 8.1.4).
 */
import type { Agent, AgentOptions } from 'node:https';
import { UsageError } from '../../core/errors.js';
import { USER_AGENT } from '../../core/version.js';

export type ProxyEnvironment = Readonly<NodeJS.ProcessEnv>;

/** The first that is set decides; an empty one means none. */
const VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'] as const;
const HTTP_PROTOCOLS: readonly string[] = ['http:', 'https:'];
/** `socks:` is what desktops such as GNOME write into ALL_PROXY. */
const SOCKS_PROTOCOLS: readonly string[] = ['socks:', 'socks5:', 'socks5h:'];

/** The proxy for a URL; undefined for a direct connection. Throws `bad-setting` for an invalid address of one. */
export function proxyFor(url: URL, env: ProxyEnvironment): URL | undefined {
  const variable = VARIABLES.find((name) => env[name] !== undefined) ?? VARIABLES[0];
  const text = env[variable] ?? '';
  if (text === '' || url.protocol !== 'https:') return undefined;
  if (bypassesProxy(url, env['NO_PROXY'] ?? env['no_proxy'] ?? '')) return undefined;
  const withScheme = text.includes('://') ? text : `http://${text}`;
  const proxy = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  if (proxy && isUsable(proxy)) return proxy;
  // Not shown, since it may contain a password.
  throw new UsageError(
    'bad-setting',
    `${variable} is not the URL of an http:, https: or socks5: proxy.`,
    {
      hint: `Set it to an address such as http://proxy.example:3128, with %25 for a % in the password, or unset it: unset ${variable}`,
    },
  );
}

/** The agents decode the user name and the password, and need a host, which an address of SOCKS may lack. */
function isUsable({ protocol, hostname, username, password }: URL): boolean {
  if (![...HTTP_PROTOCOLS, ...SOCKS_PROTOCOLS].includes(protocol) || hostname === '') return false;
  try {
    for (const part of [username, password]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** Entries of NO_PROXY are `*`, a host, or a domain with its subdomains, optionally with a port. */
function bypassesProxy(url: URL, noProxy: string): boolean {
  const port = url.port === '' ? '443' : url.port;
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', entryPort = port] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (name === '' || entryPort !== port) return false;
      return url.hostname === name || url.hostname.endsWith(`.${name}`);
    });
}

/** An agent whose connections are tunnels through the proxy, with TLS to the host inside. */
export async function tunnelAgent(
  proxy: URL,
  agentOptions: AgentOptions,
  connectTimeoutMs: number,
): Promise<Agent> {
  if (SOCKS_PROTOCOLS.includes(proxy.protocol)) return socksAgent(proxy, agentOptions);
  const { default: hpagent } = await import('hpagent');
  // hpagent's type of these options lacks those that it passes on to Node.
  const proxyRequestOptions = {
    headers: { 'user-agent': USER_AGENT },
    autoSelectFamilyAttemptTimeout: agentOptions.autoSelectFamilyAttemptTimeout,
  };
  return new hpagent.HttpsProxyAgent({
    ...agentOptions,
    proxy,
    timeout: connectTimeoutMs,
    proxyRequestOptions,
  });
}

/** The proxy resolves names, as that of a tunnel by CONNECT does. */
async function socksAgent(proxy: URL, { keepAlive, maxFreeSockets }: AgentOptions): Promise<Agent> {
  const { SocksProxyAgent } = await import('socks-proxy-agent');
  const address = new URL(proxy.href.replace(/^socks5?:/, 'socks5h:'));
  // No time limit: it would end a connection that is idle between two requests too.
  const agent: unknown = new SocksProxyAgent(address, { keepAlive, maxFreeSockets });
  // It is an Agent of node:http that makes connections with TLS.
  return agent as Agent;
}
