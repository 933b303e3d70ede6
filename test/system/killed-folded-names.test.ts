/**
 * A kill at a change of names that differ only in case, on a file system that folds them: exFAT, which has no hard links.
 * Nothing is lost, and the next run completes what the killed one began. The long run kills at each change.
 */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scanLibrary } from '../../src/library/scan.js';
import {
  createLibrary,
  editChapter,
  reuploadChapter,
  uuidOf,
} from '../../src/practice-server/library/library.js';
import { drawnCover } from '../../src/practice-server/library/story-pages.js';
import { imageDigests, sha256 } from '../support/bind-harness.js';
import { DownloadHarness } from '../support/download-harness.js';
import { DRIVES, mountDrive, SMALL_DRIVE } from '../support/drives.js';
import { tankobonHere } from '../support/in-process.js';
import { killAtChanges } from '../support/kill-points.js';
import { describeWith } from '../support/requirements.js';
import { runCommand } from '../support/retag-harness.js';
import { chapter, LATER, renameTitle, title } from '../support/title-library.js';
import { NO_LIMITS } from '../support/no-limits.js';

const TARGET = `title:${uuidOf('one')}`;
const LATEST = '2024-03-05T12:00:00+00:00';
const exFat = DRIVES['exFAT'];
if (!exFat) throw new Error('no exFAT');

