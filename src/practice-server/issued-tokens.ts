/** The tokens that the authentication service has issued (spec 2.2). */
import { randomBytes } from 'node:crypto';
import type { TokenOptions } from './accounts.js';

export interface TokenOwner {
  readonly account: string;
  readonly clientId: string;
}

interface IssuedToken extends TokenOwner {
  /** In monotonic time; 0 for a revoked token. */
  expiresAtMs: number;
}

const MINUTE_MS = 60_000;
const ACCESS_TOKEN_BYTES = 1_000;
const REFRESH_TOKEN_BYTES = 600;

/** Random text with the form and length of a real token: three parts separated by dots. */
function opaqueToken(bytes: number): string {
  const part = (share: number): string =>
    randomBytes(Math.ceil((bytes * share * 3) / 4)).toString('base64url');
  return `eyJ${part(0.05)}.eyJ${part(0.75)}.${part(0.2)}`;
}

export class IssuedTokens {
  readonly accessTokenMs: number;
  readonly refreshTokenMs: number;
  readonly #accessTokens = new Map<string, IssuedToken>();
  readonly #refreshTokens = new Map<string, IssuedToken>();

  constructor(
    private readonly options: TokenOptions,
    private readonly nowMs: () => number,
  ) {
    this.accessTokenMs = options.accessTokenMs ?? 15 * MINUTE_MS;
    this.refreshTokenMs = options.refreshTokenMs ?? 30 * 24 * 60 * MINUTE_MS;
  }

  newAccessToken(owner: TokenOwner): string {
    const token = opaqueToken(this.options.tokenBytes ?? ACCESS_TOKEN_BYTES);
    this.#accessTokens.set(token, { ...owner, expiresAtMs: this.nowMs() + this.accessTokenMs });
    return token;
  }

  newRefreshToken(owner: TokenOwner): string {
    const token = opaqueToken(REFRESH_TOKEN_BYTES);
    this.#refreshTokens.set(token, { ...owner, expiresAtMs: this.nowMs() + this.refreshTokenMs });
    return token;
  }

  /** The account of an access token that is valid now. */
  accountOf(accessToken: string): string | undefined {
    return this.#valid(this.#accessTokens.get(accessToken))?.account;
  }

  /** The owner of a refresh token that is valid now. */
  ownerOf(refreshToken: string): TokenOwner | undefined {
    return this.#valid(this.#refreshTokens.get(refreshToken));
  }

  revoke(refreshToken: string): void {
    const token = this.#refreshTokens.get(refreshToken);
    if (token) token.expiresAtMs = 0;
  }

  expireAccessTokens(): void {
    for (const token of this.#accessTokens.values()) token.expiresAtMs = 0;
  }

  revokeRefreshTokens(): void {
    for (const token of this.#refreshTokens.values()) token.expiresAtMs = 0;
  }

  all(): string[] {
    return [...this.#accessTokens.keys(), ...this.#refreshTokens.keys()];
  }

  #valid(token: IssuedToken | undefined): IssuedToken | undefined {
    return token && token.expiresAtMs > this.nowMs() ? token : undefined;
  }
}
