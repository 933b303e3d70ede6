/**
 * The authentication service's token endpoint (spec 4.1 and 5): password and refresh grants as forms, personal clients
 * that work for their owner only, and errors as in OAuth 2.0 (RFC 6749, section 5.2).
 */
import {
  PRACTICE_ACCOUNT,
  PRACTICE_CLIENT,
  PRACTICE_REALM,
  type Account,
  type PersonalClient,
  type TokenOptions,
} from './accounts.js';
import { jsonResponse, type EndpointResponse } from './endpoint.js';
import { IssuedTokens, type TokenOwner } from './issued-tokens.js';
import { addFindings, type Finding, type OpenEntry } from './request-log.js';

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
  readonly issuedTokens: IssuedTokens;
  readonly #clientStates: Map<string, PersonalClient['state']>;
  readonly #accounts: readonly Account[];
  readonly #clients: readonly PersonalClient[];
  readonly #realm: string;
  #realmEnabled = true;

  constructor(
    private readonly options: TokenOptions,
    nowMs: () => number,
  ) {
    this.issuedTokens = new IssuedTokens(options, nowMs);
    this.#accounts = options.accounts ?? [PRACTICE_ACCOUNT];
    this.#clients = options.clients ?? [PRACTICE_CLIENT];
    this.#clientStates = new Map(this.#clients.map(({ id, state }) => [id, state]));
    this.#realm = options.realm ?? PRACTICE_REALM;
  }

  respond(entry: OpenEntry): EndpointResponse {
    const [, realm, endpoint] = PATH.exec(entry.path) ?? [];
    if (realm === undefined) {
      addFindings(entry, 'not-found');
      return jsonResponse(404, { error: 'Unable to find matching target resource method' });
    }
    const isDiscovery = endpoint?.startsWith('.well-known') === true;
    if (entry.method !== (isDiscovery ? 'GET' : 'POST')) {
      addFindings(entry, 'wrong-method');
      return jsonResponse(405, { error: 'HTTP 405 Method Not Allowed' });
    }
    const result = this.#realmRefusal(realm) ?? (isDiscovery ? undefined : this.#grant(entry));
    if (result === undefined) return discoveryResponse(`${entry.origin}/realms/${realm}`);
    if (!('error' in result)) return result;
    const { status, error, description, finding = 'grant-refused' } = result;
    addFindings(entry, finding);
    return jsonResponse(status, { error, error_description: description });
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
      ...this.#accounts.map(({ password }) => password),
      ...this.#clients.map(({ secret }) => secret),
      ...this.issuedTokens.all(),
    ];
  }

  #realmRefusal(realm: string): Refusal | undefined {
    if (realm !== encodeURIComponent(this.#realm)) return REFUSED.unknownRealm;
    return this.#realmEnabled ? undefined : REFUSED.disabledRealm;
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
    const { rotateRefreshTokens = true } = this.options;
    if (renews && rotateRefreshTokens) this.issuedTokens.revoke(form.get('refresh_token') ?? '');
    return this.#tokenResponse(owner, !renews || rotateRefreshTokens);
  }

  #findClient(form: URLSearchParams): PersonalClient | Refusal {
    const client = this.#clients.find(({ id }) => id === form.get('client_id'));
    if (!client) return REFUSED.unknownClient;
    if (this.#clientStates.get(client.id) === 'pending') return REFUSED.pendingClient;
    return client.secret === form.get('client_secret') ? client : REFUSED.wrongSecret;
  }

  #checkPassword(form: URLSearchParams, client: PersonalClient): TokenOwner | Refusal {
    const account = this.#accounts.find(({ username }) => username === form.get('username'));
    if (account?.password !== form.get('password')) return REFUSED.wrongPassword;
    if (account.username !== client.owner) return REFUSED.notTheOwner;
    return { account: account.username, clientId: client.id };
  }

  #checkToken(form: URLSearchParams, client: PersonalClient): TokenOwner | Refusal {
    const owner = this.issuedTokens.ownerOf(form.get('refresh_token') ?? '');
    return owner?.clientId === client.id ? owner : REFUSED.expiredToken;
  }

  /** The tokens (spec 2.2, 2.3). JSON leaves out the undefined fields. */
  #tokenResponse(owner: TokenOwner, withRefreshToken: boolean): EndpointResponse {
    const { accessTokenMs, refreshTokenMs } = this.issuedTokens;
    const seconds = (ms: number, sent = true): number | undefined =>
      sent && this.options.sendLifetimes !== false ? Math.floor(ms / 1_000) : undefined;
    return jsonResponse(200, {
      access_token: this.issuedTokens.newAccessToken(owner),
      token_type: 'Bearer',
      expires_in: seconds(accessTokenMs),
      refresh_token: withRefreshToken ? this.issuedTokens.newRefreshToken(owner) : undefined,
      refresh_expires_in: seconds(refreshTokenMs, withRefreshToken),
    });
  }
}
