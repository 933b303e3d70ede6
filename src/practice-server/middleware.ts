/** What every host does with a request first: log it, count it, and check the rules of the connection (spec 8.1). */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../core/clock.js';
import {
  errorResponse,
  htmlResponse,
  type EndpointRequest,
  type EndpointResponse,
} from './endpoint.js';
import type { ReceivedRequest } from './http-adapter.js';
import type { Limiter, LimiterDecision } from './limiter.js';
import { createTokenCheck } from './needless-token.js';
import {
  addFindings,
  withFinding,
  type Finding,
  type LogEntry,
  type OpenEntry,
  type Role,
} from './request-log.js';
import type { Reply } from './send-response.js';

type MaybePromise<T> = T | Promise<T>;
export type RawHandler = (request: EndpointRequest) => MaybePromise<EndpointResponse>;

/** Replaces the responses of one host for the paths that begin with `pathStart`. */
export interface Interceptor {
  readonly host: Role;
  readonly pathStart: string;
  readonly handler: RawHandler;
}

export type Host = (entry: OpenEntry, request: EndpointRequest) => MaybePromise<EndpointResponse>;

export interface MiddlewareDeps {
  readonly clock: Clock;
  readonly limiter: Limiter;
  readonly log: OpenEntry[];
  readonly hosts: Readonly<Record<Role, Host>>;
  readonly interceptors: ReadonlySet<Interceptor>;
  latencyMs(role: Role): number;
  /** The service's time, in milliseconds since the epoch. */
  serviceTimeMs(): number;
  /** The error of the service's time stamps. */
  readonly dateSkewMs: number;
  readonly onRequest?: (entry: LogEntry) => void;
  /** Aborted when the service stops. */
  readonly stopSignal: AbortSignal;
}

export type Middleware = (role: Role, origin: string, request: ReceivedRequest) => Promise<Reply>;

function connectionFindings(role: Role, { headers, missingServerName }: ReceivedRequest) {
  const userAgent = headers['user-agent'] ?? '';
  const findings: Finding[] = [];
  if (userAgent === '') findings.push('no-user-agent');
  if (/^Mozilla\//i.test(userAgent)) findings.push('spoofed-user-agent');
  if (headers.via !== undefined) findings.push('via-header');
  if (missingServerName) findings.push('no-server-name');
  const hasCredentials = headers.authorization !== undefined || headers.cookie !== undefined;
  if (role !== 'api' && hasCredentials) findings.push('bearer-leaked');
  return findings;
}

export function createMiddleware(deps: MiddlewareDeps): Middleware {
  const { clock, limiter, log, stopSignal } = deps;
  const hasNeedlessToken = createTokenCheck();

  const handle = async (entry: OpenEntry, received: ReceivedRequest): Promise<EndpointResponse> => {
    const body = await received.readBody();
    entry.body = body?.toString() ?? '';
    const latencyMs = deps.latencyMs(entry.host);
    if (latencyMs > 0) await clock.sleep(latencyMs, stopSignal);
    if (!body) return errorResponse(413, { title: 'too_large', detail: 'The body is too large' });
    const { method, path, headers } = entry;
    const query = new URLSearchParams(entry.query);
    const request: EndpointRequest = { method, path, ids: [], query, headers, body };
    const interceptor = [...deps.interceptors].find(
      ({ host, pathStart }) => host === entry.host && path.startsWith(pathStart),
    );
    try {
      return await (interceptor?.handler(request) ?? deps.hosts[entry.host](entry, request));
    } catch (error) {
      stopSignal.throwIfAborted();
      const broke = { title: 'practice_service_broke', detail: String(error) };
      return withFinding(entry, 'internal-error', errorResponse(500, broke));
    }
  };

  return async (role, origin, received) => {
    const { method, path, query, headers } = received;
    const entry: OpenEntry = {
      atMs: clock.monotonicMs(),
      host: role,
      origin,
      method,
      path,
      query,
      headers,
      status: 0,
      sentBytes: 0,
      body: '',
      findings: [],
    };
    log.push(entry);
    // The limits do not apply to the volunteers' nodes.
    const decision: LimiterDecision =
      role === 'node' ? {} : limiter.check({ role, method, path }, deps.serviceTimeMs());
    const findings = connectionFindings(role, received);
    if (decision.finding) addFindings(entry, decision.finding);
    addFindings(entry, ...findings);
    const response =
      decision.refusal ??
      (findings.length > 0 ? htmlResponse(400, 'Bad Request') : await handle(entry, received));
    if ((response.delivery?.how ?? 'sent') === 'sent') entry.status = response.status;
    if (role === 'api' && hasNeedlessToken(entry, response)) addFindings(entry, 'needless-token');
    if (role === 'api' && response.status >= 400) entry.requestId = randomUUID();
    deps.onRequest?.(entry);
    const skewMs = role === 'node' ? 0 : deps.dateSkewMs;
    const date = new Date(deps.serviceTimeMs() + skewMs).toUTCString();
    return {
      response: {
        ...response,
        headers: {
          Date: date,
          ...(entry.requestId !== undefined && { 'X-Request-ID': entry.requestId }),
          ...decision.headers,
          ...response.headers,
        },
      },
      onSent(bytes) {
        entry.sentBytes = bytes;
      },
    };
  };
}
