/** Untrusted JSON, and digests of values. */
import { sha256Of } from './sha256.js';

/** Undefined for anything but a JSON text. */
export function parseJson(text: string): unknown {
  // A scan asks this of each file without a record, and an exception takes as long as a look at the file.
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Equal for values with the same JSON text. */
export function jsonDigest(value: unknown): string {
  return sha256Of(JSON.stringify(value), 'base64url').slice(0, 16);
}
