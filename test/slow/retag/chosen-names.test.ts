/** A name of a series that its owner chose later: only `retag --rename-titles` gives it to a series that is there. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { readOwnBook } from '../../../src/books/rename-book.js';
import { createLibrary, uuidOf } from '../../../src/practice-server/library/library.js';
import { drawnCover } from '../../../src/practice-server/library/story-pages.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { runCommand, writeSettings } from '../../support/retag-harness.js';
import { chapter, named, seriesOf, title } from '../../support/title-library.js';

const [ONE, TWO, LIST] = [uuidOf('one'), uuidOf('two'), uuidOf('list')];

let harness: DownloadHarness;
beforeEach(async () => {
  const covers = [drawnCover(ONE, '1', 'stairs-cover')];
  const titles = [
    title('one', 'Mountain', { covers, altTitles: [{ ja: '山' }, { 'ja-ro': 'Yama' }] }),
    title('two', 'River', { altTitles: [{ ja: '川' }] }),
  ];
  const chapters = [
    chapter('one', '1', { volume: '1' }),
    chapter('one', '2', { volume: '1' }),
    chapter('two', '1'),
  ];
  const lists = [{ id: LIST, name: 'Rivers', visibility: 'public' as const, titleIds: [TWO] }];
  harness = await DownloadHarness.start({ library: createLibrary({ titles, chapters, lists }) });
});
afterEach(() => harness.stop());

const run = (...words: readonly string[]) => runCommand(harness, ...words);
const retag = (...words: readonly string[]) => run('retag', harness.output, ...words);
const rename = (...words: readonly string[]) => retag('--rename-titles', ...words);
const download = (...targets: readonly string[]) =>
  harness.download({
    targets: targets.map((id) => `title:${id}`),
    language: 'en',
    cover: 'all',
    seriesMetadata: true,
  });
const folders = () =>
  readdirSync(harness.output)
    .filter((name) => !name.startsWith('.'))
    .sort();
const series = async () => {
  const all = harness.archives().map(async (file) => [basename(file), await seriesOf(file)]);
  return Object.fromEntries(await Promise.all(all)) as Record<string, string>;
};
const subscribe = (id: string, ...words: readonly string[]) =>
  run('sync', 'add', id, '--language', 'en', '-o', harness.output, ...words);

test('a setting that was changed later: a plain retag says the new names, a dry run the new paths, and one run moves all', async () => {
  await download(ONE, TWO);
  const bound = ['-o', harness.output, '--format', 'epub'];
  expect((await run('bind', harness.output, ...bound)).code).toBe(0);
  expect((await retag()).stderr).toBe('0 changed, 3 unchanged\n');
  writeSettings(harness, { titleLanguage: 'ja,en' });
  const plain = await retag();
  expect(plain.stderr).toContain('"Mountain" is called "山" by now; --rename-titles renames');
  expect(folders()).toEqual(['Mountain', 'River']);
  const dryRun = await rename('--dry-run');
  const at = (path: string) => join(harness.output, path);
  for (const number of [1, 2]) {
    const [from, to] = ['Mountain', '山'].map((name) =>
      at(named(name, number).replace(' [', ' Vol.01 [')),
    );
    expect(dryRun.stdout).toContain(`${from ?? ''}: series\n  renamed to ${to ?? ''}\n`);
  }
  for (const name of ['series.json', 'details.json', 'Mountain Vol.01.epub'])
    expect(dryRun.stdout).toContain(at(join('Mountain', name)));
  expect(folders()).toEqual(['Mountain', 'River']);
  const { code, stdout } = await rename();
  expect([code, stdout]).toEqual([0, dryRun.stdout]);
  expect(folders()).toEqual(['山', '川']);
  const names = readdirSync(at('山'));
  expect(names).toEqual(
    expect.arrayContaining(['cover Vol.01.png', 'details.json', 'series.json', '山 Vol.01.epub']),
  );
  expect(JSON.parse(readFileSync(at('山/series.json'), 'utf8'))).toMatchObject({ title: '山' });
  expect(await readOwnBook(at('山/山 Vol.01.epub'))).toMatchObject({
    chapters: [{ metadata: { series: '山' } }, { metadata: { series: '山' } }],
  });
  const again = await rename();
  expect(again).toMatchObject({ code: 0, stdout: '', stderr: '0 changed, 3 unchanged\n' });
  harness.service.library.putChapter(chapter('one', '3'));
  await download(ONE);
  expect(await series()).toMatchObject({ [basename(named('山', 3))]: '山' });
});

test('the keys of a subscription: sync, retag and overview know the name, and the folder has its own', async () => {
  await subscribe(ONE, '--series', 'My  Mountain', '--folder', 'Hills');
  await subscribe(TWO, '--title-language', 'ja');
  expect(readFileSync(join(harness.folder, 'home/subscriptions.yaml'), 'utf8')).toMatch(
    /title: My Mountain[^]*series: My {2}Mountain[^]*title: 川[^]*title-language: \[ ja \]/,
  );
  expect((await run('sync')).code).toBe(0);
  expect(folders()).toEqual(['Hills', '川']);
  const first = basename(named('My Mountain', 1)).replace(' [', ' Vol.01 [');
  expect(await series()).toMatchObject({
    [first]: 'My Mountain',
    [basename(named('川', 1))]: '川',
  });
  expect((await rename()).stderr).toBe('0 changed, 3 unchanged\n');
  const overview = await run('overview', harness.output);
  expect(overview.stdout).toMatch(/^My Mountain/m);
  expect((await run('sync', 'list')).stdout).toContain('My Mountain');
  const offline = await run('overview', harness.output, '--offline');
  expect(offline.stdout).toBe(overview.stdout);
});

test('a key that came later, or went, says how to rename what is there; the next sync goes on under the old name', async () => {
  await subscribe(TWO);
  await run('sync');
  const { stderr } = await subscribe(TWO, '--series', 'Stream');
  const command = `tankobon retag ${harness.output} --rename-titles`;
  expect(stderr).toContain(`Files that are there keep their name. To rename them, run: ${command}`);
  harness.service.library.putChapter(chapter('two', '2'));
  await run('sync');
  expect(harness.archivePaths()).toEqual([named('River', 1), named('River', 2)]);
  await rename();
  expect(harness.archivePaths()).toEqual([named('Stream', 1), named('Stream', 2)]);
  expect((await subscribe(TWO, '--unset', 'series')).stderr).toContain(command);
  await rename();
  expect(folders()).toEqual(['River']);
});

test('series files that are missing get the name that the series has, until it is renamed', async () => {
  await subscribe(TWO);
  await run('sync');
  await subscribe(TWO, '--series', 'Stream');
  // The title is read again, and nothing of it is downloaded.
  harness.service.library.putChapter(chapter('two', '1', { translatedLanguage: 'fr' }));
  await run('sync', '--series-metadata');
  const read = (folder: string): unknown =>
    JSON.parse(readFileSync(join(harness.output, folder, 'details.json'), 'utf8'));
  expect(read('River')).toMatchObject({ title: 'River' });
  await rename();
  expect(read('Stream')).toMatchObject({ title: 'Stream' });
});

test('in a folder of the key `folder`, files get the new name, and the folder stays', async () => {
  await subscribe(TWO, '--folder', 'Shelf');
  await run('sync');
  await subscribe(TWO, '--series', 'Stream');
  await rename();
  expect(harness.archivePaths()).toEqual([named('Stream', 1, 'Shelf')]);
  harness.service.library.putChapter(chapter('two', '2'));
  await run('sync');
  expect(harness.archivePaths()).toContain(named('Stream', 2, 'Shelf'));
});

test('a list with the key names its titles, and an entry of a title comes first', async () => {
  await run(
    ...['sync', 'add', `list:${LIST}`, '--language', 'en', '-o', harness.output],
    ...['--title-language', 'ja'],
  );
  await run('sync');
  expect(folders()).toEqual(['川']);
  expect((await rename()).stderr).toBe('0 changed, 1 unchanged\n');
  await subscribe(TWO, '--series', 'Stream');
  await rename();
  expect(folders()).toEqual(['Stream']);
});

test('where a list with the key is not available, no title is renamed, and it is said which one', async () => {
  await run(
    ...['sync', 'add', `list:${LIST}`, '--language', 'en', '-o', harness.output],
    ...['--title-language', 'ja'],
  );
  await run('sync');
  const restore = harness.service.intercept(`/list/${LIST}`, () => ({
    status: 404,
    headers: { 'content-type': 'application/json' },
    body: '{"result":"error","errors":[]}',
  }));
  for (const words of [['--dry-run'], []])
    await expect(rename(...words)).rejects.toMatchObject({
      code: 'request-refused',
      message: expect.stringContaining(LIST) as unknown,
      hint: expect.stringContaining('title-language') as unknown,
    });
  expect(folders()).toEqual(['川']);
  const plain = await retag();
  expect([plain.code, plain.stderr]).toEqual([
    0,
    expect.stringContaining(`The key title-language of list:${LIST} names no titles`),
  ]);
  restore();
  expect((await rename()).stderr).toBe('0 changed, 1 unchanged\n');
});

test('a name of the owner is for one title', async () => {
  const list = ['sync', 'add', `list:${LIST}`, '-o', harness.output];
  await expect(run(...list, '--series', 'Mine')).rejects.toMatchObject({ code: 'bad-option' });
  const both = run('sync', 'add', `title:${ONE}`, `title:${TWO}`, '--series', 'Mine');
  await expect(both).rejects.toMatchObject({ code: 'bad-option' });
});

test('a name of the owner with path separators, control characters and marks of direction is one folder', async () => {
  await subscribe(TWO, '--series', '../up/\u0007x\u202e');
  await run('sync');
  expect(folders()).toHaveLength(1);
  expect(harness.archivePaths()[0]?.split('/')).toHaveLength(2);
  expect(harness.archivePaths()[0]).not.toMatch(/[\p{Cc}\u202e]|\.\.\//u);
});

test('two titles to which their owner gave one name get two', async () => {
  await download(ONE, TWO);
  await subscribe(ONE, '--series', 'Same');
  await subscribe(TWO, '--series', 'Same');
  await rename();
  expect(folders()).toHaveLength(2);
  expect(folders()).toContain('Same');
  expect((await rename()).stderr).toBe('0 changed, 3 unchanged\n');
});

test('a setting that renames many titles is said in a bounded number of lines', async () => {
  const many = Array.from({ length: 22 }, (_, index) => `t${index}`);
  for (const key of many) {
    harness.service.library.putTitle(
      title(key, `Title ${key}`, { altTitles: [{ ja: `題${key}` }] }),
    );
    harness.service.library.putChapter(chapter(key, '1'));
  }
  const targets = many.map((key) => `title:${uuidOf(key)}`);
  await harness.download({ targets, language: 'en' });
  const { stderr } = await retag('--title-language', 'ja');
  expect(stderr.match(/is called/g)).toHaveLength(20);
  expect(stderr).toContain('2 more titles have other names by now');
});

test('an adopted chapter keeps its series, and a subscription that adopt wrote names it as MangaDex does', async () => {
  await download(TWO);
  const [file = ''] = harness.archives();
  expect(relative(harness.output, file)).toBe(named('River', 1));
  writeSettings(harness, { titleLanguage: 'ja' });
  const { code } = await run('adopt', harness.output, '--apply', '--subscribe');
  expect(code).toBe(0);
  expect((await run('sync', 'list')).stdout).toMatch(/River|川/);
  expect(await seriesOf(file)).toBe('River');
});
