/** Chapters without a number: `Format` makes them specials in readers, also in files that were saved before it was written. */
import { readdirSync, readFileSync } from 'node:fs';
import { editChapter } from '../../../src/practice-server/library/library.js';
import { readEntry } from '../../support/archive.js';
import { schemaErrors } from '../../support/comic-info-schema.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { addElement, editEntry, replaced } from '../../support/owner-edits.js';
import { retagFolder, runCommand } from '../../support/retag-harness.js';
import {
  DAY_MS,
  savedIn,
  syncChapter,
  SyncHarness,
  syncLibrary,
  syncTitle,
  titleId,
} from '../../support/sync-harness.js';

const READABLE_MS = Date.now() - 9 * DAY_MS;
const EXTRAS = syncChapter('Alpha', 'extras', READABLE_MS, {
  chapter: null,
  title: 'Volume 3 Extras',
  volume: '3',
});
const FORMAT = '<Format>Special</Format>';

let harness: DownloadHarness;
beforeEach(async () => {
  const library = syncLibrary(['Alpha'], READABLE_MS);
  library.putChapter(EXTRAS);
  harness = await DownloadHarness.start({ library });
});
afterEach(() => harness.stop());

async function download(options: object = {}): Promise<void> {
  const targets = [`title:${titleId('Alpha')}`];
  const { code } = await harness.download({ language: 'en', ...options, targets });
  expect(code).toBe(0);
}

const special = (): string => harness.archives().find((file) => file.includes('Extras')) ?? '';
const comicInfo = () => readEntry(special(), 'ComicInfo.xml');
const retag = (...words: readonly string[]) => retagFolder(harness, harness.output, ...words);
const bytesOfAll = () => new Map(harness.files().map((file) => [file, readFileSync(file, 'hex')]));

/** Makes the file one that an older version would have written. */
async function makeOlder(file: string): Promise<void> {
  await editEntry(file, 'ComicInfo.xml', (xml) => replaced(xml, [/\s*<Format>.*<\/Format>/, '']));
  await editEntry(file, 'META-INF/tankobon.json', (json) =>
    replaced(json, [/"format":"Special",?/, '']),
  );
}

async function downloadOlder(): Promise<void> {
  await download();
  await makeOlder(special());
}

test('a chapter without a number is a special, one with a number is not', async () => {
  await download();
  const documents = await Promise.all(
    harness.archives().map((file) => readEntry(file, 'ComicInfo.xml')),
  );
  expect(documents.map((xml) => xml.includes(FORMAT)).sort()).toEqual([false, false, true]);
  expect(await comicInfo()).toContain(FORMAT);
  expect(await schemaErrors(documents)).toEqual([]);
  expect((await retag()).stderr).toContain('0 changed, 3 unchanged');
});

test('a bound chapter of its own is one too, a volume is not', async () => {
  await download();
  for (const by of ['chapter', 'volume']) {
    const books = `${harness.folder}/${by}`;
    const { code } = await runCommand(harness, 'bind', special(), '-o', books, '--by', by);
    expect(code).toBe(0);
    const [book = ''] = readdirSync(books, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.cbz'),
    );
    const xml = await readEntry(`${books}/${book}`, 'ComicInfo.xml');
    expect(xml.includes(FORMAT)).toBe(by === 'chapter');
  }
});

describe('a file that an older version saved', () => {
  test('stays as it is in a run that finds nothing new, also with a book of it', async () => {
    await downloadOlder();
    expect((await runCommand(harness, 'bind', harness.output, '-o', harness.output)).code).toBe(0);
    const before = bytesOfAll();
    await download();
    await download({ update: true });
    await runCommand(harness, 'bind', harness.output, '-o', harness.output);
    expect(bytesOfAll()).toEqual(before);
  });

  test('stays as it is in a sync with upgrade, also after a week', async () => {
    const sync = await SyncHarness.start((nowMs) => {
      const library = syncLibrary([], nowMs - 9 * DAY_MS);
      library.putTitle(syncTitle('Alpha'));
      library.putChapter(EXTRAS);
      return library;
    });
    try {
      sync.write(`series:\n  - target: title:${titleId('Alpha')}\n`, ', upgrade: true');
      expect(savedIn((await sync.sync()).lines)).toEqual([EXTRAS.id]);
      const [file = ''] = sync.base.archives();
      await makeOlder(file);
      const before = readFileSync(file, 'hex');
      await sync.sync();
      sync.clock.advance(8 * DAY_MS);
      const { code, lines } = await sync.sync();
      expect([code, savedIn(lines), readFileSync(file, 'hex') === before]).toEqual([0, [], true]);
    } finally {
      await sync.stop();
    }
  });

  test('is a special after retag, and a second run changes nothing, nor does bind', async () => {
    await downloadOlder();
    await runCommand(harness, 'bind', harness.output, '-o', harness.output);
    const { stdout, stderr } = await retag();
    expect([stdout, stderr]).toEqual([
      expect.stringContaining('format'),
      expect.stringContaining('1 changed, 2 unchanged'),
    ]);
    expect(await comicInfo()).toContain(FORMAT);
    const before = bytesOfAll();
    expect((await retag()).stderr).toContain('0 changed, 3 unchanged');
    await runCommand(harness, 'bind', harness.output, '-o', harness.output);
    expect(bytesOfAll()).toEqual(before);
  });

  test('is a special after --update rewrites it for another reason', async () => {
    await downloadOlder();
    const at = new Date().toISOString().slice(0, 19) + '+00:00';
    harness.service.library.putChapter(editChapter(EXTRAS, at, { title: 'More Extras' }));
    await download({ update: true });
    const xml = await comicInfo();
    expect([xml.includes('<Title>More Extras</Title>'), xml.includes(FORMAT)]).toEqual([
      true,
      true,
    ]);
  });

  test('keeps a format that its owner gave', async () => {
    await downloadOlder();
    await addElement(special(), '<Format>Annual</Format>');
    const { stderr } = await retag();
    expect(stderr).toContain('0 changed, 3 unchanged');
    expect(await comicInfo()).toContain('<Format>Annual</Format>');
  });
});

test('a chapter that gets a number is not a special any more', async () => {
  await download();
  const at = new Date().toISOString().slice(0, 19) + '+00:00';
  harness.service.library.putChapter(editChapter(EXTRAS, at, { chapter: '3.5' }));
  await download({ update: true });
  const xml = await comicInfo();
  expect([xml.includes('<Number>3.5</Number>'), xml.includes('Format')]).toEqual([true, false]);
});
