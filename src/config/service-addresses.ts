/** The addresses of the service: the specification's {base_url}, {auth_url}, {network_url} and <realm>. */
import { ServiceError, UsageError } from '../core/errors.js';
import { isSafeAddress, withoutUserInfo } from '../core/web-address.js';

export interface ServiceAddresses {
  readonly apiUrl: URL;
  readonly authUrl: URL;
  readonly networkUrl: URL;
  readonly realm: string;
}

type AddressTexts = { readonly [Name in keyof ServiceAddresses]: string };

export const LIVE_SERVICE: AddressTexts = {
  apiUrl: 'https://api.mangadex.org',
  authUrl: 'https://auth.mangadex.org',
  networkUrl: 'https://api.mangadex.network',
  realm: 'mangadex',
};

export const WEB_HOST = 'mangadex.org';

/** The URL of a title on the website. */
export function titleWebUrl(titleId: string): string {
  return `https://${WEB_HOST}/title/${titleId}`;
}

/** The URL of a chapter on the website. */
export function chapterWebUrl(chapterId: string): string {
  return `https://${WEB_HOST}/chapter/${chapterId}`;
}

/** Throws `bad-setting`, or `insecure-address` for plain http: to another machine. */
export function readAddresses(texts: AddressTexts): ServiceAddresses {
  if (!/^[\w.~-]+$/.test(texts.realm))
    throw new UsageError('bad-setting', `The realm is not a single path segment: ${texts.realm}`);
  return {
    apiUrl: readAddress('apiUrl', texts.apiUrl),
    authUrl: readAddress('authUrl', texts.authUrl),
    networkUrl: readAddress('networkUrl', texts.networkUrl),
    realm: texts.realm,
  };
}

/** `name` is that of the setting, for messages. */
export function readAddress(name: string, text: string): URL {
  const invalid = (problem: string) => new UsageError('bad-setting', `${name} ${problem}`);
  if (!URL.canParse(text)) throw invalid(`is not a URL: ${withoutUserInfo(text)}`);
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw invalid(`is not an http: or https: URL, but ${url.protocol}`);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw invalid('has more than a host, a port and a path.');
  if (!isSafeAddress(url))
    throw new ServiceError('insecure-address', `${name} uses plain http: to ${url.host}.`);
  return url;
}

/** The URL of an endpoint: `path`, with its leading slash, is appended to the path of `base`. */
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

/** The path of `url` relative to `base`, with a leading slash; undefined if it is not below `base`. */
export function pathBelow(base: URL, url: URL): string | undefined {
  const prefix = basePath(base);
  const isBelow = hostKey(base) === hostKey(url) && url.pathname.startsWith(`${prefix}/`);
  return isBelow ? url.pathname.slice(prefix.length) : undefined;
}

/** The host name and port, without the trailing dot of a fully qualified name. */
export function hostKey(url: URL): string {
  const name = url.hostname.replace(/\.$/, '');
  return url.port === '' ? name : `${name}:${url.port}`;
}

function basePath(base: URL): string {
  return base.pathname.replace(/\/+$/, '');
}
