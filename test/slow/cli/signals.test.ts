/**
 * Ctrl-C and SIGTERM while a settings file exists: each command stops cleanly and says so. For `sync --every`, see
 * test/slow/sync/sync-commands.test.ts.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { PNG_SIGNATURE, pngChunk, pngHeader } from '../../../src/core/png.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { chapterId, testImage, writeChapterFile } from '../../support/chapter-files.js';
import { start, type Running } from '../../support/command.js';
import { IS_LONG_RUN, longRunRows } from '../../support/long-run.js';
import { linuxTest, posixDescribe } from '../../support/platform.js';
import { DAY_MS, syncChapter, syncTitle, titleId } from '../../support/sync-harness.js';
import { createLibrary } from '../../../src/practice-server/library/library.js';

const ALPHA = titleId('Alpha');
const PAGES = 24;
/** The size of a page whose decoding takes longer than a test needs to end it. */
const DECODED_BYTES = 128 * 2 ** 20;
/** Both have one listener: in a short run, sync-commands.test.ts shows that they do the same. */
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', ...longRunRows<NodeJS.Signals>('SIGTERM')];
const PAUSE_STEP_MS = IS_LONG_RUN ? 20 : 120;

let folder: string;
let service: PracticeService;
let env: Record<string, string>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-signals-'));
  const chapter = syncChapter('Alpha', '1', Date.now() - DAY_MS, {}, PAGES);
  const library = createLibrary({ titles: [syncTitle('Alpha')], chapters: [chapter] });
  service = await startPracticeService({ library, latencyMs: { node: 60 } });
  const home = join(folder, 'home');
  mkdirSync(home);
  writeFileSync(join(home, 'settings.json'), '{"concurrency":2,"reports":true}');
  writeFileSync(
    join(home, 'subscriptions.yaml'),
    `defaults: { output: ${join(folder, 'out')} }\nseries: [{ target: title:${ALPHA} }]\n`,
    { mode: 0o600 },
  );
  env = { ...service.environment, TANKOBON_HOME: home };
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Fails if the command ends before. */
async function until(isReady: () => boolean, { child }: Running): Promise<void> {
  while (!isReady()) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error('It ended too early.');
    await delay(5);
  }
}

const requestsTo = (host: string) => service.log.filter((entry) => entry.host === host).length;

/** Starts the command, and sends it the signal when it is ready. The pages after the first eight never arrive. */
async function interrupted(
  words: readonly string[],
  signal: NodeJS.Signals,
  isReady: (running: Running) => () => boolean,
) {
  const running = start(words, { env });
  await until(isReady(running), running);
  running.child.kill(signal);
  return running.finished;
}

const pagesArrived = () => () => requestsTo('node') >= 8;
const hasPrinted = (text: string) => (running: Running) => {
  let all = '';
  for (const stream of [running.child.stdout, running.child.stderr])
    stream.on('data', (chunk: string) => (all += chunk));
  return () => all.includes(text);
};

const lastLine = (stdout: string) => JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as unknown;

posixDescribe.each(SIGNALS)('%s with a settings file', (signal) => {
  test('download keeps the finished pages, writes its summary and exits with 130', async () => {
    const words = ['download', ALPHA, '-o', join(folder, 'out'), '--json'];
    const { code, stdout, stderr } = await interrupted(words, signal, pagesArrived);
    expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining('hint: Run') });
    expect(lastLine(stdout)).toMatchObject({ type: 'summary', saved: 0 });
    const finished = stdout.split('\n').filter((line) => line.includes('"page-loaded"')).length;
    expect(finished).toBeGreaterThan(0);
    const again = await start(words, { env }).finished;
    expect(again.code).toBe(0);
    const loaded = again.stdout.split('\n').filter((line) => line.includes('"page-loaded"'));
    expect(loaded.length + finished).toBe(PAGES);
  });

  test('sync writes its report page and summary and exits with 130', async () => {
    const page = join(folder, 'report.html');
    const words = ['sync', '--json', '--html', page];
    const { code, stdout } = await interrupted(words, signal, pagesArrived);
    expect(code).toBe(130);
    expect(lastLine(stdout)).toMatchObject({ type: 'summary' });
    expect(await readFile(page, 'utf8')).toContain('</html>');
  });

  test('bind exits with 130 and leaves nothing unfinished', async () => {
    const image = await testImage('gif', 1, { width: 800, height: 800 });
    const images = Array.from({ length: 40 }, () => image);
    await writeChapterFile(join(folder, 'in/1.cbz'), {
      id: chapterId(1),
      number: '1',
      volume: '1',
      images,
    });
    const output = join(folder, 'out');
    const words = ['bind', join(folder, 'in'), '--format', 'pdf', '-o', output, '--json'];
    const hasBegun = () => () => existsSync(output) && readdirSync(output).length > 0;
    const { code, stdout, stderr } = await interrupted(words, signal, hasBegun);
    expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining('Interrupted') });
    expect(stdout).not.toContain('book-saved');
    expect(lastLine(stdout)).toMatchObject({ type: 'bind-summary', saved: 0, failed: 0 });
    expect(existsSync(output) ? readdirSync(output) : []).toEqual([]);
  });

  test.each<[string, () => string[]]>([
    ['retag', () => ['retag', join(folder, 'in')]],
    ['download before its first response', () => ['download', ALPHA, '-o', join(folder, 'out')]],
    ...longRunRows<[string, () => string[]]>(['search', () => ['search', 'alpha']]),
  ])('%s waiting for the service exits with 130', async (_, words) => {
    await writeChapterFile(join(folder, 'in/1.cbz'), {
      id: chapterId(1),
      images: [await testImage('jpeg')],
    });
    await service.stop();
    service = await startPracticeService({ latencyMs: { api: 60_000 } });
    env = { ...env, ...service.environment };
    const received = () => () => requestsTo('api') > 0;
    const run = await interrupted(words(), signal, received);
    expect(run).toMatchObject({ code: 130, stderr: expect.stringContaining('Interrupted') });
  });

  test('demo exits with 130, demo --serve with 0, and both remove their temporary folder', async () => {
    env = { ...env, TMPDIR: folder };
    const before = readdirSync(folder);
    const words = ['demo', '-o', join(folder, 'home')];
    const demo = await interrupted(words, signal, hasPrinted('downloading chapter'));
    expect(demo.code).toBe(130);
    const serve = await interrupted(['demo', '--serve'], signal, hasPrinted('tankobon whoami'));
    expect(serve.code).toBe(0);
    expect(readdirSync(folder)).toEqual(before);
  });

  test('config set leaves the file whole, with the old value or with the new one', async () => {
    const file = join(folder, 'home', 'settings.json');
    for (let pauseMs = 20; pauseMs <= 200; pauseMs += PAUSE_STEP_MS) {
      const { child, finished } = start(['config', 'set', 'quality', 'data-saver'], { env });
      await delay(pauseMs);
      child.kill(signal);
      await finished;
      expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ concurrency: 2 });
    }
    expect((await start(['config', 'set', 'quality', 'data'], { env }).finished).code).toBe(0);
    expect(readdirSync(join(folder, 'home')).sort()).toEqual([
      'settings.json',
      'subscriptions.yaml',
    ]);
  });
});

