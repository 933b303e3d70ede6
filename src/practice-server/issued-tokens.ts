/** Tokens of one kind, access or refresh, that the authentication service has issued (spec 2.2). */
import { randomBytes } from 'node:crypto';

export interface TokenOwner {
  readonly account: string;
  readonly clientId: string;
}

interface IssuedToken {
  readonly owner: TokenOwner;
  /** In monotonic time; 0 for a revoked token. */
  expiresAtMs: number;
}

interface TokenKind {
  /** The approximate length of a token. */
  readonly bytes: number;
  readonly lifetimeMs: number;
}

/** Random text with the form and length of a real token: three parts separated by dots. */
function opaqueToken(bytes: number): string {
  const part = (share: number): string =>
    randomBytes(Math.ceil((bytes * share * 3) / 4)).toString('base64url');
  return `eyJ${part(0.05)}.eyJ${part(0.75)}.${part(0.2)}`;
}

export class IssuedTokens {
  readonly #tokens = new Map<string, IssuedToken>();

  constructor(
    private readonly kind: TokenKind,
    private readonly nowMs: () => number,
  ) {}

  issue(owner: TokenOwner): string {
    const token = opaqueToken(this.kind.bytes);
    this.#tokens.set(token, { owner, expiresAtMs: this.nowMs() + this.kind.lifetimeMs });
    return token;
  }

  /** The owner of a token that is valid now. */
  ownerOf(token: string): TokenOwner | undefined {
    const issued = this.#tokens.get(token);
    return issued && issued.expiresAtMs > this.nowMs() ? issued.owner : undefined;
  }

  revoke(token: string): void {
    const issued = this.#tokens.get(token);
    if (issued) issued.expiresAtMs = 0;
  }

  revokeAll(): void {
    for (const issued of this.#tokens.values()) issued.expiresAtMs = 0;
  }

  /** Including those that are no longer valid. */
  all(): string[] {
    return [...this.#tokens.keys()];
  }
}
