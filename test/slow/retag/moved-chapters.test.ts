/** Chapters that MangaDex moved to another title: their files follow, and are counted there. */
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { drawnCover } from '../../../src/practice-server/library/story-pages.js';
import {
  createLibrary,
  editChapter,
  reuploadChapter,
  uuidOf,
} from '../../../src/practice-server/library/library.js';
import { readIdentity } from '../../../src/library/file.js';
import { parseRecords } from '../../../src/library/record.js';
import { readEntry } from '../../support/archive.js';
import { imageDigests } from '../../support/bind-harness.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { editEntry, replaced } from '../../support/owner-edits.js';
import { retagFolder, runCommand } from '../../support/retag-harness.js';
import {
  chapter,
  LATER,
  named,
  renameTitle,
  seriesOf,
  title,
} from '../../support/title-library.js';

let harness: DownloadHarness;
beforeEach(async () => {
  const covers = [drawnCover(uuidOf('one'), '1', 'stairs-cover')];
  const library = createLibrary({
    titles: [title('one', 'Alpha', { covers }), title('two', 'Beta')],
    chapters: [chapter('one', '1'), chapter('one', '2'), chapter('two', '1')],
  });
  harness = await DownloadHarness.start({ library });
});
afterEach(() => harness.stop());

const BOOK = 'Beta/Beta (all).cbz';
const moved = uuidOf('one', '2', 'en');
const download = (keys: readonly string[], options: Readonly<Record<string, unknown>> = {}) =>
  harness.download({
    targets: keys.map((key) => `title:${uuidOf(key)}`),
    language: 'en',
    ...options,
  });
const retag = (...words: readonly string[]) => retagFolder(harness, harness.output, ...words);
const inOutput = (...path: readonly string[]) => join(harness.output, ...path);
const paths = () =>
  harness
    .files()
    .map((file) => relative(harness.output, file))
    .sort();

/** The service moves a chapter of Alpha to Beta. */
function move(id = moved, { isEdited = false } = {}): void {
  const { library } = harness.service;
  const found = library.chapter(id);
  if (!found) throw new Error(id);
  const there = { ...found, titleId: uuidOf('two') };
  library.putChapter(isEdited ? editChapter(there, LATER, {}) : there);
}

function correct(id: string, attributes: Parameters<typeof editChapter>[2]): void {
  const found = harness.service.library.chapter(id);
  if (!found) throw new Error(id);
  harness.service.library.putChapter(editChapter(found, LATER, attributes));
}

async function expectOfBeta(file: string): Promise<void> {
  expect(await seriesOf(file)).toBe('Beta');
  expect(await readIdentity(file)).toMatchObject({ titleId: uuidOf('two'), proof: 'mark' });
  const [record] = parseRecords(await readEntry(file, 'META-INF/tankobon.json')) ?? [];
  expect(record).toMatchObject({ titleId: uuidOf('two'), metadata: { series: 'Beta' } });
}

test('a moved chapter goes to the folder of its title with name and metadata, and a second run is silent', async () => {
  await download(['one', 'two'], { cover: true, seriesMetadata: true });
  const before = paths();
  const [from, to] = [inOutput(named('Alpha', 2)), inOutput(named('Beta', 2))];
  const digests = await imageDigests(from);
  move();
  const dryRun = await retag('--dry-run');
  expect(dryRun.stdout).toContain(`${from}: series`);
  expect(dryRun.stdout).toContain(`  renamed to ${to}\n`);
  expect(paths()).toEqual(before);
  const { code, stdout, stderr } = await retag();
  expect([code, stdout]).toEqual([0, dryRun.stdout]);
  expect(stderr).toBe('1 changed, 2 unchanged\n');
  const others = before.filter((path) => path !== named('Alpha', 2));
  expect(paths()).toEqual([...others, named('Beta', 2)].sort());
  expect(await imageDigests(to)).toEqual(digests);
  await expectOfBeta(to);
  for (const words of [[], ['--rename-titles']]) {
    const again = await retag(...words);
    expect([again.stdout, again.stderr]).toEqual(['', '0 changed, 3 unchanged\n']);
  }
  expect((await download(['one', 'two'])).code).toBe(0);
  expect(harness.archives()).toHaveLength(3);
});

test('a title without files gets its folder, and the one that its last chapter left goes', async () => {
  await download(['one']);
  move();
  move(uuidOf('one', '1', 'en'));
  expect((await retag()).stderr).toBe('2 changed, 0 unchanged\n');
  expect(readdirSync(harness.output)).toEqual(['Beta']);
  expect(paths()).toEqual([named('Beta', 1), named('Beta', 2)]);
});

