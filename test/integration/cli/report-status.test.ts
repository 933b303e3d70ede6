/** `tankobon report-status` as a user types it, against the practice service. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { glyphsFor } from '../../../src/cli/output/glyphs.js';
import { reportTable } from '../../../src/cli/output/report-table.js';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { reportPage } from '../../../src/service/reports.js';
import {
  metricsByNode,
  metricsOverTime,
  type ReportStatus,
} from '../../../src/service/reports/report-status.js';
import type { RecordedLoad } from '../../../src/service/reports/report-journal.js';
import type { Finished } from '../../support/command.js';
import { tankobonHere } from '../../support/in-process.js';

const NOW_MS = Date.UTC(2026, 5, 1, 12);

describe('against the practice service', () => {
  const ID = '6f3c2a10-1111-4222-8333-944455556666';
  const PAGES = 12;
  let folder: string;
  let service: PracticeService;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-status-'));
    const chapter = generateChapter({ id: ID, pages: PAGES, bytesPerPage: 4_000 });
    service = await startPracticeService({ chapters: [chapter] });
  });
  afterEach(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const type = (...words: string[]): Promise<Finished> =>
    tankobonHere(words, {
      env: { ...service.environment, TANKOBON_HOME: join(folder, 'home') },
    });
  const status = async (): Promise<ReportStatus> =>
    JSON.parse((await type('report-status', '--json')).stdout) as ReportStatus;

  test('what a dead report host did not take, a flush delivers, each exactly once', async () => {
    await service.setReportHost('dead');
    expect(await type('download', ID, '-o', folder)).toMatchObject({ code: 0 });
    expect(await status()).toMatchObject({
      sent: 0,
      waiting: PAGES,
      host: { state: 'down', lastError: { reason: 'ECONNREFUSED' } },
    });
    const inVain = await type('report-status', '--flush');
    expect(inVain).toMatchObject({ code: 3 });
    expect(inVain.stderr).toContain(`${PAGES} still waiting`);

    await service.setReportHost('alive');
    const flushed = await type('report-status', '--flush');
    expect(flushed).toMatchObject({ code: 0 });
    expect(flushed.stderr).toContain(`${PAGES} health reports sent.`);
    expect(service.reports.length).toBe(PAGES);
    expect(new Set(service.reports.map(({ url }) => url)).size).toBe(PAGES);
    expect(await status()).toMatchObject({ sent: PAGES, waiting: 0, host: { state: 'up' } });
    expect((await type('report-status', '--flush')).stderr).toContain(
      'No health report was waiting',
    );
    expect(service.reports.length).toBe(PAGES);
    expect(service.violations()).toEqual([]);
  });

  test('--flush --json prints the counts, and the figures name each node', async () => {
    await service.setReportHost({ status: 500 });
    expect(await type('download', ID, '-o', folder)).toMatchObject({ code: 0 });
    expect((await status()).waiting).toBe(PAGES);
    await service.setReportHost('alive');
    expect(JSON.parse((await type('report-status', '--flush', '--json')).stdout)).toMatchObject({
      sent: PAGES,
      givenUp: 0,
      waiting: 0,
    });
    const { nodes } = await status();
    const loads = nodes.map((node) => node.loads).reduce((sum, count) => sum + count, 0);
    expect(loads).toBe(PAGES);
    expect(nodes.every(({ node }) => service.nodes.includes(`http://${node}`))).toBe(true);
    expect(nodes.every(({ successRate }) => successRate === 1)).toBe(true);
  });

  test('what one run left behind, the next one delivers beside its own', async () => {
    await service.setReportHost('silent');
    const first = type('download', ID, '-o', folder);
    expect(await first).toMatchObject({ code: 0 });
    const left = (await status()).waiting;
    expect(left).toBe(PAGES);
    await service.setReportHost('alive');
    expect(await type('download', ID, '--force', '-o', folder)).toMatchObject({ code: 0 });
    // This sends what a busy machine did not send before the end of the run.
    await type('report-status', '--flush');
    expect(await status()).toMatchObject({ sent: 2 * PAGES, waiting: 0 });
    expect(service.reports.length).toBe(2 * PAGES);
  });

  test('clearing asks first; without a terminal it says what to type', async () => {
    await service.setReportHost('dead');
    await type('download', ID, '-o', folder);
    const asked = await type('report-status', '--clear');
    expect(asked).toMatchObject({ code: 2 });
    expect(asked.stderr).toContain('--clear --yes');
    expect((await status()).waiting).toBe(PAGES);
    expect(await type('report-status', '--clear', '--yes')).toMatchObject({ code: 0 });
    expect(await status()).toMatchObject({ sent: 0, waiting: 0, nodes: [] });
  });

  test('the page is written whole, and a place where it cannot go is an error', async () => {
    await type('download', ID, '-o', folder);
    expect(await type('report-status', '--html', join(folder, 'health.html'))).toMatchObject({
      code: 0,
    });
    expect(readFileSync(join(folder, 'health.html'), 'utf8')).toMatch(
      /^<!doctype html>[^]*<\/html>\n$/,
    );
    const refused = await type('report-status', '--html', join(folder, 'no/such/folder/x.html'));
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain('--html FILE');
  });
});

const load = (more: Partial<RecordedLoad>): RecordedLoad => ({
  atMs: NOW_MS,
  node: 'a.example',
  success: true,
  bytes: 1_000,
  durationMs: 100,
  cached: false,
  ...more,
});

describe('the figures', () => {
  test('of a node count its loads, and measure those that succeeded', () => {
    const loads = [
      load({ durationMs: 100, cached: true }),
      load({ durationMs: 300 }),
      load({ durationMs: 900, bytes: 11_000 }),
      load({ success: false, durationMs: 60_000, bytes: 0 }),
      load({ node: 'b.example', success: false }),
    ];
    expect(metricsByNode(loads)).toEqual([
      {
        node: 'a.example',
        loads: 4,
        successRate: 0.75,
        cachedShare: 1 / 3,
        medianMs: 300,
        slowestMs: 900,
        bytesPerSecond: 10_000,
      },
      { node: 'b.example', loads: 1, successRate: 0 },
    ]);
  });

  test('over time cover every load once, in order', () => {
    const loads = [0, 10, 20, 500, 999].map((ms) => load({ atMs: NOW_MS + ms }));
    const stretches = metricsOverTime(loads, 4);
    expect(stretches.map((stretch) => stretch.loads)).toEqual([3, 1, 1]);
    expect(stretches.map(({ fromMs }) => fromMs - NOW_MS)).toEqual([0, 500, 750]);
    expect(metricsOverTime([], 4)).toEqual([]);
  });
});

describe('the table and the page', () => {
  const glyphs = glyphsFor({ LANG: 'C.UTF-8' });
  const loads = [
    load({ node: 'a-very-long-name-of-a-node.somewhere.edge.example:44300' }),
    load({ node: 'b.example', success: false }),
    load({ node: '<b>&"c', durationMs: 61_000 }),
  ];
  const full: ReportStatus = {
    sent: 12_345,
    waiting: 7,
    givenUp: 2,
    dropped: 1,
    reasons: { 'status 400': 2, 'too old': 1 },
    oldestWaitingAgeMs: 3_600_000,
    lastSentAtMs: NOW_MS - 5_000,
    host: { state: 'down', lastError: { atMs: NOW_MS - 90_000, reason: 'ECONNREFUSED' } },
    nodes: metricsByNode(loads),
    overTime: metricsOverTime(loads, 10),
    damagedLines: 1,
  };
  const empty: ReportStatus = {
    sent: 0,
    waiting: 0,
    givenUp: 0,
    dropped: 0,
    reasons: {},
    host: { state: 'up' },
    nodes: [],
    overTime: [],
    damagedLines: 0,
  };

  test.each([40, 60, 80, 200])('of %d columns no line is wider', (columns) => {
    const text = reportTable(full, { columns, colors: false, nowMs: NOW_MS, glyphs });
    // The sentence about damage is the one that may wrap.
    const widths = text.split('\n').filter((line) => !line.includes('damaged'));
    expect(Math.max(...widths.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(text).toContain('7 waiting');
    expect(text).toContain('ECONNREFUSED');
  });

  test('has colors only where they are wanted', () => {
    const escape = '\u001B[';
    const look = { columns: 80, nowMs: NOW_MS, glyphs };
    expect(reportTable(full, { ...look, colors: false })).not.toContain(escape);
    expect(reportTable(full, { ...look, colors: true })).toContain(escape);
  });

  test('say so when there is nothing yet', async () => {
    const look = { columns: 80, colors: false, nowMs: NOW_MS, glyphs };
    expect(reportTable(empty, look)).toContain('No loads');
    expect(await reportPage(empty, NOW_MS)).toContain('No loads');
  });

  test('the page needs nothing from elsewhere, runs nothing, and escapes what nodes are called', async () => {
    const page = await reportPage(full, NOW_MS);
    expect(page).not.toMatch(/<script|https?:|url\(|@import|<link|<img/i);
    expect(page).not.toContain('<b>&"c');
    expect(page).toContain('&lt;b&gt;&amp;&quot;c');
    expect(page).toContain('prefers-color-scheme: dark');
    expect(page.match(/<svg/g)?.length).toBeGreaterThanOrEqual(3);
  });
});
