/** The SHA-256 of bytes, or of a text in UTF-8. */
import { createHash } from 'node:crypto';

export function sha256Of(data: Buffer | string, encoding: 'hex' | 'base64url' = 'hex'): string {
  return createHash('sha256').update(data).digest(encoding);
}