test('covers and series metadata of a title stay in the folder that its last chapter left, which is said once', async () => {
  await download(['one'], { cover: true, seriesMetadata: true });
  move();
  move(uuidOf('one', '1', 'en'));
  const others = 'cover.png, details.json, series.json';
  expect((await retag()).stderr).toBe(
    `warning: Kept: ${inOutput('Alpha')} has other files: ${others}\n2 changed, 0 unchanged\n`,
  );
  expect((await retag()).stderr).toBe('0 changed, 2 unchanged\n');
});

test('an owner keeps a name and edits in a chapter that moves', async () => {
  await download(['one', 'two']);
  const mine = inOutput('Alpha', 'mine.cbz');
  renameSync(inOutput(named('Alpha', 2)), mine);
  await editEntry(mine, 'ComicInfo.xml', (xml) =>
    replaced(xml, ['</Series>', '</Series><Review>Mine</Review>']),
  );
  move();
  const { stdout } = await retag();
  expect(stdout).toContain(`  renamed to ${inOutput('Beta', 'mine.cbz')}\n`);
  expect(await readEntry(inOutput('Beta', 'mine.cbz'), 'ComicInfo.xml')).toContain('Mine');
  await expectOfBeta(inOutput('Beta', 'mine.cbz'));
  expect((await retag()).stderr).toBe('0 changed, 3 unchanged\n');
});

test('a title whose folder its owner renamed gets the chapter there, with the name that it has', async () => {
  await download(['one', 'two']);
  renameSync(inOutput('Beta'), inOutput('Mine'));
  renameTitle(harness.service.library, 'two', 'Gamma');
  move();
  await retag();
  expect(paths()).toContain('Mine/Beta Ch.002 [Scans].cbz');
  expect((await retag()).stdout).toBe('');
});

test.each([[false], [true]])(
  '--rename-titles moves it to the new folder of a title that is renamed too, in one run, named by its owner: %s',
  async (isNamedByOwner) => {
    await download(['one', 'two']);
    const mine = 'mine.cbz';
    if (isNamedByOwner) renameSync(inOutput(named('Alpha', 2)), inOutput('Alpha', mine));
    renameTitle(harness.service.library, 'two', 'Gamma');
    move();
    const dryRun = await retag('--rename-titles', '--dry-run');
    const { stdout, stderr } = await retag('--rename-titles');
    expect([stdout, stderr]).toEqual([dryRun.stdout, '2 changed, 1 unchanged\n']);
    const file = isNamedByOwner ? `Gamma/${mine}` : named('Gamma', 2);
    expect(paths()).toEqual([named('Alpha', 1), named('Gamma', 1), file].sort());
    expect((await retag('--rename-titles')).stderr).toBe('0 changed, 3 unchanged\n');
    correct(moved, { chapter: '5' });
    await retag();
    expect(paths()).toContain(isNamedByOwner ? file : named('Gamma', 5));
  },
);

test('where another file has the name in the new folder, the name gets the id', async () => {
  await download(['one', 'two']);
  move(uuidOf('one', '1', 'en'));
  await retag();
  const short = uuidOf('one', '1', 'en').slice(0, 8);
  expect(paths()).toContain(named('Beta', 1));
  expect(paths()).toContain(named('Beta', 1).replace('.cbz', ` (${short}).cbz`));
  expect((await retag()).stderr).toBe('0 changed, 3 unchanged\n');
});

test('a file of a title that was merged into the other one stays where it is', async () => {
  await download(['one', 'two']);
  const before = paths();
  harness.service.library.mergeTitle(uuidOf('one'), uuidOf('two'));
  const { stdout } = await retag();
  expect([stdout, paths()]).toEqual([expect.not.stringContaining('renamed'), before]);
});

test.each(['retag', '--update'])(
  '%s: a file that a run with several languages named keeps the language, also by a later correction',
  async (by) => {
    const french = chapter('one', '2', { translatedLanguage: 'fr' });
    harness.service.library.putChapter(french);
    await download(['one', 'two'], { language: 'all' });
    for (const id of [moved, french.id]) move(id);
    if (by === 'retag') await retag();
    else await download(['two'], { update: true, language: 'all' });
    const inBeta = (number: number, language: string) =>
      named('Beta', number).replace('[Scans]', `[${language}] [Scans]`);
    expect(paths()).toEqual(
      expect.arrayContaining([inBeta(1, 'en'), inBeta(2, 'en'), inBeta(2, 'fr')]),
    );
    expect((await retag()).stderr).toBe('0 changed, 4 unchanged\n');
    correct(moved, { chapter: '5' });
    await retag();
    expect(paths()).toEqual(expect.arrayContaining([inBeta(2, 'fr'), inBeta(5, 'en')]));
  },
);

test('names without folders get the name of the new title', async () => {
  const name = '{series} {chapter}';
  await download(['one'], { name });
  move();
  await retag('--name', name);
  expect(paths()).toEqual(['Alpha 1.cbz', 'Beta 2.cbz']);
});

