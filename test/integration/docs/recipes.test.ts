/** The batch script of docs/scripting.md runs as it stands there. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXAMPLE_TITLES } from '../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { PROGRAM } from '../../support/command.js';
import { posixTest } from '../../support/platform.js';

let folder: string;
let service: PracticeService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-recipe-'));
  service = await startPracticeService();
  const [, script = ''] =
    /<!-- recipe: nightly\.sh -->\n+```sh\n([\s\S]*?)```/.exec(
      readFileSync('docs/scripting.md', 'utf8'),
    ) ?? [];
  writeFileSync(join(folder, 'nightly.sh'), script);
  writeFileSync(
    join(folder, 'tankobon'),
    `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`,
  );
  for (const name of ['nightly.sh', 'tankobon']) chmodSync(join(folder, name), 0o755);
  writeFileSync(join(folder, 'titles.txt'), `# what I read\ntitle:${EXAMPLE_TITLES.starlight}\n`);
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

function nightly(): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const env = {
    ...service.environment,
    PATH: `${folder}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    TANKOBON_HOME: join(folder, 'home'),
  };
  return new Promise((done) => {
    const child = execFile(
      'sh',
      ['nightly.sh', 'titles.txt', 'Comics'],
      { cwd: folder, env },
      (_error, stdout, stderr) => {
        done({ code: child.exitCode, stdout, stderr });
      },
    );
  });
}

posixTest('it fetches what is new, and the next night nothing', async () => {
  const first = await nightly();
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toMatch(/^.*\d\d:\d\d:\d\d.*\n(Comics\/.*\.cbz\n){2}Up to date\.\n$/);
  const files = readdirSync(join(folder, 'Comics'), { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => name.endsWith('.cbz'))).toHaveLength(2);
  const loads = () => service.log.filter(({ host }) => host === 'node').length;
  const before = loads();
  expect(await nightly()).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/^.*\nUp to date\.\n$/),
  });
  expect(loads()).toBe(before);
});

posixTest('a ban is reported as the script documents it', async () => {
  service.ban();
  const { code, stdout } = await nightly();
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining('Rate limited or banned'),
  });
});
