/** The setting minFree: a run stops before a chapter that would leave less space on the disk. */
import { generateChapter } from '../../../src/practice-server/library/library.js';
import { DownloadHarness } from '../../support/download-harness.js';

const IDS = ['0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0081', '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0082'];
const chapters = IDS.map((id, index) => generateChapter({ id, pages: 2, seed: index + 1 }));
/** More than any disk has. */
const MIN_FREE_BYTES = 2 ** 60;

let harness: DownloadHarness;
afterEach(() => harness.stop());

test('no page is loaded where less would stay free: exit 3, and the command that changes it', async () => {
  let loads = 0;
  harness = await DownloadHarness.start({
    chapters,
    onRequest({ host }) {
      if (host === 'node') loads += 1;
    },
  });
  const settings = { minFree: MIN_FREE_BYTES };
  const command = { targets: IDS, metadata: false, json: false };
  const { code, stderr } = await harness.download(command, { settings });
  expect(code).toBe(3);
  expect(loads).toBe(0);
  expect(harness.archives()).toEqual([]);
  expect(stderr).toMatch(/would leave less than .* that are free on the disk of /);
  expect(stderr).toContain(harness.output);
  expect(stderr).toContain('tankobon config set minFree 100M');
});

test('false: all space may be used', async () => {
  harness = await DownloadHarness.start({ chapters });
  const settings = { minFree: false } as const;
  const { code } = await harness.download({ targets: IDS, metadata: false }, { settings });
  expect(code).toBe(0);
  expect(harness.archives()).toHaveLength(IDS.length);
});