test('the folder of the title alone may be named', async () => {
  await download(['one', 'two']);
  move();
  await retagFolder(harness, inOutput('Alpha'));
  expect(paths()).toContain(named('Beta', 2));
  expect((await retagFolder(harness, inOutput('Alpha'))).stdout).toBe('');
});

describe('download', () => {
  test.each([[false], [true]])(
    '--update follows a chapter that moved, edited: %s, and the next one changes nothing',
    async (isEdited) => {
      await download(['one', 'two'], { cover: true });
      move(moved, { isEdited });
      const skipped = await download(['two']);
      const reason = 'newer-version';
      expect(skipped.events).toContainEqual(expect.objectContaining({ chapter: moved, reason }));
      expect(paths()).toContain(named('Alpha', 2));
      const { events } = await download(['two'], { update: true });
      const [file, newFile] = [inOutput(named('Alpha', 2)), inOutput(named('Beta', 2))];
      const retagged = { type: 'chapter-retagged', chapter: moved, file, newFile };
      expect(events).toContainEqual(expect.objectContaining(retagged));
      expect(harness.archives()).toHaveLength(3);
      await expectOfBeta(newFile);
      const again = await download(['one', 'two'], { update: true });
      expect(again.events.filter(({ type }) => /saved|retagged/.test(type))).toEqual([]);
      expect((await retag()).stderr).toBe('0 changed, 3 unchanged\n');
    },
  );

  test('--update of moved chapters with other pages replaces the files there, and their old folder goes', async () => {
    await download(['one']);
    for (const id of [moved, uuidOf('one', '1', 'en')]) {
      const found = harness.service.library.chapter(id);
      if (!found) throw new Error(id);
      const anew = reuploadChapter(found, LATER, chapter('one', '9'));
      harness.service.library.putChapter({ ...anew, titleId: uuidOf('two') });
    }
    harness.service.library.removeChapter(uuidOf('two', '1', 'en'));
    await download(['two'], { update: true });
    expect(paths().filter((path) => path.endsWith('.cbz'))).toEqual([
      named('Beta', 1),
      named('Beta', 2),
    ]);
    expect(existsSync(inOutput('Alpha'))).toBe(false);
    await expectOfBeta(inOutput(named('Beta', 2)));
  });

  test('a new chapter goes to the folder of its title, although a moved one is still in another', async () => {
    await download(['one']);
    move();
    await download(['two']);
    expect(paths()).toEqual([named('Alpha', 1), named('Alpha', 2), named('Beta', 1)]);
  });

  test('a chapter with the number of one that was moved away is saved', async () => {
    await download(['one', 'two']);
    move();
    const other = { ...chapter('one', '2', { at: LATER }), id: uuidOf('the second one') };
    harness.service.library.putChapter(other);
    const { events } = await download(['one'], { update: true });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'chapter-saved', chapter: other.id }),
    );
    expect(existsSync(inOutput(named('Alpha', 2)))).toBe(true);
  });

  test.each([{}, { bind: 'title' }])(
    '--update takes a moved chapter out of a book of the other title, once, with %j',
    async (options) => {
      await download(['one'], { bind: 'title' });
      move();
      await download(['two'], { update: true, ...options });
      expect(await seriesOf(inOutput('bind' in options ? BOOK : named('Beta', 2)))).toBe('Beta');
      for (const more of [{ update: true }, { update: true, bind: 'title' }, {}]) {
        const again = await download(['two'], more);
        const types: readonly string[] = again.events.map(({ type }) => type);
        expect(types).not.toContain('chapter-saved');
        expect(types).not.toContain('chapter-retagged');
      }
    },
  );
});

describe('overview', () => {
  const overview = async () => {
    const { stdout } = await runCommand(harness, 'overview', harness.output, '--json');
    const lines = stdout.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  };

  test('counts a moved chapter for its title, in each run, and asks for it once', async () => {
    await download(['one', 'two']);
    move();
    for (const run of [1, 2]) {
      const [alpha, beta] = await overview();
      expect([run, alpha]).toMatchObject([run, { name: 'Alpha', have: 1, takenDown: [] }]);
      expect([run, beta]).toMatchObject([run, { name: 'Beta', have: 2, missing: [] }]);
    }
  });

  test('counts a moved chapter for a title that has no other file', async () => {
    await download(['one']);
    move();
    const [alpha, beta] = await overview();
    expect(alpha).toMatchObject({ name: 'Alpha', have: 1, takenDown: [] });
    expect(beta).toMatchObject({ name: 'Beta', have: 1 });
    rmSync(inOutput(named('Alpha', 1)));
    expect((await overview())[0]).toMatchObject({ name: 'Beta', have: 1 });
  });
});
