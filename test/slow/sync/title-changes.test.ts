/** With `upgrade`, files follow what MangaDex says of their title, also when no chapter is new; the owner's edits stay. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { editTitle } from '../../../src/practice-server/library/library.js';
import type { TitleAttributes } from '../../../src/practice-server/records.js';
import { runCommand } from '../../support/retag-harness.js';
import { readEntry } from '../../support/archive.js';
import { editEntry, replaced } from '../../support/owner-edits.js';
import { DAY_MS, HOUR_MS, SyncHarness, syncLibrary, titleId } from '../../support/sync-harness.js';

let harness: SyncHarness;
afterEach(() => harness.stop());

async function start(keys: string): Promise<void> {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha', 'Beta'], nowMs - 90 * DAY_MS));
  const entry = (name: string) =>
    `  - { target: 'title:${titleId(name)}', language: [en]${keys} }\n`;
  harness.write(`series:\n${entry('Alpha')}${entry('Beta')}`);
  await sync();
  // What was read a moment ago is not read again.
  harness.clock.advance(HOUR_MS);
  await sync();
  harness.catalogueRequests();
}

const sync = () => harness.sync({ seriesMetadata: true });

function edit(change: Partial<TitleAttributes>, name = 'Alpha'): void {
  const { library } = harness.service;
  const title = library.title(titleId(name));
  if (!title) throw new Error('No title');
  const at = `${new Date(harness.clock.wallMs()).toISOString().slice(0, 19)}+00:00`;
  library.putTitle(editTitle(title, at, change));
}

const json = (name: string) =>
  JSON.parse(readFileSync(join(harness.base.output, 'Alpha', name), 'utf8')) as Record<
    string,
    unknown
  >;
const chapters = () =>
  harness.base
    .archives()
    .filter((file) => file.includes('Alpha'))
    .sort();
const infos = () => Promise.all(chapters().map((file) => readEntry(file, 'ComicInfo.xml')));
const mtimes = () => chapters().map((file) => statSync(file).mtimeMs);
const changed = (lines: Awaited<ReturnType<SyncHarness['sync']>>['lines']) =>
  lines.filter(({ type }) => type === 'title-changed');

test('a series that ends, and is rated again, is so in series.json and in the files of its chapters, once', async () => {
  await start(', upgrade: true');
  expect(json('series.json')).toMatchObject({ metadata: { status: 'Continuing' } });
  edit({ status: 'completed', contentRating: 'pornographic', originalLanguage: 'ko' });
  const { lines } = await sync();
  expect(changed(lines)).toMatchObject([
    { title: titleId('Alpha'), name: 'Alpha', changed: ['ageRating', 'direction'], files: 4 },
  ]);
  expect(harness.catalogueRequests().filter((path) => path.includes(titleId('Alpha')))).toEqual([]);
  expect(json('series.json')).toMatchObject({ metadata: { status: 'Ended' }, status: 2 });
  expect(json('details.json')).toMatchObject({ status: 2 });
  for (const info of await infos()) {
    expect(info).toContain('<AgeRating>X18+</AgeRating>');
    expect(info).toContain('<Manga>No</Manga>');
  }
  const before = mtimes();
  expect(changed((await sync()).lines)).toEqual([]);
  expect(mtimes()).toEqual(before);
  expect((await runCommand(harness.base, 'verify', harness.base.output)).code).toBe(0);
});

test('a new description is in series.json and in the first chapter, the others stay as they are', async () => {
  await start(', upgrade: true');
  const [, second] = mtimes();
  edit({ description: { en: 'A lamp, and a ladder.' } });
  expect(changed((await sync()).lines)).toMatchObject([{ changed: ['summary'], files: 3 }]);
  expect(json('series.json')).toMatchObject({ description: 'A lamp, and a ladder.' });
  const [first = '', other = ''] = await infos();
  expect(first).toContain('<Summary>A lamp, and a ladder.</Summary>');
  expect(other).not.toContain('A lamp');
  expect(mtimes()[1]).toBe(second);
});

test('what the owner edited stays', async () => {
  await start(', upgrade: true');
  const [file = ''] = chapters();
  await editEntry(file, 'ComicInfo.xml', (text) =>
    replaced(text, ['<AgeRating>Everyone</AgeRating>', '<AgeRating>Teen</AgeRating>']),
  );
  const series = join(harness.base.output, 'Alpha', 'series.json');
  writeFileSync(series, readFileSync(series, 'utf8').replace('Continuing', 'Mine'));
  edit({ status: 'completed', contentRating: 'erotica' });
  const { stderr } = await sync();
  expect(stderr).toBe('');
  expect(await infos()).toEqual([
    expect.stringContaining('<AgeRating>Teen</AgeRating>'),
    expect.stringContaining('<AgeRating>Mature 17+</AgeRating>'),
  ]);
  expect(json('series.json')).toMatchObject({ metadata: { status: 'Mine' } });
  expect(json('details.json')).toMatchObject({ status: 2 });
});

test('without upgrade everything stays; retag brings it, and upgrade does when it is set', async () => {
  await start('');
  const rated = (rating: string) => {
    const info = expect.stringContaining(`<AgeRating>${rating}</AgeRating>`) as unknown;
    return [info, info];
  };
  edit({ status: 'completed', contentRating: 'erotica' });
  await sync();
  expect(json('series.json')).toMatchObject({ metadata: { status: 'Continuing' } });
  expect(await infos()).toEqual(rated('Everyone'));
  await runCommand(harness.base, 'retag', harness.base.output);
  expect(json('series.json')).toMatchObject({ metadata: { status: 'Ended' } });
  expect(await infos()).toEqual(rated('Mature 17+'));
  edit({ status: 'ongoing', contentRating: 'safe' });
  harness.write(
    `series:\n  - { target: 'title:${titleId('Alpha')}', language: [en], upgrade: true }\n`,
  );
  await sync();
  expect(json('series.json')).toMatchObject({ metadata: { status: 'Continuing' } });
  expect(await infos()).toEqual(rated('Everyone'));
});

test('of two titles of one name, the one that changed is named as its folder, also when no chapter is new', async () => {
  await start(', upgrade: true');
  edit({ title: { en: 'Alpha' }, status: 'completed', contentRating: 'erotica' }, 'Beta');
  const { lines } = await sync();
  expect(changed(lines)).toMatchObject([{ title: titleId('Beta'), name: 'Beta' }]);
});
