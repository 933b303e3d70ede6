/** What the practice service notes of a request. */

/** Rules of the specification that a client broke. */
const VIOLATIONS = {
  'no-user-agent': 'No User-Agent (spec 8.1).',
  'spoofed-user-agent': "A browser's User-Agent (spec 8.1).",
  'via-header': 'A Via header (spec 8.1).',
  'no-server-name': 'TLS without Server Name Indication (spec 8.1).',
  'bearer-leaked': 'A bearer or a cookie at a host that is not the API.',
  'general-rate': 'Over the general limit of the API host (spec 8.2).',
  'quota-exceeded': "Over an endpoint's quota (spec 8.3).",
  'request-while-limited': 'Went on while being answered 429 (spec 7).',
  'request-while-banned': 'Went on during the ban (spec 7).',
  'collection-too-far': 'offset and size together are over 10,000 (spec 8.4).',
  'grant-not-a-form': 'A grant that is not application/x-www-form-urlencoded (spec 4.1).',
  'grant-incomplete': 'A grant with a field missing, twice or empty (spec 4.1).',
  'wrong-method': 'A method that the path does not have.',
  'wrong-page-path': 'A page path that follows from no base URL handed out (spec 4.2).',
  'certificate-ignored': "A page asked for in spite of the node's bad certificate.",
  'report-content-type': 'A report whose Content-Type is not exactly application/json (4.3).',
  'report-malformed': 'A report that has not the five fields and their types (spec 2.5).',
  'report-unknown-url': 'A report of an address that was never handed out (spec 4.3).',
  'report-own-host': 'A report of an image from the own domain (spec 4.3).',
} as const;

/** Why the answer is what it is, where the client broke no rule. */
type Note =
  | 'not-found'
  | 'report-accepted'
  | 'report-host-fault'
  | 'base-url-expired'
  | 'grant-refused'
  | 'bearer-rejected'
  | 'captcha-demanded'
  // The practice service itself failed; the answer says at what.
  | 'internal-error'
  // The answer, or the page load, went wrong as planned.
  | 'api-fault'
  | 'page-fault';

export type Finding = keyof typeof VIOLATIONS | Note;

export const isViolation = (finding: Finding): boolean => Object.hasOwn(VIOLATIONS, finding);
