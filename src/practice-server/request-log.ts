/** The practice server's log of requests, in order of arrival, with what it found about each. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Quality } from './library/library.js';
import type { FaultName } from './page-faults.js';

export type Role = 'api' | 'auth' | 'network' | 'node' | 'images';

/** Rules of the specification that a client broke. */
const VIOLATIONS = [
  'no-user-agent', // Missing User-Agent (spec 8.1).
  'spoofed-user-agent', // A browser's User-Agent (spec 8.1).
  'via-header', // A Via header (spec 8.1).
  'no-server-name', // TLS without Server Name Indication (spec 8.1).
  'bearer-leaked', // A bearer or a cookie sent to a host other than the API.
  'needless-token', // A bearer on a request that needs none (docs/specification.md, section 5).
  'general-rate', // Over the general limit of the API host (spec 8.2).
  'quota-exceeded', // Over an endpoint's quota (spec 8.3).
  'request-while-limited', // Sent while 429 is in force (spec 7).
  'request-while-banned', // Sent during the ban (spec 7).
  'collection-too-far', // The sum of offset and size is over 10,000 (spec 8.4).
  'grant-not-a-form', // A grant that is not application/x-www-form-urlencoded (spec 4.1).
  'grant-incomplete', // A grant with a missing, repeated or empty field (spec 4.1).
  'wrong-method', // A method that the path does not support.
  'wrong-page-path', // A page path that does not follow from an issued base URL (spec 4.2).
  'certificate-ignored', // A page requested despite the node's invalid certificate.
  'report-content-type', // A report whose Content-Type is not exactly application/json (spec 4.3).
  'report-malformed', // A report without exactly the five fields and their types (spec 2.5).
  'report-unknown-url', // A report of a URL that was never issued (spec 4.3).
  'report-own-host', // A report of an image from the first-party domain (spec 4.3).
] as const;

/** Explains a response to a request that broke no rule. */
type Note =
  | 'not-found'
  | 'report-accepted'
  | 'report-host-fault'
  | 'base-url-expired'
  | 'grant-refused'
  | 'bearer-rejected'
  | 'captcha-demanded'
  | 'api-fault'
  | 'page-fault'
  /** The practice server itself failed; the response names the error. */
  | 'internal-error';

export type Finding = (typeof VIOLATIONS)[number] | Note;

/** One load of a page, as the node that served it saw it. */
interface PageLoad {
  readonly chapter: string;
  /** From 1. */
  readonly page: number;
  readonly quality: Quality;
  /** From 1: counts the requests for this page over all nodes. */
  readonly attempt: number;
  readonly fault?: FaultName;
}

/** An entry whose request is still being processed. */
export interface OpenEntry {
  /** Monotonic time at which the request's head arrived. */
  readonly atMs: number;
  readonly host: Role;
  /** `http://127.0.0.1:<port>` of the listener. */
  readonly origin: string;
  readonly method: string;
  /** The received path, without the query. */
  readonly path: string;
  /** Without the `?`; empty if absent. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** 0 until a response is sent. */
  status: number;
  /** Bytes of the response body that were written to the connection. */
  sentBytes: number;
  /** The request's body. */
  body: string;
  /** The `X-Request-ID` of an error response of the API. */
  requestId?: string;
  /** In the order found. */
  readonly findings: Finding[];
  /** The first finding. */
  finding?: Finding;
  load?: PageLoad;
}

export type LogEntry = Readonly<OpenEntry>;

export function addFindings(entry: OpenEntry, ...findings: readonly Finding[]): void {
  for (const each of findings) entry.findings.push(each);
  entry.finding ??= entry.findings[0];
}

/** Logs why the request gets this response. */
export function withFinding<T>(entry: OpenEntry, finding: Finding, response: T): T {
  addFindings(entry, finding);
  return response;
}

/** The entries in which the client broke a rule. */
export function violationsIn(log: readonly LogEntry[]): readonly LogEntry[] {
  const violations: ReadonlySet<Finding> = new Set(VIOLATIONS);
  return log.filter((entry) => entry.findings.some((finding) => violations.has(finding)));
}
