/** The main job as a user does it: the compiled program, in a process of its own, against the practice service. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeOptions,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { start, tankobon } from '../../support/command.js';
import { tankobonHere } from '../../support/in-process.js';
import { IS_LONG_RUN } from '../../support/long-run.js';
import { readArchive, readPages } from '../../support/archive.js';
import { posixTest } from '../../support/platform.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0011';
const chapter = generateChapter({ id: ID, pages: 24, bytesPerPage: 60_000 });

const KILLS = IS_LONG_RUN ? 8 : 1;

let folder: string;
let service: PracticeService | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-cli-'));
});
afterEach(async () => {
  await service?.stop();
  service = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function serve(
  options: PracticeOptions = {},
): Promise<{ env: Record<string, string>; service: PracticeService }> {
  service = await startPracticeService({ chapters: [chapter], ...options });
  return { env: { ...service.environment, TANKOBON_HOME: join(folder, 'home') }, service };
}

const sha256 = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
const cbzBelow = (where: string) =>
  readdirSync(where, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.cbz'));

test('the demo writes a complete CBZ and prints its path', async () => {
  const { code, stdout } = await tankobon(['demo'], { cwd: folder });
  expect(code).toBe(0);
  const file = join(folder, stdout.trim());
  expect(await readPages(file)).toHaveLength(12);
});

test('demo --serve that is interrupted while it starts ends', async () => {
  const signal = AbortSignal.abort();
  expect(await tankobonHere(['demo', '--serve'], { env: {}, signal })).toMatchObject({ code: 0 });
});

posixTest(
  'download fetches from a practice service that another process keeps up, by the environment it prints',
  async () => {
    const serving = start(['demo', '--serve']);
    const messages = new Promise<string>((resolve) => {
      let text = '';
      serving.child.stderr.on('data', (chunk: string) => {
        text += chunk;
        if (text.includes('tankobon whoami')) resolve(text);
      });
    });
    let printed = '';
    serving.child.stdout.on('data', (text: string) => (printed += text));
    while (!printed.includes('TANKOBON_CLIENT_SECRET=') && serving.child.exitCode === null)
      await delay(50);
    const env = Object.fromEntries(
      [...printed.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
        name,
        value.replace(/^'(.*)'$/, '$1'),
      ]),
    );
    const { code, stdout } = await tankobonHere(
      ['download', '5f2d0c1e-7a44-4c39-9d10-0b6f6f3a1c01', '-o', folder],
      { env },
    );
    expect(code).toBe(0);
    await readArchive(stdout.trim());
    const suggested = [...(await messages).matchAll(/^ {2}tankobon (.*?)(?: {3}.*)?$/gm)].map(
      ([, words = '']) => words.split(' '),
    );
    expect(suggested.map(([command]) => command)).toEqual([
      'search',
      'download',
      'download',
      'login',
      'whoami',
    ]);
    for (const words of suggested) {
      // By default, downloads would be in the folder of the tests.
      const output = words[0] === 'download' ? ['-o', folder] : [];
      expect(await tankobonHere([...words, ...output], { env })).toMatchObject({ code: 0 });
    }
    serving.child.kill('SIGINT');
    expect((await serving.finished).code).toBe(0);
  },
);

test('a service that knows only the endpoints of the specification still yields a CBZ, named by the id', async () => {
  const { env } = await serve({ specificationOnly: true });
  const { code, stdout } = await tankobonHere(['download', ID, '-o', folder], { env });
  expect(code).toBe(0);
  expect(stdout.trim()).toBe(join(folder, `${ID}.cbz`));
  await readArchive(stdout.trim());
});

test('the same chapter into two folders gives identical bytes, whatever the time zone', async () => {
  const { env } = await serve();
  const one = await tankobonHere(['download', ID, '-o', join(folder, 'a')], { env });
  // Its days begin 14 hours before those of UTC.
  const TZ = 'Pacific/Kiritimati';
  const two = await tankobon(['download', ID, '-o', join(folder, 'b')], { env: { ...env, TZ } });
  expect([one.code, two.code]).toEqual([0, 0]);
  expect(sha256(two.stdout.trim())).toBe(sha256(one.stdout.trim()));
});

test('killed at several moments and started again each time: in the end one whole CBZ, never a broken one', async () => {
  const { env, service: running } = await serve({ latencyMs: { node: 40 } });
  const output = join(folder, 'shelf');
  for (let round = 0; round < KILLS; round += 1) {
    const before = running.log.length;
    const { child, finished } = start(['download', ID, '-o', output, '--concurrency', '2'], {
      env,
    });
    // Without a request the next run would wait: it may take a ledger that was just created for a lost one.
    while (running.log.length === before && child.exitCode === null) await delay(5);
    await delay(Math.random() * 600);
    child.kill('SIGKILL');
    await finished;
    try {
      for (const name of cbzBelow(output)) await readArchive(join(output, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  const { code, stderr } = await tankobon(['download', ID, '-o', output], { env });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const [name = '', ...others] = cbzBelow(output);
  expect(others).toEqual([]);
  await readArchive(join(output, name));
  expect(readdirSync(output).filter((entry) => entry.startsWith('.'))).toEqual([]);
});

posixTest(
  'Ctrl-C does not wait for loads under way, keeps the finished pages, and the next run loads nothing twice',
  async () => {
    const { env, service: running } = await serve({ latencyMs: { node: 60 } });
    const output = join(folder, 'shelf');
    const isPage = ({ host, status }: { host: string; status: number }) =>
      host === 'node' && status === 200;
    const { child, finished } = start(
      ['download', ID, '-o', output, '--concurrency', '2', '--json'],
      { env },
    );
    while (running.log.filter(isPage).length < 8) await delay(20);
    // A run that waited for these loads would outlast this test.
    running.injectPageFaults({ fault: 'hang', attempts: 'always' });
    child.kill('SIGINT');
    const first = await finished;
    expect(first.code).toBe(130);
    running.clearPageFaults();
    const loaded = (text: string) =>
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as { type: string; page?: number })
        .filter(({ type }) => type === 'page-loaded')
        .map(({ page }) => page);
    const before = loaded(first.stdout);
    expect(before.length).toBeGreaterThanOrEqual(4);
    const second = await tankobon(['download', ID, '-o', output, '--json'], { env });
    expect(second.code).toBe(0);
    const after = loaded(second.stdout);
    expect(after.filter((page) => before.includes(page))).toEqual([]);
    expect(before.length + after.length).toBe(24);
  },
);

test('every request says who sends it, carries no Via, and breaks no rule', async () => {
  const { env, service: running } = await serve();
  await tankobonHere(['download', ID, '-o', folder], { env });
  expect(running.violations()).toEqual([]);
  const agents = new Set(running.log.map(({ headers }) => headers['user-agent']));
  expect([...agents]).toEqual([
    expect.stringMatching(/^tankobon\/\d+\.\d+\.\d+ node\/\d+\.\d+\.\d+$/),
  ]);
});

test.each([
  [
    'a word',
    ['download', 'naruto'],
    /Not a chapter, title or list: "naruto"\nhint: .*tankobon search naruto\n/,
  ],
  ['nothing', ['download'], /Say what to download: a MangaDex URL, or: tankobon search WORDS\n/],
  ['an unknown flag', ['download', '--forse', ID], /--force/],
  ['a quality that is none', ['download', '-q', 'best', ID], /data, data-saver/],
  ['too many pages at once', ['download', '--concurrency', '17', ID], /from 1 to 16/],
  ['an unknown command', ['downlaod'], /download/],
  ['an unknown command before a target', ['downlaod', ID], /Did you mean download/],
])('%s is exit 2 with a sentence that shows a right one', async (_what, words, sentence) => {
  const { code, stderr } = await tankobonHere(words, {
    env: { TANKOBON_HOME: join(folder, 'home') },
  });
  expect(code).toBe(2);
  expect(stderr).toMatch(sentence);
});
