/** Which addresses may be asked at all. */
import { isIP } from 'node:net';

/** https: alone is safe to ask (spec 8.1); plain http: is accepted for this very machine. */
export function isSafeAddress(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

/** Whether the address can only be this machine: 127.0.0.0/8, ::1, or localhost and names under it (RFC 6761). */
export function isLoopback(url: URL): boolean {
  const host = url.hostname.toLowerCase().replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost') || host === '[::1]') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}
