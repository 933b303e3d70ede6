/**
 * The layout of a login in the keychain. A secret is stored in one entry, or in several numbered ones if it is too
 * long. Entries cannot be written atomically together, so each secret has two slots: a new value is written to the
 * unused slot, then one write of the header entry switches to it. A process that is killed in between leaves the old
 * login intact. The header also holds a checksum of each secret, which detects incomplete values.
 */
import { createHash } from 'node:crypto';
import { MAX_ENTRY_BYTES } from './keychain.js';
import { MAX_TOKEN_BYTES, type FORMAT } from './login-record.js';

export const HEADER_ENTRY = 'login';
export const SECRET_NAMES = ['client-secret', 'access-token', 'refresh-token'] as const;
export type SecretName = (typeof SECRET_NAMES)[number];
const SLOTS = ['a', 'b'] as const;

export interface SecretLocation {
  readonly slot: (typeof SLOTS)[number];
  readonly parts: number;
  /** See `checksum`. */
  readonly check: string;
}

export interface KeychainHeader {
  readonly format: typeof FORMAT;
  readonly username: string;
  readonly clientId: string;
  readonly apiOrigin?: string;
  readonly times?: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Partial<Record<SecretName, SecretLocation>>>;
}

export const MAX_PARTS = Math.ceil(MAX_TOKEN_BYTES / MAX_ENTRY_BYTES);

export function partEntryName(secret: SecretName, slot: string, part: number): string {
  return `${secret}.${slot}.${part}`;
}

/** Every name that a part of a secret can have. */
export function allPartEntryNames(): readonly string[] {
  return SECRET_NAMES.flatMap((secret) =>
    SLOTS.flatMap((slot) =>
      Array.from({ length: MAX_PARTS }, (_, index) => partEntryName(secret, slot, index + 1)),
    ),
  );
}

/** The value in parts of at most `maxBytes` bytes; at least one. */
export function splitValue(value: string, maxBytes = MAX_ENTRY_BYTES): readonly Uint8Array[] {
  const bytes = Buffer.from(value);
  const count = Math.max(1, Math.ceil(bytes.length / maxBytes));
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * maxBytes, (index + 1) * maxBytes),
  );
}

/** Undefined where the parts do not match the checksum. */
export function joinValue(parts: readonly Uint8Array[], check: string): string | undefined {
  const value = Buffer.concat(parts).toString('utf8');
  return checksum(value) === check ? value : undefined;
}

export function checksum(value: string): string {
  return createHash('sha256').update(value).digest('base64url');
}
