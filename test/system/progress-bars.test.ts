/** The progress bars on the screen of a real terminal: widths, resizing, job control, signals and pipes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { longTitle } from '../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { PROGRAM } from '../support/command.js';
import { describeWith } from '../support/requirements.js';
import { TmuxTerminal } from '../support/tmux.js';

const CHAPTERS = 60;
const MODES = { cursor: true, wrap: true };

describeWith('progress bars in tmux', { programs: ['tmux'] }, () => {
  let folder: string;
  let service: PracticeService;
  let terminal: TmuxTerminal;
  let download: string;
  /** The delays of responses, which a test may change. */
  let latency: { api: number; node: number };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-bars-'));
  });
  afterEach(async () => {
    await terminal.stop();
    await service.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  /** @param requests the announced limit of the metadata requests of chapters, for each minute */
  async function open(
    columns: number,
    { requests = 40, env = {}, nodeMs = 400, apiMs = 300 } = {},
  ): Promise<void> {
    const library = longTitle({ chapters: CHAPTERS });
    latency = { api: apiMs, node: nodeMs };
    service = await startPracticeService({
      library,
      latencyMs: latency,
      limits: { requests: { 'GET /at-home/server/{id}': requests } },
    });
    download = `tankobon download title:${library.titles()[0]?.id ?? ''} --language en -o out`;
    writeFileSync(
      join(folder, 'tankobon'),
      `#!/bin/sh\necho $$ > pid\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`,
      { mode: 0o755 },
    );
    terminal = await TmuxTerminal.start({
      columns,
      cwd: folder,
      env: {
        ...service.environment,
        TANKOBON_HOME: join(folder, 'home'),
        PATH: `${folder}:${process.env['PATH'] ?? ''}`,
        ...env,
      },
    });
  }

  const rowsWith = (screen: string, text: string | RegExp) =>
    screen.split('\n').filter((row) => row.search(text) >= 0);

  test.each([40, 80, 200])(
    'at %i columns redraws at the top of a cleared screen add nothing to the scrollback',
    async (columns) => {
      await open(columns);
      // The program starts on the first line of the screen.
      await terminal.type(`clear; ${download} > paths`);
      await terminal.until((screen) => /^chapters/m.test(screen));
      const before = await terminal.scrollback();
      await delay(2_000);
      expect(await terminal.scrollback()).toBe(before);
    },
  );

  test('a spinner first, then bars that fit each width, count waits down, and leave nothing behind', async () => {
    // A busy machine takes seconds to read the screen: until the spinner was seen, the service hardly answers.
    await open(80, { requests: 6, apiMs: 8_000 });
    await terminal.type(`${download} > paths`);
    await terminal.until((screen) => /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] resolving the targets/.test(screen));
    latency.api = 300;

    // The limits allow six chapters a minute: the rest takes more than eight minutes.
    const at80 = await terminal.until((screen) => /^Ch\. \d+ Day \d+ /m.test(screen));
    expect(rowsWith(at80, /^Ch\. \d+ (Day \d+|Endless Stairs) +[█░]{15} {2}\d\/2/)).not.toEqual([]);
    expect(rowsWith(at80, /^chapters +[█░]{15} {2}\d+\/60 .*\b\d+ min.* left$/)).toHaveLength(1);

    const countdown = (screen: string) => /^chapters .* (?:waiting|waits) (\d+) s/m.exec(screen);
    const first = Number(countdown(await terminal.until((screen) => !!countdown(screen)))?.[1]);
    await terminal.until((screen) => Number(countdown(screen)?.[1]) < first);

    for (const [columns, row] of [
      [40, /^chapters +[█░]+ +\d+% +waits \d+ s$/],
      [200, /^chapters +[█░]{30} {2}\d+\/60 {2}\d min.* left, waiting \d+ s: 6 chapters a minute/],
      [80, /^chapters +[█░]+ {2}\d+\/60 {2}\d min.* left, waiting \d+ s: 6 chapters a minute/],
    ] as const) {
      await terminal.resize(columns);
      const screen = await terminal.until((text) => rowsWith(text, row).length === 1);
      expect(rowsWith(screen, /chapters/)).toHaveLength(1);
      expect(rowsWith(screen, /[█░]/)).toEqual(rowsWith(screen, /^(chapters|Ch\.) .*[█░]/));
    }

    await terminal.press('C-z');
    const stopped = await terminal.until((screen) => screen.includes('Stopped'));
    expect(rowsWith(stopped, /[█░]/)).toEqual([]);
    expect(await terminal.modes()).toEqual(MODES);
    await terminal.type('fg');
    await terminal.until((screen) => rowsWith(screen, /^chapters .*[█░] {2}\d+\/60/).length === 1);

    await terminal.press('C-c');
    const ended = await terminal.until((screen) => /not started[^]*^\$ *$/m.test(screen));
    // On a busy machine, the next minute has begun, with more chapters, which may be unfinished.
    expect(
      rowsWith(ended, /^Interrupted: \d+ saved, (\d+ unfinished, )?\d+ not started; \d+ pages, /),
    ).toHaveLength(1);
    expect(rowsWith(ended, 'not started')).toHaveLength(1);
    expect(rowsWith(ended, /[█░]/)).toEqual([]);
    expect(await terminal.modes()).toEqual(MODES);
  });

  test.each([40, 80, 200])(
    'at %d columns SIGUSR2 prints a line above the bars, and Ctrl-C leaves no rest of them',
    async (columns) => {
      await open(columns);
      await terminal.typeAlone(`${download} > paths`);
      await terminal.until((screen) => rowsWith(screen, /^chapters .*[█░]/).length === 1);
      process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 'SIGUSR2');
      const asked = await terminal.until((screen) => /^progress: .*[^]*^chapters /m.test(screen));
      expect(rowsWith(asked, /^progress: \d+ of 60 chapters/)).toHaveLength(1);
      expect(rowsWith(asked, /[█░]/)).toEqual(rowsWith(asked, /^(chapters|Ch\.) .*[█░]/));
      await terminal.press('C-c');
      const ended = await terminal.ended();
      expect(rowsWith(ended, /^Interrupted: \d+ saved/)).toHaveLength(1);
      expect(rowsWith(ended, /[█░]|\^C/)).toEqual([]);
      expect(await terminal.modes()).toEqual(MODES);
      await terminal.typeAlone('echo code: $?');
      expect(await terminal.ended()).toMatch(/^code: 130$/m);
    },
  );

  test.each([200, 60])(
    'paths that another program prints to a terminal of %d columns are not overwritten, nor are the bars',
    async (columns) => {
      await open(columns);
      await terminal.type(`clear; ${download} --chapters 1-6 | cat`);
      await terminal.until((screen) => /^Ch\. \d+ .*[█░]/m.test(screen));
      // The shell's prompt follows when `cat` has printed all.
      const screen = await terminal.until((text) => /^6 saved[^]*^\$ *$/m.test(text));
      const files = readdirSync(join(folder, 'out'), { recursive: true, encoding: 'utf8' });
      const paths = files.filter((name) => name.endsWith('.cbz')).map((name) => join('out', name));
      expect(paths).toHaveLength(6);
      // A path may take several rows, and a space may be at the end of one.
      const withoutSpaces = (text: string) => text.replace(/\s/g, '');
      const [shown = ''] = /^out[^]*\.cbz$/m.exec(screen) ?? [];
      const names = withoutSpaces(shown).split(/(?<=\.cbz)/);
      expect(names.sort()).toEqual(paths.map(withoutSpaces).sort());
      expect(rowsWith(screen, /[█░]/)).toEqual([]);
    },
  );

  test('a saved chapter has one line on the screen, whether the path is printed there or in a file', async () => {
    await open(200);
    await terminal.type(`${download} --chapters 1-3`);
    const shared = await terminal.until((text) => /^3 saved; 6 pages/m.test(text));
    expect(rowsWith(shared, /Ch\.00[123].*\.cbz$/)).toHaveLength(3);
    expect(rowsWith(shared, 'saved:')).toEqual([]);
    await terminal.type(`clear; ${download} --chapters 4-6 > paths`);
    await terminal.until((text) => rowsWith(text, 'saved:').length > 0);
    const own = await terminal.until((text) => /^3 saved; 6 pages/m.test(text));
    expect(rowsWith(own, /^saved: .*Ch\. [456] .*, 2 pages, /)).toHaveLength(3);
    expect(rowsWith(own, /\.cbz/)).toEqual([]);
  });

  test('in the locale C the bars are ASCII', async () => {
    await open(80, { env: { LANG: 'C' } });
    await terminal.type(`${download} --chapters 1-6`);
    const screen = await terminal.until((text) => /^chapters +[#.]{15} /m.test(text));
    expect(screen).toMatch(/^[\n -~]*$/);
  });

  test.each([
    ['TERM', /^Interrupted: /m],
    ['KILL', /Killed/],
    ['SEGV', /Segmentation fault/],
  ])('after SIG%s the cursor is visible and lines wrap', async (signal, message) => {
    await open(80, { nodeMs: 2_000 });
    await terminal.type(
      `${download} --chapters 1-6 & until [ -e go ]; do sleep 0.1; done; kill -s ${signal} $!; wait $!; echo end`,
    );
    await terminal.until((screen) => /^chapters /m.test(screen));
    writeFileSync(join(folder, 'go'), '');
    await terminal.until((screen) => message.test(screen) && /^end$/m.test(screen));
    expect(await terminal.modes()).toEqual(MODES);
  });

  test('failures are red, and NO_COLOR turns that off', async () => {
    await open(80);
    await terminal.type('tankobon download 00000000-0000-4000-8000-000000000000');
    await terminal.until((screen) => /^0 saved, 1 failed/m.test(screen));
    expect(await terminal.screen(true)).toContain('\u001B[31mfailed:');
    await terminal.type('clear; NO_COLOR=1 tankobon download 00000000-0000-4000-8000-000000000001');
    await terminal.until(
      (screen) => /^0 saved, 1 failed/m.test(screen) && /^ {2}0+-.*1$/m.test(screen),
    );
    expect(await terminal.screen(true)).not.toContain('\u001B[31m');
  });
});
