/** Sends one request, once, and limits what the service can send: the headers, the decompressed size, the time. */
import { once } from 'node:events';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Got, Method } from 'got';
import { destroyOnAbort } from '../../core/abort.js';
import { isLoopback } from '../../core/web-address.js';
import { ServiceError, UsageError } from '../../core/errors.js';
import { parseJson } from '../../core/json.js';
import { findLedgerError, guardStream, type RequestPermit } from './guarded-request.js';

export interface OutgoingRequest {
  readonly method: Method;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: URLSearchParams;
  /** Plain text. */
  readonly text?: string;
  readonly signal?: AbortSignal;
  /** The request is sent only while it is valid. The caller settles it. */
  readonly permit?: RequestPermit | undefined;
  /** Called when the request has been sent completely. */
  readonly onSent?: () => void;
}

/** A response whose headers have arrived. */
export interface IncomingResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The decompressed body. Throws `bad-response` if it is larger than `maxBytes` or cannot be decompressed. */
  text(maxBytes: number): Promise<string>;
  /** Ends the request without reading the body. */
  discard(): void;
}

/** The headers of a request to the API. Throws `bad-option` for a captcha result that does not fit into a header. */
export function apiHeaders(token?: string, captchaResult?: string): Record<string, string> {
  if (captchaResult !== undefined && !/^[\x21-\x7e]+$/.test(captchaResult)) {
    throw new UsageError('bad-option', 'The captcha result must be one word, without spaces.');
  }
  return {
    accept: 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(captchaResult !== undefined && { 'x-captcha-result': captchaResult }),
  };
}

/** Resolves when the headers have arrived. Throws `unreachable`, and what its permit throws. */
export async function sendRequest(got: Got, outgoing: OutgoingRequest): Promise<IncomingResponse> {
  const { method, url, headers, json, form, text, signal, permit, onSent } = outgoing;
  const stream = got.stream(url, {
    method,
    headers,
    json,
    form: form && Object.fromEntries(form),
    body: text,
  });
  destroyOnAbort(stream, signal);
  if (permit) guardStream(stream, permit);
  if (onSent) stream.once('request', (request: ClientRequest) => request.once('finish', onSent));
  // An error after the response was read would otherwise end the process.
  stream.on('error', () => undefined);
  // got waits for a body to be written for every method that may have one.
  const hasBody = json !== undefined || form !== undefined || text !== undefined;
  if (method !== 'GET' && !hasBody) stream.end();
  let response: IncomingMessage;
  try {
    [response] = (await once(stream, 'response')) as [IncomingMessage];
  } catch (error) {
    signal?.throwIfAborted();
    throw findLedgerError(error) ?? connectionError(error, url);
  }
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    discard: () => void stream.destroy(),
    async text(maxBytes) {
      try {
        return await readText(stream, maxBytes, url);
      } catch (error) {
        signal?.throwIfAborted();
        throw error instanceof ServiceError ? error : connectionError(error, url);
      } finally {
        stream.destroy();
      }
    },
  };
}

