/** What a closed terminal does to a download: processes of their own, one of them at a real terminal. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { PROGRAM } from '../../support/command.js';

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
    CODE: join(folder, 'code'),
    EVENTS: join(folder, 'events'),
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

test.each([
  ['nohup', `exec nohup ${DOWNLOAD}`],
  ['a shell that ignores it', `trap '' HUP; exec ${DOWNLOAD}`],
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

/** Runs a script at a terminal of its own, which is closed when a line comes on standard input. */
const AT_TERMINAL = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp('sh', ['sh', '-c', sys.argv[1]])
sys.stdin.readline()
os.close(terminal)
os.waitpid(pid, 0)
`;

test('a closed terminal stops the run in order: exit 130, and the finished pages are kept', async () => {
  // The shell passes the hangup on, as bash does, and writes the exit code down; the events are in a file.
  const script =
    `${DOWNLOAD} --json > "$EVENTS" & trap "kill -HUP $!; kill -HUP $!" HUP; ` +
    `wait $!; wait $!; echo $? > "$CODE"`;
  const child = spawn('python3', ['-c', AT_TERMINAL, script], {
    env,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  child.stderr.resume();
  const end = ended(child);
  await pagesAsked(8, child);
  child.stdin.end('close\n');
  await end;
  for (let tries = 0; tries < 200 && !existsSync(join(folder, 'code')); tries += 1) await delay(50);
  expect(readFileSync(join(folder, 'code'), 'utf8').trim()).toBe('130');
  const events = readFileSync(join(folder, 'events'), 'utf8').trim().split('\n');
  expect(JSON.parse(events.at(-1) ?? '{}')).toMatchObject({ type: 'summary', saved: 0 });
  const loaded = events.filter((line) => line.includes('"page-loaded"')).length;
  expect(loaded).toBeGreaterThanOrEqual(4);
  expect(archives()).toEqual([]);
});
