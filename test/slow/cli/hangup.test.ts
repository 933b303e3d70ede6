/** A hangup that is ignored does not stop a download. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { PROGRAM } from '../../support/command.js';
import { longRunRows } from '../../support/long-run.js';
import { posixTest } from '../../support/platform.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0071';
const PAGES = 24;
const chapter = generateChapter({ id: ID, pages: PAGES, bytesPerPage: 2_000 });

let folder: string;
let service: PracticeService;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-hangup-'));
  service = await startPracticeService({ chapters: [chapter], latencyMs: { node: 80 } });
  env = {
    PATH: process.env['PATH'],
    ...service.environment,
    TANKOBON_HOME: join(folder, 'home'),
    OUT: join(folder, 'shelf'),
    NODE: process.execPath,
    PROGRAM,
  };
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const DOWNLOAD = `"$NODE" "$PROGRAM" download ${ID} --concurrency 2 -o "$OUT"`;

async function pagesAsked(count: number, child: ChildProcess): Promise<void> {
  while (service.log.filter(({ host }) => host === 'node').length < count) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error('The program ended too early.');
    await delay(20);
  }
}

const ended = (child: ChildProcess) =>
  new Promise<number | null>((done) => {
    child.once('close', done);
  });

const archives = () =>
  existsSync(join(folder, 'shelf'))
    ? readdirSync(join(folder, 'shelf'), { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.cbz'),
      )
    : [];

posixTest.each([
  ['nohup', `exec nohup ${DOWNLOAD}`],
  ...longRunRows(['a shell that ignores it', `trap '' HUP; exec ${DOWNLOAD}`]),
])('after %s a hangup stops nothing', async (_, script) => {
  const child = spawn('sh', ['-c', script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.resume();
  child.stderr.resume();
  const end = ended(child);
  await pagesAsked(6, child);
  child.kill('SIGHUP');
  await pagesAsked(10, child);
  child.kill('SIGHUP');
  expect(await end).toBe(0);
  expect(archives()).toHaveLength(1);
});
