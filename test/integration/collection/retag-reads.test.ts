/** What a dry run of `retag` reads again of files that did not change. */
import { utimesSync } from 'node:fs';
import { LibraryCache } from '../../../src/library/library-cache.js';
import { EXAMPLE_CHAPTERS } from '../../../src/practice-server/library/library.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { retagFolder } from '../../support/retag-harness.js';

const storing = Object.getOwnPropertyDescriptor(LibraryCache.prototype, 'set') ?? {};
let harness: DownloadHarness;
beforeEach(async () => {
  harness = await DownloadHarness.start();
  const { starlightFirst, starlightSecond } = EXAMPLE_CHAPTERS;
  await harness.download({ targets: [starlightFirst, starlightSecond] });
});
afterEach(async () => {
  Object.defineProperty(LibraryCache.prototype, 'set', storing);
  await harness.stop();
});

test('a dry run takes the chapters from the index that the download left, and reads a changed file once', async () => {
  let identified = 0;
  const store = storing.value as LibraryCache['set'];
  Object.defineProperty(LibraryCache.prototype, 'set', {
    ...storing,
    value(this: LibraryCache, ...found: Parameters<LibraryCache['set']>) {
      identified += 1;
      store.apply(this, found);
    },
  });
  const dryRun = async () => {
    const { stderr } = await retagFolder(harness, harness.output, '--dry-run');
    expect(stderr).toContain('0 would change, 2 unchanged');
  };
  await dryRun();
  expect(identified).toBe(0);
  const [file = ''] = harness.archives();
  utimesSync(file, new Date(), new Date('2026-01-01'));
  await dryRun();
  expect(identified).toBe(1);
  await dryRun();
  expect(identified).toBe(1);
});
