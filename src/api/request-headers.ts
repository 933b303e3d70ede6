/** The headers of a request to the API: what it accepts, the bearer, and the result of a captcha. */
import { UsageError } from '../core/errors.js';
import type { OutgoingRequest } from './send-request.js';

export function withHeaders(
  outgoing: OutgoingRequest,
  token?: string,
  captchaResult?: string,
): OutgoingRequest {
  if (captchaResult !== undefined && !/^[\x21-\x7e]+$/.test(captchaResult)) {
    throw new UsageError('bad-option', 'The result of a captcha is one word, without spaces.');
  }
  return {
    ...outgoing,
    headers: {
      accept: 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(captchaResult !== undefined && { 'x-captcha-result': captchaResult }),
    },
  };
}
