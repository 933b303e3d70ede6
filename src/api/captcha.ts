/**
 * The captcha's own endpoint (spec 4.4, 5), for where the request that asked for one cannot be repeated. The
 * session's token goes along when somebody is logged in: then the captcha counts for the user as well.
 */
import type { ServiceClient } from './client.js';

/** Hands in what solving a captcha gave. Throws ServiceRefusal where the service does not take it. */
export async function solveCaptcha(
  client: ServiceClient,
  result: string,
  signal?: AbortSignal,
): Promise<void> {
  await client.api({
    method: 'POST',
    path: '/captcha/solve',
    json: { captchaChallenge: result },
    shape: () => () => undefined,
    ...(signal && { signal }),
  });
}
