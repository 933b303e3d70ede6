/** The authentication service: grants (spec 4.1), personal clients (spec 2.1, 3), and the bearer at the API (spec 5). */
import { PRACTICE_ACCOUNT, PRACTICE_CLIENT } from '../../../src/practice-server/accounts.js';
import {
  startPracticeService,
  type PracticeOptions,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { fakeClock, type FakeClock } from '../../support/fake-clock.js';
import {
  atHomeUrl,
  json,
  send,
  type RawResponse,
  type SendOptions,
  LIBRARY,
} from '../../support/plain-client.js';

const STRANGER = { username: 'stranger', password: 'p&s=w+o%r d é🙂' };
const OTHER_CLIENT = { ...PRACTICE_CLIENT, id: 'personal-client-other', owner: STRANGER.username };

let service: PracticeService;
let clock: FakeClock;
const start = async (options: PracticeOptions = {}): Promise<void> => {
  service = await startPracticeService({
    library: LIBRARY,
    clock,
    limits: { general: { requests: 1_000, periodMs: 1_000 } },
    ...options,
    tokens: {
      accounts: [PRACTICE_ACCOUNT, STRANGER],
      clients: [PRACTICE_CLIENT, OTHER_CLIENT],
      ...options.tokens,
    },
  });
};
beforeEach(() => {
  clock = fakeClock();
});
afterEach(() => service.stop());

const LOGIN = {
  grant_type: 'password',
  username: PRACTICE_ACCOUNT.username,
  password: PRACTICE_ACCOUNT.password,
  client_id: PRACTICE_CLIENT.id,
  client_secret: PRACTICE_CLIENT.secret,
};

const tokenUrl = (realm = service.addresses.realm): string =>
  `${service.addresses.authUrl}/realms/${realm}/protocol/openid-connect/token`;

function grant(
  fields: Record<string, string>,
  options: SendOptions = {},
  url = tokenUrl(),
): Promise<RawResponse> {
  return send(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
    ...options,
  });
}

interface Tokens {
  access_token: string;
  refresh_token?: string;
  expires_in?: number;
  refresh_expires_in?: number;
}
async function tokens(fields: Record<string, string> = LOGIN): Promise<Tokens> {
  const response = await grant(fields);
  expect(response.status).toBe(200);
  return json(response) as Tokens;
}
const renewal = (refreshToken = ''): Record<string, string> => ({
  grant_type: 'refresh_token',
  refresh_token: refreshToken,
  client_id: PRACTICE_CLIENT.id,
  client_secret: PRACTICE_CLIENT.secret,
});
const apiStatus = async (bearer: string): Promise<number> => {
  const headers = { Authorization: `Bearer ${bearer}` };
  return (await send(atHomeUrl(service), { headers })).status;
};
const lastFinding = (): string | undefined => service.log.at(-1)?.finding;

test('the password grant issues tokens for 15 minutes, which the API accepts', async () => {
  await start({ tokens: { tokenBytes: 3_000 } });
  const pair = await tokens();
  expect(pair).toMatchObject({ expires_in: 900, refresh_expires_in: 2_592_000 });
  expect(pair.access_token).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/);
  expect(pair.access_token.length).toBeGreaterThan(2_900);
  expect(await apiStatus(pair.access_token)).toBe(200);
  clock.advance(899_999);
  expect(await apiStatus(pair.access_token)).toBe(200);
  clock.advance(1);
  expect(await apiStatus(pair.access_token)).toBe(401);
  expect(lastFinding()).toBe('bearer-rejected');
  expect(service.violations()).toEqual([]);
  expect(service.secrets()).toEqual(
    expect.arrayContaining([pair.access_token, pair.refresh_token, PRACTICE_ACCOUNT.password]),
  );
});

test('the form preserves every character of a password', async () => {
  await start();
  await tokens({ ...LOGIN, ...STRANGER, client_id: OTHER_CLIENT.id });
});

test('the lifetimes can be omitted', async () => {
  await start({ tokens: { sendLifetimes: false } });
  expect(Object.keys(await tokens()).sort()).toEqual([
    'access_token',
    'refresh_token',
    'token_type',
  ]);
});

test('a refresh replaces the refresh token and revokes the old one', async () => {
  await start();
  const first = await tokens();
  const second = await tokens(renewal(first.refresh_token));
  expect(second.refresh_token).not.toBe(first.refresh_token);
  expect(second.access_token).not.toBe(first.access_token);
  const again = await grant(renewal(first.refresh_token));
  expect(again.status).toBe(400);
  expect(json(again)).toMatchObject({ error: 'invalid_grant' });
  await tokens(renewal(second.refresh_token));
});

test('without rotation, a refresh issues no refresh token and the old one stays valid', async () => {
  await start({ tokens: { rotateRefreshTokens: false } });
  const first = await tokens();
  expect(await tokens(renewal(first.refresh_token))).not.toHaveProperty('refresh_token');
  await tokens(renewal(first.refresh_token));
});

