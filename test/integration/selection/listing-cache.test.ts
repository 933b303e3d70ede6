/** A list that the service can be asked for again is not synced, and one with what it does not list any more is. */
import { mkdtempSync, rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListingCache, type CachedListing } from '../../../src/selection/listing-cache.js';
import { plainRelease } from '../../support/plain-release.js';

const TITLE_ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0001';
const OTHER_ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0002';

const RELEASE = plainRelease({ id: OTHER_ID, titleId: TITLE_ID });

const LISTED: CachedListing = {
  name: 'Sea',
  status: undefined,
  checkedAtMs: 0,
  latestChapterId: undefined,
  numbersRestart: false,
  releases: [RELEASE],
  earlier: [],
  formerIds: [],
  titlesOfUnlisted: {},
};

let folder: string;
let handle: FileHandle;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-listings-'));
  handle = await open(join(folder, 'any'), 'w');
});
afterEach(async () => {
  await handle.close();
  rmSync(folder, { recursive: true });
});

test.each([
  ['releases that are listed', LISTED, false],
  ['a release that was deleted', { ...LISTED, releases: [], earlier: [RELEASE] }, true],
  ['the ids of merged titles', { ...LISTED, formerIds: [OTHER_ID] }, true],
] as const)('a list with %s is kept', async (_, listing, isSynced) => {
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  const sync = Object.getOwnPropertyDescriptor(prototype, 'sync') ?? {};
  let synced = 0;
  Object.defineProperty(prototype, 'sync', {
    configurable: true,
    get() {
      synced += 1;
      return sync.value as unknown;
    },
  });
  try {
    const cache = new ListingCache(folder);
    await cache.write(TITLE_ID, listing);
    expect(cache.read(TITLE_ID)).toEqual(listing);
    // The file and its folder.
    expect(synced).toBe(isSynced ? 2 : 0);
  } finally {
    Object.defineProperty(prototype, 'sync', sync);
  }
});
