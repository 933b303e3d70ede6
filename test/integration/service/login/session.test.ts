import { rmSync } from 'node:fs';
import type { Credentials } from '../../../../src/service/login/credentials.js';
import { grantByPassword } from '../../../../src/service/login/token-endpoint.js';
import { withAnonymousFallback } from '../../../../src/service/login/anonymous-fallback.js';
import type { Tokens } from '../../../../src/service/login/login-record.js';
import { Session } from '../../../../src/service/login/session.js';
import { credentialsOf } from '../../../../src/service/login.js';
import { openService, type Service } from '../../../../src/service/service.js';
import { PRACTICE_ACCOUNT, PRACTICE_CLIENT } from '../../../../src/practice-server/accounts.js';
import {
  startPracticeService,
  type PracticeOptions,
  type PracticeService,
} from '../../../../src/practice-server/practice-service.js';
import type { TankobonError } from '../../../../src/core/errors.js';
import { newFolder } from '../../../support/auth/harness.js';
import { runWith } from '../../../support/auth/context.js';
import { adjustableClock, type FakeClock } from '../../../support/fake-clock.js';

const MINUTE_MS = 60_000;

let folder: string;
let practice: PracticeService;
let service: Service;
let clock: FakeClock;
let credentials: Credentials;
let session: Session;

beforeEach(() => {
  folder = newFolder();
  clock = adjustableClock();
});
afterEach(async () => {
  await service.close();
  await practice.stop();
  rmSync(folder, { recursive: true });
});

/** A practice service, and a session at it that has just begun. */
async function begin(options: PracticeOptions = {}): Promise<Tokens> {
  practice = await startPracticeService(options);
  const run = await runWith({ ...practice.environment, TANKOBON_HOME: folder }, clock);
  const fast = await runWith({ ...practice.environment, TANKOBON_HOME: folder });
  service = await openService(fast, { onWait: () => undefined, warn: () => undefined });
  credentials = credentialsOf(run);
  const client = { clientId: PRACTICE_CLIENT.id, clientSecret: PRACTICE_CLIENT.secret };
  const grant = { ...PRACTICE_ACCOUNT, ...client };
  const tokens = await grantByPassword(service.anonymous, grant, clock.wallMs());
  await credentials.save({ username: PRACTICE_ACCOUNT.username, ...client, tokens }, 'file');
  session = new Session({ credentials, endpoint: service.anonymous, clock });
  return tokens;
}

const grantsAsked = () => practice.log.filter(({ host }) => host === 'auth').length - 1;
const stored = async () => (await credentials.read())?.login;

test('a token is used until a minute before it expires', async () => {
  const { accessToken } = await begin();
  expect(await session.getToken()).toBe(accessToken);
  clock.advance(14 * MINUTE_MS - 5_000);
  expect(await session.getToken()).toBe(accessToken);
  expect(grantsAsked()).toBe(0);
  clock.advance(5_000);
  const renewed = await session.getToken();
  expect(renewed).not.toBe(accessToken);
  expect(grantsAsked()).toBe(1);
  expect((await stored())?.tokens?.accessToken).toBe(renewed);
});

test('the lifetime is expires_in, or 15 minutes without it', async () => {
  await begin({ tokens: { accessTokenMs: 5 * MINUTE_MS } });
  clock.advance(4 * MINUTE_MS + 1_000);
  await session.getToken();
  expect(grantsAsked()).toBe(1);
  await service.close();
  await practice.stop();
  await begin({ tokens: { sendLifetimes: false } });
  clock.advance(13 * MINUTE_MS);
  await session.getToken();
  expect(grantsAsked()).toBe(0);
  clock.advance(MINUTE_MS + 1_000);
  await session.getToken();
  expect(grantsAsked()).toBe(1);
});

test('concurrent requests share one renewal', async () => {
  const { accessToken } = await begin();
  clock.advance(15 * MINUTE_MS);
  const due = await Promise.all(Array.from({ length: 30 }, () => session.getToken()));
  expect(new Set(due).size).toBe(1);
  const rejected = due[0] ?? '';
  const after = await Promise.all(Array.from({ length: 30 }, () => session.renew(rejected)));
  expect(new Set(after).size).toBe(1);
  expect(new Set([accessToken, rejected, after[0]]).size).toBe(3);
  expect(grantsAsked()).toBe(2);
});

test('a token renewed by another process is used, not renewed again', async () => {
  const { accessToken } = await begin();
  const another = new Session({ credentials, endpoint: service.anonymous, clock });
  expect(await session.getToken()).toBe(accessToken);
  const theirs = await another.renew(accessToken);
  expect(await session.renew(accessToken)).toBe(theirs);
  expect(grantsAsked()).toBe(1);
});

