/** The edge network's report host (spec 4.3): takes health reports, and checks each field by field (spec 2.5). */
import { z } from 'zod';
import { errorAnswer, jsonAnswer, pageAnswer, type Answer } from './endpoint.js';
import type { BaseUrls } from './issued-base-urls.js';
import { addFindings, type OpenEntry, type ReceivedReport } from './request-log.js';
import type { Finding } from './rule-checks.js';

/** How the report host is. `dead` refuses connections, `silent` never answers, a number is the status of each answer. */
export type ReportHostState =
  'alive' | 'dead' | 'silent' | { readonly slowMs: number } | { readonly status: number };

/** The five fields (spec 2.5), and no other. */
const REPORT = z.strictObject({
  url: z.string().refine((text) => URL.canParse(text)),
  success: z.boolean(),
  bytes: z.int().nonnegative(),
  duration: z.int().nonnegative(),
  cached: z.boolean(),
});

export function readReport(body: string): z.infer<typeof REPORT> | undefined {
  try {
    return REPORT.parse(JSON.parse(body));
  } catch {
    return undefined;
  }
}

function refused(entry: OpenEntry, finding: Finding, detail: string): Answer {
  addFindings(entry, finding);
  return errorAnswer(400, { title: 'validation_exception', detail });
}

export interface ReportHost {
  /** Answers the request of `entry`, whose body is read. */
  answer(entry: OpenEntry): Answer;
  readonly reports: readonly ReceivedReport[];
}

export function createReportHost(baseUrls: BaseUrls, state: () => ReportHostState): ReportHost {
  const reports: ReceivedReport[] = [];
  const unwell = (entry: OpenEntry): Answer | undefined => {
    const now = state();
    if (now === 'silent') {
      addFindings(entry, 'report-host-fault');
      return { status: 0, delivery: { how: 'silence' } };
    }
    if (typeof now === 'object' && 'status' in now) {
      addFindings(entry, 'report-host-fault');
      return pageAnswer(now.status, 'The report host is not well');
    }
    return undefined;
  };
  const check = (entry: OpenEntry): Answer => {
    if (entry.headers['content-type'] !== 'application/json') {
      return refused(entry, 'report-content-type', 'Content-Type must be application/json');
    }
    const report = readReport(entry.body);
    if (!report) return refused(entry, 'report-malformed', 'Not a report');
    const found = baseUrls.find(report.url);
    if (!found?.place) return refused(entry, 'report-unknown-url', 'No such image');
    if (found.issued.own) return refused(entry, 'report-own-host', 'Not of the network');
    const sick = unwell(entry);
    if (sick) return sick;
    reports.push({ atMs: entry.atMs, ...report });
    addFindings(entry, 'report-accepted');
    return jsonAnswer(200, { result: 'ok' });
  };
  return {
    reports,
    answer(entry) {
      if (entry.path !== '/report') {
        addFindings(entry, 'not-found');
        return errorAnswer(404, { title: 'not_found_http_exception', detail: 'No such path' });
      }
      if (entry.method !== 'POST') {
        addFindings(entry, 'wrong-method');
        return errorAnswer(405, { title: 'method_not_allowed', detail: 'POST alone' });
      }
      return check(entry);
    },
  };
}
