/** Faulty and unwelcome responses of the API and the authentication service, injected on demand. */
import {
  errorResponse,
  htmlResponse,
  invalidRequest,
  jsonResponse,
  notFound,
  SILENCE,
  type EndpointResponse,
} from './endpoint.js';
import { withFinding, type OpenEntry } from './request-log.js';

const rawJson = (body: string): EndpointResponse => ({ ...jsonResponse(200, null), body });
const forbidden = (detail: string): EndpointResponse =>
  errorResponse(403, { title: 'forbidden_http_exception', detail });

const API_FAULTS = {
  'not-found': notFound('Chapter not found'),
  /** A JSON 403 without a captcha, only for anonymous requests. */
  'refused-to-anonymous': forbidden('Guests have read enough for today'),
  /** Every request is refused. */
  refused: forbidden('Not for you'),
  'bad-request': invalidRequest('Not understood'),
  /** Looks like a ban. */
  'generic-403': htmlResponse(403, 'Forbidden'),
  'server-error': errorResponse(500, { title: 'internal_server_error', detail: 'Something broke' }),
  'bad-gateway': htmlResponse(502, 'Bad Gateway'),
  unavailable: htmlResponse(503, 'Service Unavailable'),
  'too-many': htmlResponse(429, 'Too Many Requests'),
  'html-page': htmlResponse(200, 'Please wait'),
  'bad-json': rawJson('{"result":"ok","baseUrl":'),
  'empty-body': rawJson(''),
  'json-null': jsonResponse(200, null),
  'wrong-shape': jsonResponse(200, {
    result: 'ok',
    baseUrl: 7,
    chapter: { hash: [], data: 'none' },
  }),
  'no-pages': jsonResponse(200, {
    result: 'ok',
    baseUrl: 'https://localhost/nowhere',
    chapter: { hash: '0', data: [], dataSaver: [] },
  }),
  reset: { status: 0, delivery: { how: 'reset' } },
  'closed-without-answer': { status: 0, delivery: { how: 'close' } },
  'switching-protocols': { status: 0, delivery: { how: 'upgrade' } },
  hang: SILENCE,
} as const satisfies Record<string, EndpointResponse>;

export interface ApiFaultPlan {
  readonly fault: keyof typeof API_FAULTS;
  /** `api` by default. */
  readonly host?: 'api' | 'auth';
  /** By default `/at-home/` on the API host and any path on the authentication service. */
  readonly pathStart?: string;
  /** The number of matching requests that meet the fault. */
  readonly times: number | 'always';
}

export class ApiFaults {
  readonly #plans: { readonly plan: ApiFaultPlan; remaining: number }[] = [];

  inject(plan: ApiFaultPlan): void {
    this.#plans.push({ plan, remaining: plan.times === 'always' ? Infinity : plan.times });
  }

  /** The injected response to this request. */
  next(entry: OpenEntry, account?: string): EndpointResponse | undefined {
    const due = this.#plans.find(({ plan, remaining }) => {
      const { host = 'api', fault } = plan;
      const { pathStart = host === 'api' ? '/at-home/' : '/' } = plan;
      const matches = host === entry.host && entry.path.startsWith(pathStart) && remaining > 0;
      return matches && !(fault === 'refused-to-anonymous' && account !== undefined);
    });
    if (!due) return undefined;
    due.remaining -= 1;
    return withFinding<EndpointResponse>(entry, 'api-fault', API_FAULTS[due.plan.fault]);
  }
}
