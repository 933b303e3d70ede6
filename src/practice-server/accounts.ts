/** Who may log in at the practice service: accounts, and the personal clients that they own (spec 2.1). */

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

/** Who can log in when nothing else is said. */
export const PRACTICE_ACCOUNT: Account = { username: 'reader', password: 'turn the page' };
export const PRACTICE_CLIENT: PersonalClient = {
  id: 'personal-client-5a1e0b8c-practice',
  secret: 'keep-this-between-us-0123456789',
  owner: PRACTICE_ACCOUNT.username,
  state: 'approved',
};
/** The live service's, which some clients have written into them. */
export const PRACTICE_REALM = 'mangadex';

export interface TokenOptions {
  readonly accounts?: readonly Account[];
  readonly clients?: readonly PersonalClient[];
  readonly realm?: string;
  /** In milliseconds; 15 minutes where absent (spec 8.5). */
  readonly accessTokenMs?: number;
  /** In milliseconds; 30 days where absent. */
  readonly refreshTokenMs?: number;
  /** Whether each refresh gives a new refresh token and ends the old one. It does where absent. */
  readonly rotateRefreshTokens?: boolean;
  /** Whether the answers carry `expires_in` and `refresh_expires_in`. They do where absent. */
  readonly sendLifetimes?: boolean;
  /** About how long an access token is. 1,000 where absent; real ones are up to 3,000. */
  readonly tokenBytes?: number;
}
