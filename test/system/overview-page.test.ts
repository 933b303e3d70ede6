/** The page of `overview --html` in Chromium: on a phone, a tablet and a wide screen, light and dark, and in print. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { launchChromium } from '../support/chromium.js';
import { textContrasts } from '../support/contrast.js';
import { tankobonHere } from '../support/in-process.js';
import { overviewLibrary, writeOverviewCollection } from '../support/overview-collection.js';
import { describeWith } from '../support/requirements.js';
import { titleId } from '../support/sync-harness.js';

describeWith('the page of overview', { programs: ['chromium'] }, () => {
  let folder: string;
  let service: PracticeService;
  let browser: Browser;
  /** Every request other than that of the page, refused resource and message. */
  const problems: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-overview-'));
    const collection = join(folder, 'comics');
    mkdirSync(collection);
    await writeOverviewCollection(collection);
    service = await startPracticeService({ library: overviewLibrary(Date.now()) });
    const env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
    const words = ['overview', collection, '--html', join(folder, 'page.html')];
    expect(await tankobonHere(words, { env })).toMatchObject({ code: 0, stdout: '' });
    browser = await launchChromium();
  }, 180_000);
  afterAll(async () => {
    await browser.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(width: number, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    const address = pathToFileURL(join(folder, 'page.html')).href;
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => {
      const url = request.url();
      if (url !== address && !url.startsWith('data:')) problems.push(url);
    });
    await page.goto(address);
    const screenshots = process.env['TANKOBON_SCREENSHOTS'];
    if (screenshots !== undefined)
      await page.screenshot({
        path: join(screenshots, `overview-${width}-${colorScheme}.png`),
        fullPage: true,
      });
    return page;
  }

  test.each([
    [360, 'light'],
    [360, 'dark'],
    [768, 'light'],
    [768, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)(
    'at %i px, %s, it fits, every text has the contrast of level AA, and nothing is requested or executed',
    async (width, scheme) => {
      const page = await open(width, scheme);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      const contrasts = await textContrasts(page);
      expect(contrasts.length).toBeGreaterThan(60);
      expect(contrasts.filter(({ ratio, required }) => ratio < required)).toEqual([]);
      const covers = await page
        .locator('img')
        .evaluateAll((images) =>
          images.map((image) => (image as HTMLImageElement).decode().then(() => true)),
        );
      expect(covers.length).toBe(6);
      expect(problems).toEqual([]);
      expect(await page.title()).toBe('Overview of a collection');
      await page.close();
    },
  );

  test('incomplete titles come first, and each chapter of a strip is named in text', async () => {
    const page = await open(1280);
    expect(await page.locator('section[id] h2').allTextContents()).toEqual([
      'To download 2',
      'With gaps 2',
      'Up to date 1',
      'Complete 1',
    ]);
    const strip = page.locator('.title', { hasText: 'The Lighthouse' }).locator('.strip');
    expect([await strip.getAttribute('role'), await strip.getAttribute('aria-label')]).toEqual([
      'img',
      'Chapters 1–2: here; 3: here, and taken down since; 4–16: here; 17: in no language; 18–19: here; ' +
        "20: taken down, or without pages; 21: only on the publisher's site; " +
        '22–23: only in other languages; 24: can be downloaded',
    ]);
    await page.close();
  });

  test('all addresses are those of the service and of publishers', async () => {
    const page = await open(768);
    const addresses = await page
      .locator('a[href]')
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
    const hosts = new Set(
      addresses.filter((it) => !it.startsWith('file:')).map((it) => new URL(it).host),
    );
    expect([...hosts]).toEqual(['mangadex.org', 'publisher.example']);
    await page.close();
  });

  test('the command that downloads what is missing is on the page, also in print', async () => {
    const page = await open(768);
    await page.emulateMedia({ media: 'print' });
    const titles = ['A Hundred Stairs', 'The Lighthouse'].map((name) => `title:${titleId(name)}`);
    expect(await page.locator('pre').innerText()).toBe(
      `tankobon download ${titles.join(' ')} --language en -o ${join(folder, 'comics')}`,
    );
    expect(await page.locator('nav').isVisible()).toBe(false);
    expect(await page.getByText('5 again.cbz').isVisible()).toBe(true);
    await page.close();
  });
});
