/** Health reports of a whole run: they never delay it, none is lost, and none is made for the service's own domain. */
import { login } from '../../../src/cli/commands/login.js';
import { reportStatus } from '../../../src/cli/commands/report-status.js';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { virtualClock } from '../../support/virtual-clock.js';

const chapter = generateChapter({
  id: '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0061',
  pages: 8,
  bytesPerPage: 20_000,
});

let harness: DownloadHarness;
afterEach(() => harness.stop());

test('pages from the host and port of the API are not reported', async () => {
  harness = await DownloadHarness.start({
    chapters: [chapter],
    imagesFrom: 'api',
    limits: { general: { requests: 5, periodMs: 1_000 } },
  });
  const { code, events } = await harness.download({ targets: [chapter.id] });
  expect(code).toBe(0);
  expect(harness.service.reports).toEqual([]);
  expect(harness.service.log.some(({ host }) => host === 'network')).toBe(false);
  expect(harness.service.violations()).toEqual([]);
  expect(events.at(-1)).toMatchObject({ reports: { sent: 0, waiting: 0 } });
});

test('a dead report host changes neither the exit code nor the CBZ; each report is delivered later, exactly once', async () => {
  harness = await DownloadHarness.start({ chapters: [chapter] });
  await harness.service.setReportHost('dead');
  const { code, events } = await harness.download({ targets: [chapter.id] });
  expect(code).toBe(0);
  expect(events.at(-1)).toMatchObject({ saved: 1, reports: { sent: 0, waiting: 8 } });
  await harness.service.setReportHost('alive');
  const flushed = await harness.command((run) => reportStatus({ flush: true, json: true }, run));
  expect(flushed.code).toBe(0);
  expect(harness.service.reports).toHaveLength(8);
  expect(new Set(harness.service.reports.map(({ url }) => url)).size).toBe(8);
});

test('waiting reports are sent by the next command that uses the network', async () => {
  const clock = virtualClock();
  harness = await DownloadHarness.start({ chapters: [chapter], clock });
  await harness.service.setReportHost('dead');
  await harness.download({ targets: [chapter.id] });
  await harness.service.setReportHost('alive');
  // An hour later, the report host is tried again.
  clock.advance(3_600_000);
  const change = { env: harness.loginEnvironment() };
  const { code } = await harness.command((run) => login({ insecureStorage: true }, run), change);
  expect(code).toBe(0);
  expect(harness.service.reports).toHaveLength(8);
});

test('--no-reports makes none, and says so', async () => {
  harness = await DownloadHarness.start({ chapters: [chapter] });
  const { code, stderr } = await harness.download({ targets: [chapter.id], reports: false });
  expect(code).toBe(0);
  expect(harness.service.reports).toEqual([]);
  expect(stderr).toContain('turned off');
});

test('a report has the full URL, the bytes received, whole milliseconds, and X-Cache', async () => {
  harness = await DownloadHarness.start({ chapters: [chapter] });
  const { events } = await harness.download({ targets: [chapter.id] });
  const loaded = events.flatMap((event) => (event.type === 'page-loaded' ? [event] : []));
  const reports = await harness.reports();
  for (const { bytes, ms, cached, page } of loaded) {
    const name = chapter.pages('data')[page - 1]?.fileName ?? '';
    const [report, ...others] = reports.filter(({ url }) => url.endsWith(name));
    expect(others).toEqual([]);
    expect(report).toMatchObject({ bytes, duration: ms, cached, success: true });
    expect(report?.url).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/edge\/v1%2Fpractice\/~reader\/[\da-f]{32}%3d\//,
    );
    const { origin, pathname } = new URL(report?.url ?? '');
    expect(
      harness.service.log.filter((entry) => entry.origin + entry.path === origin + pathname),
    ).toHaveLength(1);
  }
  expect(loaded.some(({ cached }) => cached)).toBe(true);
  expect(loaded.some(({ cached }) => !cached)).toBe(true);
});
