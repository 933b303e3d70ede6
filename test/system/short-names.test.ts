/** A file system that takes names of 143 bytes only, as the encrypted folders of some NAS do. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DownloadHarness } from '../support/download-harness.js';
import { mountSpecial, SMALL_DRIVE, SPECIAL_NEEDS } from '../support/drives.js';
import { tankobon } from '../support/command.js';
import { describeWith } from '../support/requirements.js';
import { chapter, title } from '../support/title-library.js';
import { createLibrary, uuidOf } from '../../src/practice-server/library/library.js';

describeWith('names of 143 bytes', SPECIAL_NEEDS, () => {
  let folder: string;
  let output: string;
  let unmount: () => void = () => undefined;
  let harness: DownloadHarness;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-short-'));
    unmount = await mountSpecial(folder, ['max-name=143']);
    output = join(folder, 'drive', 'comics');
    const titles = [title('long', 'A long name of a title '.repeat(12))];
    const library = createLibrary({ titles, chapters: [chapter('long', '1')] });
    harness = await DownloadHarness.start({ library });
  });
  afterAll(async () => {
    await harness.stop();
    unmount();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (...words: readonly string[]) =>
    tankobon(words, {
      env: {
        ...harness.service.environment,
        TANKOBON_HOME: join(folder, 'home'),
        ...SMALL_DRIVE,
      },
    });

  test('doctor measures what it takes, and leaves nothing', async () => {
    const { stdout } = await run('doctor', '--json', '-o', output);
    const line = stdout.split('\n').find((each) => each.includes('"check":"file-system"'));
    expect(line).toContain('names of at most 143 bytes');
    expect(readdirSync(join(folder, 'drive'))).toEqual([]);
  });

  test('a name that is too long is an error that says how to shorten it, and the shorter one is saved', async () => {
    const words = ['download', `title:${uuidOf('long')}`, '-l', 'en', '-o', output];
    const { code, stderr } = await run(...words);
    expect([code, stderr]).toEqual([3, expect.stringContaining('--name')]);
    expect((await run(...words, '--name', '{chapter:03}')).code).toBe(0);
    expect(readdirSync(output)).toEqual(['001.cbz']);
  });
});
