/**
 * How a login lies in the keychain, as data. Each secret has an entry of its own, or several numbered ones where
 * it is too long for one. Entries cannot be written together, so each secret has two slots: a new value goes into
 * the slot that is not in use, and then one write of the head entry switches to it. Whoever dies in between
 * leaves the old login whole. The head also holds each secret's check, by which a torn value is noticed.
 */
import { createHash } from 'node:crypto';
import { isRecord } from '../core/json.js';
import { MAX_TOKEN_BYTES } from './login-record.js';
import { MAX_ENTRY_BYTES } from './keychain.js';

export const HEADER_ENTRY = 'login';
export const SECRET_NAMES = ['client-secret', 'access-token', 'refresh-token'] as const;
export type SecretName = (typeof SECRET_NAMES)[number];
export const SLOTS = ['a', 'b'] as const;
export type Slot = (typeof SLOTS)[number];

/** Where a secret's value lies, and what it must add up to. */
export interface SecretLocation {
  readonly slot: Slot;
  readonly parts: number;
  readonly check: string;
}

export interface KeychainHeader {
  readonly username: string;
  readonly clientId: string;
  readonly apiOrigin?: string;
  readonly times?: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Partial<Record<SecretName, SecretLocation>>>;
}

const FORMAT = 1;
export const MAX_PARTS = Math.ceil(MAX_TOKEN_BYTES / MAX_ENTRY_BYTES);

export function partEntryName(secret: SecretName, slot: Slot, part: number): string {
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

/** A value in parts that each fit into an entry of `mostBytes` bytes; at least one. */
export function splitValue(value: string, mostBytes = MAX_ENTRY_BYTES): readonly Uint8Array[] {
  const bytes = Buffer.from(value);
  const parts = [bytes.subarray(0, mostBytes)];
  for (let at = mostBytes; at < bytes.length; at += mostBytes) {
    parts.push(bytes.subarray(at, at + mostBytes));
  }
  return parts;
}

/** The value of those parts; undefined where they do not add up to `check`. */
export function joinValue(parts: readonly Uint8Array[], check: string): string | undefined {
  const value = Buffer.concat(parts).toString('utf8');
  return checksum(value) === check ? value : undefined;
}

export function checksum(value: string): string {
  return createHash('sha256').update(value).digest('base64url');
}

export function encodeHeader(head: KeychainHeader): Uint8Array {
  return Buffer.from(JSON.stringify({ format: FORMAT, ...head }));
}

/** The head that an entry holds; undefined where it is none. Never throws. */
export function decodeHeader(bytes: Uint8Array): KeychainHeader | undefined {
  const value = parsed(bytes);
  if (!isRecord(value) || value['format'] !== FORMAT) return undefined;
  const { username, clientId, apiOrigin, times, secrets } = value;
  if (typeof username !== 'string' || typeof clientId !== 'string') return undefined;
  if (apiOrigin !== undefined && typeof apiOrigin !== 'string') return undefined;
  if (!isRecord(secrets) || (times !== undefined && !isRecord(times))) return undefined;
  const read: Partial<Record<SecretName, SecretLocation>> = {};
  for (const name of SECRET_NAMES) {
    if (secrets[name] === undefined) continue;
    const whereabouts = readWhereabouts(secrets[name]);
    if (!whereabouts) return undefined;
    read[name] = whereabouts;
  }
  return {
    username,
    clientId,
    ...(apiOrigin !== undefined && { apiOrigin }),
    ...(times && { times }),
    secrets: read,
  };
}

function readWhereabouts(value: unknown): SecretLocation | undefined {
  if (!isRecord(value)) return undefined;
  const { slot, parts, check } = value;
  if (slot !== 'a' && slot !== 'b') return undefined;
  if (typeof check !== 'string' || typeof parts !== 'number') return undefined;
  if (!Number.isInteger(parts) || parts < 1 || parts > MAX_PARTS) return undefined;
  return { slot, parts, check };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
