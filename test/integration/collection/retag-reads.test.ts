/** What a dry run of `retag` reads again of files that did not change. */
import { LibraryCache } from '../../../src/sync/library-cache.js';
import { EXAMPLE_CHAPTERS } from '../../../src/practice-server/library/library.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { retagFolder } from '../../support/retag-harness.js';

const { set } = LibraryCache.prototype;
let harness: DownloadHarness;
beforeEach(async () => {
  harness = await DownloadHarness.start();
  const { starlightFirst, starlightSecond } = EXAMPLE_CHAPTERS;
  await harness.download({ targets: [starlightFirst, starlightSecond] });
});
afterEach(async () => {
  LibraryCache.prototype.set = set;
  await harness.stop();
});

test('the second dry run takes the chapters of unchanged files from the index', async () => {
  let identified = 0;
  LibraryCache.prototype.set = function (...found) {
    identified += 1;
    set.apply(this, found);
  };
  const dryRun = async () => {
    const { stderr } = await retagFolder(harness, harness.output, '--dry-run');
    expect(stderr).toContain('0 changed, 2 unchanged');
  };
  await dryRun();
  expect(identified).toBe(2);
  await dryRun();
  expect(identified).toBe(2);
});
