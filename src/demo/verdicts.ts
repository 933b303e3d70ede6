/**
 * The verdicts: what the practice service notes of a request, as data. A violation is a rule of the
 * specification broken by the client; the others only say why the answer is what it is.
 */
interface VerdictFacts {
  readonly violation: boolean;
  readonly meaning: string;
}

const broken = (meaning: string): VerdictFacts => ({ violation: true, meaning });
const noted = (meaning: string): VerdictFacts => ({ violation: false, meaning });

const VERDICTS = {
  'no-user-agent': broken('No User-Agent (spec 8.1).'),
  'spoofed-user-agent': broken("A browser's User-Agent (spec 8.1)."),
  'via-header': broken('A Via header (spec 8.1).'),
  'no-server-name': broken('TLS without Server Name Indication (spec 8.1).'),
  'bearer-leaked': broken('A bearer or a cookie at a host that is not the API.'),
  'general-rate': broken('Over the general limit of the API host (spec 8.2).'),
  'quota-exceeded': broken("Over an endpoint's quota (spec 8.3)."),
  'request-while-limited': broken('Went on while being answered 429 (spec 7).'),
  'request-while-banned': broken('Went on during the ban (spec 7).'),
  'collection-too-far': broken('offset and size together are over 10,000 (spec 8.4).'),
  'grant-not-a-form': broken('A grant that is not application/x-www-form-urlencoded (spec 4.1).'),
  'grant-incomplete': broken('A grant with a field missing, twice or empty (spec 4.1).'),
  'wrong-method': broken('A method that the path does not have.'),
  'wrong-page-path': broken('A page path that follows from no base URL handed out (spec 4.2).'),
  'certificate-ignored': broken("A page asked for in spite of the node's bad certificate."),
  'report-content-type': broken(
    'A report whose Content-Type is not exactly application/json (4.3).',
  ),
  'report-malformed': broken('A report that has not the five fields and their types (spec 2.5).'),
  'report-unknown-url': broken('A report of an address that was never handed out (spec 4.3).'),
  'report-own-host': broken('A report of an image from the own domain (spec 4.3).'),
  'not-found': noted('No such path or thing.'),
  'report-accepted': noted('A health report, accepted.'),
  'report-host-unwell': noted('The report host was told to fail.'),
  'base-url-expired': noted('A page asked for after its base URL expired (spec 4.2).'),
  'grant-refused': noted('A grant that the authentication service refuses.'),
  'bearer-rejected': noted('An access token that is unknown or past its time (spec 5).'),
  'captcha-demanded': noted('A captcha is wanted (spec 5).'),
  broke: noted('The practice service itself failed at this; see the answer.'),
  misanswered: noted('Answered wrongly, as told.'),
  fault: noted('A page load that failed, as told.'),
} as const satisfies Record<string, VerdictFacts>;

export type Verdict = keyof typeof VERDICTS;

export const isViolation = (verdict: Verdict): boolean => VERDICTS[verdict].violation;
