/**
 * What the service says when it says no. The error body is read as unknown: the live service has put a
 * captcha's code now in one field, now in another, and its `context` is an object here and a text there.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '../core/errors.js';
import { isRecord, parseJson } from '../core/json.js';
import { printableLine } from '../core/printable.js';

/** One entry of the body's `errors`; only what is a text or a number was kept. */
export interface ApiErrorEntry {
  readonly id?: string;
  readonly status?: number;
  readonly title?: string;
  readonly detail?: string;
  readonly context?: unknown;
}

/** A 4xx answer that is neither a rate limit, a ban nor a captcha: a 404, a JSON 403, a 400 … */
export class ServiceRefusal extends ServiceError {
  readonly status: number;
  readonly errors: readonly ApiErrorEntry[];

  constructor(what: string, status: number, body: unknown) {
    const errors = readErrorEntries(body);
    super('request-refused', `The service refused ${what}: ${inWords(status, errors)}`);
    this.status = status;
    this.errors = errors;
  }
}

/** The service wants a captcha solved before it goes on (spec 5, captcha mechanism). */
export class CaptchaRequired extends ServiceError {
  readonly siteKey: string | undefined;

  constructor(what: string, siteKey: string | undefined) {
    const key = siteKey === undefined ? '' : ` The site key is ${siteKey}`;
    super('captcha-required', `The service wants a captcha for ${what}.${key}`);
    this.siteKey = siteKey;
  }
}

/** More reasons than this nobody reads. */
const MOST_REASONS = 20;
const LONGEST_TEXT = 300;

/** The reasons that an error body holds; none where it is no such body. Never throws. */
export function readErrorEntries(body: unknown): readonly ApiErrorEntry[] {
  const errors = isRecord(body) ? body['errors'] : undefined;
  if (!Array.isArray(errors)) return [];
  return errors.slice(0, MOST_REASONS).filter(isRecord).map(readReason);
}

function readReason(entry: Record<string, unknown>): ApiErrorEntry {
  const { id, status, title, detail, context } = entry;
  return {
    ...(typeof id === 'string' && { id: plainText(id) }),
    ...(typeof status === 'number' && { status }),
    ...(typeof title === 'string' && { title: plainText(title) }),
    ...(typeof detail === 'string' && { detail: plainText(detail) }),
    ...(context !== undefined && { context }),
  };
}

/** The members in which a JSON body names an error: the API's own, and those of RFC 6749 5.2 and RFC 9457. */
const ERROR_MEMBERS = ['error', 'error_description', 'message', 'title', 'detail'];

/** Whether a parsed body is an error that the service itself wrote, and not its load balancer's page. */
export function isApiError(body: unknown): boolean {
  if (!isRecord(body)) return false;
  if (readErrorEntries(body).length > 0 || body['result'] === 'error') return true;
  return ERROR_MEMBERS.some((name) => typeof body[name] === 'string' && body[name] !== '');
}

const CAPTCHA_CODE = 'captcha_required_exception';
const SITE_KEY_HEADER = 'x-captcha-sitekey';

/** The captcha that a 403 asks for, whichever field carries the code; undefined where it asks for none. */
export function findCaptchaChallenge(
  headers: IncomingHttpHeaders,
  body: unknown,
): { readonly siteKey: string | undefined } | undefined {
  const named = headers[SITE_KEY_HEADER];
  const headerKey = typeof named === 'string' && named !== '' ? plainText(named) : undefined;
  const entries = isRecord(body) ? [body, ...listOf(body['errors'])].filter(isRecord) : [];
  const asking = entries.find((entry) => Object.values(entry).includes(CAPTCHA_CODE));
  if (headerKey === undefined && asking === undefined) return undefined;
  return {
    siteKey: headerKey ?? entries.map((entry) => siteKeyIn(entry['context'])).find(Boolean),
  };
}

/** `context` may be the object with `siteKey`, that object as JSON, a query string, or the bare key. */
function siteKeyIn(context: unknown): string | undefined {
  if (isRecord(context)) {
    const key = context['siteKey'];
    return typeof key === 'string' && key !== '' ? plainText(key) : undefined;
  }
  if (typeof context !== 'string') return undefined;
  const parsed = parseJson(context);
  if (isRecord(parsed)) return siteKeyIn(parsed);
  const key = /siteKey["']?\s*[=:]\s*["']?([\w.-]+)/.exec(context)?.[1] ?? context.trim();
  return /^[\w.-]+$/.test(key) ? plainText(key) : undefined;
}

/** A foreign text made fit for a message: one line of it, and no more than a few lines of a terminal. */
export function plainText(text: string): string {
  return printableLine(text, LONGEST_TEXT);
}

function inWords(status: number, errors: readonly ApiErrorEntry[]): string {
  const said = errors
    .map(({ title, detail }) => [title, detail].filter(Boolean).join(': '))
    .filter((text) => text !== '');
  return [String(status), ...said.slice(0, 3)].join(', ');
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, MOST_REASONS) : [];
}
