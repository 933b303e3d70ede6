/**
 * What happens to a request on its way in, the same on every host: it is logged, counted, held to the rules of
 * the connection, and only then handed to whoever answers on that host.
 */
import type { Clock } from '../core/clock.js';
import { errorAnswer, pageAnswer, type Answer, type EndpointRequest } from './endpoint.js';
import type { Limiter, LimiterDecision } from './limiter.js';
import { addFindings, type LogEntry, type OpenEntry, type Role } from './request-log.js';
import type { Reply } from './send-reply.js';
import type { Finding } from './rule-checks.js';
import type { ReceivedRequest } from './http-adapter.js';

export type RawHandler = (request: EndpointRequest) => Answer | Promise<Answer>;

export interface Hook {
  readonly host: Role;
  readonly pathStart: string;
  readonly handler: RawHandler;
}

/** Answers a request that has come through the door. */
export type Host = (entry: OpenEntry, request: EndpointRequest) => Answer | Promise<Answer>;

export interface MiddlewareDeps {
  readonly clock: Clock;
  readonly limiter: Limiter;
  readonly log: OpenEntry[];
  readonly hosts: Readonly<Record<Role, Host>>;
  readonly hooks: ReadonlySet<Hook>;
  latencyMs(role: Role): number;
  /** The time by which the service counts, in milliseconds since the epoch. */
  serviceTimeMs(): number;
  /** What the service's own stamps are wrong by. */
  readonly stampSkewMs: number;
  readonly onRequest?: ((entry: LogEntry) => void) | undefined;
  /** Aborted when the service stops. */
  readonly stopSignal: AbortSignal;
}

export type Middleware = (role: Role, origin: string, arrival: ReceivedRequest) => Promise<Reply>;

/** The rules of the connection that the request breaks (spec 8.1), and a bearer where none may be. */
function brokenManners(role: Role, arrival: ReceivedRequest): Finding[] {
  const { headers } = arrival;
  const agent = headers['user-agent'] ?? '';
  const broken: Finding[] = [];
  if (agent === '') broken.push('no-user-agent');
  if (/^Mozilla\//i.test(agent)) broken.push('spoofed-user-agent');
  if (headers.via !== undefined) broken.push('via-header');
  if (arrival.namelessTls) broken.push('no-server-name');
  const carriesBearer = headers.authorization !== undefined || headers.cookie !== undefined;
  if (role !== 'api' && carriesBearer) broken.push('bearer-leaked');
  return broken;
}

export function createMiddleware(deps: MiddlewareDeps): Middleware {
  const { clock, limiter, log, stopSignal } = deps;

  const open = (role: Role, origin: string, arrival: ReceivedRequest): OpenEntry => {
    const { method, path, query, headers } = arrival;
    const atMs = clock.monotonicMs();
    const entry = { atMs, host: role, origin, method, path, query, headers };
    const opened: OpenEntry = { ...entry, status: 0, sentBytes: 0, body: '', findings: [] };
    log.push(opened);
    return opened;
  };

  const answered = async (entry: OpenEntry, arrival: ReceivedRequest): Promise<Answer> => {
    const body = await arrival.body();
    entry.body = body?.toString() ?? '';
    const latencyMs = deps.latencyMs(entry.host);
    if (latencyMs > 0) await clock.sleep(latencyMs, stopSignal);
    if (!body) return errorAnswer(413, { title: 'too_large', detail: 'The body is too large' });
    const { method, path, headers } = entry;
    const query = new URLSearchParams(entry.query);
    const request: EndpointRequest = { method, path, ids: [], query, headers, body };
    const hook = [...deps.hooks].find(
      ({ host, pathStart }) => host === entry.host && path.startsWith(pathStart),
    );
    try {
      return await (hook ? hook.handler(request) : deps.hosts[entry.host](entry, request));
    } catch (error) {
      stopSignal.throwIfAborted();
      addFindings(entry, 'internal-error');
      return errorAnswer(500, { title: 'practice_service_broke', detail: String(error) });
    }
  };

  const dressed = (answer: Answer, decision: LimiterDecision, role: Role): Answer => {
    const skewMs = role === 'node' ? 0 : deps.stampSkewMs;
    const date = new Date(deps.serviceTimeMs() + skewMs).toUTCString();
    return { ...answer, headers: { Date: date, ...decision.headers, ...answer.headers } };
  };

  return async (role, origin, arrival) => {
    const entry = open(role, origin, arrival);
    const decision: LimiterDecision =
      role === 'node'
        ? { headers: {} }
        : limiter.arrive({ role, method: entry.method, path: entry.path }, deps.serviceTimeMs());
    const broken = brokenManners(role, arrival);
    addFindings(entry, decision.finding, ...broken);
    let answer = decision.refusal;
    if (!answer && broken.length > 0) answer = pageAnswer(400, 'Bad Request');
    answer ??= await answered(entry, arrival);
    const { how } = answer.delivery ?? { how: 'sent' };
    if (how === 'sent') entry.status = answer.status;
    deps.onRequest?.(entry);
    return {
      answer: dressed(answer, decision, role),
      sent(bytes) {
        entry.sentBytes = bytes;
      },
    };
  };
}
