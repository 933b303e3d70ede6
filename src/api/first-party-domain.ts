/**
 * Which addresses are the service's own. What is loaded from elsewhere is a volunteer's, and is reported
 * (spec 4.3); so a name that merely ends like the service's must not pass for it.
 */
import { hostKey } from '../rate-limit/service-addresses.js';

/** Whether an address lies in the service's own domain. */
export type IsFirstParty = (url: URL) => Promise<boolean>;

/** Loads the public suffix list, at a moment when nobody waits for it. */
export async function preloadDomainList(): Promise<void> {
  await import('tldts');
}

const PRIVATE_TOO = { allowPrivateDomains: true };

/**
 * The registrable domain of the API's address by the public suffix list, with all names under it; or, where
 * the API is an IP address, localhost or a bare name, the very same host and port.
 */
export function firstPartyDomain(apiUrl: URL): IsFirstParty {
  const ownHost = hostKey(apiUrl);
  return async (url) => {
    if (hostKey(url) === ownHost) return true;
    // The list is large, and nobody asks before there is a page to load.
    const { getDomain } = await import('tldts');
    const own = getDomain(apiUrl.hostname, PRIVATE_TOO);
    return own !== null && getDomain(url.hostname, PRIVATE_TOO) === own;
  };
}
