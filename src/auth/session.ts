/**
 * The session: an access token that is always fresh. Renewed before its time is over and when the API rejects
 * it; once for all who need it at that moment, in this process (one promise) and in others (one lock, and a
 * second look at what is stored). What a renewal brought is stored before it is used, since the service may have
 * made the old refresh token worthless with the same answer.
 */
import type { Clock } from '../core/clock.js';
import { hasCode, interruption } from '../core/errors.js';
import type { TokenProvider } from '../api/client.js';
import { notLoggedIn, type Credentials, type StoredLogin } from './credentials.js';
import { grantByRefresh, type TokenEndpoint } from './token-endpoint.js';
import type { ActiveLogin, Login, Tokens } from './login-record.js';
import { accessAgeMs, isRefreshDue } from './token-times.js';

export interface Session extends TokenProvider {
  /** Renews whether or not it is due. Throws `not-logged-in`, `session-ended`, or what kept the service from it. */
  refresh(signal?: AbortSignal): Promise<Tokens>;
  /**
   * Begins no further renewal, and waits for one whose request has been sent until its tokens are stored: with the
   * answer, the old refresh token may be worthless. Bounded; to be called while the connections are still open.
   */
  close(): Promise<void>;
}

export interface SessionDeps {
  readonly credentials: Pick<Credentials, 'readForApi' | 'lock'>;
  readonly endpoint: TokenEndpoint;
  readonly clock: Clock;
}

/** A token that came after a rejection, and is rejected as soon as this, will not be helped by another. */
const NO_SOONER_MS = 5_000;
/** For a token endpoint that does not answer, nobody waits longer than this at the end of a command. */
const MAX_CLOSE_MS = 10_000;

export function openSession(parts: SessionDeps): Session {
  return new StoredSession(parts);
}

/** A login as this process last saw it, with its access token's age by both clocks. */
interface Seen {
  readonly tokens: Tokens;
  readonly ageMs: number | undefined;
  readonly atMonotonicMs: number;
}

class StoredSession implements Session {
  #seen: Seen | undefined;
  #reading: ReturnType<Credentials['readForApi']> | undefined;
  #renewal: Promise<Tokens | undefined> | undefined;
  /** The token that a rejection brought, and when. */
  #afterRejection: { readonly token: string; readonly atMonotonicMs: number } | undefined;

  readonly #closing = new AbortController();

  constructor(private readonly parts: SessionDeps) {}

  async close(): Promise<void> {
    this.#closing.abort(interruption());
    if (!this.#renewal) return;
    const over = new AbortController();
    const settled = this.#renewal.then(
      () => undefined,
      () => undefined,
    );
    const tooLong = this.parts.clock.sleep(MAX_CLOSE_MS, over.signal).catch(() => undefined);
    await Promise.race([settled, tooLong]);
    over.abort();
  }

