/** The accounts of the practice server and their personal clients (spec 2.1). */

export interface Account {
  readonly username: string;
  readonly password: string;
}

export interface PersonalClient {
  /** Begins with `personal-client-` (spec 2.1). */
  readonly id: string;
  readonly secret: string;
  /** The user name of the account that it belongs to. */
  readonly owner: string;
  readonly state: 'pending' | 'approved';
}

export const PRACTICE_ACCOUNT: Account = { username: 'reader', password: 'turn the page' };
export const PRACTICE_CLIENT: PersonalClient = {
  id: 'personal-client-5a1e0b8c-practice',
  secret: 'keep-this-between-us-0123456789',
  owner: PRACTICE_ACCOUNT.username,
  state: 'approved',
};
/** The live service's realm, which some clients have hard-coded. */
export const PRACTICE_REALM = 'mangadex';

export interface TokenOptions {
  readonly accounts?: readonly Account[];
  readonly clients?: readonly PersonalClient[];
  readonly realm?: string;
  /** 15 minutes by default (spec 8.5). */
  readonly accessTokenMs?: number;
  /** 30 days by default. */
  readonly refreshTokenMs?: number;
  /** Whether each refresh replaces the refresh token; true by default. */
  readonly rotateRefreshTokens?: boolean;
  /** Whether responses contain `expires_in` and `refresh_expires_in`; true by default. */
  readonly sendLifetimes?: boolean;
  /** The approximate length of an access token; 1,000 by default. Real ones have up to 3,000. */
  readonly tokenBytes?: number;
}
