/** What a response means (spec 7). */
import { Redactor } from '../../../../src/core/redactor.js';
import { CaptchaRequired, ServiceRefusal } from '../../../../src/service/requests/api-errors.js';
import {
  classifyResponse,
  isBan,
  isTokenRejected,
  type ApiResponse,
} from '../../../../src/service/requests/classify-response.js';
import { RetryableError } from '../../../../src/service/requests/retry.js';

const NOW_MS = Date.UTC(2030, 0, 1);
const ERROR_BODY = { result: 'error', errors: [{ status: 403, title: 'Forbidden', detail: 'No' }] };
const CAPTCHA_BODY = { result: 'error', errors: [{ title: 'captcha_required_exception' }] };

const response = (
  status: number,
  body?: unknown,
  headers: ApiResponse['headers'] = {},
): ApiResponse => ({ status, headers, body });

function thrownFor(one: ApiResponse): unknown {
  try {
    classifyResponse('GET /x', one, NOW_MS, new Redactor());
  } catch (error) {
    return error;
  }
  throw new Error('The response counts as a success.');
}

test.each([
  [200, { result: 'ok' }],
  [204, undefined],
])('%d is a success', (status, body) => {
  const one = response(status, body);
  expect(classifyResponse('GET /x', one, NOW_MS, new Redactor())).toBe(one);
});

test.each([500, 502, 503])(
  '%d is tried again, after the pause that the service requests',
  (status) => {
    const at = (NOW_MS + 30_000) / 1_000;
    const error = thrownFor(response(status, undefined, { 'x-ratelimit-retry-after': String(at) }));
    expect(error).toBeInstanceOf(RetryableError);
    expect(error).toMatchObject({ failure: { code: 'service-failed' } });
    expect(thrownFor(response(status))).toMatchObject({ retryAfterMs: undefined });
  },
);

test('200 without JSON is tried again', () => {
  const error = thrownFor(response(200));
  expect(error).toBeInstanceOf(RetryableError);
  expect(error).toMatchObject({ failure: { code: 'bad-response' } });
});

test.each([301, 304, 100])('%d is an unexpected response', (status) => {
  expect(thrownFor(response(status, {}))).toMatchObject({ code: 'bad-response' });
});

test.each([400, 403, 404])('%d with an error of the service is a refusal', (status) => {
  const error = thrownFor(response(status, ERROR_BODY));
  expect(error).toBeInstanceOf(ServiceRefusal);
  expect(error).toMatchObject({ code: 'request-refused', status });
});

test('403 with a captcha is neither a refusal nor a ban', () => {
  const one = response(403, CAPTCHA_BODY, { 'x-captcha-sitekey': 'key' });
  expect(thrownFor(one)).toBeInstanceOf(CaptchaRequired);
  expect(isBan(one)).toBe(false);
});

test('only a 403 without a JSON error is a ban', () => {
  expect(isBan(response(403, undefined))).toBe(true);
  expect(isBan(response(403, ERROR_BODY))).toBe(false);
  expect(isBan(response(404, undefined))).toBe(false);
});

test('401 always rejects the token, 403 only an expired one', () => {
  expect(isTokenRejected(response(401), false)).toBe(true);
  expect(isTokenRejected(response(403, ERROR_BODY), false)).toBe(false);
  expect(isTokenRejected(response(403, ERROR_BODY), true)).toBe(true);
  const captcha = response(403, CAPTCHA_BODY, { 'x-captcha-sitekey': 'key' });
  expect(isTokenRejected(captcha, true)).toBe(false);
});