async function readText(stream: AsyncIterable<Buffer>, maxBytes: number, url: URL) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw unexpected(url, `more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Undefined if the body is not JSON. A byte order mark is ignored. */
export function jsonValue(text: string): unknown {
  return parseJson(text.replace(/^\uFEFF/, ''));
}

const RUN_AGAIN_HINT = 'Then run the same command again; finished pages are kept.';
const PROXY_PASSWORD_HINT =
  'The proxy wants a user name and a password: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT';
const SOCKS_PASSWORD_HINT =
  'The proxy wants a user name and a password, or other ones: HTTPS_PROXY=socks5://USER:PASSWORD@HOST:PORT';
const PROXY_HINT = 'Check HTTPS_PROXY and ALL_PROXY, and NO_PROXY for hosts that need no proxy.';
/** Messages of socks-proxy-agent for a proxy that refuses. */
const SOCKS_LOGIN_REFUSAL =
  /^Socks5 authentication failed|^Received invalid Socks5 .*authentication type/i;
const SOCKS_REFUSAL =
  /^Socks5 (?:proxy rejected|authentication failed)|^Received invalid Socks5|^Socket closed$|^Proxy connection timed out/i;
/** System errors where no connection was made: with a proxy, none to the proxy. */
export const CONNECT_ERROR_CODES: readonly string[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
];

/** Host and port of the proxy that a request of got was to go through: see connections.ts. */
function proxyHostOf(cause: unknown): string | undefined {
  const { options } = cause as { options?: { context?: { proxyHost?: unknown } } };
  const proxyHost = options?.context?.proxyHost;
  return typeof proxyHost === 'string' ? proxyHost : undefined;
}

export function connectionError(cause: unknown, url: URL): ServiceError {
  const { code, message = '' } = cause as { code?: string; message?: string };
  if (isTimeout(cause)) {
    return new ServiceError('unreachable', `${url.host} did not respond in time.`, { cause });
  }
  if (code === 'ERR_UNEXPECTED_UPGRADE') {
    const text = `${url.host} responded with 101 Switching Protocols.`;
    return new ServiceError('unreachable', text, { cause });
  }
  if (code?.startsWith('HPE_') === true || code?.startsWith('Z_') === true) {
    return unexpected(url, `invalid HTTP (${code})`, cause);
  }
  // hpagent's message for a proxy that refuses the tunnel; got's code for it says nothing.
  const [, refusal] = /^Bad response: (\d+)$/.exec(message) ?? [];
  if (refusal !== undefined) {
    const text = `${url.host} could not be reached: the proxy responded with ${refusal}.`;
    const hint = refusal === '407' ? PROXY_PASSWORD_HINT : PROXY_HINT;
    return new ServiceError('unreachable', text, { cause, hint });
  }
  const proxyHost = proxyHostOf(cause);
  if (proxyHost !== undefined && SOCKS_REFUSAL.test(message)) {
    const isLogin = SOCKS_LOGIN_REFUSAL.test(message);
    const text = `${url.host} could not be reached: the proxy refused the ${isLogin ? 'login' : 'connection'}.`;
    return new ServiceError('unreachable', text, {
      cause,
      hint: isLogin ? SOCKS_PASSWORD_HINT : PROXY_HINT,
    });
  }
  // socks-proxy-agent keeps the message of an error, not its code.
  const [, socksCode = ''] = /^(?:connect|getaddrinfo) (E[A-Z_]+)/.exec(message) ?? [];
  const connectCode = CONNECT_ERROR_CODES.find((each) => each === code || each === socksCode);
  if (proxyHost !== undefined && connectCode !== undefined) {
    const text = `The proxy ${proxyHost} could not be reached (${connectCode}).`;
    return new ServiceError('unreachable', text, { cause, hint: PROXY_HINT });
  }
  // Only the code: the message is a library's.
  return new ServiceError(
    'unreachable',
    `${url.host} could not be reached (${code ?? 'unknown'}).`,
    { cause, hint: isLoopback(url) ? undefined : connectionHint(code) },
  );
}

/** Certificates of an authority that this machine does not know, as of a proxy of a company. */
const UNTRUSTED_CODES: readonly string[] = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
];
const CLOCK_CODES: readonly string[] = ['CERT_NOT_YET_VALID', 'CERT_HAS_EXPIRED'];
/** A provider that blocks a site refuses connections, gives no address, or answers in its place. */
const BLOCKED_CODES: readonly string[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ERR_TLS_CERT_ALTNAME_INVALID',
];
const BLOCKED_HINT =
  'Check the network. Some providers block MangaDex: another DNS server, another network or a proxy (HTTPS_PROXY) helps.';

/** Undefined: that of `unreachable`. */
export function connectionHint(code = ''): string | undefined {
  if (UNTRUSTED_CODES.includes(code))
    return `The certificate is not one that this machine trusts. For that of your own network, set NODE_EXTRA_CA_CERTS to the file of its authority. Otherwise: ${BLOCKED_HINT}`;
  if (CLOCK_CODES.includes(code))
    return 'Check the clock and the date of this machine: by them the certificate is not valid now.';
  return BLOCKED_CODES.includes(code) ? `${BLOCKED_HINT} ${RUN_AGAIN_HINT}` : undefined;
}

function unexpected(url: URL, reason: string, cause?: unknown): ServiceError {
  const message = `Unexpected response from ${url.host}: ${reason}.`;
  return new ServiceError('bad-response', message, { cause });
}

/** got wraps the error that a stream is destroyed with. */
function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'TimeoutError' || isTimeout(error.cause);
}
