/**
 * Keeps page loads away from this machine and its private networks. Host names and literal addresses are checked
 * before a request, and resolved addresses before a connection, so that DNS responses cannot bypass it. If the API
 * itself has such an address, as a self-hosted service does, its pages may too.
 */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { LoadError, ServiceError } from '../../core/errors.js';
import { isPublicAddress, isPublicHost } from '../../core/public-address.js';

export interface PageAddressOptions {
  /** The API that the base URLs come from. */
  readonly apiUrl: URL;
  /** The system's resolver if absent. */
  readonly lookup?: LookupFunction;
}

interface PageAddressGuard {
  /**
   * Throws LoadError `bad-page-url` if the host of the URL is not public. A proxy resolves names itself: `byProxy`, the
   * addresses that this machine finds are checked before the proxy is asked for one.
   */
  check(url: URL, byProxy: boolean): Promise<void>;
  /** Resolves names for connections; fails with the same error. */
  readonly lookup: LookupFunction;
}

export function guardPageAddresses(options: PageAddressOptions): PageAddressGuard {
  const { apiUrl, lookup = systemLookup } = options;

  /** Undefined for a public host, and for a name that this machine cannot resolve. */
  const specialAddressOf = async (hostname: string): Promise<string | undefined> =>
    new Promise((resolve) => {
      lookup(hostname, { all: true }, (error, found) => {
        resolve(error ? undefined : addressesIn(found).find((each) => !isPublicAddress(each)));
      });
    });
  const isApiPublic = async (): Promise<boolean> =>
    isPublicHost(apiUrl) && (await specialAddressOf(apiUrl.hostname)) === undefined;
  return {
    async check(url, byProxy) {
      const isPublic = isPublicHost(url);
      const special = isPublic && byProxy ? await specialAddressOf(url.hostname) : undefined;
      if (isPublic && special === undefined) return;
      if (await isApiPublic()) throw notPublic(url.hostname, special);
    },
    lookup(hostname, lookupOptions, callback) {
      lookup(hostname, lookupOptions, (error, found, family) => {
        const special = error
          ? undefined
          : addressesIn(found).find((address) => !isPublicAddress(address));
        if (special === undefined) {
          callback(error, found, family);
          return;
        }
        void isApiPublic().then((isPublic) => {
          callback(isPublic ? notPublic(hostname, special) : null, found, family);
        });
      });
    },
  };
}

/** Resolves names for plain http: to media servers at home: a public address is refused, since it would see the key. */
export const privateLookup: LookupFunction = (hostname, options, callback) => {
  systemLookup(hostname, options, (error, found, family) => {
    const open = error ? undefined : addressesIn(found).find(isPublicAddress);
    const message = `${hostname} (${open ?? ''}) is on the public internet and is reached by https: only.`;
    callback(
      open === undefined ? error : new ServiceError('insecure-address', message),
      found,
      family,
    );
  });
};

function addressesIn(found: string | readonly LookupAddress[]): readonly string[] {
  return typeof found === 'string' ? [found] : found.map(({ address }) => address);
}

function notPublic(host: string, address?: string): LoadError {
  const shown = address === undefined ? host : `${host} (${address})`;
  return new LoadError('bad-page-url', `The base URL is not on the public internet: ${shown}`);
}
