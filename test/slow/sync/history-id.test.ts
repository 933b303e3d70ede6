/** The history follows the subscriptions file: it is named by the id in the file, not by its path. */
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readArchive, writeArchive } from '../../support/archive.js';
import { tankobonHere } from '../../support/in-process.js';
import {
  chapterId,
  DAY_MS,
  savedIn,
  SyncHarness,
  syncLibrary,
  titleId,
} from '../../support/sync-harness.js';

let harness: SyncHarness;
beforeEach(async () => {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha', 'Beta'], nowMs - 9 * DAY_MS));
});
afterEach(() => harness.stop());

const TEXT = () =>
  `# My list.\ndefaults: { output: ${harness.base.output} }   # all\nseries:\n  # The first.\n  - target: title:${titleId('Alpha')}\n`;
const at = (...names: readonly string[]) => join(harness.base.folder, ...names);
const read = (file = harness.file) => readFileSync(file, 'utf8');
const deleteFiles = () => {
  for (const file of harness.base.archives()) rmSync(file);
};
/** Runs once, then removes what was downloaded, as an owner who has read it does. */
async function syncAndDelete(): Promise<void> {
  writeFileSync(harness.file, TEXT(), { mode: 0o600 });
  expect(savedIn((await harness.sync()).lines)).toHaveLength(2);
  deleteFiles();
}

test('the id is written once, and comments, order and formatting stay', async () => {
  await syncAndDelete();
  const text = read();
  expect(text).toMatch(/^id: "?[0-9a-f]{16}"?$/m);
  expect(text.replace(/^id: .*\n/m, '')).toBe(TEXT());
  await harness.sync();
  expect(read()).toBe(text);
});

test('a dry run writes nothing', async () => {
  writeFileSync(harness.file, TEXT(), { mode: 0o600 });
  await harness.sync({ dryRun: true });
  expect(read()).toBe(TEXT());
});

test('a file that was moved keeps its history, also with the state in another folder', async () => {
  await syncAndDelete();
  mkdirSync(at('config'));
  renameSync(harness.file, at('config', 'list.yaml'));
  const moved = { file: at('config', 'list.yaml'), redownload: false };
  expect(savedIn((await harness.sync({ file: moved.file })).lines)).toEqual([]);
  cpSync(at('home'), at('state'), { recursive: true });
  rmSync(at('home'), { recursive: true });
  renameSync(moved.file, at('other.yaml'));
  const env = { TANKOBON_HOME: at('state') };
  const { lines, stderr } = await harness.sync({ file: at('other.yaml') }, { env });
  expect({ saved: savedIn(lines), stderr }).toEqual({ saved: [], stderr: '' });
});

test('a copy gets an id and a history of its own, which is said once', async () => {
  await syncAndDelete();
  copyFileSync(harness.file, at('copy.yaml'));
  const first = await harness.sync({ file: at('copy.yaml') });
  expect(first.stderr).toContain(`${at('copy.yaml')} is a copy of ${harness.file}`);
  expect(savedIn(first.lines)).toHaveLength(2);
  deleteFiles();
  const second = await harness.sync({ file: at('copy.yaml') });
  expect(savedIn(second.lines)).toEqual([]);
  expect(second.stderr).not.toContain('is a copy');
  expect(savedIn((await harness.sync()).lines)).toEqual([]);
  expect(read(at('copy.yaml'))).not.toBe(read());
});

test('a new file where a moved one was has a history of its own', async () => {
  await syncAndDelete();
  renameSync(harness.file, at('moved.yaml'));
  expect(savedIn((await harness.sync({ file: at('moved.yaml') })).lines)).toEqual([]);
  writeFileSync(harness.file, TEXT(), { mode: 0o600 });
  expect(savedIn((await harness.sync()).lines)).toHaveLength(2);
  deleteFiles();
  expect(savedIn((await harness.sync({ file: at('moved.yaml') })).lines)).toEqual([]);
  expect(savedIn((await harness.sync()).lines)).toEqual([]);
});

