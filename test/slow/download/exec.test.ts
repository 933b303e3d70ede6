/** `--exec`: the program that runs after a download, once for each title, as the hook `exec` of a sync. */
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLE_LISTS, EXAMPLE_TITLES } from '../../../src/practice-server/library/library.js';
import { interruptedError } from '../../../src/core/errors.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { posixDescribe } from '../../support/platform.js';

const { lighthouse, starlight, odd } = EXAMPLE_TITLES;

let harness: DownloadHarness;
let program: string;
let log: string;
beforeEach(async () => {
  harness = await DownloadHarness.start();
  program = join(harness.folder, 'my program');
  log = join(harness.folder, 'log');
});
afterEach(() => harness.stop());

/** A program in the language of Node that runs `code` after it has appended its input to the log. */
function write(code = ''): void {
  const lines = [
    `#!${process.execPath}`,
    `const { appendFileSync, existsSync, readFileSync } = require('node:fs');`,
    `const text = readFileSync(0, 'utf8');`,
    `const { chapters } = JSON.parse(text);`,
    `const found = chapters.every(({ file }) => existsSync(file));`,
    `const { argv, env } = process;`,
    `const seen = { args: argv.slice(2), password: env.TANKOBON_PASSWORD, found };`,
    `appendFileSync(${JSON.stringify(log)}, JSON.stringify({ ...JSON.parse(text), seen }) + '\\n');`,
    code,
  ];
  writeFileSync(program, lines.join('\n'));
  chmodSync(program, 0o755);
}

const runs = () =>
  readFileSync(log, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

posixDescribe('--exec', () => {
  test('runs once for each title with saved chapters, with the payload of the hook', async () => {
    write();
    const targets = [`list:${EXAMPLE_LISTS.public}`];
    const env = { TANKOBON_PASSWORD: 'hush' };
    const options = { targets, language: 'en', chapters: '1-2', exec: program };
    const { code, events } = await harness.download(options, { env });
    expect(code).toBe(0);
    const [first, ...others] = runs();
    expect(first).toEqual({
      event: 'series-updated',
      series: {
        id: lighthouse,
        name: 'The Lighthouse Cat of Minami Island',
        folder: join(harness.output, 'The Lighthouse Cat of Minami Island'),
      },
      chapters: [
        expect.objectContaining({
          number: '1',
          volume: '1',
          title: 'The Light Goes Out',
          language: 'en',
          groups: ['Tidewater Scans'],
        }),
        expect.objectContaining({ number: '2', groups: ['Paper Lantern'] }),
      ],
      seen: { args: [], found: true },
    });
    expect(others).toMatchObject([{ series: { id: starlight } }, { series: { id: odd } }]);
    const files = runs().flatMap(({ chapters }) => chapters as { id: string; file: string }[]);
    const saved = events.flatMap((event) =>
      event.type === 'chapter-saved' ? [{ id: event.chapter, file: event.file }] : [],
    );
    expect(files.map(({ id, file }) => `${id} ${file}`).sort()).toEqual(
      saved.map(({ id, file }) => `${id} ${file}`).sort(),
    );
    // Nothing was saved by the next run.
    await harness.download(options);
    expect(runs()).toHaveLength(3);
  });

  test('a chapter that was bound is in its book', async () => {
    write();
    const target = { targets: [`title:${starlight}`], language: 'en' };
    const { events } = await harness.download({ ...target, bind: 'title', exec: program });
    const books = (events as readonly { readonly type: string; readonly file?: string }[]).filter(
      ({ type }) => type === 'book-saved',
    );
    expect(runs()).toMatchObject([
      {
        chapters: [{ file: books[0]?.file }, { file: books[0]?.file }],
        seen: { found: true },
      },
    ]);
  });

  test('without metadata, what is known is passed', async () => {
    write();
    const [chapter] = harness.service.library.chapters();
    await harness.download({ targets: [`chapter:${chapter?.id}`], metadata: false, exec: program });
    expect(runs()).toMatchObject([
      {
        series: { id: '', name: '' },
        chapters: [{ id: chapter?.id, language: 'und', groups: [] }],
      },
    ]);
  });

  test('a program that fails is a warning with its message: the chapters are saved', async () => {
    write(`console.error('no display'); process.exit(3);`);
    const options = { targets: [`title:${starlight}`], language: 'en', exec: program };
    const { code, events } = await harness.download(options);
    expect(code).toBe(0);
    expect(events.filter(({ type }) => type === 'warning')).toEqual([
      { type: 'warning', message: 'The program of --exec failed: exit code 3: no display' },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'summary', saved: 2, failed: 0 });
  });

  test('a dry run runs nothing', async () => {
    write();
    await harness.dryRun({ targets: [`title:${starlight}`], language: 'en', exec: program });
    expect(() => readFileSync(log)).toThrow('ENOENT');
  });

  test.each([
    ['nowhere', /^Pass the path of a program/],
    ['notify-send "new chapters"', /^It is one program without arguments/],
    ['my program', /chmod \+x/],
  ])('%s is refused with exit code 2 before anything is sent', async (name, hint) => {
    write();
    chmodSync(program, 0o644);
    const exec = name === 'my program' ? program : name;
    const options = { targets: [`title:${starlight}`], exec };
    await expect(harness.download(options)).rejects.toMatchObject({ code: 'bad-option', hint });
    expect(harness.service.log).toEqual([]);
    rmSync(program);
  });

  test('Ctrl-C ends the program, and the run is interrupted', async () => {
    const stop = new AbortController();
    write(`process.stdout.end(); setInterval(() => undefined, 1_000);`);
    const running = harness.download(
      { targets: [`title:${starlight}`], language: 'en', exec: program },
      { signal: stop.signal },
    );
    const poll = setInterval(() => {
      try {
        if (runs().length > 0) stop.abort(interruptedError());
      } catch {
        // It has not started yet.
      }
    }, 50);
    const { code, events } = await running;
    clearInterval(poll);
    expect(code).toBe(130);
    expect(events.at(-1)).toMatchObject({ type: 'summary', saved: 2, stopped: 'interrupted' });
  });
});
