/**
 * The session: provides a valid access token, which is renewed before it expires and when the API rejects it.
 * Concurrent callers share one renewal, in this process by a promise and between processes by a lock, under which the
 * stored login is read again. New tokens are stored before they are used, since the service may have revoked the old
 * refresh token with the same response. A session that the service ended is begun again, once, if the values of the login
 * are in the environment.
 */
import type { TokenProvider } from '../requests/token-use.js';
import { waitAtMost, type Clock } from '../../core/clock.js';
import { hasCode, interruptedError } from '../../core/errors.js';
import { raceWithSignal } from '../../core/abort.js';
import { notLoggedIn, type Credentials, type StoredLogin } from './credentials.js';
import { grantByPassword, grantByRefresh, type TokenEndpoint } from './token-endpoint.js';
import { type PasswordGrant } from '../../config/login-fields.js';
import {
  accessAgeMs,
  isRefreshDue,
  type CredentialStore,
  type Login,
  type Tokens,
} from './login-record.js';

interface SessionDeps {
  readonly credentials: Pick<Credentials, 'readForApi' | 'lock' | 'saveRenewed' | 'storePending'>;
  readonly endpoint: TokenEndpoint;
  /** The values to log in with again; undefined if some are missing. */
  readonly readGrant?: () => Promise<PasswordGrant | undefined>;
  readonly clock: Clock;
}

/** A renewed token that is rejected within this time is not renewed again. */
const MIN_RENEWAL_INTERVAL_MS = 5_000;
const MAX_CLOSE_MS = 10_000;
/** How often a keychain is tried that did not store renewed tokens. */
const PENDING_RETRY_MS = 60_000;

/** The tokens as last read, with the age of the access token at that moment. */
interface CachedTokens {
  readonly tokens: Tokens;
  readonly ageMs: number | undefined;
  readonly atMonotonicMs: number;
}

export class Session implements TokenProvider {
  #cached: CachedTokens | undefined;
  #reading: ReturnType<Credentials['readForApi']> | undefined;
  #renewal: Promise<Tokens | undefined> | undefined;
  #isStoring = false;
  /** The token from the renewal after the last rejection. */
  #afterRejection: { readonly token: string; readonly atMonotonicMs: number } | undefined;
  readonly #closing = new AbortController();
  #hasLoggedInAgain = false;

  constructor(private readonly deps: SessionDeps) {}

  /**
   * Starts no further renewal, and waits up to 10 s for a renewal in progress until its tokens are stored: the service
   * may have revoked the old refresh token. Call it while the connections are open.
   */
  async close(): Promise<void> {
    this.#closing.abort(interruptedError());
    const settled = this.#renewal?.catch(() => undefined);
    if (settled) await waitAtMost(this.deps.clock, MAX_CLOSE_MS, settled);
  }

