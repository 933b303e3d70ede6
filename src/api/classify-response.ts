/** What an answer means (spec 7), apart from rates: good, a captcha, a ban, a refusal, a failure that passes. Pure. */
import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '../core/errors.js';
import { CaptchaRequired, findCaptchaChallenge, isApiError, ServiceRefusal } from './api-errors.js';
import { retryAfterMs } from '../rate-limit/rate-headers.js';
import { RetryableError } from './retry.js';

export interface ApiResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON, or undefined where the body is none. */
  readonly body: unknown;
}

/** Spec 7: an expired token is "rejected", the status is not named: 401, or a 403 that is about nothing else. */
export function isTokenRejected(answer: ApiResponse, pastItsTime: boolean): boolean {
  if (answer.status === 401) return true;
  return (
    answer.status === 403 &&
    pastItsTime &&
    findCaptchaChallenge(answer.headers, answer.body) === undefined
  );
}

/** A generic 403: no captcha asked for, and no error that the service wrote itself (spec 7). */
export function isBan({ status, headers, body }: ApiResponse): boolean {
  return status === 403 && findCaptchaChallenge(headers, body) === undefined && !isApiError(body);
}

/** The answer where it is a good one; otherwise throws what its status means (spec 7). */
export function classifyResponse(what: string, answer: ApiResponse, wallMs: number): ApiResponse {
  const { status, headers, body } = answer;
  if (status >= 500) {
    const failure = new ServiceError(
      'service-failed',
      `The service answered ${what} with ${status}.`,
    );
    throw new RetryableError(failure, retryAfterMs(headers, wallMs));
  }
  if (status === 403) {
    const captcha = findCaptchaChallenge(headers, body);
    if (captcha) throw new CaptchaRequired(what, captcha.siteKey);
  }
  if (status >= 400) throw new ServiceRefusal(what, status, body);
  if (status < 200 || status >= 300) {
    throw new ServiceError('bad-answer', `The service answered ${what} with ${status}.`);
  }
  if (body === undefined && status !== 204) {
    throw new RetryableError(
      new ServiceError(
        'bad-answer',
        `The service answered ${what} with something that is no JSON.`,
      ),
    );
  }
  return answer;
}

export function parseBody<T>(what: string, { body }: ApiResponse, shape: (value: unknown) => T): T {
  try {
    return shape(body);
  } catch (cause) {
    throw new ServiceError('bad-answer', `The answer to ${what} has not the shape expected.`, {
      cause,
    });
  }
}
