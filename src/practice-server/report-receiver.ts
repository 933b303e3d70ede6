/** The edge network's report host (spec 4.3): accepts health reports and checks their fields (spec 2.5). */
import { z } from 'zod';
import { parseJson } from '../core/json.js';
import {
  htmlResponse,
  invalidRequest,
  jsonResponse,
  methodNotAllowed,
  notFound,
  SILENCE,
  type EndpointResponse,
} from './endpoint.js';
import type { IssuedBaseUrls } from './issued-base-urls.js';
import { withFinding, type Finding, type OpenEntry } from './request-log.js';

/** `dead` refuses connections, `silent` never responds, `status` replaces the status of every response. */
export type ReportHostState =
  'alive' | 'dead' | 'silent' | { readonly slowMs: number } | { readonly status: number };

const REPORT = z.strictObject({
  url: z.string().refine((text) => URL.canParse(text)),
  success: z.boolean(),
  bytes: z.int().nonnegative(),
  duration: z.int().nonnegative(),
  cached: z.boolean(),
});

type Report = z.infer<typeof REPORT>;
export type ReceivedReport = Readonly<Report> & { readonly atMs: number };

export function readReport(body: string): Report | undefined {
  return REPORT.safeParse(parseJson(body)).data;
}

export class ReportHost {
  readonly reports: ReceivedReport[] = [];
  state: ReportHostState = 'alive';

  constructor(private readonly baseUrls: IssuedBaseUrls) {}

  respond(entry: OpenEntry): EndpointResponse {
    return withFinding(entry, ...this.#check(entry));
  }

  #check(entry: OpenEntry): readonly [Finding, EndpointResponse] {
    if (entry.path !== '/report') return ['not-found', notFound('No such path')];
    if (entry.method !== 'POST') return ['wrong-method', methodNotAllowed('Only POST is allowed')];
    if (entry.headers['content-type'] !== 'application/json') {
      return ['report-content-type', invalidRequest('Content-Type must be application/json')];
    }
    const report = readReport(entry.body);
    if (!report) return ['report-malformed', invalidRequest('Not a report')];
    const found = this.baseUrls.find(report.url);
    if (!found?.page) return ['report-unknown-url', invalidRequest('No such image')];
    if (found.base.firstParty) return ['report-own-host', invalidRequest('Not of the network')];
    const { state } = this;
    if (state === 'silent') return ['report-host-fault', SILENCE];
    if (typeof state === 'object' && 'status' in state) {
      return ['report-host-fault', htmlResponse(state.status, 'The report host is not well')];
    }
    this.reports.push({ atMs: entry.atMs, ...report });
    return ['report-accepted', jsonResponse(200, { result: 'ok' })];
  }
}
