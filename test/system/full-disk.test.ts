/** A disk that is full or read-only, as a tmpfs in a mount namespace of its own. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateChapter } from '../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { PROGRAM, tankobon } from '../support/command.js';
import { describeWith } from '../support/requirements.js';
import { DAY_MS, syncLibrary, titleId } from '../support/sync-harness.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0051';
let service: PracticeService;
let folder: string;
beforeAll(async () => {
  const chapter = generateChapter({ id: ID, pages: 20, bytesPerPage: 60_000 });
  service = await startPracticeService({ chapters: [chapter], specificationOnly: true });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-disk-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});
afterAll(() => service.stop());

/** Runs a command on a tmpfs that is mounted with these options, then lists what is left there. */
async function runOnto(
  options: string,
  {
    words = `download ${ID}`,
    flags = '--json -o "$OUTPUT"',
    afterMount = 'true',
    list = 'ls -A "$OUTPUT"',
    minFree = 'false',
  } = {},
) {
  const output = join(folder, 'output');
  mkdirSync(output);
  const script =
    `mount -t tmpfs -o ${options} none "$OUTPUT" && ${afterMount} && ` +
    `"$NODE" "$PROGRAM" ${words} ${flags}; code=$?; ${list}; exit $code`;
  const env = {
    PATH: process.env['PATH'],
    ...service.environment,
    TANKOBON_HOME: join(folder, 'home'),
    TANKOBON_MIN_FREE: minFree,
    OUTPUT: output,
    NODE: process.execPath,
    PROGRAM,
  };
  // Asynchronous, because the practice service answers from this process.
  return new Promise<{
    code: number | null;
    left: string[];
    events: unknown[];
    stderr: string;
  }>((done) => {
    const words = ['--user', '--map-root-user', '--mount', 'sh', '-c', script];
    const child = execFile('unshare', words, { env }, (_error, stdout, stderr) => {
      const lines = stdout.trim().split('\n');
      const isEvent = (line: string) => line.startsWith('{');
      done({
        code: child.exitCode,
        left: lines.filter((line) => !isEvent(line)),
        stderr,
        events: lines.filter(isEvent).map((line): unknown => JSON.parse(line)),
      });
    });
  });
}

const failure = (reason: string, words: string): unknown =>
  expect.objectContaining({
    type: 'chapter-failed',
    reason,
    message: expect.stringContaining(words),
  });

describeWith('a disk', { mountNamespace: true }, () => {
  test('with less space than is to stay free: the run stops before the chapter, exit 3, nothing is left', async () => {
    const { code, events, left, stderr } = await runOnto('size=20m', { minFree: '15M' });
    expect(code).toBe(3);
    expect(events).toContainEqual(failure('disk-full', 'would leave less than 15.0 MB'));
    expect(left).toEqual([]);
    expect(stderr).toContain('tankobon config set minFree false');
  });

  test.each([
    ['the pages', '500k'],
    ['the CBZ beside the pages', '1800k'],
  ])('too small for %s: disk-full, exit 3, only the workspace is left', async (_, size) => {
    const { code, events, left } = await runOnto(`size=${size}`);
    expect(code).toBe(3);
    expect(events).toContainEqual(failure('disk-full', 'No space left on the device'));
    expect(left).toEqual([expect.stringMatching(/^\.\S+\.tankobon$/)]);
  });

  test.each(['cbz', 'epub', 'pdf', 'folder'])(
    'too small for a bound %s: disk-full, exit 3, no file is left',
    async (format) => {
      const chapters = join(folder, 'chapters');
      const env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
      const downloaded = await tankobon(['download', ID, '-o', chapters], { env });
      expect(downloaded.code).toBe(0);
      const words = `bind ${chapters} --by chapter --format ${format}`;
      const { code, events, left } = await runOnto('size=300k', {
        words,
        list: 'find "$OUTPUT" -type f',
      });
      expect(code).toBe(3);
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'book-failed', reason: 'disk-full' }),
      );
      expect(left.filter((name) => name !== '')).toEqual([]);
    },
  );

  test('that is full stops the titles on it alone: a sync goes on with those of other disks', async () => {
    const names = ['Alpha', 'Beta', 'Gamma'];
    const library = syncLibrary(names, Date.now() - 9 * DAY_MS);
    const titles = await startPracticeService({ library });
    const other = join(folder, 'other');
    const outputs = [join(folder, 'output', 'a'), join(folder, 'output', 'b'), other];
    const series = names.map(
      (name, index) =>
        `  - { target: 'title:${titleId(name)}', output: ${outputs[index] ?? ''} }\n`,
    );
    const file = join(folder, 'subscriptions.yaml');
    writeFileSync(file, `series:\n${series.join('')}`, { mode: 0o600 });
    const exports = Object.entries(titles.environment).map(([name, value]) => `${name}=${value}`);
    const run = { afterMount: `export ${exports.join(' ')}`, minFree: '30M', flags: '' };
    const { code, stderr } = await runOnto('size=20m', { ...run, words: `sync --file ${file}` });
    expect(code).toBe(3);
    expect(stderr.match(/error: .* would leave less than 30.0 MB/g)).toHaveLength(2);
    expect(stderr).toContain('tankobon config set minFree false');
    expect(readdirSync(join(other, 'Gamma'))).toHaveLength(2);
    const env = { ...titles.environment, TANKOBON_HOME: join(folder, 'home') };
    const { stdout } = await tankobon(['sync', 'list', '--file', file], { env });
    expect(stdout.match(/state: .*/g)).toEqual([
      'state: something failed, or is not downloaded yet',
      'state: not available in the last run',
      'state: up to date',
    ]);
    const status = await tankobon(['sync', 'status', '--file', file], { env });
    expect(status.stdout.match(/would leave less than 30.0 MB/g)).toHaveLength(2);
    await titles.stop();
  });

  test('that is read-only: exit 2, and nothing was sent', async () => {
    const before = service.log.length;
    const { code, stderr } = await runOnto('size=1m', {
      afterMount: 'mount -o remount,ro "$OUTPUT"',
    });
    expect(code).toBe(2);
    expect(stderr).toContain(join(folder, 'output'));
    expect(stderr).toContain('hint: ');
    expect(service.log).toHaveLength(before);
  });

  test('with the settings, full: config set is disk-full, exit 3', async () => {
    const { code, stderr } = await runOnto('size=64k', {
      words: 'config set quality data-saver',
      flags: '',
      afterMount: '{ cat /dev/zero > "$OUTPUT/full" 2>&-; export TANKOBON_HOME="$OUTPUT"; }',
    });
    expect(code).toBe(3);
    expect(stderr).toContain('error: No space left on the device: ');
    expect(stderr).toContain('settings.json\nhint: Free some space');
  });

  test('with the state, read-only: sync add names the folder, and it is not a bug', async () => {
    const { code, stderr } = await runOnto('size=1m,mode=700', {
      words: `sync add ${ID} -o comics`,
      flags: '',
      afterMount: '{ mount -o remount,ro "$OUTPUT"; export TANKOBON_HOME="$OUTPUT"; }',
    });
    expect(code).toBe(3);
    expect(stderr).toMatch(/^error: Read-only file system \(EROFS\): .*\/sync/);
    expect(stderr).toMatch(/\nhint: .*TANKOBON_HOME/);
  });
});
