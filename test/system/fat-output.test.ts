/** A FAT drive as the output folder: no links, no modes, names without regard to case. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateChapter } from '../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { readPages } from '../support/archive.js';
import { tankobon } from '../support/command.js';
import { describeWith } from '../support/requirements.js';

const IDS = [1, 2, 3].map((number) => `0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f008${number}`);
const PAGES = 4;
const IMAGE_BYTES = 64 * 1024 * 1024;
const needs = { programs: ['fusefat', 'mkfs.vfat'], root: true, fuse: true } as const;

describeWith('a FAT file system', needs, () => {
  let folder: string;
  let drive: string;
  let service: PracticeService;
  let mount: { readonly status: number | null };
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-fat-'));
    drive = join(folder, 'drive');
    const image = join(folder, 'image');
    writeFileSync(image, '');
    truncateSync(image, IMAGE_BYTES);
    execFileSync('mkfs.vfat', [image], { stdio: 'ignore' });
    mkdirSync(drive);
    mount = spawnSync('fusefat', ['-o', 'rw+', image, drive], { stdio: 'ignore' });
    const chapters = IDS.map((id, seed) =>
      generateChapter({ id, pages: PAGES, bytesPerPage: 5_000, seed }),
    );
    service = await startPracticeService({ chapters });
  });
  afterAll(async () => {
    await service.stop();
    if (mount.status === 0) execFileSync('umount', [drive]);
    rmSync(folder, { recursive: true, force: true });
  });

  const download = (...words: string[]) =>
    tankobon(['download', ...words, '--quiet'], {
      env: { ...service.environment, TANKOBON_HOME: join(folder, 'home') },
    });

  test('chapters are saved whole, also under names that FAT does not have, and found again', async () => {
    expect(mount.status).toBe(0);
    const output = join(drive, 'comics');
    // Reserved on Windows, with characters that FAT lacks, and the same but for the case.
    const names = ['CON.cbz', 'Comic: 1?.cbz', 'COMIC_ 1_.cbz'];
    for (const [index, id] of IDS.entries()) {
      const words = [id, '-o', output, '--name', names[index] ?? ''];
      expect(await download(...words)).toMatchObject({ code: 0, stderr: '' });
    }
    const files = readdirSync(output).filter((name) => name.endsWith('.cbz'));
    expect(new Set(files.map((name) => name.toLowerCase())).size).toBe(IDS.length);
    for (const file of files) expect(await readPages(join(output, file))).toHaveLength(PAGES);
    expect(readdirSync(output).filter((name) => !name.endsWith('.cbz'))).toEqual([]);
    const again = await download(...IDS, '-o', output, '--json');
    expect(again.code).toBe(0);
    expect(again.stdout).toContain('"skipped":3');
  });
});
