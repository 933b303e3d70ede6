/** URLs that may be requested, and URLs in messages. */
import { isIP } from 'node:net';
import { printable } from './printable.js';

/** https: (spec 8.1), or plain http: to this machine. */
export function isSafeAddress(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

/** A web address from elsewhere as ASCII on one line, safe to print; undefined for other schemes, such as `javascript:`. */
export function webAddress(text: string): string | undefined {
  const plain = printable(text);
  if (!URL.canParse(plain)) return undefined;
  const { protocol, href } = new URL(plain);
  return protocol === 'https:' || protocol === 'http:' ? href : undefined;
}

/** 127.0.0.0/8, ::1, localhost and the names below it (RFC 6761). */
export function isLoopback(url: URL): boolean {
  const host = url.hostname.toLowerCase().replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost') || host === '[::1]') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}

/** Hides the user information, which may be a password, of all URLs in a text. */
export function hideUserInfo(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#]*@/gi, '$1[hidden]@');
}

/** For a text that may not be a valid URL: hides everything before its last `@`. */
export function withoutUserInfo(text: string): string {
  return text.includes('://') ? text.replace(/:\/\/[^]*@/, '://[hidden]@') : text;
}
