/** The captcha limiter (spec 5 and 4.4): demanded where it was told to be, until somebody solves it. */
import { errorAnswer, jsonAnswer, type Answer, type Endpoint } from './endpoint.js';
import type { OpenEntry } from './request-log.js';

export interface CaptchaRequirement {
  /** The paths of the API that want it begin with this; `/at-home/` where absent. */
  readonly pathStart?: string;
  /** Where the code stands in the error. `title` where absent. */
  readonly codeIn?: 'title' | 'id' | 'detail';
  /** Where the site key stands: in the header, in the context, or in both, as where absent. */
  readonly siteKeyIn?: 'header' | 'context' | 'both' | 'neither';
  /** The context as an object, or as its JSON in a string: both have been seen. `object` where absent. */
  readonly context?: 'object' | 'string';
  /** Each solution is good for so many requests; for all that follow where absent. */
  readonly solvedFor?: number;
}

export const CAPTCHA_CODE = 'captcha_required_exception';
export const PRACTICE_SITE_KEY = 'practice-site-key-7f3a';
/** What the practice captcha accepts as solved. */
export const PRACTICE_CAPTCHA_RESULT = 'practice-captcha-solved';

export interface Captcha {
  demand(demand: CaptchaRequirement): void;
  /** The answer for a request that must solve one first, `undefined` for one that may pass. */
  stop(entry: OpenEntry): Answer | undefined;
  readonly endpoint: Endpoint;
}

function demandAnswer(demand: CaptchaRequirement): Answer {
  const { codeIn = 'title', siteKeyIn = 'both' } = demand;
  const inContext = siteKeyIn === 'context' || siteKeyIn === 'both';
  const context = inContext ? { siteKey: PRACTICE_SITE_KEY } : {};
  const error = {
    title: codeIn === 'title' ? CAPTCHA_CODE : 'Forbidden',
    detail: codeIn === 'detail' ? CAPTCHA_CODE : 'Solve a captcha first',
    ...(codeIn === 'id' ? { id: CAPTCHA_CODE } : {}),
    context: demand.context === 'string' ? JSON.stringify(context) : context,
  };
  const inHeader = siteKeyIn === 'header' || siteKeyIn === 'both';
  return errorAnswer(403, error, inHeader ? { 'X-Captcha-Sitekey': PRACTICE_SITE_KEY } : {});
}

function challengeIn(body: Buffer): unknown {
  try {
    const value = JSON.parse(body.toString()) as unknown;
    return typeof value === 'object' && value !== null && 'captchaChallenge' in value
      ? value.captchaChallenge
      : undefined;
  } catch {
    return undefined;
  }
}

export function createCaptcha(): Captcha {
  let demanded: CaptchaRequirement | undefined;
  let solvedFor = 0;
  const solve = (): void => {
    solvedFor = demanded?.solvedFor ?? Infinity;
  };
  return {
    demand(demand) {
      demanded = demand;
      solvedFor = 0;
    },
    stop(entry) {
      if (!demanded || !entry.path.startsWith(demanded.pathStart ?? '/at-home/')) return undefined;
      if (entry.headers['x-captcha-result'] === PRACTICE_CAPTCHA_RESULT) solve();
      if (solvedFor <= 0) return demandAnswer(demanded);
      solvedFor -= 1;
      return undefined;
    },
    endpoint: {
      method: 'POST',
      path: '/captcha/solve',
      answer({ body }) {
        if (challengeIn(body) !== PRACTICE_CAPTCHA_RESULT) {
          return errorAnswer(400, { title: 'captcha_invalid', detail: 'Not a solution' });
        }
        solve();
        return jsonAnswer(200, { result: 'ok' });
      },
    },
  };
}
