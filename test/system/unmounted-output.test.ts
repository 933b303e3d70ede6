/** `sync` while the disk of its output folder is not mounted: a tmpfs that comes and goes over the mount point. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { tankobon } from '../support/command.js';
import { describeWith } from '../support/requirements.js';
import { DAY_MS, HOUR_MS, syncChapter, syncLibrary, titleId } from '../support/sync-harness.js';

const run = (program: string, ...args: readonly string[]): void => {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
};

describeWith('an output folder on a disk', { root: true, linux: true }, () => {
  let folder: string;
  let service: PracticeService;
  let unmount: (() => void) | undefined;
  let onRequest: ((path: string) => void) | undefined;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-unmounted-'));
    mkdirSync(disk());
    mkdirSync(output());
    run('mount', '-t', 'tmpfs', 'none', disk());
    mountOutput();
    service = await startPracticeService({
      library: syncLibrary(['Alpha'], Date.now() - 9 * DAY_MS),
      onRequest: ({ path }) => onRequest?.(path),
    });
    const text = `series:\n  - { target: 'title:${titleId('Alpha')}', output: nas }\n`;
    writeFileSync(file(), text, { mode: 0o600 });
  });
  afterEach(async () => {
    await service.stop();
    unmount?.();
    run('umount', disk());
    rmSync(folder, { recursive: true, force: true });
  });

  const disk = () => join(folder, 'disk');
  const output = () => join(folder, 'nas');
  const file = () => join(folder, 'subscriptions.yaml');
  const mountOutput = () => {
    run('mount', '--bind', disk(), output());
    unmount = () => {
      run('umount', output());
      unmount = undefined;
    };
  };
  const command = (...words: readonly string[]) =>
    tankobon([...words, '--file', file()], {
      env: { ...service.environment, TANKOBON_HOME: join(folder, 'home') },
    });
  const put = (number: string) => {
    service.library.putChapter(syncChapter('Alpha', number, Date.now() - HOUR_MS));
  };
  const archives = () =>
    readdirSync(output(), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.cbz'),
    );

  test('gets every chapter once, also those of runs while it was not mounted', async () => {
    expect(await command('sync', '--quiet')).toMatchObject({ code: 0, stderr: '' });
    for (const number of ['3', '4']) {
      put(number);
      unmount?.();
      const { code, stderr } = await command('sync', '--quiet');
      expect(code).toBe(3);
      expect(stderr).toContain(`The output folder is empty, and chapters were saved in it before`);
      expect((await command('doctor')).stdout).toContain(`--new-folder ${output()}`);
      expect(readdirSync(output())).toEqual([]);
      mountOutput();
    }
    expect(await command('sync', '--quiet')).toMatchObject({ code: 0, stderr: '' });
    expect(archives()).toHaveLength(4);
  });

  test('that is unmounted within a run: no chapter is saved on the disk of the mount point', async () => {
    unmount?.();
    writeFileSync(join(output(), 'read.me'), '');
    mountOutput();
    expect((await command('sync', '--quiet')).code).toBe(0);
    put('3');
    onRequest = (path) => {
      if (!path.startsWith('/manga/')) return;
      onRequest = undefined;
      unmount?.();
    };
    const { code, stderr } = await command('sync', '--quiet');
    expect(code).toBe(3);
    expect(stderr).toContain('The output folder is not on the disk any more');
    expect(readdirSync(output())).toEqual(['read.me']);
    mountOutput();
    expect(await command('sync', '--quiet')).toMatchObject({ code: 0, stderr: '' });
    expect(archives()).toHaveLength(3);
  });
});
