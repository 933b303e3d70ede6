/** `download <chapter>` of another release of a chapter that is saved: without a terminal both are kept, and it is said. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createLibrary, uuidOf } from '../../../src/practice-server/library/library.js';
import type { DownloadHarness } from '../../support/download-harness.js';
import { runCommand } from '../../support/retag-harness.js';
import { SavedRuns } from '../../support/saved-runs.js';
import { chapter, title } from '../../support/title-library.js';

const OTHER_GROUP = [{ id: uuidOf('other group'), name: 'Others' }];
const first = chapter('one', '1', { volume: '1' });
const second = chapter('one', '2', { volume: '1' });
const other = chapter('one', '1', { id: uuidOf('other'), groups: OTHER_GROUP });
const french = chapter('one', '1', { translatedLanguage: 'fr' });

const runs = new SavedRuns();
let harness: DownloadHarness;
beforeEach(async () => {
  const chapters = [first, second, other, french];
  const library = createLibrary({ titles: [title('one', 'Name')], chapters });
  harness = await runs.start('both chapters', { library }, (started) =>
    started.download({ targets: [first.id, second.id] }),
  );
});
afterEach(() => harness.stop());

const [file, otherFile] = ['Name/Name Ch.001 Vol.01 [Scans].cbz', 'Name/Name Ch.001 [Others].cbz'];
const download = (id = other.id, options: Readonly<Record<string, unknown>> = {}) =>
  harness.download({ targets: [id], json: false, ...options });
const message = 'Another release of the chapter is saved, and both are kept';

test('both are kept; the message names the file, and without a subscription the command that removes it', async () => {
  const { code, stderr } = await download();
  expect(code).toBe(0);
  expect(stderr).toContain(`warning: ${message}: ${join(harness.output, file)}\n`);
  expect(stderr).toContain(`rm -i -- '${join(harness.output, file)}'\n`);
  expect(stderr).not.toContain('sync pin');
  expect(harness.archivePaths()).toEqual(expect.arrayContaining([file, otherFile]));
});

test('with a subscription the message names sync pin, also as JSON', async () => {
  await runCommand(harness, 'sync', 'add', `title:${uuidOf('one')}`, '-o', harness.output);
  const { events } = await download(other.id, { json: true });
  expect(events as readonly object[]).toContainEqual({
    type: 'warning',
    message: expect.stringContaining(message) as unknown,
    hint: expect.stringContaining(`tankobon sync pin ${other.id}`) as unknown,
  });
});

test('a dry run says it too, and saves nothing', async () => {
  expect((await download(other.id, { dryRun: true })).stderr).toContain(message);
  expect(existsSync(join(harness.output, otherFile))).toBe(false);
});

test.each([
  ['the saved release itself', first.id],
  ['another chapter', second.id],
  ['a release in another language', french.id],
])('%s is no reason for it', async (_, id) => {
  expect((await download(id)).stderr).not.toContain(message);
});

test('two releases that are asked for by name are both wanted', async () => {
  const { stderr } = await download(first.id, { targets: [first.id, other.id] });
  expect(stderr).not.toContain(message);
  expect(harness.archivePaths()).toEqual(expect.arrayContaining([file, otherFile]));
});

test('the second run, and a chapter whose other release was removed, say nothing', async () => {
  await download();
  expect((await download()).stderr).not.toContain(message);
  for (const path of [file, otherFile]) rmSync(join(harness.output, path));
  expect((await download()).stderr).not.toContain(message);
});

test.each(['mine.cbz', 'Name/one.cbz'])(
  'a file that its owner renamed to %s is known by what is in it',
  async (name) => {
    renameSync(join(harness.output, file), join(harness.output, name));
    expect((await download()).stderr).toContain(`${message}: ${join(harness.output, name)}`);
  },
);

test('a list that an earlier run kept says it without a look into the files', async () => {
  await harness.download({ targets: [`title:${uuidOf('one')}`], language: 'en', latest: 1 });
  expect((await download()).stderr).toContain(message);
});
