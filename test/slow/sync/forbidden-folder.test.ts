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

/** Run by a user who may not do everything. */
const run = (...words: readonly string[]) => {
  const env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
  return tankobon(words, { env, ...(UID !== undefined && { uid: UID }) });
};

/** The folder of Alpha. */
function createFolders(): string {
  const alpha = join(folder, 'out', 'Alpha');
  mkdirSync(alpha, { recursive: true });
  const series = ['Alpha', 'Beta'].map((name) => `  - { target: "title:${titleId(name)}" }\n`);
  const file = join(folder, 'subscriptions.yaml');
  writeFileSync(file, `defaults: { output: out }\nseries:\n${series.join('')}`);
  for (const path of [folder, join(folder, 'out'), alpha, file])
    if (UID !== undefined) chownSync(path, UID, UID);
  return alpha;
}

const sync = () => run('sync', '--file', join(folder, 'subscriptions.yaml'));

posixTest('a title whose folder is forbidden fails alone, and is tried again', async () => {
  const alpha = createFolders();
  chmodSync(alpha, 0);
  const { code, stderr } = await sync();
  expect(stderr).toContain(`error: Permission denied (EACCES): ${alpha}\n`);
  expect(stderr).toContain('Alpha: 1 failed\nBeta: 2 new\n');
  expect(code).toBe(3);
  chmodSync(alpha, 0o700);
  expect(await sync()).toMatchObject({ code: 0, stderr: expect.stringContaining('Alpha: 2 new') });
});

posixTest('every command names a folder that it may not read, and not that of a disk', async () => {
  const alpha = createFolders();
  const out = join(folder, 'out');
  mkdirSync(join(out, 'lost+found'), { mode: 0o700 });
  expect((await sync()).code).toBe(0);
  chmodSync(alpha, 0);
  const problem = `Cannot read the folder (permission denied (EACCES)): ${alpha}\n`;
  const warned = { code: 0, stderr: expect.stringContaining(`warning: ${problem}`) as unknown };
  const failed = { code: 3, stderr: expect.stringContaining(`error: ${problem}`) as unknown };
  const notChecked = `warning: Not checked (permission denied): ${alpha}\n`;
  const runs = [
    await sync(),
    await run('overview', out),
    await run('download', `title:${titleId('Beta')}`, '--language', 'en', '--output', out),
    await run('bind', out, '--by', 'title', '--dry-run'),
    await run('retag', out, '--dry-run'),
    await run('adopt', out),
    await run('verify', out),
  ];
  expect(runs).toMatchObject([
    warned,
    warned,
    warned,
    failed,
    failed,
    failed,
    { code: 3, stderr: expect.stringContaining(notChecked) as unknown },
  ]);
  expect(runs.map(({ stderr }) => stderr).join('')).not.toContain('lost+found');
});
