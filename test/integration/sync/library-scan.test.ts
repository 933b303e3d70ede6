/** Media servers scan for every change of a file: also for a rename, new metadata, a removal and a book. */
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { storeHookKey } from '../../../src/cli/commands/login-hook-key.js';
import { editChapter } from '../../../src/practice-server/library/library.js';
import type { ChapterAttributes } from '../../../src/practice-server/records.js';
import { syncFolder } from '../../../src/sync/history/history-folder.js';
import { leaveLines } from '../../support/left-sync-lines.js';
import {
  KAVITA_KEY,
  KOMGA_KEY,
  KOMGA_LIBRARY,
  startMediaServers,
  type MediaServers,
} from '../../support/media-servers.js';
import {
  chapterId,
  DAY_MS,
  SyncHarness,
  syncLibrary,
  titleId,
} from '../../support/sync-harness.js';

let harness: SyncHarness;
let servers: MediaServers;
beforeEach(async () => {
  servers = await startMediaServers();
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 90 * DAY_MS));
  for (const [service, key] of [['komga', KOMGA_KEY] as const, ['kavita', KAVITA_KEY] as const])
    await harness.base.command((context) => {
      const stdin = new PassThrough();
      stdin.end(JSON.stringify({ key }));
      const options = { stdin: true, insecureStorage: true };
      return storeHookKey(service, options, { ...context, stdin: stdin as never });
    });
});
afterEach(async () => {
  await harness.stop();
  await servers.stop();
});

async function start(keys: string): Promise<void> {
  harness.write(
    `series:\n  - { target: 'title:${titleId('Alpha')}', language: [en]${keys} }\nhooks:
  webhook: ${servers.url}/hook
  komga: { url: "${servers.url}", library: ${KOMGA_LIBRARY} }
  kavita: { url: "${servers.url}", path-map: { ${harness.base.output}: /comics } }
`,
  );
  await harness.sync();
  calls();
}

let seen = 0;
/** What the servers were called for since the last time. */
function calls(): readonly string[] {
  const fresh = servers.received.slice(seen);
  seen = servers.received.length;
  return fresh.map(({ path, body }) => {
    if (path !== '/api/Library/scan-folder') return path.endsWith('/scan') ? 'komga' : path;
    return `kavita ${(JSON.parse(body) as { folderPath: string }).folderPath}`;
  });
}
beforeEach(() => {
  seen = 0;
});

/** A week later the title is read again. */
const nextWeek = () => {
  harness.clock.advance(8 * DAY_MS);
  return harness.sync();
};

function edit(number: string, change: Partial<ChapterAttributes>): void {
  const chapter = harness.service.library.chapter(chapterId('Alpha', number));
  if (!chapter) throw new Error(`No chapter ${number}`);
  const at = `${new Date(harness.clock.wallMs()).toISOString().slice(0, 19)}+00:00`;
  harness.service.library.putChapter(editChapter(chapter, at, change));
}

test('a chapter that got other metadata and another name: the servers scan, once, and no hook hears of a new chapter', async () => {
  await start(', upgrade: true');
  edit('1', { title: 'Salt' });
  expect((await nextWeek()).lines).toContainEqual(
    expect.objectContaining({ type: 'chapter-retagged', changed: ['title'] }),
  );
  expect(calls()).toEqual(['kavita /comics/Alpha', 'komga']);
  await nextWeek();
  expect(calls()).toEqual([]);
});

test('a server that is away scans with the next run, the other one does not scan again', async () => {
  await start(', upgrade: true');
  edit('1', { title: 'Salt' });
  servers.failNext('reset', 'reset', 'reset');
  await nextWeek();
  expect(calls()).toHaveLength(4);
  await harness.sync();
  expect(calls()).toEqual(['kavita /comics/Alpha']);
  await nextWeek();
  expect(calls()).toEqual([]);
});

test('a book that is written again without a new chapter: the servers scan, once', async () => {
  await start(', upgrade: true, bind: { by: title }');
  edit('1', { title: 'Salt' });
  await nextWeek();
  expect(calls()).toEqual(['kavita /comics/Alpha', 'komga']);
  await nextWeek();
  expect(calls()).toEqual([]);
});

test('without a change of a file, as where the change is only reported, no server scans', async () => {
  await start('');
  edit('1', { title: 'Salt' });
  expect((await nextWeek()).lines).toContainEqual(
    expect.objectContaining({ type: 'chapter-changed' }),
  );
  expect(calls()).toEqual([]);
});

test('the run after one that was killed while it changed files lets the servers scan', async () => {
  await start(', upgrade: true');
  const folder = await syncFolder(join(harness.base.folder, 'home'), harness.file);
  await leaveLines(folder, {
    changed: titleId('Alpha'),
    name: 'Alpha',
    folder: harness.base.output,
    servers: ['komga', 'kavita'],
  });
  await harness.sync();
  expect(calls()).toEqual(['kavita /comics', 'komga']);
  await harness.sync();
  expect(calls()).toEqual([]);
});
