/** On a FUSE file system an open file that is removed leaves a hidden one behind for a moment. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Workspace } from '../../src/download/save/workspace.js';
import { systemClock } from '../../src/core/clock.js';
import { describeWith } from '../support/requirements.js';

const TIMES = 30;
const IMAGE_BYTES = 16 * 1024 * 1024;
let folder: string;
let mount: { readonly status: number | null; readonly stderr: string };

describeWith('a FUSE file system', { programs: ['fuse2fs'], root: true, fuse: true }, () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-fuse-'));
    const image = join(folder, 'image');
    writeFileSync(image, '');
    truncateSync(image, IMAGE_BYTES);
    execFileSync('mkfs.ext4', ['-q', image]);
    mkdirSync(join(folder, 'mounted'));
    mount = spawnSync('fuse2fs', [image, join(folder, 'mounted')], { encoding: 'utf8' });
  });
  afterAll(() => {
    if (mount.status === 0) execFileSync('umount', [join(folder, 'mounted')]);
    rmSync(folder, { recursive: true, force: true });
  });

  test('no workspace is left on FUSE', async () => {
    expect(mount.stderr).toBe('');
    const output = join(folder, 'mounted');
    const before = readdirSync(output);
    for (let time = 0; time < TIMES; time += 1) {
      const workspace = await Workspace.open({
        chapterId: `chapter-${time}`,
        target: join(output, `${time}.cbz`),
        output,
        quality: 'data',
        clock: systemClock,
      });
      await workspace.remove();
    }
    expect(readdirSync(output)).toEqual(before);
  });
});
