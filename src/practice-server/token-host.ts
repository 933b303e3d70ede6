/**
 * The authentication service's token endpoint (spec 4.1 and 5): password and refresh grants as forms, personal
 * clients that are pending or approved and work for their owner alone, and errors as OAuth 2.0 writes them
 * (RFC 6749, section 5.2).
 */
import {
  PRACTICE_ACCOUNT,
  PRACTICE_CLIENT,
  PRACTICE_REALM,
  type PersonalClient,
  type TokenOptions,
} from './accounts.js';
import { jsonAnswer, type Answer } from './endpoint.js';
import {
  ACCESS_TOKEN_MS,
  createIssuedTokens,
  REFRESH_TOKEN_MS,
  type TokenOwner,
  type IssuedTokens,
} from './issued-tokens.js';
import { addFindings, type OpenEntry } from './request-log.js';
import type { Finding } from './rule-checks.js';

export interface TokenEndpoint {
  /** Answers the request of `entry`, whose body is read. */
  answer(entry: OpenEntry): Answer;
  readonly issued: IssuedTokens;
  /** A pending client becomes approved, or the other way round. */
  setClientState(id: string, state: PersonalClient['state']): void;
  enableRealm(enabled: boolean): void;
  /** Every secret that exists: passwords, client secrets, and all tokens ever given. */
  secrets(): readonly string[];
}

interface Refusal {
  readonly status: number;
  readonly error: string;
  readonly description: string;
  readonly finding?: Finding;
}

const refusal = (status: number, error: string, description: string): Refusal => ({
  status,
  error,
  description,
});

const REFUSED = {
  notAForm: {
    ...refusal(415, 'invalid_request', 'The body is not a form'),
    finding: 'grant-not-a-form',
  },
  badGrantType: refusal(400, 'unsupported_grant_type', 'Unsupported grant_type'),
  unknownClient: refusal(401, 'invalid_client', 'Invalid client or Invalid client credentials'),
  wrongSecret: refusal(401, 'unauthorized_client', 'Invalid client or Invalid client credentials'),
  pendingClient: refusal(401, 'invalid_client', 'Client not enabled'),
  notTheOwner: refusal(403, 'unauthorized_client', 'Client belongs to another account'),
  wrongPassword: refusal(401, 'invalid_grant', 'Invalid user credentials'),
  endedToken: refusal(400, 'invalid_grant', 'Token is not active'),
  noSuchRealm: refusal(404, 'Realm does not exist', 'No realm of this name'),
  disabledRealm: refusal(403, 'access_denied', 'Realm not enabled'),
} as const satisfies Record<string, Refusal>;

/** The fields of each grant, all required (spec 4.1). */
const GRANT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  password: ['username', 'password', 'client_id', 'client_secret'],
  refresh_token: ['refresh_token', 'client_id', 'client_secret'],
};

const PATH =
  /^\/realms\/([^/]+)\/(protocol\/openid-connect\/token|\.well-known\/openid-configuration)$/;

