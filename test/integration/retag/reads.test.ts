/** What a dry run of `retag` reads again of files that did not change. */
import { utimesSync } from 'node:fs';
import { EXAMPLE_CHAPTERS } from '../../../src/practice-server/library/library.js';
import { countRead } from '../../support/count-read.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { retagFolder } from '../../support/retag-harness.js';

let harness: DownloadHarness;
let read: ReturnType<typeof countRead>;
beforeEach(async () => {
  harness = await DownloadHarness.start();
  const { starlightFirst, starlightSecond } = EXAMPLE_CHAPTERS;
  await harness.download({ targets: [starlightFirst, starlightSecond] });
  read = countRead();
});
afterEach(async () => {
  read.restore();
  await harness.stop();
});

test('a dry run takes the chapters from the index that the download left, and reads a changed file once', async () => {
  const dryRun = async () => {
    const { stderr } = await retagFolder(harness, harness.output, '--dry-run');
    expect(stderr).toContain('0 would change, 2 unchanged');
  };
  await dryRun();
  expect(read.files()).toBe(0);
  const [file = ''] = harness.archives();
  utimesSync(file, new Date(), new Date('2026-01-01'));
  await dryRun();
  expect(read.files()).toBe(1);
  await dryRun();
  expect(read.files()).toBe(1);
});