  async getToken(signal?: AbortSignal): Promise<string | undefined> {
    if (!this.#seen) {
      // Two requests that start together ask the keychain once.
      this.#reading ??= this.parts.credentials.readForApi().finally(() => {
        this.#reading = undefined;
      });
      this.#see((await this.#reading)?.login.tokens);
    }
    const seen = this.#seen;
    if (!seen) return undefined;
    if (!this.#isDue(seen)) return seen.tokens.accessToken;
    return (await this.#renew(undefined, signal))?.accessToken;
  }

  async renew(rejectedToken: string, signal?: AbortSignal): Promise<string | undefined> {
    const { clock } = this.parts;
    const seen = this.#seen;
    if (seen && seen.tokens.accessToken !== rejectedToken && !this.#isDue(seen)) {
      return seen.tokens.accessToken;
    }
    const last = this.#afterRejection;
    if (last?.token === rejectedToken && clock.monotonicMs() - last.atMonotonicMs < NO_SOONER_MS) {
      return undefined;
    }
    const token = (await this.#renew(rejectedToken, signal))?.accessToken;
    this.#afterRejection =
      token === undefined ? undefined : { token, atMonotonicMs: clock.monotonicMs() };
    return token;
  }

  isExpired(token: string): boolean {
    const seen = this.#seen;
    if (seen?.tokens.accessToken !== token) return true;
    const ageMs = this.#ageMs(seen);
    return ageMs === undefined || ageMs >= seen.tokens.accessLastsMs;
  }

  async refresh(signal?: AbortSignal): Promise<Tokens> {
    const stored = await this.parts.credentials.readForApi();
    if (!stored?.login.tokens) throw notLoggedIn();
    const tokens = await this.#renew(stored.login.tokens.accessToken, signal);
    if (!tokens) throw notLoggedIn();
    return tokens;
  }

  /** One renewal at a time; whoever needs one joins it. `instead` is a token that will not do, however fresh. */
  async #renew(instead: string | undefined, signal?: AbortSignal): Promise<Tokens | undefined> {
    signal?.throwIfAborted();
    this.#closing.signal.throwIfAborted();
    this.#renewal ??= this.#renewOnce(instead).finally(() => {
      this.#renewal = undefined;
    });
    const tokens = await interruptible(this.#renewal, signal);
    // Joined to a renewal that was content with the very token that will not do.
    if (instead !== undefined && tokens?.accessToken === instead)
      return this.#renew(instead, signal);
    return tokens;
  }

  async #renewOnce(instead: string | undefined): Promise<Tokens | undefined> {
    const lock = await this.parts.credentials.lock(this.#closing.signal);
    try {
      const stored = await this.parts.credentials.readForApi();
      const { tokens } = stored?.login ?? {};
      const seen = this.#see(tokens);
      if (!stored || !tokens || !seen) return undefined;
      if (tokens.accessToken !== instead && !this.#isDue(seen)) return tokens;
      return await this.#grant(stored, { ...stored.login, tokens });
    } finally {
      lock.release();
    }
  }

  /** Not to be interrupted between the question and the store: the answer may have cost the old refresh token. */
  async #grant({ store }: StoredLogin, login: ActiveLogin): Promise<Tokens> {
    try {
      const { endpoint, clock } = this.parts;
      const waitSignal = this.#closing.signal;
      const tokens = await grantByRefresh(endpoint, login, clock.wallMs(), waitSignal);
      await store.write({ ...login, tokens });
      this.#see(tokens);
      return tokens;
    } catch (error) {
      if (hasCode(error, 'session-ended')) {
        await store.write(withoutTokens(login));
        this.#see(undefined);
      }
      throw error;
    }
  }

  #see(tokens: Tokens | undefined): Seen | undefined {
    // The same token seen again keeps the age that it was first seen with.
    if (tokens && tokens.accessToken === this.#seen?.tokens.accessToken) return this.#seen;
    const { clock } = this.parts;
    this.#seen = tokens && {
      tokens,
      ageMs: accessAgeMs(tokens, clock.wallMs()),
      atMonotonicMs: clock.monotonicMs(),
    };
    return this.#seen;
  }

  #isDue(seen: Seen): boolean {
    return isRefreshDue(seen.tokens, this.#ageMs(seen));
  }

  /** Steps of the wall clock while this process runs do not make a token younger. */
  #ageMs({ tokens, ageMs, atMonotonicMs }: Seen): number | undefined {
    const byWallMs = accessAgeMs(tokens, this.parts.clock.wallMs());
    if (byWallMs === undefined || ageMs === undefined) return undefined;
    return Math.max(byWallMs, ageMs + this.parts.clock.monotonicMs() - atMonotonicMs);
  }
}

function withoutTokens({ username, clientId, clientSecret, apiOrigin }: Login): Login {
  return { username, clientId, clientSecret, ...(apiOrigin !== undefined && { apiOrigin }) };
}

/** The promise, or the signal's reason where that comes first; the promise goes on either way. */
async function interruptible<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise;
  const listening = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    const stop = () => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', stop, { signal: listening.signal });
  });
  try {
    return await Promise.race([promise, stopped]);
  } finally {
    listening.abort();
  }
}
