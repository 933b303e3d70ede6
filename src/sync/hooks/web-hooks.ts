/**
 * The hooks that are requests: webhook, ntfy, Kavita and Komga. Three attempts each; redirects are not followed, responses
 * are not read, and nothing of the login is sent.
 */
import type { Got } from 'got';
import { sendRequest } from '../../service/client.js';
import type { HookService } from '../../config/hook-services.js';
import type { AppContext } from '../../config/context.js';
import { isRecord } from '../../core/json.js';
import { printable, printableLine } from '../../core/printable.js';
import { retryAfterMs, retryDelayMs } from '../../core/retry-delay.js';
import { hookFields, mapPath, notificationText, type HookUpdate } from './hook-payloads.js';
import type { HookOptions } from './hook-options.js';

export type HookName = 'exec' | HookService;
export type HookRequest = Pick<
  Parameters<typeof sendRequest>[1],
  'url' | 'json' | 'text' | 'headers'
>;

/** The whole update as JSON, or the body of the file. The fields in its texts, the URL and the headers are filled in. */
export function webhookRequest(
  { url, body, headers = {} }: NonNullable<HookOptions['webhook']>,
  update: HookUpdate,
  secret?: string,
): HookRequest {
  const fields = hookFields(update);
  const fill = (
    text: string,
    encode: (value: string, offset: number) => string = (value) => value,
  ): string =>
    text.replace(/\{(\w+)\}/g, (field, name: string, offset: number) => {
      // The user's own: it may be several segments of a path.
      if (name === 'secret') return secret ?? field;
      const value = fields.get(name);
      return value === undefined ? field : encode(value, offset);
    });
  const filled = body === undefined ? update : fillTexts(body, (text) => fill(text));
  return {
    url: new URL(fill(url, (value, offset) => encodedField(value, isInPath(url, offset)))),
    ...(typeof filled === 'string' ? { text: filled } : { json: filled }),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name.toLowerCase(),
        asciiHeader(fill(value, (field) => printableLine(field))),
      ]),
    ),
  };
}

const isInPath = (url: string, offset: number): boolean => !/[?#]/.test(url.slice(0, offset));

/** A URL takes `..` and also `%2e%2e` for the folder above: the percent signs of these are encoded too. */
function encodedField(value: string, isInPath: boolean): string {
  const text = encodeURIComponent(printable(value));
  return isInPath && /^\.{1,2}$/.test(text) ? text.replaceAll('.', '%252E') : text;
}

/** Headers are ASCII: other text is an encoded word (RFC 2047), which ntfy and mail programs decode. */
function asciiHeader(text: string): string {
  const isAscii = /^[\x20-\x7e]*$/.test(text);
  return isAscii ? text : `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`;
}

/** The same value with all texts in it filled in. */
function fillTexts(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((item) => fillTexts(item, fill));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, fillTexts(item, fill)]),
  );
}

/** Whether a text of the webhook contains the stored secret. */
export function needsSecret(webhook: NonNullable<HookOptions['webhook']>): boolean {
  return JSON.stringify(webhook).includes('{secret}');
}

/** `POST` of a text to the topic (docs.ntfy.sh/publish); the key is an access token. */
export function ntfyRequest(
  { url }: NonNullable<HookOptions['ntfy']>,
  update: HookUpdate,
  key: string | undefined,
): HookRequest {
  return {
    url: new URL(url),
    text: notificationText(update),
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
  };
}

/**
 * Scans the folder of the series, or the nearest one above it that Kavita accepts: it refuses a path with two dots, also
 * within a name. Older versions read the key from the body, newer ones from the header.
 */
export function kavitaRequest(
  { url, 'path-map': pathMap = {} }: NonNullable<HookOptions['kavita']>,
  { series }: HookUpdate,
  key: string,
): HookRequest {
  return {
    url: endpoint(url, 'api/Library/scan-folder'),
    json: {
      apiKey: key,
      folderPath: beforeTwoDots(mapPath(series.folder, pathMap)),
      abortOnNoSeriesMatch: false,
    },
    headers: { 'x-api-key': key },
  };
}

function beforeTwoDots(path: string): string {
  const end = path.search(/[/\\][^/\\]*\.\./);
  return end === -1 ? path : path.slice(0, Math.max(1, end));
}

/** Scans the whole library: Komga has no scan of one folder. */
export function komgaRequest(
  { url, library }: NonNullable<HookOptions['komga']>,
  key: string,
): HookRequest {
  return {
    url: endpoint(url, `api/v1/libraries/${encodeURIComponent(library)}/scan`),
    headers: { 'X-API-Key': key },
  };
}

/** Below the server's URL, which may have a path. */
function endpoint(base: string, path: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  return url;
}

const MAX_ATTEMPTS = 3;
/** A server that asks for a longer wait is called by the next run. */
const MAX_WAIT_MS = 60_000;
const RETRY_DELAYS = { firstMs: 2_000, maxMs: 10_000 };
/** Statuses that another try may change. */
const isTemporary = (status: number) => status >= 500 || status === 408 || status === 429;

/** What hooks are called with, besides the update. */
export interface HookSession {
  readonly hooks: HookOptions;
  readonly context: AppContext;
  readonly got: Got;
  readonly signal: AbortSignal;
}

/** Rejects with the last failure. */
export async function postHook(request: HookRequest, session: HookSession): Promise<void> {
  const { context, signal } = session;
  for (let attempt = 1; ; attempt += 1) {
    const failure = await postOnce(request, session);
    if (!failure) return;
    const { error, isFinal = false, waitMs = 0 } = failure;
    if (isFinal) throw error;
    if (attempt === MAX_ATTEMPTS || waitMs > MAX_WAIT_MS)
      throw new TemporaryHookFailure(error.message, { cause: error });
    await context.clock.sleep(Math.max(waitMs, retryDelayMs(RETRY_DELAYS, attempt)), signal);
  }
}

/** A failure that another run may not meet. */
export class TemporaryHookFailure extends Error {}

/** Resolves with the failure, if any; `waitMs`: the wait that the server requests. */
async function postOnce(request: HookRequest, { got, context, signal }: HookSession) {
  try {
    const response = await sendRequest(got, { ...request, method: 'POST', signal });
    response.discard();
    const { status } = response;
    if (status >= 200 && status < 300) return undefined;
    const target = redirectTarget(response.headers.location, request.url);
    const error = new Error(`${request.url.host} responded with ${status}${target}`);
    const waitMs = retryAfterMs(response.headers, context.clock.wallMs());
    return { isFinal: !isTemporary(status), error, waitMs };
  } catch (error) {
    signal.throwIfAborted();
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** Redirects are not followed: the person corrects the address. A query may be a secret. */
function redirectTarget(location: string | undefined, url: URL): string {
  if (location === undefined || !URL.canParse(location, url.href)) return '';
  const { origin, pathname } = new URL(location, url);
  return ` to ${origin}${pathname}`;
}