/** Where the endpoints of a realm are (OpenID Connect Discovery 1.0, section 3). */
function discoveryAnswer(issuer: string): Answer {
  const endpoints = `${issuer}/protocol/openid-connect`;
  return jsonAnswer(200, {
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

/** The form's grant, where the body is a form that has each field once; else what is wrong with it. */
function readGrant(entry: OpenEntry): { form: URLSearchParams; type: string } | Refusal {
  const mediaType = (entry.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/x-www-form-urlencoded') return REFUSED.notAForm;
  const form = new URLSearchParams(entry.body);
  const type = form.get('grant_type') ?? '';
  const fields = Object.hasOwn(GRANT_FIELDS, type) ? GRANT_FIELDS[type] : undefined;
  if (!fields) return REFUSED.badGrantType;
  const lacking = fields.find((name) => form.getAll(name).length !== 1 || form.get(name) === '');
  if (lacking === undefined) return { form, type };
  const missing = refusal(400, 'invalid_request', `Missing form parameter: ${lacking}`);
  return { ...missing, finding: 'grant-incomplete' };
}

/** The token pair as the answer carries it (spec 2.2, 2.3). */
function tokenAnswer(
  options: TokenOptions,
  accessToken: string,
  refreshToken: string | undefined,
): Answer {
  const { accessTokenMs = ACCESS_TOKEN_MS, refreshTokenMs = REFRESH_TOKEN_MS } = options;
  const told = options.sendLifetimes !== false;
  return jsonAnswer(200, {
    access_token: accessToken,
    token_type: 'Bearer',
    ...(told ? { expires_in: Math.floor(accessTokenMs / 1_000) } : {}),
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    ...(told && refreshToken !== undefined
      ? { refresh_expires_in: Math.floor(refreshTokenMs / 1_000) }
      : {}),
  });
}

export function createTokenEndpoint(options: TokenOptions, nowMs: () => number): TokenEndpoint {
  const { accounts = [PRACTICE_ACCOUNT], clients = [PRACTICE_CLIENT] } = options;
  const realm = options.realm ?? PRACTICE_REALM;
  const states = new Map(clients.map((client) => [client.id, client.state]));
  const issued = createIssuedTokens(options, nowMs);
  let realmEnabled = true;

  const clientOf = (form: URLSearchParams): PersonalClient | Refusal => {
    const client = clients.find(({ id }) => id === form.get('client_id'));
    if (!client) return REFUSED.unknownClient;
    if (states.get(client.id) === 'pending') return REFUSED.pendingClient;
    return client.secret === form.get('client_secret') ? client : REFUSED.wrongSecret;
  };
  const byPassword = (form: URLSearchParams, client: PersonalClient): TokenOwner | Refusal => {
    const account = accounts.find(({ username }) => username === form.get('username'));
    if (account?.password !== form.get('password')) return REFUSED.wrongPassword;
    if (account.username !== client.owner) return REFUSED.notTheOwner;
    return { account: account.username, clientId: client.id };
  };
  const byRefreshToken = (form: URLSearchParams, client: PersonalClient): TokenOwner | Refusal => {
    const owner = issued.ownerOf(form.get('refresh_token') ?? '');
    return owner?.clientId === client.id ? owner : REFUSED.endedToken;
  };

  const grant = (entry: OpenEntry): Answer | Refusal => {
    const read = readGrant(entry);
    if ('error' in read) return read;
    const { form, type } = read;
    const client = clientOf(form);
    if ('error' in client) return client;
    const owner = (type === 'password' ? byPassword : byRefreshToken)(form, client);
    if ('error' in owner) return owner;
    const renewal = type === 'refresh_token';
    const rotates = options.rotateRefreshTokens !== false;
    if (renewal && rotates) issued.end(form.get('refresh_token') ?? '');
    const refreshToken = renewal && !rotates ? undefined : issued.newRefreshToken(owner);
    return tokenAnswer(options, issued.newAccessToken(owner), refreshToken);
  };

  return {
    issued,
    answer(entry) {
      const [, asked, endpoint] = PATH.exec(entry.path) ?? [];
      if (asked === undefined) {
        addFindings(entry, 'not-found');
        return jsonAnswer(404, { error: 'Unable to find matching target resource method' });
      }
      const isDiscovery = endpoint?.startsWith('.well-known') === true;
      if (entry.method !== (isDiscovery ? 'GET' : 'POST')) {
        addFindings(entry, 'wrong-method');
        return jsonAnswer(405, { error: 'HTTP 405 Method Not Allowed' });
      }
      const isRealm = asked === encodeURIComponent(realm);
      if (isDiscovery && isRealm && realmEnabled) {
        return discoveryAnswer(`${entry.origin}/realms/${asked}`);
      }
      const realmRefusal = realmEnabled ? undefined : REFUSED.disabledRealm;
      const result = isRealm ? (realmRefusal ?? grant(entry)) : REFUSED.noSuchRealm;
      if (!('error' in result)) return result;
      addFindings(entry, result.finding ?? 'grant-refused');
      const { status, error, description } = result;
      return jsonAnswer(status, { error, error_description: description });
    },
    setClientState: (id, state) => void states.set(id, state),
    enableRealm(enabled) {
      realmEnabled = enabled;
    },
    secrets: () => [
      ...accounts.map(({ password }) => password),
      ...clients.map(({ secret }) => secret),
      ...issued.all(),
    ],
  };
}
