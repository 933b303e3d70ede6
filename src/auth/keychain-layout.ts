/**
 * How a login lies in the keychain, as data. Each secret has an entry of its own, or several numbered ones where
 * it is too long for one. Entries cannot be written together, so each secret has two slots: a new value goes into
 * the slot that is not in use, and then one write of the head entry switches to it. Whoever dies in between
 * leaves the old login whole. The head also holds each secret's check, by which a torn value is noticed.
 */
import { createHash } from 'node:crypto';
import { isRecord } from '../core/json.js';
import { LONGEST_TOKEN_BYTES } from './login.js';
import { MOST_ENTRY_BYTES } from './keychain.js';

export const HEAD_ENTRY = 'login';
export const SECRETS = ['client-secret', 'access-token', 'refresh-token'] as const;
export type SecretName = (typeof SECRETS)[number];
export const SLOTS = ['a', 'b'] as const;
export type Slot = (typeof SLOTS)[number];

/** Where a secret's value lies, and what it must add up to. */
export interface Whereabouts {
  readonly slot: Slot;
  readonly parts: number;
  readonly check: string;
}

export interface Head {
  readonly username: string;
  readonly clientId: string;
  readonly apiOrigin?: string;
  readonly times?: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Partial<Record<SecretName, Whereabouts>>>;
}

const FORMAT = 1;
export const MOST_PARTS = Math.ceil(LONGEST_TOKEN_BYTES / MOST_ENTRY_BYTES);

export function partEntry(secret: SecretName, slot: Slot, part: number): string {
  return `${secret}.${slot}.${part}`;
}

/** Every name that a part of a secret can have. */
export function allPartEntries(): readonly string[] {
  return SECRETS.flatMap((secret) =>
    SLOTS.flatMap((slot) =>
      Array.from({ length: MOST_PARTS }, (_, index) => partEntry(secret, slot, index + 1)),
    ),
  );
}

/** A value in parts that each fit into an entry of `mostBytes` bytes; at least one. */
export function splitValue(value: string, mostBytes = MOST_ENTRY_BYTES): readonly Uint8Array[] {
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
  return valueCheck(value) === check ? value : undefined;
}

export function valueCheck(value: string): string {
  return createHash('sha256').update(value).digest('base64url');
}

export function headBytes(head: Head): Uint8Array {
  return Buffer.from(JSON.stringify({ format: FORMAT, ...head }));
}

/** The head that an entry holds; undefined where it is none. Never throws. */
export function readHead(bytes: Uint8Array): Head | undefined {
  const value = parsed(bytes);
  if (!isRecord(value) || value['format'] !== FORMAT) return undefined;
  const { username, clientId, apiOrigin, times, secrets } = value;
  if (typeof username !== 'string' || typeof clientId !== 'string') return undefined;
  if (apiOrigin !== undefined && typeof apiOrigin !== 'string') return undefined;
  if (!isRecord(secrets) || (times !== undefined && !isRecord(times))) return undefined;
  const read: Partial<Record<SecretName, Whereabouts>> = {};
  for (const name of SECRETS) {
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

function readWhereabouts(value: unknown): Whereabouts | undefined {
  if (!isRecord(value)) return undefined;
  const { slot, parts, check } = value;
  if (slot !== 'a' && slot !== 'b') return undefined;
  if (typeof check !== 'string' || typeof parts !== 'number') return undefined;
  if (!Number.isInteger(parts) || parts < 1 || parts > MOST_PARTS) return undefined;
  return { slot, parts, check };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
