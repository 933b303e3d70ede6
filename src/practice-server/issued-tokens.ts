/** The tokens that the authentication service has given out, and what they are good for (spec 2.2). */
import { randomBytes } from 'node:crypto';
import type { TokenOptions } from './accounts.js';

interface Issued {
  readonly account: string;
  readonly clientId: string;
  /** By the clock's monotonic count; 0 for a token that was ended. */
  expiresAtMs: number;
}

export type TokenOwner = Pick<Issued, 'account' | 'clientId'>;

export interface IssuedTokens {
  newAccessToken(owner: TokenOwner): string;
  newRefreshToken(owner: TokenOwner): string;
  /** Whose access token this is; `undefined` for an unknown one and for one past its time. */
  accountOf(accessToken: string): string | undefined;
  /** Who may use this refresh token; `undefined` for an unknown one and for one past its time. */
  ownerOf(refreshToken: string): TokenOwner | undefined;
  end(refreshToken: string): void;
  expireAccessTokens(): void;
  revokeRefreshTokens(): void;
  all(): readonly string[];
}

const MINUTE_MS = 60_000;
export const ACCESS_TOKEN_MS = 15 * MINUTE_MS;
export const REFRESH_TOKEN_MS = 30 * 24 * 60 * MINUTE_MS;
const ACCESS_TOKEN_BYTES = 1_000;
const REFRESH_TOKEN_BYTES = 600;

/** Something as long as a real token, and of its look: three deps, which say nothing. */
function opaqueToken(bytes: number): string {
  const part = (share: number): string =>
    randomBytes(Math.ceil((bytes * share * 3) / 4)).toString('base64url');
  return `eyJ${part(0.05)}.eyJ${part(0.75)}.${part(0.2)}`;
}

export function createIssuedTokens(options: TokenOptions, nowMs: () => number): IssuedTokens {
  const { accessTokenMs = ACCESS_TOKEN_MS, refreshTokenMs = REFRESH_TOKEN_MS } = options;
  const accessTokens = new Map<string, Issued>();
  const refreshTokens = new Map<string, Issued>();
  const issue = (
    into: Map<string, Issued>,
    bytes: number,
    owner: TokenOwner,
    ms: number,
  ): string => {
    const token = opaqueToken(bytes);
    into.set(token, { ...owner, expiresAtMs: nowMs() + ms });
    return token;
  };
  const stillGood = (token: Issued | undefined): Issued | undefined =>
    token && token.expiresAtMs > nowMs() ? token : undefined;
  const endAll = (tokens: Map<string, Issued>): void => {
    for (const token of tokens.values()) token.expiresAtMs = 0;
  };
  return {
    newAccessToken: (owner) =>
      issue(accessTokens, options.tokenBytes ?? ACCESS_TOKEN_BYTES, owner, accessTokenMs),
    newRefreshToken: (owner) => issue(refreshTokens, REFRESH_TOKEN_BYTES, owner, refreshTokenMs),
    accountOf: (token) => stillGood(accessTokens.get(token))?.account,
    ownerOf: (token) => stillGood(refreshTokens.get(token)),
    end(token) {
      const known = refreshTokens.get(token);
      if (known) known.expiresAtMs = 0;
    },
    expireAccessTokens: () => {
      endAll(accessTokens);
    },
    revokeRefreshTokens: () => {
      endAll(refreshTokens);
    },
    all: () => [...accessTokens.keys(), ...refreshTokens.keys()],
  };
}