test('a token that the API rejects is renewed before it expires, but not repeatedly', async () => {
  const { accessToken } = await begin();
  const second = await session.renew(accessToken);
  expect(second).toBeDefined();
  expect(await session.renew(second ?? '')).toBeUndefined();
  expect(grantsAsked()).toBe(1);
  clock.advance(6_000);
  expect(await session.renew(second ?? '')).toBeDefined();
  expect(grantsAsked()).toBe(2);
});

test('a token from the future is renewed, since the clock was or is wrong', async () => {
  await begin();
  clock.stepWall(-10 * MINUTE_MS);
  await session.getToken();
  expect(grantsAsked()).toBe(1);
  await session.getToken();
  expect(grantsAsked()).toBe(1);
});

test('setting the clock back during a run does not extend a token', async () => {
  await begin();
  clock.stepWall(10 * MINUTE_MS);
  await session.getToken();
  clock.advance(14 * MINUTE_MS);
  clock.stepWall(-23 * MINUTE_MS);
  await session.getToken();
  expect(grantsAsked()).toBe(1);
});

test('invalid_grant ends the session and keeps the client for the next login', async () => {
  await begin();
  practice.revokeRefreshTokens();
  await expect(session.refresh()).rejects.toMatchObject({ code: 'session-ended', exitCode: 4 });
  expect(await stored()).toEqual({
    apiOrigin: practice.addresses.apiUrl,
    username: PRACTICE_ACCOUNT.username,
    clientId: PRACTICE_CLIENT.id,
    clientSecret: PRACTICE_CLIENT.secret,
  });
  expect(await session.getToken()).toBeUndefined();
  await expect(session.refresh()).rejects.toMatchObject({ code: 'not-logged-in' });
});

test.each([
  ['server-error', 'service-failed'],
  ['bad-gateway', 'service-failed'],
  ['unavailable', 'service-failed'],
  ['reset', 'unreachable'],
  ['html-page', 'bad-response'],
  ['bad-json', 'bad-response'],
  ['json-null', 'bad-response'],
  ['wrong-shape', 'bad-response'],
  ['not-found', 'request-refused'],
] as const)('a renewal with fault %s fails with %s and keeps the login', async (answer, code) => {
  await begin();
  const before = await stored();
  practice.injectApiFault({ host: 'auth', fault: answer, times: 1 });
  await expect(session.refresh()).rejects.toMatchObject({ code });
  expect(await stored()).toEqual(before);
  await session.refresh();
});

test('a rejected client does not end the session', async () => {
  await begin();
  const before = await stored();
  practice.setClientState(PRACTICE_CLIENT.id, 'pending');
  await expect(session.refresh()).rejects.toMatchObject({ code: 'client-pending' });
  expect(await stored()).toEqual(before);
});

test('a rotated refresh token is stored before the new access token is used', async () => {
  await begin();
  clock.advance(15 * MINUTE_MS);
  const failing = new Session({
    credentials: {
      lock: (signal) => credentials.lock(signal),
      readForApi: async () => {
        const found = await credentials.read();
        const write = () => Promise.reject(new Error('the disk is full'));
        return found && { ...found, store: { ...found.store, write } };
      },
      saveRenewed: (store, login) => credentials.saveRenewed(store, login),
      storePending: () => credentials.storePending(),
    },
    endpoint: service.anonymous,
    clock,
  });
  await expect(failing.getToken()).rejects.toThrow('the disk is full');
});

test('without rotation the old refresh token stays in use', async () => {
  const { refreshToken, refreshObtainedAtMs } = await begin({
    tokens: { rotateRefreshTokens: false },
  });
  clock.advance(15 * MINUTE_MS);
  await session.getToken();
  expect((await stored())?.tokens).toMatchObject({ refreshToken, refreshObtainedAtMs });
});

test('an interrupted caller rejects at once, and the renewed tokens are still stored', async () => {
  const { accessToken } = await begin({ latencyMs: { auth: 2_000 } });
  const stopping = new AbortController();
  const waiting = session.renew(accessToken, stopping.signal);
  setTimeout(() => {
    stopping.abort(new Error('interrupted'));
  }, 50);
  await expect(waiting).rejects.toThrow('interrupted');
  expect((await stored())?.tokens?.accessToken).toBe(accessToken);
  const lock = await credentials.lock();
  lock.release();
  expect((await stored())?.tokens?.accessToken).not.toBe(accessToken);
});

test('without a usable login the error is reported once and requests are anonymous', async () => {
  await begin();
  const errors: TankobonError[] = [];
  const bearer = withAnonymousFallback(
    session,
    clock,
    (error) => errors.push(error),
    service.outages,
  );
  clock.advance(15 * MINUTE_MS);
  practice.injectApiFault({ host: 'auth', fault: 'unavailable', times: 1 });
  expect(await bearer.getToken()).toBeUndefined();
  expect(await bearer.getToken()).toBeUndefined();
  expect(errors.map(({ code }) => code)).toEqual(['service-failed']);
  clock.advance(MINUTE_MS);
  expect(await bearer.getToken()).toBeDefined();
});
