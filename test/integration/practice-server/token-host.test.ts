/** The authentication service: grants (spec 4.1), personal clients (spec 2.1, 3), and the bearer at the API (spec 5). */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
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
  told: SendOptions = {},
  url = tokenUrl(),
): Promise<RawResponse> {
  return send(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
    ...told,
  });
}

interface Tokens {
  access_token: string;
  refresh_token?: string;
  expires_in?: number;
  refresh_expires_in?: number;
}
async function tokens(fields: Record<string, string> = LOGIN): Promise<Tokens> {
  const outcome = await grant(fields);
  expect(outcome.status).toBe(200);
  return json(outcome) as Tokens;
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

test('the password grant gives a token pair of 15 minutes, which the API takes', async () => {
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

test('every character of a password survives the form', async () => {
  await start();
  await tokens({ ...LOGIN, ...STRANGER, client_id: OTHER_CLIENT.id });
});

test('the lifetimes can be left out', async () => {
  await start({ tokens: { sendLifetimes: false } });
  expect(Object.keys(await tokens()).sort()).toEqual([
    'access_token',
    'refresh_token',
    'token_type',
  ]);
});

test('a refresh rotates the refresh token and ends the one that was used', async () => {
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

test('without rotation, a refresh gives no refresh token and the old one stays', async () => {
  await start({ tokens: { rotateRefreshTokens: false } });
  const first = await tokens();
  expect(await tokens(renewal(first.refresh_token))).not.toHaveProperty('refresh_token');
  await tokens(renewal(first.refresh_token));
});

test('a refresh token ends with its time, at a word, and in the hands of another client', async () => {
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
  ['an unknown user', { username: 'nobody' }, 401, 'invalid_grant'],
  ['a wrong secret', { client_secret: 'no' }, 401, 'unauthorized_client'],
  ['an unknown client', { client_id: 'personal-client-x' }, 401, 'invalid_client'],
  ["another account's client", { client_id: OTHER_CLIENT.id }, 403, 'unauthorized_client'],
  ['another grant', { grant_type: 'client_credentials' }, 400, 'unsupported_grant_type'],
  ['a grant named like a method', { grant_type: 'constructor' }, 400, 'unsupported_grant_type'],
])('%s is refused', async (_, change, status, error) => {
  await start();
  const outcome = await grant({ ...LOGIN, ...change });
  expect(outcome.status).toBe(status);
  expect(json(outcome)).toEqual({ error, error_description: expect.any(String) });
  expect(lastFinding()).toBe('grant-refused');
});

test('a pending client is refused until staff approve it', async () => {
  await start({ tokens: { clients: [{ ...PRACTICE_CLIENT, state: 'pending' }] } });
  const outcome = await grant(LOGIN);
  expect(outcome.status).toBe(401);
  expect(json(outcome)).toEqual({
    error: 'invalid_client',
    error_description: 'Client not enabled',
  });
  service.setClientState(PRACTICE_CLIENT.id, 'approved');
  await tokens();
});

test('the realm must be the right one, and enabled', async () => {
  await start();
  expect((await grant(LOGIN, {}, tokenUrl('other'))).status).toBe(404);
  service.enableRealm(false);
  const outcome = await grant(LOGIN);
  expect(outcome.status).toBe(403);
  expect(json(outcome)).toMatchObject({ error_description: 'Realm not enabled' });
  service.enableRealm(true);
  await tokens();
});

test('the realm is named like the live one, and says where its token endpoint is', async () => {
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

test('a grant is a form, sent with POST, that has each field once', async () => {
  await start();
  const body = JSON.stringify(LOGIN);
  const headers = { 'Content-Type': 'application/json' };
  expect((await grant(LOGIN, { headers, body })).status).toBe(415);
  expect(lastFinding()).toBe('grant-not-a-form');
  const form = new URLSearchParams(LOGIN).toString();
  for (const wrong of [form.replace(/&client_secret=[^&]*/, ''), `${form}&username=reader`]) {
    const outcome = await grant(LOGIN, { body: wrong });
    expect(outcome.status).toBe(400);
    expect(json(outcome)).toMatchObject({ error: 'invalid_request' });
    expect(lastFinding()).toBe('grant-incomplete');
  }
  expect((await send(tokenUrl())).status).toBe(405);
  expect((await send(`${service.addresses.authUrl}/token`, { method: 'POST' })).status).toBe(404);
});

test('the API rejects an unknown bearer, with 401 or with a JSON 403 as told', async () => {
  await start({ rejectBearerWith: 403 });
  const headers = { Authorization: 'Bearer unknown' };
  const outcome = await send(atHomeUrl(service), { headers });
  expect(outcome.status).toBe(403);
  expect(json(outcome)).toMatchObject({ result: 'error' });
  const { access_token: token } = await tokens();
  expect(await apiStatus(token)).toBe(200);
  service.expireAccessTokens();
  expect(await apiStatus(token)).toBe(403);
  expect((await send(atHomeUrl(service), { headers: { Authorization: token } })).status).toBe(403);
});

test('what is refused to guests alone is given to who is logged in', async () => {
  await start();
  service.injectApiFault({ fault: 'refused-to-anonymous', times: 'always' });
  expect((await send(atHomeUrl(service))).status).toBe(403);
  const { access_token: token } = await tokens();
  expect(await apiStatus(token)).toBe(200);
});
