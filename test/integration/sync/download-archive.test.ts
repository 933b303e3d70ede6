/** `--download-archive`: the convention of yt-dlp and gallery-dl, shared by processes. */
import fc from 'fast-check';
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXAMPLE_CHAPTERS } from '../../../src/practice-server/library/library.js';
import { openDownloadArchive } from '../../../src/download/download-archive.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { posixTest } from '../../support/platform.js';

const { starlightFirst, starlightSecond } = EXAMPLE_CHAPTERS;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-archive-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the file', () => {
  const archiveOf = (text: string) => {
    const file = join(folder, 'any');
    writeFileSync(file, text);
    return openDownloadArchive(file);
  };

  test('lines of other programs and incomplete lines do not count', async () => {
    const text = `youtube abc\r\n\uFEFFmangadex ${starlightFirst.toUpperCase()} \nmangadex ${starlightSecond.slice(0, 20)}`;
    const archive = await archiveOf(text);
    expect([archive.has(starlightFirst), archive.has(starlightSecond)]).toEqual([true, false]);
  });

  test('any text can be read, and holds what was written to it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.array(fc.uuid(), { maxLength: 5 }), async (noise, ids) => {
        const archive = await archiveOf(
          `${noise}\n${ids.map((id) => `mangadex ${id}\n`).join('')}`,
        );
        for (const id of ids) expect(archive.has(id)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test('a line that is longer than a piece of the file does not count, whatever it ends with', async () => {
    const long = 'x'.repeat(200_000);
    const archive = await archiveOf(
      `${long}mangadex ${starlightFirst}\n${' '.repeat(200_000)}x\nmangadex ${starlightSecond}\n`,
    );
    expect([archive.has(starlightFirst), archive.has(starlightSecond)]).toEqual([false, true]);
  });

  test('an incomplete last line is ended before the next one is appended', async () => {
    const file = join(folder, 'torn');
    writeFileSync(file, `mangadex ${starlightFirst}\nmangadex 52b06f`);
    const archive = await openDownloadArchive(file);
    await Promise.all([archive.add([starlightSecond]), archive.add([starlightSecond])]);
    expect(readFileSync(file, 'utf8')).toBe(
      `mangadex ${starlightFirst}\nmangadex 52b06f\nmangadex ${starlightSecond}\n`,
    );
    expect((await openDownloadArchive(file)).has(starlightSecond)).toBe(true);
  });

  test('two writers lose nothing', async () => {
    const file = join(folder, 'shared');
    const ids = Array.from(
      { length: 40 },
      (_, index) => `0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0${String(index).padStart(3, '0')}`,
    );
    const one = await openDownloadArchive(file);
    const other = await openDownloadArchive(file);
    await Promise.all(ids.map((id, index) => (index % 2 === 0 ? one : other).add([id])));
    const lines = readFileSync(file, 'utf8').trim().split('\n').sort();
    expect(lines).toEqual(ids.map((id) => `mangadex ${id}`));
  });

  posixTest('a link is refused', async () => {
    const file = join(folder, 'link');
    symlinkSync(join(folder, 'shared'), file);
    await expect(openDownloadArchive(file)).rejects.toMatchObject({ code: 'unsafe-path' });
  });
});

describe('a download', () => {
  let harness: DownloadHarness;
  afterEach(() => harness.stop());

  test('skips what the archive lists, though the CBZ is gone, and appends what it saves or finds', async () => {
    harness = await DownloadHarness.start();
    const archive = join(harness.folder, 'history.txt');
    const targets = [starlightFirst, starlightSecond];
    await harness.download({ targets: [starlightFirst] });
    const first = await harness.download({ targets, downloadArchive: archive });
    expect(first.code).toBe(0);
    const lines = readFileSync(archive, 'utf8').trim().split('\n').sort();
    const expected = [`folder "${harness.output}"`, ...targets.map((id) => `mangadex ${id}`)];
    expect(lines).toEqual(expected.sort());
    for (const file of harness.archives()) rmSync(file);
    const second = await harness.download({ targets, downloadArchive: archive });
    expect(second.events).toMatchObject([
      { type: 'chapter-skipped', reason: 'in-download-archive' },
      { type: 'chapter-skipped', reason: 'in-download-archive' },
      { type: 'summary', saved: 0, skipped: 2 },
    ]);
    expect(harness.archives()).toEqual([]);
    const forced = await harness.download({ targets, downloadArchive: archive, force: true });
    expect(forced.events.at(-1)).toMatchObject({ saved: 2 });
  });

  posixTest('an archive that cannot be read stops it before anything is sent', async () => {
    harness = await DownloadHarness.start();
    appendFileSync(join(harness.folder, 'file'), '');
    symlinkSync(join(harness.folder, 'file'), join(harness.folder, 'link'));
    const options = { targets: [starlightFirst], downloadArchive: join(harness.folder, 'link') };
    await expect(harness.download(options)).rejects.toMatchObject({ code: 'bad-output' });
    const inFolder = { ...options, downloadArchive: harness.folder };
    await expect(harness.download(inFolder)).rejects.toMatchObject({ exitCode: 2 });
    expect(harness.service.log).toEqual([]);
  });
});
