/** Archives without tankobon's mark, and marked ones behind links: present, and never replaced. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { EXAMPLE_CHAPTERS } from '../../../src/practice-server/library/library.js';
import { writeArchive } from '../../support/archive.js';
import { testImage, writeChapterFile } from '../../support/chapter-files.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { posixTest } from '../../support/platform.js';

const ID = EXAMPLE_CHAPTERS.reuploaded;

let harness: DownloadHarness;
beforeEach(async () => {
  harness = await DownloadHarness.start();
  mkdirSync(harness.output, { recursive: true });
});
afterEach(() => harness.stop());

const FLAGS = [{}, { force: true }, { update: true }, { force: true, update: true }];

test('an archive that only has the address in ComicInfo is skipped with every flag, and says why', async () => {
  const file = join(harness.output, 'theirs.cbz');
  const web = `<Web>https://mangadex.org/chapter/${ID}</Web>`;
  const entries = {
    '1.png': await testImage('png'),
    'ComicInfo.xml': `<ComicInfo>${web}</ComicInfo>`,
  };
  await writeArchive(file, entries);
  const before = readFileSync(file);
  for (const flags of FLAGS) {
    const { code, events, stderr } = await harness.download({ targets: [ID], ...flags });
    expect(code).toBe(0);
    const skipped = { type: 'chapter-skipped', reason: 'already-there', file };
    expect(events).toContainEqual(expect.objectContaining(skipped));
    const message = `${file} was written by another program and is kept.`;
    const warnings = events.filter((event) => event.type === 'warning');
    expect(`${stderr}${JSON.stringify(warnings)}`.includes(message)).toBe(
      Object.keys(flags).length > 0,
    );
    expect(readdirSync(harness.output)).toEqual(['theirs.cbz']);
    expect(readFileSync(file).equals(before)).toBe(true);
  }
});

posixTest('a link to an archive of tankobon is neither replaced nor written through', async () => {
  const elsewhere = join(harness.folder, 'elsewhere.cbz');
  await writeChapterFile(elsewhere, { id: ID, version: 1, images: [await testImage('png')] });
  const before = readFileSync(elsewhere);
  const link = join(harness.output, 'link.cbz');
  symlinkSync(elsewhere, link);
  for (const flags of FLAGS) {
    const { code, events, stderr } = await harness.download({ targets: [ID], ...flags });
    expect(code).toBe(0);
    const isReplacing = Object.keys(flags).length > 0;
    const text = `${stderr}${JSON.stringify(events)}`;
    expect(text.includes(`${link} is a symbolic link and is kept.`)).toBe(isReplacing);
    expect(readdirSync(harness.output)).toEqual(['link.cbz']);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(elsewhere).equals(before)).toBe(true);
  }
});

posixTest('an own archive is replaced by --update, and keeps its mode', async () => {
  const file = join(harness.output, 'own.cbz');
  await writeChapterFile(file, { id: ID, version: 1, images: [await testImage('png')] });
  chmodSync(file, 0o640);
  const before = readFileSync(file);
  expect((await harness.download({ targets: [ID], update: true })).code).toBe(0);
  expect(readdirSync(harness.output).sort()).toEqual(['.tankobon-replaced', 'own.cbz']);
  expect(readFileSync(file).equals(before)).toBe(false);
  expect(statSync(file).mode & 0o777).toBe(0o640);
});
