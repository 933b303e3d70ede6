/**
 * Which URLs belong to the service itself. Images from other hosts are served by volunteers and are reported (spec
 * 4.3), so a host whose name only ends with the same letters must not count as first-party.
 */
import { isIP } from 'node:net';
import { hostKey, LIVE_SERVICE } from '../../config/service-addresses.js';

export type IsFirstParty = (url: URL) => Promise<boolean>;

/** Known without the public suffix list, which takes 10 to 30 ms to load. */
const LIVE_DOMAIN = 'mangadex.org';
const LIVE_HOST = new URL(LIVE_SERVICE.apiUrl).hostname;

const OPTIONS = { allowPrivateDomains: true };

/**
 * Accepts the registrable domain of the API (by the public suffix list) with its subdomains. If the API is an IP
 * address, localhost or a single label, accepts only the same host and port.
 */
export function firstPartyDomain(apiUrl: URL): IsFirstParty {
  const apiHost = hostKey(apiUrl);
  const apiName = hostName(apiUrl);
  return async (url) => {
    if (hostKey(url) === apiHost) return true;
    const name = hostName(url);
    if (apiName === LIVE_HOST) return name === LIVE_DOMAIN || name.endsWith(`.${LIVE_DOMAIN}`);
    if (!hasDomain(apiName) || !hasDomain(name)) return false;
    const { getDomain } = await import('tldts');
    const apiDomain = getDomain(apiName, OPTIONS);
    return apiDomain !== null && getDomain(name, OPTIONS) === apiDomain;
  };
}

/** Leaves out the trailing dot of a fully qualified name. */
function hostName({ hostname }: URL): string {
  return hostname.replace(/\.$/, '');
}

function hasDomain(name: string): boolean {
  return name.includes('.') && isIP(name) === 0;
}
