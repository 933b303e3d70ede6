/** The captcha (spec 5 and 4.4): required on demand until a client solves it. */
import { isRecord, parseJson } from '../core/json.js';
import {
  errorResponse,
  jsonResponse,
  type Endpoint,
  type EndpointRequest,
  type EndpointResponse,
} from './endpoint.js';
import type { OpenEntry } from './request-log.js';

export interface CaptchaRequirement {
  /** Applies to the API paths that begin with this; `/at-home/` by default. */
  readonly pathStart?: string;
  /** The member of the error that has the code; `title` by default. */
  readonly codeIn?: 'title' | 'id' | 'detail';
  /** Where the site key is; `both` by default. */
  readonly siteKeyIn?: 'header' | 'context' | 'both' | 'neither';
  /** The context as an object (default) or as JSON in a string. Both have been observed. */
  readonly context?: 'object' | 'string';
  /** The number of requests that one solution allows; unlimited by default. */
  readonly solvedFor?: number;
}

export const CAPTCHA_CODE = 'captcha_required_exception';
export const PRACTICE_SITE_KEY = 'practice-site-key-7f3a';
/** The result that the practice server accepts. */
export const PRACTICE_CAPTCHA_RESULT = 'practice-captcha-solved';

function challengeResponse(requirement: CaptchaRequirement): EndpointResponse {
  const { codeIn = 'title', siteKeyIn = 'both' } = requirement;
  const inContext = siteKeyIn === 'context' || siteKeyIn === 'both';
  const inHeader = siteKeyIn === 'header' || siteKeyIn === 'both';
  const context = inContext ? { siteKey: PRACTICE_SITE_KEY } : {};
  const error = {
    title: codeIn === 'title' ? CAPTCHA_CODE : 'Forbidden',
    detail: codeIn === 'detail' ? CAPTCHA_CODE : 'Solve a captcha first',
    id: codeIn === 'id' ? CAPTCHA_CODE : undefined,
    context: requirement.context === 'string' ? JSON.stringify(context) : context,
  };
  return errorResponse(403, error, inHeader ? { 'X-Captcha-Sitekey': PRACTICE_SITE_KEY } : {});
}

export class Captcha {
  #requirement: CaptchaRequirement | undefined;
  #allowedRequests = 0;

  readonly endpoint: Endpoint = {
    method: 'POST',
    path: '/captcha/solve',
    respond: ({ body }: EndpointRequest) => {
      const solution = parseJson(body.toString());
      if (!isRecord(solution) || solution['captchaChallenge'] !== PRACTICE_CAPTCHA_RESULT) {
        return errorResponse(400, { title: 'captcha_invalid', detail: 'Not a solution' });
      }
      this.#solve();
      return jsonResponse(200, { result: 'ok' });
    },
  };

  require(requirement: CaptchaRequirement): void {
    this.#requirement = requirement;
    this.#allowedRequests = 0;
  }

  /** The response to a request that must solve the captcha first. */
  challenge({ path, headers }: OpenEntry): EndpointResponse | undefined {
    const { pathStart = '/at-home/' } = this.#requirement ?? {};
    if (!this.#requirement || !path.startsWith(pathStart)) return undefined;
    if (headers['x-captcha-result'] === PRACTICE_CAPTCHA_RESULT) this.#solve();
    if (this.#allowedRequests <= 0) return challengeResponse(this.#requirement);
    this.#allowedRequests -= 1;
    return undefined;
  }

  #solve(): void {
    this.#allowedRequests = this.#requirement?.solvedFor ?? Infinity;
  }
}
