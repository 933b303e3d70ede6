/** The folder of one title may belong to another user: all other titles go on. */
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { tankobon } from '../../support/command.js';
import { posixTest } from '../../support/platform.js';
import { DAY_MS, syncLibrary, titleId } from '../../support/sync-harness.js';

/** Root may read and write any folder. */
const UID = process.getuid?.() === 0 ? 64_005 : process.getuid?.();

let service: PracticeService;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-forbidden-'));
  const library = syncLibrary(['Alpha', 'Beta'], Date.now() - 9 * DAY_MS);
  service = await startPracticeService({ library });
});
afterEach(async () => {
  await service.stop();
  chmodSync(join(folder, 'out', 'Alpha'), 0o700);
  rmSync(folder, { recursive: true, force: true });
});

posixTest('a title whose folder is forbidden fails alone, and is tried again', async () => {
  const alpha = join(folder, 'out', 'Alpha');
  mkdirSync(alpha, { recursive: true });
  const file = join(folder, 'subscriptions.yaml');
  const series = ['Alpha', 'Beta']
    .map((name) => `  - { target: "title:${titleId(name)}" }\n`)
    .join('');
  writeFileSync(file, `defaults: { output: out }\nseries:\n${series}`);
  for (const path of [folder, join(folder, 'out'), alpha, file])
    if (UID !== undefined) chownSync(path, UID, UID);
  chmodSync(alpha, 0);
  const env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
  const sync = () => tankobon(['sync', '--file', file], { env, ...(UID && { uid: UID }) });
  const { code, stderr } = await sync();
  expect({ code, stderr }).toEqual({
    code: 3,
    stderr: expect.stringContaining(`error: Permission denied (EACCES): ${alpha}\n`) as unknown,
  });
  expect(stderr).toContain('Alpha: 1 failed\nBeta: 2 new\n');
  chmodSync(alpha, 0o700);
  expect(await sync()).toMatchObject({ code: 0, stderr: expect.stringContaining('Alpha: 2 new') });
});
