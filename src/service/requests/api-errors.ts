/**
 * Errors in responses of the API. Bodies are parsed defensively: the live service puts the code of a captcha into
 * different members, and `context` is sometimes an object and sometimes a string.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '../../core/errors.js';
import { isRecord, parseJson } from '../../core/json.js';
import { printableLine } from '../../core/printable.js';
import type { Redactor } from '../../core/redactor.js';

/** A 4xx response that is not a rate limit, a ban or a captcha. */
export class ServiceRefusal extends ServiceError {
  readonly status: number;
  /** Such as ` (X-Request-ID: …)`; empty if the response has none. */
  readonly requestIdNote: string;

  constructor(
    request: string,
    response: { status: number; headers: IncomingHttpHeaders; body: unknown },
    redactor: Redactor,
  ) {
    const { status, headers, body } = response;
    const reasons = errorReasons(body)
      .slice(0, MAX_SHOWN_REASONS)
      .map((reason) => redactor.redact(reason));
    const note = requestIdNote(headers, redactor);
    const what = [status, ...reasons].join(', ');
    super('request-refused', `The service refused ${request}: ${what}${note}`);
    this.status = status;
    this.requestIdNote = note;
  }
}

/** The id by which the staff of the service finds the request of an error response, for messages. */
export function requestIdNote(headers: IncomingHttpHeaders, redactor: Redactor): string {
  const id = redactor.redact(textOf(headers['x-request-id']) ?? '');
  return id === '' ? '' : ` (X-Request-ID: ${id})`;
}

/** The service requires a captcha before it accepts further requests (spec 5). */
export class CaptchaRequired extends ServiceError {
  constructor(
    request: string,
    readonly siteKey: string | undefined,
    redactor: Redactor,
  ) {
    const key = siteKey === undefined ? '' : ` Site key: ${redactor.redact(siteKey)}`;
    super('captcha-required', `The service requires a captcha for ${request}.${key}`);
  }
}

const MAX_ENTRIES = 20;
const MAX_SHOWN_REASONS = 3;
const MAX_TEXT_LENGTH = 300;

/** The reasons in an error body, such as `Forbidden: Login required`; none if it does not have the expected form. */
export function errorReasons(body: unknown): readonly string[] {
  return entriesOf(body)
    .map(({ title, detail }) => [textOf(title), textOf(detail)].filter(Boolean).join(': '))
    .filter((reason) => reason !== '');
}

function entriesOf(body: unknown): readonly Record<string, unknown>[] {
  const errors = isRecord(body) ? body['errors'] : undefined;
  return Array.isArray(errors) ? errors.slice(0, MAX_ENTRIES).filter(isRecord) : [];
}

/** Members of JSON errors: those of the API, of RFC 6749 5.2 and of RFC 9457. */
const ERROR_MEMBERS = ['error', 'error_description', 'message', 'title', 'detail'];

/** Whether a parsed body is an error of the service itself, not of its load balancer. */
export function isApiError(body: unknown): boolean {
  if (!isRecord(body)) return false;
  if (entriesOf(body).length > 0 || body['result'] === 'error') return true;
  return ERROR_MEMBERS.some((name) => typeof body[name] === 'string' && body[name] !== '');
}

const CAPTCHA_CODE = 'captcha_required_exception';
const SITE_KEY_HEADER = 'x-captcha-sitekey';

/** The captcha that a 403 requires, whichever member holds its code; undefined if none. */
export function findCaptchaChallenge(
  headers: IncomingHttpHeaders,
  body: unknown,
): { readonly siteKey: string | undefined } | undefined {
  const header = headers[SITE_KEY_HEADER];
  const headerKey = header === '' ? undefined : textOf(header);
  const entries = isRecord(body) ? [body, ...entriesOf(body)] : [];
  const hasCode = entries.some((entry) => Object.values(entry).includes(CAPTCHA_CODE));
  if (headerKey === undefined && !hasCode) return undefined;
  return {
    siteKey: headerKey ?? entries.map(({ context }) => siteKeyIn(context)).find(Boolean),
  };
}

/** `context` is an object with `siteKey`, that object as JSON, a query string, or the key alone. */
function siteKeyIn(context: unknown): string | undefined {
  if (isRecord(context)) return textOf(context['siteKey']);
  if (typeof context !== 'string') return undefined;
  const parsed = parseJson(context);
  if (isRecord(parsed)) return siteKeyIn(parsed);
  const key = /siteKey["']?\s*[=:]\s*["']?([\w.-]+)/.exec(context)?.[1] ?? context.trim();
  return /^[\w.-]+$/.test(key) ? textOf(key) : undefined;
}

/** Untrusted text, shortened and safe to print. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? printableLine(value, MAX_TEXT_LENGTH) : undefined;
}