test('a refresh token is invalid after expiry or revocation, and for another client', async () => {
  await start({ tokens: { refreshTokenMs: 60_000 } });
  const { refresh_token: token = '' } = await tokens();
  const foreign = { ...renewal(token), client_id: OTHER_CLIENT.id };
  expect(json(await grant(foreign))).toMatchObject({ error: 'invalid_grant' });
  clock.advance(60_000);
  expect(json(await grant(renewal(token)))).toMatchObject({ error: 'invalid_grant' });
  const { refresh_token: other = '' } = await tokens();
  service.revokeRefreshTokens();
  expect(json(await grant(renewal(other)))).toMatchObject({ error: 'invalid_grant' });
});

test.each<[string, Record<string, string>, number, string]>([
  ['a wrong password', { password: 'no' }, 401, 'invalid_grant'],
  ['an unknown user', { username: 'stranger' }, 401, 'invalid_grant'],
  ['a wrong secret', { client_secret: 'no' }, 401, 'unauthorized_client'],
  ['an unknown client', { client_id: 'personal-client-x' }, 401, 'invalid_client'],
  ["another account's client", { client_id: OTHER_CLIENT.id }, 403, 'unauthorized_client'],
  ['another grant', { grant_type: 'client_credentials' }, 400, 'unsupported_grant_type'],
  ['a grant named like a method', { grant_type: 'constructor' }, 400, 'unsupported_grant_type'],
])('%s is refused', async (_, change, status, error) => {
  await start();
  const response = await grant({ ...LOGIN, ...change });
  expect(response.status).toBe(status);
  expect(json(response)).toEqual({ error, error_description: expect.any(String) });
  expect(lastFinding()).toBe('grant-refused');
});

test('a pending client is refused until it is approved', async () => {
  await start({ tokens: { clients: [{ ...PRACTICE_CLIENT, state: 'pending' }] } });
  const response = await grant(LOGIN);
  expect(response.status).toBe(401);
  expect(json(response)).toEqual({
    error: 'invalid_client',
    error_description: 'Client not enabled',
  });
  service.setClientState(PRACTICE_CLIENT.id, 'approved');
  await tokens();
});

test('the realm must exist and be enabled', async () => {
  await start();
  expect((await grant(LOGIN, {}, tokenUrl('other'))).status).toBe(404);
  service.enableRealm(false);
  const response = await grant(LOGIN);
  expect(response.status).toBe(403);
  expect(json(response)).toMatchObject({ error_description: 'Realm not enabled' });
  service.enableRealm(true);
  await tokens();
});

test('the realm has the name of the live one and a discovery document', async () => {
  await start();
  expect(service.addresses.realm).toBe('mangadex');
  const path = (realm: string) =>
    `${service.addresses.authUrl}/realms/${realm}/.well-known/openid-configuration`;
  const { issuer, ...rest } = json(await send(path('mangadex'))) as Record<string, unknown>;
  expect(`${String(issuer)}/.well-known/openid-configuration`).toBe(path('mangadex'));
  expect(rest).toMatchObject({
    token_endpoint: tokenUrl(),
    grant_types_supported: ['password', 'refresh_token'],
  });
  expect((await send(path('other'))).status).toBe(404);
  expect((await send(path('mangadex'), { method: 'POST' })).status).toBe(405);
  service.enableRealm(false);
  expect((await send(path('mangadex'))).status).toBe(403);
});

test('a grant is a form sent by POST with each field exactly once', async () => {
  await start();
  const body = JSON.stringify(LOGIN);
  const headers = { 'Content-Type': 'application/json' };
  expect((await grant(LOGIN, { headers, body })).status).toBe(415);
  expect(lastFinding()).toBe('grant-not-a-form');
  const form = new URLSearchParams(LOGIN).toString();
  for (const wrong of [form.replace(/&client_secret=[^&]*/, ''), `${form}&username=reader`]) {
    const response = await grant(LOGIN, { body: wrong });
    expect(response.status).toBe(400);
    expect(json(response)).toMatchObject({ error: 'invalid_request' });
    expect(lastFinding()).toBe('grant-incomplete');
  }
  expect((await send(tokenUrl())).status).toBe(405);
  expect((await send(`${service.addresses.authUrl}/token`, { method: 'POST' })).status).toBe(404);
});

test('the API rejects an unknown bearer with 401, or with a JSON 403 if configured', async () => {
  await start({ rejectBearerWith: 403 });
  const headers = { Authorization: 'Bearer unknown' };
  const response = await send(atHomeUrl(service), { headers });
  expect(response.status).toBe(403);
  expect(json(response)).toMatchObject({ result: 'error' });
  const { access_token: token } = await tokens();
  expect(await apiStatus(token)).toBe(200);
  service.expireAccessTokens();
  expect(await apiStatus(token)).toBe(403);
  expect((await send(atHomeUrl(service), { headers: { Authorization: token } })).status).toBe(403);
});

test('a response refused to anonymous requests only is sent to a logged-in user', async () => {
  await start();
  service.injectApiFault({ fault: 'refused-to-anonymous', times: 'always' });
  expect((await send(atHomeUrl(service))).status).toBe(403);
  const { access_token: token } = await tokens();
  expect(await apiStatus(token)).toBe(200);
});
