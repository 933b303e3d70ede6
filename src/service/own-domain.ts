/**
 * Which addresses are the service's own. What is loaded from elsewhere is a volunteer's, and is reported
 * (spec 4.3); so a name that merely ends like the service's must not pass for it.
 */
import { hostKey } from './addresses.js';

/** Whether an address lies in the service's own domain. Never throws. */
export type IsOwn = (url: URL) => boolean;

/**
 * The registrable domain of the API's address by the public suffix list, with all names under it; or, where
 * the API is an IP address, localhost or a bare name, the very same host and port.
 */
export async function ownDomain(apiUrl: URL): Promise<IsOwn> {
  const { getDomain } = await import('tldts');
  const registrable = (url: URL): string | null =>
    getDomain(url.hostname, { allowPrivateDomains: true });
  const own = registrable(apiUrl);
  if (own === null) {
    const ownHost = hostKey(apiUrl);
    return (url) => hostKey(url) === ownHost;
  }
  return (url) => registrable(url) === own;
}
