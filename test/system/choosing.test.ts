/** Choosing at a real terminal: a title, a language, and whether to download, at 40, 80 and 200 columns. */
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { EXAMPLE_TITLES, longTitle } from '../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { PROGRAM, tankobon } from '../support/command.js';
import { describeWith } from '../support/requirements.js';
import { runAtTerminal, type TerminalStep } from '../support/terminal.js';

const DOWN = '\u001b[B';
const ESCAPE = '\u001b';
const CTRL_C = '\u0003';

let service: PracticeService;
let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  service = await startPracticeService({ library: longTitle({ chapters: 60 }) });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-choosing-'));
  env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});
afterAll(() => service.stop());

const archives = () =>
  existsSync(join(folder, 'output'))
    ? readdirSync(join(folder, 'output'), { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.cbz'),
      )
    : [];

/** Runs `tankobon <words>` at a terminal of this width; the lines of its screen without colours. */
async function runAt(columns: number, words: readonly string[], steps: readonly TerminalStep[]) {
  const command = [process.execPath, PROGRAM, ...words].map((word) => `'${word}'`).join(' ');
  const script = `stty cols ${columns} rows 50; exec ${command}`;
  const { code, untyped, screen } = await runAtTerminal(['sh', '-c', script], { env, steps });
  const lines = stripVTControlCharacters(screen).split(/\r?\n|\r/);
  return { code, untyped, screen: stripVTControlCharacters(screen), lines };
}

describeWith('choosing at a terminal', { programs: ['python3'] }, () => {
  test.each([40, 80, 200])(
    'search at %i columns asks for title, language and confirmation, and no line is too long',
    async (columns) => {
      await tankobon(['config', 'set', 'output', join(folder, 'output')], { env });
      await tankobon(['config', 'set', 'language', 'pt-br'], { env });
      const ran = await runAt(
        columns,
        ['search', '--limit', '5', 'stairs'],
        [
          { awaits: 'Which title?', types: '\r' },
          { awaits: 'Language?', types: '\r' },
          { awaits: 'Download?', types: 'n\r' },
        ],
      );
      expect({ ...ran, screen: '', lines: [] }).toEqual({
        code: 0,
        untyped: 0,
        screen: '',
        lines: [],
      });
      // The configured language is preselected.
      expect(ran.screen.replace(/\s+/g, ' ')).toMatch(
        /48 chapters in pt-br, at least 1 min.* Download\?/,
      );
      const titles = ran.lines.filter((line) => line.includes('Endless Stairs'));
      // The menu is the result: there is no table above it.
      expect(titles[0]).toMatch(/^[❯>] Endless Stairs/);
      expect(titles.filter((line) => line.length > columns)).toEqual([]);
      expect(archives()).toEqual([]);
    },
  );

  test('a yes downloads what was chosen', async () => {
    await tankobon(['config', 'set', 'output', join(folder, 'output')], { env });
    const small = await startPracticeService({ library: longTitle({ chapters: 3 }) });
    env = { ...env, ...small.environment };
    const ran = await runAt(
      80,
      ['search', 'stairs'],
      [
        { awaits: 'Which title?', types: '\r' },
        { awaits: 'Language?', types: DOWN },
        { awaits: 'Language?', types: '\r' },
        { awaits: 'Download?', types: 'y\r' },
      ],
    );
    await small.stop();
    expect(ran.code).toBe(0);
    expect(archives().length).toBeGreaterThan(0);
  });

  test.each([
    ['the title', 0],
    ['the language', 1],
    ['the confirmation', 2],
  ])('Esc and Ctrl-C leave at %s, and nothing is downloaded', async (_what, left) => {
    const questions = ['Which title?', 'Language?', 'Download?'];
    for (const key of [ESCAPE, CTRL_C]) {
      const steps = questions
        .slice(0, left + 1)
        .map((awaits, index) => ({ awaits, types: index === left ? key : '\r' }));
      const ran = await runAt(80, ['search', 'stairs'], steps);
      expect({ code: ran.code, untyped: ran.untyped }).toEqual({ code: 130, untyped: 0 });
      expect(ran.screen).toMatch(/^Cancelled\.$/m);
      expect(ran.screen).not.toMatch(/\bat .*\.js:\d+|failed:|saved|error:|hint:/);
    }
    expect(archives()).toEqual([]);
  });

  test('download asks for a language where none is given, and takes the one that is chosen', async () => {
    const target = `title:${EXAMPLE_TITLES.long}`;
    const words = ['download', target, '--dry-run', '--chapters', '1-3'];
    const ran = await runAt(80, words, [{ awaits: 'Language?', types: `${DOWN}\r` }]);
    expect({ code: ran.code, untyped: ran.untyped }).toEqual({ code: 0, untyped: 0 });
    expect(ran.screen).toMatch(/pt-br/);
    expect(ran.screen).toMatch(/^3 chapters to download/m);
    const given = await runAt(80, [...words, '--language', 'all'], []);
    expect(given.screen).not.toContain('Language?');
    expect(given.screen).toMatch(/^9 chapters to download/m);
    const left = await runAt(80, words, [{ awaits: 'Language?', types: CTRL_C }]);
    expect(left.code).toBe(130);
    expect(left.screen).toMatch(/^Cancelled\.$/m);
    expect(left.screen).not.toMatch(/error:|hint:|saved/);
  });

  test('sync add asks for the folder and the language; Esc and Ctrl-C write nothing', async () => {
    const words = ['sync', 'add', `title:${EXAMPLE_TITLES.long}`];
    const file = join(folder, 'home', 'subscriptions.yaml');
    for (const key of [ESCAPE, CTRL_C]) {
      const left = await runAt(80, words, [{ awaits: 'Folder for the chapters?', types: key }]);
      expect({ code: left.code, untyped: left.untyped }).toEqual({ code: 130, untyped: 0 });
      expect(left.screen).toMatch(/^Cancelled\.$/m);
      expect(existsSync(file)).toBe(false);
    }
    const ran = await runAt(80, words, [
      { awaits: 'Folder for the chapters?', types: `${join(folder, 'comics')}\r` },
      { awaits: 'Language?', types: `${DOWN}\r` },
    ]);
    expect({ code: ran.code, untyped: ran.untyped }).toEqual({ code: 0, untyped: 0 });
    expect(ran.screen).toMatch(/Subscribed: Endless Stairs\s+Languages: (es-la|pt-br)/);
    const written = readFileSync(file, 'utf8');
    expect(written).toMatch(/language: \[ (es-la|pt-br) \]/);
    expect(written).toContain(`output: ${join(folder, 'comics')}`);
  });

  test('a folder that was dragged into the terminal is taken without its quotes', async () => {
    const words = ['sync', 'add', `title:${EXAMPLE_TITLES.long}`, '--language', 'en'];
    const output = join(folder, 'my comics');
    const ran = await runAt(80, words, [
      { awaits: 'Folder for the chapters?', types: `'${output}' \r` },
    ]);
    expect({ code: ran.code, untyped: ran.untyped }).toEqual({ code: 0, untyped: 0 });
    expect(ran.screen).toContain(`Folder: ${output}`);
    const written = readFileSync(join(folder, 'home', 'subscriptions.yaml'), 'utf8');
    expect(written).toContain(`output: ${output}`);
  });

  test('a relative folder for follows is below the current folder, not beside the file', async () => {
    const ran = await runAt(
      80,
      ['sync', 'add', 'follows'],
      [{ awaits: 'Folder for the chapters?', types: 'comics\r' }],
    );
    const output = /^Folder: (.+)$/m.exec(ran.screen)?.[1]?.trim();
    const written = readFileSync(join(folder, 'home', 'subscriptions.yaml'), 'utf8');
    expect(output).toMatch(/^\/.*\/comics$/);
    expect(written).toContain(`output: ${output}`);
  });

  test('the address of a title is not asked for again', async () => {
    const target = `https://mangadex.org/title/${EXAMPLE_TITLES.long}`;
    const ran = await runAt(
      80,
      ['search', target],
      [
        { awaits: 'Language?', types: '\r' },
        { awaits: 'Download?', types: 'n\r' },
      ],
    );
    expect({ code: ran.code, untyped: ran.untyped }).toEqual({ code: 0, untyped: 0 });
    expect(ran.screen).not.toContain('Which title?');
  });
});
