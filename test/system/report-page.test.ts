/** The page of `report-status --html` in Chromium, on a phone and on a wide screen, light and dark. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { generateChapter } from '../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { launchChromium } from '../support/chromium.js';
import { tankobon } from '../support/command.js';
import { textContrasts } from '../support/contrast.js';
import { describeWith } from '../support/requirements.js';

const ID = '6f3c2a10-1111-4222-8333-944455557777';

describeWith('the page of report-status', { programs: ['chromium'] }, () => {
  let folder: string;
  let service: PracticeService;
  let browser: Browser;
  /** Every program error and refused resource. */
  const problems: string[] = [];

  const type = async (...words: string[]): Promise<void> => {
    const env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
    const { code, stderr } = await tankobon(words, { cwd: folder, env });
    expect({ code, stderr }).toMatchObject({ code: 0 });
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-page-'));
    const chapter = generateChapter({ id: ID, pages: 24, bytesPerPage: 4_000 });
    service = await startPracticeService({ chapters: [chapter], latencyMs: { node: 30 } });
    await type('report-status', '--html', 'empty.html');
    await service.setReportHost('dead');
    await type('download', ID);
    await type('report-status', '--html', 'full.html');
    browser = await launchChromium();
  }, 180_000);
  afterAll(async () => {
    await browser.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(
    file: string,
    width: number,
    colorScheme: 'light' | 'dark' = 'light',
  ): Promise<Page> {
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('requestfailed', (request) => problems.push(request.url()));
    await page.goto(pathToFileURL(join(folder, file)).href);
    const screenshots = process.env['TANKOBON_SCREENSHOTS'];
    if (screenshots !== undefined)
      await page.screenshot({
        path: join(screenshots, `${file}-${width}-${colorScheme}.png`),
        fullPage: true,
      });
    return page;
  }

  test.each([
    [375, 'light'],
    [375, 'dark'],
    [1200, 'light'],
    [1200, 'dark'],
  ] as const)('at %i px, %s, every text has the contrast of level AA', async (width, scheme) => {
    for (const file of ['empty.html', 'full.html']) {
      const page = await open(file, width, scheme);
      const contrasts = await textContrasts(page);
      expect(contrasts.length).toBeGreaterThan(20);
      expect(contrasts.filter(({ ratio, required }) => ratio < required)).toEqual([]);
      await page.close();
    }
    expect(problems).toEqual([]);
  });

  test('at 375 px the page fits, and the table scrolls by itself, with a cue and with the keyboard', async () => {
    const page = await open('full.html', 375);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
    for (const name of ['Table of nodes', 'Chart of durations']) {
      const region = page.getByRole('region', { name });
      const cue = region.locator('xpath=preceding-sibling::p[1]');
      expect(await cue.isVisible()).toBe(true);
      expect(await cue.textContent()).toContain('Scroll sideways');
      await region.focus();
      expect(await region.evaluate((element) => element === document.activeElement)).toBe(true);
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction(
        (label) => (document.querySelector(`[aria-label="${label}"]`)?.scrollLeft ?? 0) > 0,
        name,
      );
    }
    const chartText = page.locator('.chart text').first();
    const height = await chartText.evaluate((element) => element.getBoundingClientRect().height);
    expect(height).toBeGreaterThanOrEqual(11);
    await page.close();
  });

  test('at 1200 px nothing scrolls sideways, and there is no cue', async () => {
    const page = await open('full.html', 1200);
    const widths = await page
      .locator('.wide')
      .evaluateAll((elements) => elements.map((one) => one.scrollWidth - one.clientWidth));
    expect(widths).toEqual([0, 0]);
    expect(await page.locator('.cue').first().isVisible()).toBe(false);
    await page.close();
  });

  test('the labels of an axis are distinct, do not overlap, and the axes are named', async () => {
    const page = await open('full.html', 1200);
    const texts = await page.locator('.chart text').allTextContents();
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts).toEqual(expect.arrayContaining(['time', 'duration of a load']));
    const boxes = await page.locator('.chart .time').evaluateAll((elements) =>
      elements.map((element) => {
        const { left, right } = element.getBoundingClientRect();
        return { left, right };
      }),
    );
    for (const [index, { left }] of boxes.entries())
      expect(left).toBeGreaterThan(boxes[index - 1]?.right ?? 0);
    await page.close();
  });

  test('the report host is not contacted yet before the first report, and the terms are explained', async () => {
    const page = await open('empty.html', 375);
    const text = await page.locator('main').innerText();
    expect(text).toContain('Report host: not contacted yet.');
    for (const term of ['Node', 'Given up', 'Dropped', 'Cached', 'Median, slowest'])
      expect(await page.locator('.terms dt', { hasText: term }).count()).toBe(1);
    await page.close();
    const full = await open('full.html', 375);
    expect(await full.locator('main').innerText()).toContain('Report host: down.');
    await full.close();
  });
});
