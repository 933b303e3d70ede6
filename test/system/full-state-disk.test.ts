/** A disk that is full where the state is kept, but not where the chapters go. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateChapter } from '../../src/practice-server/library/generated-chapter.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { PROGRAM } from '../support/command.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0099';
const PAGES = 12;
const canMount =
  spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'true']).status === 0;

let service: PracticeService;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-full-state-'));
  const chapter = generateChapter({ id: ID, pages: PAGES, bytesPerPage: 5_000 });
  service = await startPracticeService({ chapters: [chapter] });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

if (canMount) {
  test('reports are sent from memory, with one warning, and the chapter is saved', async () => {
    mkdirSync(join(folder, 'home'));
    const script =
      'mount -t tmpfs -o size=64k,mode=700 none home && { cat /dev/zero > home/full 2>/dev/null; true; } && ' +
      `"$NODE" "$PROGRAM" download ${ID} --json -o output`;
    const variables = {
      ...service.environment,
      PATH: process.env['PATH'],
      NODE: process.execPath,
      PROGRAM,
      TANKOBON_HOME: join(folder, 'home'),
      TANKOBON_LEDGER: join(folder, 'ledger'),
    };
    // Not the synchronous kind: the practice service lives in this process and must answer meanwhile.
    const run = await new Promise<{ code: number | null; stdout: string; stderr: string }>(
      (done) => {
        const child = execFile(
          'unshare',
          ['--user', '--map-root-user', '--mount', 'sh', '-c', script],
          { cwd: folder, env: variables },
          (_error, stdout, stderr) => {
            done({ code: child.exitCode, stdout, stderr });
          },
        );
      },
    );
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout).toContain('"chapter-saved"');
    // The event, and the message for people.
    expect(run.stdout.match(/^{"type":"warning",.*cannot be stored/gm)).toHaveLength(1);
    expect(run.stderr.match(/cannot be stored/g)).toHaveLength(1);
    expect(service.reports).toHaveLength(PAGES);
    expect(new Set(service.reports.map(({ url }) => url)).size).toBe(PAGES);
  });

  test('compiled code that does not fit takes no space', () => {
    const home = join(folder, 'small');
    mkdirSync(home);
    const script =
      'mount -t tmpfs -o size=200k,mode=700 none small && ' +
      '"$NODE" "$PROGRAM" limits >/dev/null && ls small && find small -type f';
    const variables = { ...process.env, NODE: process.execPath, PROGRAM, TANKOBON_HOME: home };
    const words = ['--user', '--map-root-user', '--mount', 'sh', '-c', script];
    const options = { cwd: folder, env: variables, encoding: 'utf8' } as const;
    const { status, stdout } = spawnSync('unshare', words, options);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'code-cache\n' });
  });
} else {
  test('skipped: needs unshare, to fill a disk of its own', () => {
    expect(canMount).toBe(false);
  });
}
