/** `--limit-rate` at real sockets, in simulated time: the bytes take as long as the rate requires, and no node is blamed for it. */
import { readPages } from '../../support/archive.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { skippingClock } from '../../support/fake-clock.js';
import { generateChapter } from '../../../src/practice-server/library/library.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0031';
const PAGES = 8;
const BYTES_PER_PAGE = 200_000;

test('the bytes of a run take as long as the rate requires, without a failed page, and reports leave out our pauses', async () => {
  const chapter = generateChapter({ id: ID, pages: PAGES, bytesPerPage: BYTES_PER_PAGE });
  const harness = await DownloadHarness.start({ chapters: [chapter], specificationOnly: true });
  try {
    const clock = skippingClock();
    const { code, events } = await harness.download(
      { targets: [ID], limitRate: '100k', concurrency: 1 },
      { clock },
    );
    expect(code).toBe(0);
    expect(events.filter(({ type }) => type === 'page-failed')).toEqual([]);
    const bytes = events.flatMap((event) => (event.type === 'page-loaded' ? [event.bytes] : []));
    const total = bytes.reduce((sum, each) => sum + each, 0);
    // Less the quarter of a second that is saved up at the start.
    expect(clock.movedMs()).toBeGreaterThan((total / 100_000) * 1_000 - 251);
    const [file = ''] = harness.archives();
    expect(await readPages(file)).toHaveLength(PAGES);
    const reported = (await harness.reports()).map(({ duration }) => duration);
    expect(reported).toHaveLength(PAGES);
    // A page takes 2 seconds at this rate, which no node is blamed for.
    expect(Math.max(...reported)).toBeLessThan(1_000);
    expect(harness.service.violations()).toEqual([]);
  } finally {
    await harness.stop();
  }
});
