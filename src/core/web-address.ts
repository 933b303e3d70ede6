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

/** The text with the user information of each URL in it hidden: it may hold a password. */
export function hideUserInfo(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#]*@/gi, '$1[hidden]@');
}

/** A text that should have been a URL, for a message: nothing before its last `@`, which may be a password. */
export function withoutUserInfo(text: string): string {
  return text.includes('://') ? text.replace(/:\/\/[^]*@/, '://[hidden]@') : text;
}
