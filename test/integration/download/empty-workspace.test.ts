/** An empty workspace is removed, even if the file system removes files with a delay. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Workspace } from '../../../src/download/save/workspace.js';
import { systemClock } from '../../../src/core/clock.js';

let output: string;
let pauses: number;
beforeEach(() => {
  output = mkdtempSync(join(tmpdir(), 'tankobon-workspace-'));
  pauses = 0;
});
afterEach(() => {
  rmSync(output, { recursive: true, force: true });
});

function take(onSleep: (folder: string) => void): Promise<Workspace> {
  const chapterId = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0501';
  const folder = join(output, `.${chapterId}.data.tankobon`);
  return Workspace.open({
    chapterId,
    target: join(output, 'a.cbz'),
    output,
    quality: 'data',
    clock: {
      ...systemClock,
      sleep: () => {
        pauses += 1;
        onSleep(folder);
        return Promise.resolve();
      },
    },
  });
}

test.each(['.fuse_hidden0000006800000033', '.nfs000000000012ab3400000001'])(
  '%s exists for a moment after the lock was removed: the folder is removed after it',
  async (name) => {
    const workspace = await take((folder) => {
      if (pauses === 3) rmSync(join(folder, name));
    });
    writeFileSync(join(workspace.folder, name), '');
    await workspace.remove();
    expect(existsSync(workspace.folder)).toBe(false);
  },
);

test('a file that is never removed: the folder stays after a bounded number of tries', async () => {
  const workspace = await take(() => undefined);
  writeFileSync(join(workspace.folder, '.nfs000000000012ab3400000001'), '');
  await workspace.remove();
  expect(existsSync(workspace.folder)).toBe(true);
  expect(pauses).toBeLessThan(30);
});

test("another program's file: the folder stays, without a wait", async () => {
  const workspace = await take(() => undefined);
  writeFileSync(join(workspace.folder, 'notes.txt'), '');
  await workspace.remove();
  expect(readdirSync(workspace.folder)).toEqual(['notes.txt']);
  expect(pauses).toBe(0);
});
