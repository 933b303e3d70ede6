/** Repeats requests that require a captcha (spec 5) when it is solved. */
import { CaptchaRequired } from './api-errors.js';
import type { ApiRequest, ServiceClient } from '../client.js';

/** The result of a captcha solved for this site key; `undefined` if it cannot be solved. */
export type SolveCaptcha = (siteKey: string | undefined) => Promise<string | undefined>;

/**
 * Returns a client that asks `solve` when a captcha is required. A GET is repeated with the result in its header;
 * other requests are repeated after the result was accepted by the captcha endpoint (spec 4.4). Only one captcha is
 * solved at a time: requests refused meanwhile are retried before another one is asked for.
 */
export function retryAfterCaptcha(client: ServiceClient, solve: SolveCaptcha): ServiceClient {
  let solved = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(action: () => Promise<T>): Promise<T> => {
    const running = turn.then(action);
    turn = running.catch(() => undefined);
    return running;
  };
  const solveAndRetry = async <T>(
    request: ApiRequest<T>,
    required: CaptchaRequired,
  ): Promise<T> => {
    const captchaResult = await solve(required.siteKey);
    if (captchaResult === undefined) throw required;
    const isRead = request.method === 'GET';
    if (!isRead) await submitCaptcha(client, captchaResult, request.signal);
    const answer = await client.api(isRead ? { ...request, captchaResult } : request);
    solved += 1;
    return answer;
  };
  return {
    port443: client.port443,
    titleLanguage: client.titleLanguage,
    reserve: (info, signal) => client.reserve(info, signal),
    postTokenForm: (form, options) => client.postTokenForm(form, options),
    async api<T>(request: ApiRequest<T>): Promise<T> {
      const solvedBefore = solved;
      try {
        return await client.api(request);
      } catch (error) {
        if (!(error instanceof CaptchaRequired)) throw error;
        return inTurn(async () => {
          if (solved === solvedBefore) return solveAndRetry(request, error);
          try {
            return await client.api(request);
          } catch (again) {
            if (!(again instanceof CaptchaRequired)) throw again;
            return solveAndRetry(request, again);
          }
        });
      }
    },
  };
}

/** Throws ServiceRefusal if the service does not accept the result. */
export async function submitCaptcha(
  client: ServiceClient,
  result: string,
  signal?: AbortSignal,
): Promise<void> {
  await client.api({
    method: 'POST',
    path: '/captcha/solve',
    json: { captchaChallenge: result },
    parser: () => () => undefined,
    signal,
  });
}