test('a file that a program writes again without the id keeps its history', async () => {
  await syncAndDelete();
  writeFileSync(harness.file, TEXT(), { mode: 0o600 });
  expect(savedIn((await harness.sync()).lines)).toEqual([]);
});

test.each([
  [
    'in a map on one line',
    (id: string) =>
      `{ id: ${id}, series: [{ target: title:${titleId('Alpha')}, output: ${harness.base.output} }] }\n`,
  ],
  [
    'after a webhook with another id',
    (id: string) =>
      `series: []\nhooks: { webhook: { url: 'https://example.org', body: { id: 7 } } }\nid: '${id}'\n`,
  ],
])('an id %s is found', async (_, textOf) => {
  writeFileSync(harness.file, textOf('mine-1'), { mode: 0o600 });
  await harness.sync();
  expect(read()).toBe(textOf('mine-1'));
  expect(readFileSync(at('home', 'sync', 'mine-1', 'subscriptions-path'), 'utf8')).toBe(
    harness.file,
  );
});

test('an id that is not a name is an error of the file', async () => {
  writeFileSync(harness.file, `id: ../../x\n${TEXT()}`, { mode: 0o600 });
  await expect(harness.sync()).rejects.toMatchObject({
    code: 'bad-subscriptions',
    message: expect.stringMatching(/:1:5: id: must be/) as unknown,
  });
});

describe('a command that writes the file, or its history, gives it the id', () => {
  const command = async (...words: readonly string[]) => {
    const env = { ...harness.service.environment, TANKOBON_HOME: at('home') };
    const result = await tankobonHere([...words, '--file', harness.file], { env });
    expect(result.code).toBe(0);
  };
  const ids = [titleId('Alpha'), titleId('Beta')];

  test.each<[string, () => Promise<void>]>([
    ['sync add', () => command('sync', 'add', `title:${ids[1]}`, '-o', at('library'))],
    ['sync forget', () => command('sync', 'forget', `title:${ids[0]}`)],
    ['sync remove', () => command('sync', 'remove', `title:${ids[0]}`)],
    ['sync hook add', () => command('sync', 'hook', 'add', 'exec', 'true')],
    [
      'sync import',
      async () => {
        writeFileSync(at('archive.txt'), `mangadex ${chapterId('Alpha', '1')}\n`);
        await command('sync', 'import', at('archive.txt'));
      },
    ],
    [
      'adopt --subscribe',
      async () => {
        await harness.base.download({ targets: [`title:${ids[1]}`] });
        const [file = ''] = harness.base.archives();
        const pages = (await readArchive(file)).filter(({ name }) => name.endsWith('.png'));
        mkdirSync(at('by hand', 'Beta'), { recursive: true });
        const entries = Object.fromEntries(pages.map(({ name, bytes }) => [name, bytes]));
        await writeArchive(at('by hand', 'Beta', 'c001.cbz'), entries);
        await command('adopt', at('by hand'), '--apply', '--subscribe');
        expect(read()).toContain(ids[1]);
      },
    ],
  ])('%s', async (_, act) => {
    writeFileSync(harness.file, TEXT(), { mode: 0o600 });
    await act();
    expect(read()).toMatch(/^id: "?[0-9a-f]{16}"?$/m);
  });

  test('what was imported before the file was moved stays left out', async () => {
    writeFileSync(harness.file, TEXT(), { mode: 0o600 });
    writeFileSync(at('archive.txt'), `mangadex ${chapterId('Alpha', '1')}\n`);
    await command('sync', 'import', at('archive.txt'));
    renameSync(harness.file, at('moved.yaml'));
    const { lines } = await harness.sync({ file: at('moved.yaml') });
    expect(savedIn(lines)).toEqual([chapterId('Alpha', '2')]);
  });
});

test('the id stands before a list of series at the end, so that lines can be added there', async () => {
  writeFileSync(harness.file, TEXT(), { mode: 0o600 });
  await harness.sync();
  writeFileSync(harness.file, `${read()}  - target: title:${titleId('Beta')}\n`);
  expect(savedIn((await harness.sync()).lines)).toHaveLength(2);
});
