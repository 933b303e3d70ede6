/**
 * Keeps page loads off this machine and the networks behind it. Names and literal addresses are checked before a
 * request is made, and what a name resolves to before a connection is opened, so that no answer of a DNS server gets
 * around it. Where the API itself is on such an address, as a service of one's own is, its pages may be too.
 */
import { lookup as systemLookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { LoadError } from '../core/errors.js';
import { isPublicAddress, isPublicHost } from './public-address.js';

export interface PageAddressOptions {
  /** The API that the base URLs come from. */
  readonly apiUrl: URL;
  /** The system's resolver where absent. */
  readonly lookup?: LookupFunction;
}

export interface PageAddressGuard {
  /** Throws LoadError('bad-page-url') where the host of the URL is not public. */
  check(url: URL): Promise<void>;
  /** Resolves names for connections; fails with the same error. */
  readonly lookup: LookupFunction;
}

export function guardPageAddresses(options: PageAddressOptions): PageAddressGuard {
  const { apiUrl, lookup = systemLookup } = options;

  const isApiPublic = async (): Promise<boolean> => {
    if (!isPublicHost(apiUrl)) return false;
    return new Promise((resolve) => {
      lookup(apiUrl.hostname, { all: true }, (error, found) => {
        resolve(error !== null || addressesIn(found).every(isPublicAddress));
      });
    });
  };
  return {
    async check(url) {
      if (!isPublicHost(url) && (await isApiPublic())) throw refusal(url.hostname);
    },
    lookup(hostname, wanted, callback) {
      lookup(hostname, wanted, (error, found, family) => {
        const special = error ? undefined : addressesIn(found).find((one) => !isPublicAddress(one));
        if (special === undefined) {
          callback(error, found, family);
          return;
        }
        void isApiPublic().then((isPublic) => {
          callback(isPublic ? refusal(hostname, special) : null, found, family);
        });
      });
    },
  };
}

function addressesIn(found: string | readonly LookupAddress[]): readonly string[] {
  return typeof found === 'string' ? [found] : found.map(({ address }) => address);
}

function refusal(host: string, address?: string): LoadError {
  const at = address === undefined ? '' : ` (${address})`;
  return new LoadError(
    'bad-page-url',
    `The base URL names a host that is not on the public internet: ${host}${at}`,
  );
}
