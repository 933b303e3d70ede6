/** Wrong and unwelcome answers of the API and of the authentication service, on demand, as data. */
import { errorAnswer, jsonAnswer, pageAnswer, type Answer } from './endpoint.js';
import type { OpenEntry } from './request-log.js';

const parseBody = (value: unknown): Answer => jsonAnswer(200, value);
const asJson = (body: string): Answer => ({
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  body,
});

const API_FAULTS = {
  'not-found': errorAnswer(404, { title: 'not_found_http_exception', detail: 'Chapter not found' }),
  /** A JSON 403 that is no captcha; given to guests alone. */
  'refused-to-anonymous': errorAnswer(403, {
    title: 'forbidden_http_exception',
    detail: 'Guests have read enough for today',
  }),
  /** The same, given to everybody. */
  refused: errorAnswer(403, { title: 'forbidden_http_exception', detail: 'Not for you' }),
  'bad-request': errorAnswer(400, { title: 'validation_exception', detail: 'Not understood' }),
  /** What a ban looks like, without the ban. */
  'generic-403': pageAnswer(403, 'Forbidden'),
  'server-error': errorAnswer(500, { title: 'internal_server_error', detail: 'Something broke' }),
  'bad-gateway': pageAnswer(502, 'Bad Gateway'),
  unavailable: pageAnswer(503, 'Service Unavailable'),
  'too-many': pageAnswer(429, 'Too Many Requests'),
  'html-page': pageAnswer(200, 'Please wait'),
  'bad-json': asJson('{"result":"ok","baseUrl":'),
  'empty-body': asJson(''),
  'json-null': parseBody(null),
  'wrong-shape': parseBody({ result: 'ok', baseUrl: 7, chapter: { hash: [], data: 'none' } }),
  'no-pages': parseBody({
    result: 'ok',
    baseUrl: 'https://localhost/nowhere',
    chapter: { hash: '0', data: [], dataSaver: [] },
  }),
  reset: { status: 0, delivery: { how: 'reset' } },
  'closed-without-answer': { status: 0, delivery: { how: 'close' } },
  'switching-protocols': { status: 0, delivery: { how: 'upgrade' } },
  hang: { status: 0, delivery: { how: 'silence' } },
} as const satisfies Record<string, Answer>;

type ApiFaultName = keyof typeof API_FAULTS;

export interface ApiFaultPlan {
  readonly answer: ApiFaultName;
  /** `api` where absent. */
  readonly host?: 'api' | 'auth';
  /** The paths begin with this; where absent, `/at-home/` at the API and any path at the authentication service. */
  readonly pathStart?: string;
  /** Only the first so many such requests, or each one. */
  readonly times: number | 'always';
}

export interface ApiFaults {
  plan(plan: ApiFaultPlan): void;
  /** The planned answer to this request, if any. */
  next(entry: OpenEntry, account: string | undefined): Answer | undefined;
}

export function createApiFaults(): ApiFaults {
  const plans: { plan: ApiFaultPlan; left: number }[] = [];
  return {
    plan(plan) {
      plans.push({ plan, left: plan.times === 'always' ? Infinity : plan.times });
    },
    next(entry, account) {
      const due = plans.find(({ plan, left }) => {
        const { host = 'api', answer } = plan;
        const pathStart = plan.pathStart ?? (host === 'api' ? '/at-home/' : '/');
        const meant = host === entry.host && entry.path.startsWith(pathStart) && left > 0;
        return meant && !(answer === 'refused-to-anonymous' && account !== undefined);
      });
      if (!due) return undefined;
      due.left -= 1;
      return API_FAULTS[due.plan.answer];
    },
  };
}
