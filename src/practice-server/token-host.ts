/**
 * The authentication service's token endpoint (spec 4.1 and 5): password and refresh grants as forms, personal clients
 * that work for their owner only, and errors as in OAuth 2.0 (RFC 6749, section 5.2).
 */
import {
  PRACTICE_ACCOUNT,
  PRACTICE_CLIENT,
  PRACTICE_REALM,
  type PersonalClient,
  type TokenOptions,
} from './accounts.js';
import { jsonResponse, type EndpointResponse } from './endpoint.js';
import { IssuedTokens, type TokenOwner } from './issued-tokens.js';
import { withFinding, type Finding, type OpenEntry } from './request-log.js';

interface Refusal {
  readonly status: number;
  readonly error: string;
  readonly description: string;
  readonly finding?: Finding;
}

const refusal = (
  status: number,
  error: string,
  description: string,
  finding?: Finding,
): Refusal => ({ status, error, description, finding });

const BAD_CREDENTIALS = 'Invalid client or Invalid client credentials';

const REFUSED = {
  notAForm: refusal(415, 'invalid_request', 'The body is not a form', 'grant-not-a-form'),
  badGrantType: refusal(400, 'unsupported_grant_type', 'Unsupported grant_type'),
  unknownClient: refusal(401, 'invalid_client', BAD_CREDENTIALS),
  wrongSecret: refusal(401, 'unauthorized_client', BAD_CREDENTIALS),
  pendingClient: refusal(401, 'invalid_client', 'Client not enabled'),
  notTheOwner: refusal(403, 'unauthorized_client', 'Client belongs to another account'),
  wrongPassword: refusal(401, 'invalid_grant', 'Invalid user credentials'),
  expiredToken: refusal(400, 'invalid_grant', 'Token is not active'),
  unknownRealm: refusal(404, 'Realm does not exist', 'No realm of this name'),
  disabledRealm: refusal(403, 'access_denied', 'Realm not enabled'),
} as const;

const MINUTE_MS = 60_000;
const REFRESH_TOKEN_BYTES = 600;

const DEFAULT_OPTIONS: Required<TokenOptions> = {
  accounts: [PRACTICE_ACCOUNT],
  clients: [PRACTICE_CLIENT],
  realm: PRACTICE_REALM,
  accessTokenMs: 15 * MINUTE_MS,
  refreshTokenMs: 30 * 24 * 60 * MINUTE_MS,
  rotateRefreshTokens: true,
  sendLifetimes: true,
  tokenBytes: 1_000,
};

/** The required fields of each grant (spec 4.1). */
const GRANT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  password: ['username', 'password', 'client_id', 'client_secret'],
  refresh_token: ['refresh_token', 'client_id', 'client_secret'],
};

const PATH =
  /^\/realms\/([^/]+)\/(protocol\/openid-connect\/token|\.well-known\/openid-configuration)$/;

/** The endpoints of a realm (OpenID Connect Discovery 1.0, section 3). */
function discoveryResponse(issuer: string): EndpointResponse {
  const endpoints = `${issuer}/protocol/openid-connect`;
  return jsonResponse(200, {
    issuer,
    authorization_endpoint: `${endpoints}/auth`,
    token_endpoint: `${endpoints}/token`,
    jwks_uri: `${endpoints}/certs`,
    grant_types_supported: Object.keys(GRANT_FIELDS),
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  });
}

