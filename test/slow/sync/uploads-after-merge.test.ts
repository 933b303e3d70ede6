/** Files of a title that MangaDex merged into another one are files of that one: their chapters are not saved twice. */
import { rmSync } from 'node:fs';
import { runCommand } from '../../support/retag-harness.js';
import {
  chapterId,
  DAY_MS,
  HOUR_MS,
  savedIn,
  syncChapter,
  SyncHarness,
  syncLibrary,
  syncTitle,
  titleId,
} from '../../support/sync-harness.js';

let harness: SyncHarness;
beforeEach(async () => {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * HOUR_MS));
});
afterEach(() => harness.stop());

const subscribe = (name: string, more = ''): void => {
  harness.write(`series:\n  - { target: 'title:${titleId(name)}'${more} }\n`);
};

const download = (name: string) =>
  harness.base.download(
    { targets: [`title:${titleId(name)}`], language: 'en' },
    { clock: harness.clock },
  );

/** Alpha is merged into Beta, which has no chapters of its own. */
function merge(): void {
  const { library } = harness.service;
  const alpha = library.title(titleId('Alpha'));
  if (!alpha) throw new Error('Alpha');
  library.putTitle({ ...alpha, id: titleId('Beta') });
  library.mergeTitle(titleId('Alpha'), titleId('Beta'));
}

/** Chapter 1 is deleted on the service, and uploaded again by the same group, with another id. */
function uploadAgain(): void {
  harness.service.library.removeChapter(chapterId('Alpha', '1'));
  harness.clock.advance(DAY_MS);
  const at = harness.clock.wallMs() - HOUR_MS;
  harness.service.library.putChapter(syncChapter('Beta', '1', at));
}

interface Case {
  readonly then: () => Promise<unknown>;
  /** The entry of the subscriptions file after the merge. */
  readonly entry: string;
}

const cases: Readonly<Record<string, Case>> = {
  'the merge is noticed by the run that finds the new upload': {
    then: () => Promise.resolve(),
    entry: 'Alpha',
  },
  'an earlier sync noticed the merge': { then: () => harness.sync(), entry: 'Alpha' },
  'overview noticed the merge': {
    then: () => runCommand(harness.base, 'overview', harness.base.output),
    entry: 'Alpha',
  },
  'the other title was subscribed instead': { then: () => Promise.resolve(), entry: 'Beta' },
};

describe.each(Object.entries(cases))('%s', (_, { then, entry }) => {
  beforeEach(async () => {
    subscribe('Alpha');
    await harness.sync();
    merge();
    await then();
    uploadAgain();
  });

  test('sync names what was uploaded again, and saves no second file', async () => {
    subscribe(entry);
    const { lines } = await harness.sync();
    expect(savedIn(lines)).toEqual([]);
    const reason = 'uploaded-again';
    expect(lines).toContainEqual(
      expect.objectContaining({ chapter: chapterId('Beta', '1'), reason }),
    );
    expect(harness.base.archives()).toHaveLength(2);
  });

  test('sync with upgrade replaces the file', async () => {
    subscribe(entry, ', upgrade: true');
    expect(savedIn((await harness.sync()).lines)).toEqual([chapterId('Beta', '1')]);
    expect(harness.base.archives()).toHaveLength(2);
  });
});

test('a chapter whose file the owner removed before the merge is not loaded again', async () => {
  subscribe('Alpha');
  await harness.sync();
  const [first = ''] = harness.base.archives();
  rmSync(first);
  merge();
  uploadAgain();
  expect(savedIn((await harness.sync()).lines)).toEqual([]);
});

test.each(['Alpha', 'Beta'])('download of %s saves no second file', async (name) => {
  await download('Alpha');
  merge();
  uploadAgain();
  const { events } = await download(name);
  expect(events.filter(({ type }) => type === 'chapter-saved')).toEqual([]);
  expect(harness.base.archives()).toHaveLength(2);
});

test('download of a merged title by its own id saves no second file where all was uploaded again', async () => {
  await download('Alpha');
  merge();
  harness.service.library.removeChapter(chapterId('Alpha', '2'));
  uploadAgain();
  const { events } = await download('Alpha');
  expect(events.filter(({ type }) => type === 'chapter-saved')).toEqual([]);
  expect(harness.base.archives()).toHaveLength(2);
});

test('files of another title, of which one chapter was moved here, stay those of the other one', async () => {
  subscribe('Alpha');
  await harness.sync();
  const { library } = harness.service;
  const [alpha, moved] = [
    library.title(titleId('Alpha')),
    library.chapter(chapterId('Alpha', '2')),
  ];
  if (!alpha || !moved) throw new Error('Alpha');
  library.putTitle({ ...alpha, id: titleId('Beta') });
  library.putChapter({ ...moved, titleId: titleId('Beta') });
  uploadAgain();
  subscribe('Beta');
  expect(savedIn((await harness.sync()).lines)).toEqual([chapterId('Beta', '1')]);
});

test('files of one title that name many others cost at most ten requests', async () => {
  const { library } = harness.service;
  const names = Array.from({ length: 12 }, (_, index) => `Other ${index}`);
  const atMs = harness.clock.wallMs() - HOUR_MS;
  for (const [index, name] of names.entries()) {
    library.putTitle(syncTitle(name));
    library.putChapter(syncChapter(name, `${index + 1}`, atMs));
  }
  await harness.base.download(
    { targets: names.map((name) => `title:${titleId(name)}`), language: 'en' },
    { clock: harness.clock },
  );
  library.putTitle(syncTitle('Beta'));
  for (const [index, name] of names.entries()) {
    const moved = syncChapter(name, `${index + 1}`, atMs);
    library.putChapter({ ...moved, titleId: titleId('Beta') });
  }
  subscribe('Beta');
  harness.catalogueRequests();
  await harness.sync();
  const requested = harness.catalogueRequests();
  const ofOthers = names.filter((name) => requested.includes(`/manga/${titleId(name)}`));
  expect(ofOthers).toHaveLength(10);
});
