/**
 * Where the service lives: the specification's {base_url}, {auth_url}, {network_url} and <realm>. They are the
 * user's to set, so they are checked here once, and everything above gets them as URLs.
 */
import { ServiceError, UsageError } from '../core/errors.js';
import { isSafeAddress, withoutUserInfo } from '../core/web-address.js';

export interface ServiceAddresses {
  readonly apiUrl: URL;
  readonly authUrl: URL;
  readonly networkUrl: URL;
  readonly realm: string;
}

export type AddressTexts = { readonly [Name in keyof ServiceAddresses]: string };

/** The live service's own. */
export const LIVE_SERVICE: AddressTexts = {
  apiUrl: 'https://api.mangadex.org',
  authUrl: 'https://auth.mangadex.org',
  networkUrl: 'https://api.mangadex.network',
  realm: 'mangadex',
};

/** Reads the four texts. Throws `bad-setting`, or `insecure-address` for plain http: to another machine. */
export function readAddresses(texts: AddressTexts): ServiceAddresses {
  if (!/^[\w.~-]+$/.test(texts.realm)) {
    throw new UsageError('bad-setting', `The realm is not a single path segment: ${texts.realm}`);
  }
  return {
    apiUrl: readAddress('apiUrl', texts.apiUrl),
    authUrl: readAddress('authUrl', texts.authUrl),
    networkUrl: readAddress('networkUrl', texts.networkUrl),
    realm: texts.realm,
  };
}

/** Reads one of them; `name` is what a message calls it. */
export function readAddress(name: string, text: string): URL {
  if (!URL.canParse(text))
    throw new UsageError('bad-setting', `${name} is no web address: ${withoutUserInfo(text)}`);
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new UsageError('bad-setting', `${name} is neither https: nor http:, but ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError(
      'bad-setting',
      `${name} may hold a host, a port and a path, and nothing else.`,
    );
  }
  if (!isSafeAddress(url)) {
    throw new ServiceError('insecure-address', `${name} is plain http: to ${url.host}.`);
  }
  return url;
}

/** The address of an endpoint: `path` begins with a slash and is put after whatever path the base has. */
export function endpointUrl(base: URL, path: string, query?: URLSearchParams): URL {
  const url = new URL(base);
  url.pathname = basePath(base) + path;
  url.search = query?.toString() ?? '';
  return url;
}

/** The token endpoint of the realm (spec 4.1). */
export function tokenUrl(addresses: ServiceAddresses): URL {
  return endpointUrl(addresses.authUrl, `/realms/${addresses.realm}/protocol/openid-connect/token`);
}

/** The path of `url` below `base`, beginning with a slash; undefined where it does not lie there. */
export function pathBelow(base: URL, url: URL): string | undefined {
  if (hostKey(base) !== hostKey(url)) return undefined;
  const prefix = basePath(base);
  if (!url.pathname.startsWith(`${prefix}/`)) return undefined;
  return url.pathname.slice(prefix.length);
}

/** A host as one text: name and port, without the dot that may end a full name. */
export function hostKey(url: URL): string {
  const name = url.hostname.replace(/\.$/, '');
  return url.port === '' ? name : `${name}:${url.port}`;
}

function basePath(base: URL): string {
  return base.pathname.replace(/\/+$/, '');
}
