/** `sync pin` and `sync block`: the owner's choice of a release, over the order of groups, and once. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { decideReleases } from '../../../src/cli/commands/sync-pin.js';
import { readIdentity } from '../../../src/library/file.js';
import { createLibrary } from '../../../src/practice-server/library/library.js';
import { removeFile } from '../../../src/core/files.js';
import {
  chapterId,
  DAY_MS,
  savedIn,
  syncChapter,
  SyncHarness,
  syncTitle,
  titleId,
} from '../../support/sync-harness.js';

const TEA = titleId('Tea');
const [BEST, OTHER] = ['Best', 'Other'].map((group) => chapterId('Tea', '1', group)) as [
  string,
  string,
];
const ENTRY = `target: 'title:${TEA}', group: [Best, Other], language: [en]`;

let harness: SyncHarness;
beforeEach(async () => {
  harness = await SyncHarness.start((nowMs) =>
    createLibrary({
      titles: [syncTitle('Tea'), syncTitle('Coffee')],
      chapters: [
        ...['Best', 'Other'].map((group) => syncChapter('Tea', '1', nowMs - 9 * DAY_MS, { group })),
        syncChapter('Coffee', '1', nowMs - 9 * DAY_MS),
      ],
    }),
  );
  harness.write(`series:\n  # mine\n  - { ${ENTRY} }   # stays\n`);
});
afterEach(() => harness.stop());

const decide = (key: 'pin' | 'block', ...words: readonly string[]) =>
  harness.base.command((context) => decideReleases(key, words, { file: harness.file }, context));
const file = () => readFileSync(harness.file, 'utf8');
const rewrite = (more: string) => {
  harness.write(`series:\n  - { ${ENTRY}, ${more} }\n`);
};
async function chapters(): Promise<readonly (string | undefined)[]> {
  const found = await Promise.all(harness.base.archives().map((each) => readIdentity(each)));
  return found.map((identity) => (typeof identity === 'object' ? identity.chapterId : undefined));
}
async function sync() {
  const { code, lines, stderr } = await harness.sync();
  expect([code, stderr]).toEqual([0, '']);
  return savedIn(lines);
}
/** Another run does nothing, and says nothing. */
async function expectSilent(): Promise<void> {
  const before = await chapters();
  expect(await harness.text({ quiet: true })).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(await chapters()).toEqual(before);
}

test('a pinned release is taken in place of a preferred one, also without upgrade, and stays', async () => {
  expect(await sync()).toEqual([BEST]);
  const { code, stderr } = await decide('pin', `https://mangadex.org/chapter/${OTHER}/1`);
  expect([code, stderr]).toEqual([0, 'Pinned: Tea: Ch. 1 [Other]. The next sync follows it.\n']);
  expect(await sync()).toEqual([OTHER]);
  expect(await chapters()).toEqual([OTHER]);
  await expectSilent();
  rewrite(`pin: [${OTHER}], upgrade: true`);
  expect(await sync()).toEqual([]);
  expect(await chapters()).toEqual([OTHER]);
});

test('a pinned release that the rest of the entry excludes is pinned with a warning that says why', async () => {
  rewrite('chapters: 2-');
  const { code, stderr } = await decide('pin', OTHER);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^Pinned: .* Ch\. 1 \[Other\]\.\n/);
  expect(stderr).toMatch(/warning: .*its number is 1/);
  expect(stderr).toContain('tankobon sync edit --file');
  expect(await sync()).toEqual([]);
  expect((await decide('block', OTHER)).stderr).not.toContain('warning');
});

test('a blocked release is never taken, and a saved one makes way for another one, or stays alone', async () => {
  expect(await sync()).toEqual([BEST]);
  expect((await decide('block', BEST)).code).toBe(0);
  expect(await sync()).toEqual([OTHER]);
  expect(await chapters()).toEqual([OTHER]);
  await expectSilent();
  expect((await decide('block', OTHER)).code).toBe(0);
  expect(await sync()).toEqual([]);
  expect(await chapters()).toEqual([OTHER]);
  await expectSilent();
});

test.each([
  ['pinned', 'pin', OTHER],
  ['the one in place of a blocked one', 'block', BEST],
] as const)('a saved release that MangaDex deleted makes way too: for %s', async (_, key, id) => {
  expect(await sync()).toEqual([BEST]);
  expect((await decide(key, id)).code).toBe(0);
  harness.base.service.library.removeChapter(BEST);
  expect(await sync()).toEqual([OTHER]);
  expect(await chapters()).toEqual([OTHER]);
  await expectSilent();
});

test('a pinned release neither waits for a group nor is excluded by its group, its uploader or its date', async () => {
  const more = 'wait-for-group: 30d, exclude-group: [Other], since: 2999-01-01';
  rewrite(`${more}, pin: [${OTHER.toUpperCase()}]`);
  expect(await sync()).toEqual([OTHER]);
});

test('of several pinned releases of a chapter the last one counts', async () => {
  rewrite(`pin: [${BEST}, ${OTHER}]`);
  expect(await sync()).toEqual([OTHER]);
  expect((await decide('pin', BEST)).code).toBe(0);
  expect(file()).toContain(`pin: [ ${OTHER}, ${BEST} ]`);
  expect(await sync()).toEqual([BEST]);
});

test('what its owner removed stays removed, and a pinned release is saved in place of one that was removed', async () => {
  await sync();
  for (const each of harness.base.archives()) await removeFile(each);
  // Its folder has other files: it is not a disk that is away.
  writeFileSync(join(dirname(harness.base.archives()[0] ?? harness.base.output), 'mine.txt'), '');
  await decide('pin', OTHER);
  expect(await sync()).toEqual([OTHER]);
  for (const each of harness.base.archives()) await removeFile(each);
  rewrite(`pin: [${OTHER}], chapters: 1-`);
  expect(savedIn((await harness.sync()).lines)).toEqual([]);
});

test('the commands keep comments and formatting, and move a release from one list to the other', async () => {
  await decide('block', OTHER, BEST);
  expect(file()).toContain(`block: [ ${OTHER}, ${BEST} ]`);
  await decide('pin', OTHER);
  expect(file()).toContain(`block: [ ${BEST} ]`);
  await decide('pin', BEST);
  expect(file()).not.toContain('block');
  expect(file()).toMatch(/# mine\n[^]*# stays\n$/);
});

test('with lists in the defaults, the entry of the title has them too', async () => {
  harness.write(`series:\n  - { ${ENTRY} }\n`, `, pin: [${BEST}]`);
  await decide('block', BEST);
  expect(file()).toMatch(/pin: \[\s*\], block: \[ \S+ \]/);
  expect(await sync()).toEqual([OTHER]);
});

test.each([
  ['a title', () => `title:${TEA}`, 'bad-target', 'Not a chapter'],
  ['no address', () => '../..', 'bad-target', ''],
  ['a chapter that is not there', () => chapterId('Tea', '9'), 'chapter-not-found', 'not found'],
  ['a chapter of another title', () => chapterId('Coffee', '1'), 'bad-target', 'Coffee'],
])('%s is refused, and the file stays', async (_, word, code, message) => {
  const before = file();
  const error = await decide('pin', OTHER, word()).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
  expect(file()).toBe(before);
});

test('a value that is not an id is an error of its line', async () => {
  rewrite('block: [chapter-1]');
  await expect(harness.sync()).rejects.toMatchObject({
    code: 'bad-subscriptions',
    message: expect.stringContaining('block[0]: must be a UUID'),
  });
});
