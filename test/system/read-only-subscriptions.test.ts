/** A subscriptions file that cannot be written, as one that is mounted read-only into a container: its path names its history. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { tankobon } from '../support/command.js';
import { describeWith } from '../support/requirements.js';
import { DAY_MS, syncLibrary, titleId } from '../support/sync-harness.js';

describeWith('a subscriptions file on a read-only file system', { root: true, linux: true }, () => {
  let folder: string;
  let service: PracticeService;
  const config = () => join(folder, 'config');
  const file = () => join(config(), 'subscriptions.yaml');
  const text = () =>
    `series:\n  - { target: 'title:${titleId('Alpha')}', output: ${join(folder, 'out')} }\n`;
  const mount = (...args: readonly string[]) => {
    const { status, stderr } = spawnSync('mount', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-read-only-'));
    mkdirSync(config());
    writeFileSync(file(), text(), { mode: 0o600 });
    mount('--bind', config(), config());
    mount('-o', 'remount,bind,ro', config());
    service = await startPracticeService({
      library: syncLibrary(['Alpha'], Date.now() - 9 * DAY_MS),
    });
  });
  afterEach(async () => {
    await service.stop();
    spawnSync('umount', [config()]);
    rmSync(folder, { recursive: true, force: true });
  });

  test('stays as it is, and deleted chapters stay deleted', async () => {
    const sync = () =>
      tankobon(['sync', '--quiet', '--file', file()], {
        env: { ...service.environment, TANKOBON_HOME: join(folder, 'home') },
      });
    expect(await sync()).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(file(), 'utf8')).toBe(text());
    rmSync(join(folder, 'out', 'Alpha'), { recursive: true });
    writeFileSync(join(folder, 'out', 'other'), '');
    expect((await sync()).code).toBe(0);
    expect(readdirSync(join(folder, 'out'))).toEqual(['other']);
  });
});