function readGrant(entry: OpenEntry): { form: URLSearchParams; type: string } | Refusal {
  const mediaType = (entry.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/x-www-form-urlencoded') return REFUSED.notAForm;
  const form = new URLSearchParams(entry.body);
  const type = form.get('grant_type') ?? '';
  const fields = Object.hasOwn(GRANT_FIELDS, type) ? GRANT_FIELDS[type] : undefined;
  if (!fields) return REFUSED.badGrantType;
  const missing = fields.find((name) => form.getAll(name).length !== 1 || form.get(name) === '');
  if (missing === undefined) return { form, type };
  return refusal(400, 'invalid_request', `Missing form parameter: ${missing}`, 'grant-incomplete');
}

export class TokenHost {
  readonly accessTokens: IssuedTokens;
  readonly refreshTokens: IssuedTokens;
  readonly #clientStates = new Map<string, PersonalClient['state']>();
  readonly #options: Required<TokenOptions>;
  #realmEnabled = true;

  constructor(options: TokenOptions, nowMs: () => number) {
    this.#options = { ...DEFAULT_OPTIONS, ...options };
    const { accessTokenMs, refreshTokenMs, tokenBytes } = this.#options;
    this.accessTokens = new IssuedTokens({ bytes: tokenBytes, lifetimeMs: accessTokenMs }, nowMs);
    this.refreshTokens = new IssuedTokens(
      { bytes: REFRESH_TOKEN_BYTES, lifetimeMs: refreshTokenMs },
      nowMs,
    );
  }

  respond(entry: OpenEntry): EndpointResponse {
    const [, realm, endpoint] = PATH.exec(entry.path) ?? [];
    if (realm === undefined) {
      const error = 'Unable to find matching target resource method';
      return withFinding(entry, 'not-found', jsonResponse(404, { error }));
    }
    const isDiscovery = endpoint?.startsWith('.well-known') === true;
    if (entry.method !== (isDiscovery ? 'GET' : 'POST')) {
      const error = 'HTTP 405 Method Not Allowed';
      return withFinding(entry, 'wrong-method', jsonResponse(405, { error }));
    }
    const result = this.#respondIn(realm, isDiscovery, entry);
    if (!('error' in result)) return result;
    const { status, error, description, finding = 'grant-refused' } = result;
    return withFinding(
      entry,
      finding,
      jsonResponse(status, { error, error_description: description }),
    );
  }

  /** Approves a pending client or the reverse. */
  setClientState(id: string, state: PersonalClient['state']): void {
    this.#clientStates.set(id, state);
  }

  enableRealm(enabled: boolean): void {
    this.#realmEnabled = enabled;
  }

  /** All passwords, client secrets and tokens ever issued. */
  secrets(): readonly string[] {
    return [
      ...this.#options.accounts.map(({ password }) => password),
      ...this.#options.clients.map(({ secret }) => secret),
      ...this.accessTokens.all(),
      ...this.refreshTokens.all(),
    ];
  }

  #respondIn(realm: string, isDiscovery: boolean, entry: OpenEntry): EndpointResponse | Refusal {
    if (realm !== encodeURIComponent(this.#options.realm)) return REFUSED.unknownRealm;
    if (!this.#realmEnabled) return REFUSED.disabledRealm;
    return isDiscovery ? discoveryResponse(`${entry.origin}/realms/${realm}`) : this.#grant(entry);
  }

  #grant(entry: OpenEntry): EndpointResponse | Refusal {
    const grant = readGrant(entry);
    if ('error' in grant) return grant;
    const { form, type } = grant;
    const client = this.#findClient(form);
    if ('error' in client) return client;
    const renews = type === 'refresh_token';
    const owner = renews ? this.#checkToken(form, client) : this.#checkPassword(form, client);
    if ('error' in owner) return owner;
    const { rotateRefreshTokens } = this.#options;
    if (renews && rotateRefreshTokens) this.refreshTokens.revoke(form.get('refresh_token') ?? '');
    return this.#tokenResponse(owner, !renews || rotateRefreshTokens);
  }

  #findClient(form: URLSearchParams): PersonalClient | Refusal {
    const client = this.#options.clients.find(({ id }) => id === form.get('client_id'));
    if (!client) return REFUSED.unknownClient;
    if ((this.#clientStates.get(client.id) ?? client.state) === 'pending')
      return REFUSED.pendingClient;
    return client.secret === form.get('client_secret') ? client : REFUSED.wrongSecret;
  }

  #checkPassword(form: URLSearchParams, client: PersonalClient): TokenOwner | Refusal {
    const account = this.#options.accounts.find(
      ({ username }) => username === form.get('username'),
    );
    if (account?.password !== form.get('password')) return REFUSED.wrongPassword;
    if (account.username !== client.owner) return REFUSED.notTheOwner;
    return { account: account.username, clientId: client.id };
  }

  #checkToken(form: URLSearchParams, client: PersonalClient): TokenOwner | Refusal {
    const owner = this.refreshTokens.ownerOf(form.get('refresh_token') ?? '');
    return owner?.clientId === client.id ? owner : REFUSED.expiredToken;
  }

  /** The tokens (spec 2.2, 2.3). JSON leaves out the undefined fields. */
  #tokenResponse(owner: TokenOwner, withRefreshToken: boolean): EndpointResponse {
    const { accessTokenMs, refreshTokenMs, sendLifetimes } = this.#options;
    const seconds = (ms: number, sent = true): number | undefined =>
      sent && sendLifetimes ? Math.floor(ms / 1_000) : undefined;
    return jsonResponse(200, {
      access_token: this.accessTokens.issue(owner),
      token_type: 'Bearer',
      expires_in: seconds(accessTokenMs),
      refresh_token: withRefreshToken ? this.refreshTokens.issue(owner) : undefined,
      refresh_expires_in: seconds(refreshTokenMs, withRefreshToken),
    });
  }
}
