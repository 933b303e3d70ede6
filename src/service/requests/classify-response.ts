/** The meaning of a response (spec 7), except for rate limits: success, captcha, ban, refusal, or a temporary failure. */
import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '../../core/errors.js';
import type { Redactor } from '../../core/redactor.js';
import { retryAfterMs } from '../../core/retry-delay.js';
import {
  CaptchaRequired,
  findCaptchaChallenge,
  isApiError,
  requestIdNote,
  ServiceRefusal,
} from './api-errors.js';
import { RetryableError } from './retry.js';

export interface ApiResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON; undefined if the body is not JSON. */
  readonly body: unknown;
}

/** A 401, or a 403 without another reason if the token has expired: spec 7 does not name the status. */
export function isTokenRejected(response: ApiResponse, isExpired: boolean): boolean {
  if (response.status === 401) return true;
  return (
    response.status === 403 &&
    isExpired &&
    findCaptchaChallenge(response.headers, response.body) === undefined
  );
}

/** A 403 that neither requires a captcha nor is an error of the service itself (spec 7). */
export function isBan({ status, headers, body }: ApiResponse): boolean {
  return status === 403 && findCaptchaChallenge(headers, body) === undefined && !isApiError(body);
}

/**
 * Returns a successful response; throws for any other (spec 7). `request` is shown in messages, such as `GET /x`, and
 * the service's reasons as `redactor` leaves them: it may quote what it was sent.
 */
export function classifyResponse(
  request: string,
  response: ApiResponse,
  wallMs: number,
  redactor: Redactor,
): ApiResponse {
  const { status, headers, body } = response;
  if (status >= 500) {
    const message = `The service failed with status ${status}: ${request}${requestIdNote(headers, redactor)}.`;
    throw new RetryableError(
      new ServiceError('service-failed', message),
      retryAfterMs(headers, wallMs),
    );
  }
  const captcha = status === 403 ? findCaptchaChallenge(headers, body) : undefined;
  if (captcha) throw new CaptchaRequired(request, captcha.siteKey, redactor);
  if (status >= 400) throw new ServiceRefusal(request, response, redactor);
  if (status < 200 || status >= 300) throw unexpectedResponse(request, `status ${status}`);
  if (body === undefined && status !== 204) {
    throw new RetryableError(unexpectedResponse(request, 'not JSON'));
  }
  return response;
}

export function unexpectedResponse(request: string, reason: string, cause?: unknown): ServiceError {
  const message = `Unexpected response from the service: ${request}: ${reason}.`;
  return new ServiceError('bad-response', message, { cause });
}
