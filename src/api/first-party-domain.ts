/**
 * Which URLs belong to the service itself. Images from other hosts are served by volunteers and are reported (spec
 * 4.3), so a host whose name only ends with the same letters must not count as first-party.
 */
import { hostKey } from '../rate-limit/service-addresses.js';

export type IsFirstParty = (url: URL) => Promise<boolean>;

/** Loads the public suffix list ahead of its first use. */
export async function preloadDomainList(): Promise<void> {
  await import('tldts');
}

const OPTIONS = { allowPrivateDomains: true };

/**
 * Accepts the registrable domain of the API (by the public suffix list) with its subdomains. If the API is an IP
 * address, localhost or a single label, accepts only the same host and port.
 */
export function firstPartyDomain(apiUrl: URL): IsFirstParty {
  const apiHost = hostKey(apiUrl);
  return async (url) => {
    if (hostKey(url) === apiHost) return true;
    // Large, and not needed before the first image.
    const { getDomain } = await import('tldts');
    const apiDomain = getDomain(apiUrl.hostname, OPTIONS);
    return apiDomain !== null && getDomain(url.hostname, OPTIONS) === apiDomain;
  };
}