  async getToken(signal?: AbortSignal): Promise<string | undefined> {
    if (!this.#cached) {
      // Concurrent requests read the keychain once.
      this.#reading ??= this.deps.credentials.readForApi().finally(() => {
        this.#reading = undefined;
      });
      const stored = await raceWithSignal(this.#reading, signal);
      const known = this.#cache(stored?.login.tokens);
      if (stored?.pendingIn !== undefined) this.#storePendingLater(0);
      if (!known && stored && this.#canLogInAgain)
        return (await this.#renew(undefined, signal))?.accessToken;
    }
    const cached = this.#cached;
    if (!cached) return undefined;
    if (!this.#isDue(cached)) return cached.tokens.accessToken;
    return (await this.#renew(undefined, signal))?.accessToken;
  }

  async renew(rejectedToken: string, signal?: AbortSignal): Promise<string | undefined> {
    const { clock } = this.deps;
    const cached = this.#cached;
    if (cached && cached.tokens.accessToken !== rejectedToken && !this.#isDue(cached)) {
      return cached.tokens.accessToken;
    }
    const last = this.#afterRejection;
    if (
      last?.token === rejectedToken &&
      clock.monotonicMs() - last.atMonotonicMs < MIN_RENEWAL_INTERVAL_MS
    ) {
      return undefined;
    }
    const token = (await this.#renew(rejectedToken, signal))?.accessToken;
    this.#afterRejection = token ? { token, atMonotonicMs: clock.monotonicMs() } : undefined;
    return token;
  }

  isExpired(token: string): boolean {
    const cached = this.#cached;
    if (cached?.tokens.accessToken !== token) return true;
    const ageMs = this.#ageMs(cached);
    return ageMs === undefined || ageMs >= cached.tokens.accessLastsMs;
  }

  /** Renews the token, due or not. Throws `not-logged-in`, `session-ended`, and the errors of the request. */
  async refresh(signal?: AbortSignal): Promise<Tokens> {
    const stored = await raceWithSignal(this.deps.credentials.readForApi(), signal);
    const current = stored?.login.tokens;
    const isPossible = current !== undefined || (stored && this.#canLogInAgain);
    const tokens = isPossible ? await this.#renew(current?.accessToken, signal) : undefined;
    if (!tokens) throw notLoggedIn();
    return tokens;
  }

  /** Starts a renewal, or joins the one in progress. `rejected` is a token to replace even if it has not expired. */
  async #renew(rejected: string | undefined, signal?: AbortSignal): Promise<Tokens | undefined> {
    signal?.throwIfAborted();
    this.#closing.signal.throwIfAborted();
    this.#renewal ??= this.#renewOnce(rejected).finally(() => {
      this.#renewal = undefined;
    });
    const tokens = await raceWithSignal(this.#renewal, signal);
    // The renewal that was joined kept the rejected token.
    if (rejected !== undefined && tokens?.accessToken === rejected)
      return this.#renew(rejected, signal);
    return tokens;
  }

  async #renewOnce(rejected: string | undefined): Promise<Tokens | undefined> {
    const lock = await this.deps.credentials.lock(this.#closing.signal);
    try {
      const stored = await this.deps.credentials.readForApi();
      const { tokens } = stored?.login ?? {};
      const cached = this.#cache(tokens);
      if (!stored) return undefined;
      if (!tokens || !cached) return await this.#logInAgain(stored);
      if (tokens.accessToken !== rejected && !this.#isDue(cached)) return tokens;
      return await this.#grant(stored, tokens);
    } finally {
      lock.release();
    }
  }

  /** Once sent, it is not interrupted until the tokens are stored: the old refresh token may be revoked. */
  async #grant(stored: StoredLogin, before: Tokens): Promise<Tokens> {
    const { store, login } = stored;
    try {
      const { endpoint, clock } = this.deps;
      const tokens = await grantByRefresh(
        endpoint,
        login,
        before,
        clock.wallMs(),
        this.#closing.signal,
      );
      await this.#save(store, { ...login, tokens });
      this.#cache(tokens);
      return tokens;
    } catch (error) {
      if (hasCode(error, 'session-ended')) {
        await this.#save(store, { ...login, tokens: undefined });
        this.#cache(undefined);
        const tokens = await this.#logInAgain(stored);
        if (tokens) return tokens;
      }
      throw error;
    }
  }

  async #save(store: CredentialStore, login: Login): Promise<void> {
    if (!(await this.deps.credentials.saveRenewed(store, login))) this.#storePendingLater();
  }

  /** Tries to put a login into the keychain that could not be stored there, until it succeeds or the run ends. */
  #storePendingLater(waitMs = PENDING_RETRY_MS): void {
    if (this.#isStoring) return;
    this.#isStoring = true;
    void this.#storePending(waitMs).finally(() => {
      this.#isStoring = false;
    });
  }

  async #storePending(firstWaitMs: number): Promise<void> {
    const { clock, credentials } = this.deps;
    const { signal } = this.#closing;
    for (let waitMs = firstWaitMs; ; waitMs = PENDING_RETRY_MS) {
      try {
        await clock.sleep(waitMs, signal);
        if (await credentials.storePending(signal)) return;
      } catch {
        // The private file keeps the login for the next run.
        if (signal.aborted) return;
      }
    }
  }

  get #canLogInAgain(): boolean {
    return this.deps.readGrant !== undefined && !this.#hasLoggedInAgain;
  }

  /** Undefined if a value is missing, or after the first time. The caller holds the lock. */
  async #logInAgain({ store, login }: StoredLogin): Promise<Tokens | undefined> {
    const { readGrant, endpoint, clock } = this.deps;
    if (this.#hasLoggedInAgain) return undefined;
    this.#hasLoggedInAgain = true;
    const grant = await readGrant?.();
    if (!grant) return undefined;
    const tokens = await grantByPassword(endpoint, grant, clock.wallMs(), this.#closing.signal);
    const { username, clientId, clientSecret } = grant;
    await this.#save(store, { ...login, username, clientId, clientSecret, tokens });
    this.#cache(tokens);
    return tokens;
  }

  #cache(tokens: Tokens | undefined): CachedTokens | undefined {
    // A known token keeps the age from when it was first read.
    if (tokens && tokens.accessToken === this.#cached?.tokens.accessToken) return this.#cached;
    const { clock } = this.deps;
    this.#cached = tokens && {
      tokens,
      ageMs: accessAgeMs(tokens, clock.wallMs()),
      atMonotonicMs: clock.monotonicMs(),
    };
    return this.#cached;
  }

  #isDue(cached: CachedTokens): boolean {
    return isRefreshDue(cached.tokens, this.#ageMs(cached));
  }

  /** A change of the wall clock while this process runs does not make a token younger. */
  #ageMs({ tokens, ageMs, atMonotonicMs }: CachedTokens): number | undefined {
    const byWallMs = accessAgeMs(tokens, this.deps.clock.wallMs());
    if (byWallMs === undefined || ageMs === undefined) return undefined;
    return Math.max(byWallMs, ageMs + this.deps.clock.monotonicMs() - atMonotonicMs);
  }
}