posixDescribe('the second signal', () => {
  test('ends a command that the first one did not, with 130', async () => {
    const running = start(['demo', '--serve'], { env: withoutEnd() });
    await until(hasPrinted('tankobon whoami')(running), running);
    const stopping = new Promise((resolve) => running.child.stderr.once('data', resolve));
    running.child.kill('SIGTERM');
    await stopping;
    running.child.kill('SIGTERM');
    expect(await running.finished).toMatchObject({ code: 130 });
  });

  test('ends a process with a thread that is blocked in the system', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    // A thread of Node waits for a writer that never comes.
    const blocking = `import { open } from 'node:fs'; open(${JSON.stringify(pipe)}, 'r', () => {});`;
    const running = start(['download', ALPHA, '-o', join(folder, 'out')], {
      env: { ...env, NODE_OPTIONS: imported(blocking) },
    });
    await until(pagesArrived(), running);
    running.child.kill('SIGINT');
    running.child.kill('SIGTERM');
    const { code, signal } = await running.finished;
    // A shell reports both as 130.
    expect(signal ?? code).toBe('SIGINT');
  });

  linuxTest.each<[string, () => Buffer]>([
    ['PNG', () => largePng()],
    ...longRunRows<[string, () => Buffer]>(['GIF', () => largeGif()]),
  ])('ends a bind that decodes a %s of 128 MiB, and leaves no book', async (_, image) => {
    const input = join(folder, 'in/1.cbz');
    const chapter = { id: chapterId(1), number: '1', volume: '1' };
    await writeChapterFile(input, { ...chapter, images: [image()] });
    const output = join(folder, 'out');
    const running = start(['bind', input, '--format', 'pdf', '-o', output, '--json'], { env });
    // It has most of the pixels, and works on them for longer than the rest of the test takes.
    await until(() => residentBytes(running) > 0.75 * DECODED_BYTES, running);
    running.child.kill('SIGINT');
    running.child.kill('SIGTERM');
    const { code, signal, stdout } = await running.finished;
    expect(signal ?? code).toBe(signal === null ? 130 : 'SIGINT');
    expect(stdout).not.toContain('book-saved');
    const left = existsSync(output) ? readdirSync(output, { recursive: true }) : [];
    expect(left.join()).not.toMatch(/\.pdf(,|$)/);
    expect(existsSync(input)).toBe(true);
  });

  function residentBytes({ child }: Running): number {
    const status = readFileSync(`/proc/${child.pid ?? 0}/status`, 'utf8');
    return Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  }

  /** Its filter takes the longest. */
  function largePng(): Buffer {
    const [width, height] = [8_192, DECODED_BYTES / 4 / 8_192];
    const rows = Buffer.alloc((1 + 4 * width) * height, 7);
    for (let row = 0; row < height; row += 1) rows[row * (1 + 4 * width)] = 4;
    return Buffer.concat([
      PNG_SIGNATURE,
      pngHeader(width, height, 'rgba'),
      pngChunk('IDAT', deflateSync(rows, { level: 1 })),
      pngChunk('IEND', Buffer.alloc(0)),
    ]);
  }

  /** Its screen is empty but for its first pixels, and so transparent. */
  function largeGif(): Buffer {
    const gif = Buffer.alloc(13 + 6 + 10);
    gif.write('GIF89a', 'latin1');
    for (const offset of [6, 24]) gif.writeUInt16LE(8_192, offset);
    for (const offset of [8, 26]) gif.writeUInt16LE(DECODED_BYTES / 4 / 8_192, offset);
    gif[10] = 0x80;
    gif[19] = 0x2c;
    return Buffer.concat([gif, Buffer.from('02024401003b', 'hex')]);
  }

  const imported = (script: string) =>
    `--import=data:text/javascript,${encodeURIComponent(script)}`;

  /** A program that says that it was interrupted, and then cannot end. */
  const withoutEnd = () => ({
    ...env,
    NODE_OPTIONS: imported(`
      import { Server } from 'node:http';
      Server.prototype.close = function () { console.error('stopping'); };`),
  });
});
