/** The report host accepts valid reports and refuses others (spec 2.5 and 4.3). */
import fc from 'fast-check';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { readReport } from '../../../src/practice-server/report-receiver.js';
import { fakeClock } from '../../support/fake-clock.js';
import {
  atHome,
  pageUrl,
  send,
  type RawResponse,
  type SendOptions,
  LIBRARY,
} from '../../support/plain-client.js';
import { webUrl } from '../../support/any-text.js';
import { fuzzRuns } from '../../support/long-run.js';

let service: PracticeService;
let url: string;
beforeEach(async () => {
  service = await startPracticeService({ library: LIBRARY, clock: fakeClock() });
  url = pageUrl(await atHome(service));
});
afterEach(() => service.stop());

const right = () => ({ url, success: true, bytes: 3_000, duration: 12, cached: false });

function report(value: unknown, options: SendOptions = {}): Promise<RawResponse> {
  return send(`${service.addresses.networkUrl}/report`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: typeof value === 'string' ? value : JSON.stringify(value),
    ...options,
  });
}
const lastFinding = (): string | undefined => service.log.at(-1)?.finding;

test('valid reports are accepted and kept in order', async () => {
  expect((await report(right())).status).toBe(200);
  expect((await report({ ...right(), success: false, bytes: 0 })).status).toBe(200);
  expect(service.reports).toMatchObject([right(), { ...right(), success: false, bytes: 0 }]);
  expect(service.log.slice(1).map(({ finding }) => finding)).toEqual([
    'report-accepted',
    'report-accepted',
  ]);
  expect(service.violations()).toEqual([]);
});

test('a page whose base URL has a closed port can be reported', async () => {
  service.injectPageFaults({ fault: 'connect-refused', attempts: 9 });
  const closed = pageUrl(await atHome(service));
  expect((await report({ ...right(), url: closed, success: false, bytes: 0 })).status).toBe(200);
});

test.each([
  'application/json; charset=utf-8',
  'application/json;',
  'Application/JSON',
  'text/plain',
  undefined,
])('Content-Type %p is not exactly application/json', async (type) => {
  const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
  expect((await report(right(), { headers })).status).toBe(400);
  expect(lastFinding()).toBe('report-content-type');
  expect(service.reports).toEqual([]);
});

test.each<[string, (good: Record<string, unknown>) => unknown]>([
  ['no JSON', () => '{"url":'],
  ['null', () => null],
  ['an array', (good) => [good]],
  ['a field too many', (good) => ({ ...good, extra: 1 })],
  ['a field missing', (good) => ({ ...good, url: undefined })],
  ['a number as a string', (good) => ({ ...good, bytes: '3000' })],
  ['bytes below zero', (good) => ({ ...good, bytes: -1 })],
  ['a fraction of a millisecond', (good) => ({ ...good, duration: 1.5 })],
  ['a flag as a number', (good) => ({ ...good, cached: 0 })],
  ['a url without its scheme', (good) => ({ ...good, url: String(good['url']).slice(7) })],
])('%s is malformed', async (_, change) => {
  expect((await report(change(right()))).status).toBe(400);
  expect(lastFinding()).toBe('report-malformed');
  expect(service.reports).toEqual([]);
});

test('a URL that was never issued is refused', async () => {
  for (const wrong of [`${url}x`, url.replace('%2F', '/'), 'https://example.org/data/a/1.png']) {
    expect((await report({ ...right(), url: wrong })).status).toBe(400);
    expect(lastFinding()).toBe('report-unknown-url');
  }
});

test('an image from the first-party domain is refused', async () => {
  await service.stop();
  service = await startPracticeService({ library: LIBRARY, imagesFrom: 'api' });
  url = pageUrl(await atHome(service));
  expect((await report(right())).status).toBe(400);
  expect(lastFinding()).toBe('report-own-host');
});

test('the host can be dead and return on the same port', async () => {
  await service.setReportHost('dead');
  expect((await report(right())).error).toBe('ECONNREFUSED');
  await service.setReportHost('alive');
  expect((await report(right())).status).toBe(200);
  expect(service.reports).toHaveLength(1);
});

test('the host can be silent, slow or failing, and then keeps no report', async () => {
  await service.setReportHost('silent');
  expect((await report(right(), { idleMs: 100 })).error).toBe('idle');
  for (const status of [500, 522]) {
    await service.setReportHost({ status });
    expect((await report(right())).status).toBe(status);
    expect(lastFinding()).toBe('report-host-fault');
  }
  expect(service.reports).toEqual([]);
  await service.setReportHost({ slowMs: 50 });
  expect((await report(right())).status).toBe(200);
  expect(service.violations()).toEqual([]);
});

test('reading any input does not throw, and accepted reports have the five fields', () => {
  const field = fc.oneof(webUrl, fc.boolean(), fc.integer(), fc.double(), fc.constant(null));
  const record = fc.record({
    url: field,
    success: field,
    bytes: field,
    duration: field,
    cached: field,
  });
  fc.assert(
    fc.property(fc.oneof(record, fc.jsonValue(), fc.string()), (value) => {
      const read = readReport(typeof value === 'string' ? value : JSON.stringify(value));
      if (!read) return;
      expect(URL.canParse(read.url)).toBe(true);
      expect(typeof read.success).toBe('boolean');
      expect(typeof read.cached).toBe('boolean');
      expect(Number.isInteger(read.bytes) && read.bytes >= 0).toBe(true);
      expect(Number.isInteger(read.duration) && read.duration >= 0).toBe(true);
    }),
    { numRuns: fuzzRuns(2_000) },
  );
});