describeWith('a kill on exFAT', exFat.needs, () => {
  let folder: string;
  let unmount: () => void = () => undefined;
  let [original, output] = ['', ''];
  let harness: DownloadHarness;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-killed-'));
    unmount = mountDrive(exFat, folder);
    [original, output] = [join(folder, 'original'), join(folder, 'drive', 'comics')];
    mkdirSync(original);
    const covers = [drawnCover(uuidOf('one'), '1', 'stairs-cover')];
    const library = createLibrary({
      titles: [title('one', 'Old', { covers })],
      chapters: [
        chapter('one', '1', { title: 'storm', volume: '1' }),
        chapter('one', '2', { title: 'rain', volume: '1' }),
      ],
    });
    harness = await DownloadHarness.start({ library, limits: NO_LIMITS });
    const options = { cover: true, seriesMetadata: true, language: ['en'] };
    await harness.download({ targets: [TARGET], output: original, ...options });
    await runCommand(harness, 'bind', original, '-o', original);
  });
  afterEach(async () => {
    await harness.stop();
    unmount();
    rmSync(folder, { recursive: true, force: true });
  });

  const prepare = () => {
    rmSync(output, { recursive: true, force: true });
    cpSync(original, output, { recursive: true });
  };
  const env = () => ({ ...harness.service.environment, ...SMALL_DRIVE });
  const killed = (words: readonly string[], check: (kill: number) => Promise<void>) =>
    killAtChanges({ words, env: env(), folder, below: output, prepare }, check);
  const again = async (words: readonly string[]) => {
    const home = mkdtempSync(join(folder, 'home-'));
    return tankobonHere(words, { env: { ...env(), TANKOBON_HOME: home } });
  };
  /** Without those that are kept, and those that FUSE keeps for a killed process that had them open. */
  const names = (root = output) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((each) => !/(^|\/)\./.test(each) && statSync(join(root, each)).isFile())
      .sort();
  const pagesOf = async (file: string) => imageDigests(file);
  const ids = ['1', '2'].map((number) => uuidOf('one', number, 'en'));
  const before = (number: number) => join(original, 'Old', fileOf(number, ['storm', 'rain']));
  const fileOf = (number: number, texts: readonly string[], series = 'Old') =>
    `${series} Ch.00${number} Vol.01 - ${texts[number - 1] ?? ''} [Scans].cbz`;

  test('of retag --rename-titles leaves every chapter, book and cover, and the next run completes it', async () => {
    const images = await Promise.all([1, 2].map((number) => pagesOf(before(number))));
    const book = await pagesOf(join(original, 'Old/Old Vol.01.cbz'));
    const cover = sha256(readFileSync(join(original, 'Old/cover.png')));
    const settled = names(original).map((each) => each.replaceAll('Old', 'OLD'));
    renameTitle(harness.service.library, 'one', 'OLD');
    const words = ['retag', output, '--rename-titles'];
    const changes = await killed(words, async (kill) => {
      const library = await scanLibrary(output);
      expect([kill, library.damaged]).toEqual([kill, []]);
      for (const [index, id] of ids.entries()) {
        const chapters = library.copiesOf(id).filter(({ isBound }) => !isBound);
        expect([kill, await pagesOf(chapters[0]?.file ?? '')]).toEqual([kill, images[index]]);
      }
      const bound = library.archives.find(({ isBound }) => isBound);
      expect([kill, await pagesOf(bound?.file ?? '')]).toEqual([kill, book]);
      const [coverFile = ''] = names().filter((each) => each.endsWith('cover.png'));
      expect([kill, sha256(readFileSync(join(output, coverFile)))]).toEqual([kill, cover]);
      const { code, stderr } = await again(words);
      expect([kill, code, stderr]).toEqual([kill, 0, expect.not.stringMatching(/error|Kept/)]);
      // After a kill right before the folder gets its new case, that is as if its owner had chosen the old one.
      const there = names().map((each) => each.replace(/^Old\//, 'OLD/'));
      expect([kill, there]).toEqual([kill, settled.sort()]);
      const text = readFileSync(join(output, 'OLD/series.json'), 'utf8');
      expect([kill, JSON.parse(text)]).toMatchObject([kill, { metadata: { name: 'OLD' } }]);
      expect([kill, (await again(words)).stdout]).toEqual([kill, '']);
    });
    expect(changes).toBeGreaterThan(10);
  }, 600_000);

  test('of --update leaves the old file or the new one, and keeps the pages of the old one', async () => {
    const old = await pagesOf(before(2));
    const first = await pagesOf(before(1));
    const { library } = harness.service;
    const second = library.chapter(ids[1] ?? '');
    const pages = second && reuploadChapter(second, LATER, chapter('other', '9'));
    if (pages) library.putChapter(editChapter(pages, LATEST, { title: 'RAIN' }));
    const words = ['download', TARGET, '-l', 'en', '-o', output, '--update'];
    const changes = await killed(words, async (kill) => {
      const found = await scanLibrary(output);
      expect([kill, found.damaged]).toEqual([kill, []]);
      const [chapters] = ids.slice(1).map((id) => found.copiesOf(id));
      const files = (chapters ?? []).filter(({ isBound }) => !isBound);
      const there = await Promise.all(files.map(({ file }) => pagesOf(file)));
      expect([kill, there.length > 0]).toEqual([kill, true]);
      const { code, stderr } = await again(words);
      expect([kill, code, stderr]).toEqual([kill, 0, expect.not.stringContaining('error')]);
      const settled = ['storm', 'RAIN'];
      expect([kill, names().filter((each) => each.includes('Ch.'))]).toEqual([
        kill,
        [1, 2].map((number) => join('Old', fileOf(number, settled))),
      ]);
      expect([kill, await pagesOf(join(output, 'Old', fileOf(1, settled)))]).toEqual([kill, first]);
      const now = await pagesOf(join(output, 'Old', fileOf(2, settled)));
      expect([kill, now]).not.toEqual([kill, old]);
      const kept = readdirSync(output, { recursive: true, encoding: 'utf8' }).filter((each) =>
        each.endsWith('.replaced'),
      );
      expect([kill, await Promise.all(kept.map((each) => pagesOf(join(output, each))))]).toEqual([
        kill,
        [old],
      ]);
      expect([kill, (await again(words)).stdout]).toEqual([kill, '']);
    });
    expect(changes).toBeGreaterThan(10);
  }, 600_000);
});
