/** Ids and names that depend on their input only. */
import { createHash } from 'node:crypto';

/** 32 hex digits. */
export function hashOf(...words: readonly (string | number)[]): string {
  return createHash('sha256').update(words.join('\n')).digest('hex').slice(0, 32);
}

/** In the form of a version 4 UUID. */
export function uuidOf(...words: readonly (string | number)[]): string {
  const hex = hashOf(...words);
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join('-');
}

/** `1-<sha256>.png`, the live service's form of page names. */
export function nameWithDigest(page: number, bytes: Uint8Array, extension: 'png' | 'jpg'): string {
  return `${page}-${createHash('sha256').update(bytes).digest('hex')}.${extension}`;
}
