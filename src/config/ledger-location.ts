/** Where the rate ledger is, and the login of its server: from the environment or the keychain. */
import { UsageError } from '../core/errors.js';
import { withoutUserInfo } from '../core/web-address.js';
import type { AppContext, Keychain } from './context.js';
import { isUrl } from './paths.js';

export interface RedisAddress {
  /** `redis:` or `rediss:`, with a host, and at most a port and the number of a database. */
  readonly url: URL;
  readonly username?: string;
  readonly password?: string;
}

export type LedgerLocation = { readonly folder: string } | { readonly server: RedisAddress };

/** For messages: without user name and password. */
export function displayAddress({ url }: RedisAddress): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

const PROTOCOLS: readonly string[] = ['redis:', 'rediss:'];
/** The service of the keychain entries; the user name of each is the server's host and port. */
const KEYCHAIN_SERVICE = 'tankobon ledger';

/** Throws UsageError('bad-setting') for another URL, and AuthError where the keychain cannot be read. */
export async function ledgerLocation({
  env,
  paths,
  redactor,
  openKeychain,
}: Pick<AppContext, 'env' | 'paths' | 'redactor' | 'openKeychain'>): Promise<LedgerLocation> {
  if (!isUrl(paths.ledger)) return { folder: paths.ledger };
  const url = parseServerUrl(paths.ledger);
  const username = env['TANKOBON_LEDGER_USERNAME'] ?? fromUrl(url.username);
  const password =
    env['TANKOBON_LEDGER_PASSWORD'] ??
    fromUrl(url.password) ??
    (username === undefined
      ? undefined
      : await storedPassword(url, openKeychain(KEYCHAIN_SERVICE)));
  if (password !== undefined) redactor.add(password);
  url.username = '';
  url.password = '';
  return { server: { url, ...(username && { username }), ...(password && { password }) } };
}

/** Throws UsageError (`bad-option`) where the ledger is in a folder, which other machines do not see. */
export async function shareServer(
  context: Parameters<typeof ledgerLocation>[0],
): Promise<RedisAddress> {
  const location = await ledgerLocation(context);
  if ('server' in location) return location.server;
  throw new UsageError('bad-option', '--share needs a ledger on a server.', {
    hint: 'On all machines, set for example: TANKOBON_LEDGER=redis://nas.local:6379/0',
  });
}

function parseServerUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isValid =
    url !== undefined &&
    PROTOCOLS.includes(url.protocol) &&
    url.hostname !== '' &&
    /^(\/\d{0,4})?$/.test(url.pathname) &&
    url.search === '' &&
    url.hash === '';
  if (isValid) return url;
  throw new UsageError(
    'bad-setting',
    `TANKOBON_LEDGER is not the URL of a Redis or Valkey server: ${withoutUserInfo(text)}`,
    { hint: 'Set it to a folder, or for example to: redis://nas.local:6379/0' },
  );
}

/** A part with a percent sign that encodes nothing is taken as it is written. */
function fromUrl(part: string): string | undefined {
  if (part === '') return undefined;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

async function storedPassword({ host }: URL, keychain: Keychain): Promise<string | undefined> {
  const bytes = await keychain.get(host);
  return bytes && new TextDecoder().decode(bytes);
}
