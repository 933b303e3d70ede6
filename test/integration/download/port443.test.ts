/** The setting `port443`: some networks block every other port. */
import { generateChapter } from '../../../src/practice-server/library/library.js';
import { DownloadHarness } from '../../support/download-harness.js';

const chapter = generateChapter({ pages: 3, seed: 443 });

let harness: DownloadHarness;
beforeEach(async () => {
  harness = await DownloadHarness.start({ chapters: [chapter] });
});
afterEach(() => harness.stop());

const atHomeQueries = () =>
  harness.service.log.filter(({ path }) => path.startsWith('/at-home/')).map(({ query }) => query);
const nodes = () =>
  new Set(harness.service.log.filter(({ host }) => host === 'node').map(({ origin }) => origin));

test('asks for nodes on port 443, also for the fresh base URL after a failed load', async () => {
  harness.service.injectPageFaults({ fault: 'status-500', page: 2, attempts: 1 });
  const { code } = await harness.download(
    { targets: [chapter.id] },
    { settings: { port443: true } },
  );
  expect(code).toBe(0);
  expect(atHomeQueries()).toEqual(['forcePort443=true', 'forcePort443=true']);
  expect([...nodes()]).toEqual(harness.service.nodes.slice(0, 1));
});

test('is off by default', async () => {
  expect((await harness.download({ targets: [chapter.id] })).code).toBe(0);
  expect(atHomeQueries()).toEqual(['']);
});
