/** Completion in the shells themselves: keys typed into bash and zsh at a terminal, and fish's own question. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SETTING_NAMES } from '../../src/config/options.js';
import { PROGRAM, tankobon } from '../support/command.js';
import { describeWith } from '../support/requirements.js';
import { runAtTerminal } from '../support/terminal.js';
import { TmuxTerminal, type Shell } from '../support/tmux.js';

/** Completes as tankobon does; any other call prints the words that it got, and writes each on a line of a file. */
const STAND_IN = `#!/bin/sh
if [ "$1" = __complete ]; then exec '${process.execPath}' '${PROGRAM}' "$@"; fi
printf '%s\\n' "$@" > "$HOME/got"
printf 'got:'; printf '<%s>' "$@"; echo
`;

const ID = '3d1c8f52-6a0b-4e7e-9b1d-0a4c5e2f7101';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-completion-'));
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout, code } = await tankobon(['completion', shell]);
    expect(code).toBe(0);
    writeFileSync(join(folder, `script.${shell}`), stdout);
  }
  const work = join(folder, 'work');
  const program = join(folder, 'bin', 'tankobon');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(program, STAND_IN);
  chmodSync(program, 0o755);
  const configuration = join(folder, '.config', 'tankobon');
  mkdirSync(configuration, { recursive: true });
  const series = [
    `{ target: title:${ID}, title: The Lighthouse }`,
    '{ target: list:UUID, title: Mine }',
  ];
  const lines = series.map((each) => `  - ${each.replace('UUID', ID.replace('3d', '4d'))}\n`);
  writeFileSync(join(configuration, 'subscriptions.yaml'), `series:\n${lines.join('')}`, {
    mode: 0o600,
  });
  mkdirSync(join(work, 'my shelf'), { recursive: true });
  writeFileSync(join(work, 'my list.txt'), '');
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What is typed after `tankobon `, and all the words that the shell may put there. */
const CASES: readonly (readonly [typed: string, offered: readonly string[]])[] = [
  [
    '',
    [
      'adopt',
      'bind',
      'completion',
      'config',
      'demo',
      'doctor',
      'download',
      'help',
      'info',
      'limits',
      'login',
      'logout',
      'overview',
      'refresh',
      'report-status',
      'retag',
      'search',
      'sync',
      'verify',
      'whoami',
    ],
  ],
  ['down', ['download']],
  ['download --q', ['--quality', '--quiet']],
  ['download --quality ', ['data', 'data-saver']],
  ['download -q data-', ['data-saver']],
  [
    'download --json -q data -o sh --no-',
    ['--no-chapters', '--no-infer', '--no-metadata', '--no-reports'],
  ],
  ['report-status --', ['--clear', '--flush', '--help', '--html', '--json', '--yes']],
  ['config ', ['get', 'list', 'path', 'set', 'unset']],
  ['config set ', [...SETTING_NAMES].sort()],
  ['config set quality ', ['data', 'data-saver']],
  ['config set metadata ', ['false', 'true']],
  ['completion ', ['bash', 'fish', 'powershell', 'zsh']],
  ['help rep', ['report-status']],
  ['help exit', ['exit-codes']],
  // A folder's flag takes folders, a file's flag takes files.
  ['download --output m', ['my shelf']],
  ['config set output m', ['my shelf']],
  ['download --from-file m', ['my list.txt', 'my shelf']],
  // The names of subscriptions.
  ['sync remove ', ['Mine', 'The Lighthouse']],
  ['sync edit The', ['The Lighthouse']],
  ['sync --only M', ['Mine']],
];

const path = () => `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`;

interface Session {
  readonly command: readonly string[];
  /** The name of the file that the shell reads first, and what stands in it. */
  readonly startFile: string;
  readonly setUp: readonly string[];
  /** The keys that put all that fits onto the line. */
  readonly insertAll: string;
}

/** Types each of `lines` after `tankobon ` and has the shell insert what fits; the words that the program then gets. */
async function typeInto(session: Session, lines: readonly string[]): Promise<string[][]> {
  const start = ["PS1='ready> '", ...session.setUp, `cd '${join(folder, 'work')}'`];
  writeFileSync(join(folder, session.startFile), `${start.join('\n')}\n`);
  const keys = [...lines.map((line) => `tankobon ${line}${session.insertAll}\n`), 'exit\n'];
  const steps = keys.map((types) => ({ awaits: 'ready> ', types }));
  const { screen, untyped } = await runAtTerminal(session.command, {
    steps,
    env: { PATH: path(), TERM: 'dumb', HOME: folder, ZDOTDIR: folder },
  });
  expect(untyped === 0 ? '' : screen).toBe('');
  return [...screen.matchAll(/^got:(.*?)\r?$/gm)].map(([, words = '']) =>
    [...words.matchAll(/<(.*?)>/g)].map(([, word = '']) => word),
  );
}

const BASH = (): Session => ({
  command: ['bash', '--rcfile', join(folder, 'bashrc'), '-i'],
  startFile: 'bashrc',
  setUp: [`source '${join(folder, 'script.bash')}'`],
  insertAll: '\u001b*',
});

const ZSH = (): Session => ({
  command: ['zsh', '-d', '-i'],
  startFile: '.zshrc',
  setUp: [
    `autoload -Uz compinit; compinit -u -d '${join(folder, 'dump')}'`,
    `source '${join(folder, 'script.zsh')}'`,
    "zle -C insert-all complete-word _generic; bindkey '^Xa' insert-all",
    "zstyle ':completion:insert-all:*' completer _all_matches _complete",
    "zstyle ':completion:insert-all:*' insert yes",
  ],
  insertAll: '\u0018a',
});

/** The words that stay as they were typed: all but the last, which is completed. */
function untouched(typed: string): string[] {
  return typed.split(' ').slice(0, -1);
}

const SHELLS = [
  ['bash', BASH, ['python3']],
  ['zsh', ZSH, ['python3', 'zsh']],
] as const;

for (const [shell, session, programs] of SHELLS) {
  describeWith(shell, { programs }, () => {
    test('commands, flags, values and paths are completed where each may stand', async () => {
      const got = await typeInto(
        session(),
        CASES.map(([typed]) => typed),
      );
      const offered = got.map((words, index) =>
        words
          .slice(untouched(CASES[index]?.[0] ?? '').length)
          .map((word) => word.replace(/\/$/, ''))
          .sort(),
      );
      expect(offered).toEqual(CASES.map(([, expected]) => [...expected].sort()));
    });

    test('a value is completed behind the sign too, and a path with a space stays one word', async () => {
      const got = await typeInto({ ...session(), insertAll: '\t' }, [
        'download --quality=data-',
        'download --from-file my\\ l',
      ]);
      expect(got).toEqual([
        ['download', '--quality=data-saver'],
        ['download', '--from-file', 'my list.txt'],
      ]);
    });
  });
}

describeWith('fish', { programs: ['fish'] }, () => {
  const offered = (typed: string): string[] =>
    execFileSync(
      'fish',
      [
        '--no-config',
        '-c',
        'source $argv[1]; complete -C "tankobon $argv[2]"',
        join(folder, 'script.fish'),
        typed,
      ],
      {
        encoding: 'utf8',
        cwd: join(folder, 'work'),
        env: { PATH: path(), HOME: folder },
      },
    )
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (line.split('\t')[0] ?? '').replace(/\/$/, ''));

  test.each(CASES)('"%s" is completed', (typed, expected) => {
    expect(offered(typed).sort()).toEqual([...expected].sort());
  });

  test('a value is completed behind the sign too', () => {
    expect(offered('download --quality=data-')).toEqual(['--quality=data-saver']);
  });
});

const LOAD: Readonly<Record<Shell, string>> = {
  bash: '. ~/script.bash',
  zsh: 'autoload -U compinit; compinit -u -d ~/dump; . ~/script.zsh',
  fish: 'source ~/script.fish',
};

/** Each candidate has one row, and the descriptions begin in one column. */
function expectAlignedRows(screen: string): void {
  const rows = screen.split('\n').filter((row) => /^--[a-z]/.test(row));
  expect(rows.map((row) => row.split(' ')[0])).toEqual(['--quality', '--quiet']);
  expect(new Set(rows.map((row) => row.search(/(?<= {2})\S/))).size).toBe(1);
  const list = screen
    .slice(screen.indexOf(rows[0] ?? ''))
    .trimEnd()
    .split('\n');
  expect(list).toHaveLength(2);
}

describeWith('in a terminal of tmux', { programs: ['tmux', 'zsh', 'fish'] }, () => {
  const widths = (['bash', 'zsh', 'fish'] as const).flatMap((shell) =>
    [40, 80, 200].map((columns) => [shell, columns] as const),
  );

  test.each(widths)(
    '%s completes a flag and lists several at %i columns',
    async (shell, columns) => {
      const cwd = join(folder, 'work');
      const env = { PATH: path(), HOME: folder };
      const terminal = await TmuxTerminal.start({ shell, columns, cwd, env });
      try {
        await terminal.typeAlone(LOAD[shell]);
        await terminal.until((screen) => /\n\$\s*$/.test(screen));
        await terminal.insert('tankobon download --quie\t');
        await terminal.until((screen) => /\$ tankobon download --quiet\b/.test(screen));
        await terminal.press('C-u');
        // The first tab completes what both have in common.
        await terminal.insert('tankobon download --q\t\t\t');
        const listed = (screen: string) =>
          ['--quality', '--quiet'].every((it) => screen.includes(it));
        const screen = await terminal.until(listed);
        if (shell === 'zsh') expectAlignedRows(screen);
      } finally {
        await terminal.stop();
      }
    },
    120_000,
  );
});

/** A name that a shell runs wherever it is inserted without the quoting of that place. */
const HOSTILE =
  "Evil \"; touch ran; # $(touch ran) `touch ran` '; touch ran; ' $HOME (touch ran) ’; touch ran; ’ \\ !! !$ & | * ~ end";

describeWith('names of titles are never run', { programs: ['tmux', 'zsh', 'fish'] }, () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(folder, 'hostile-'));
    mkdirSync(join(home, '.config', 'tankobon'), { recursive: true });
    const text = `series: [${JSON.stringify({ target: `title:${ID}`, title: HOSTILE })}]`;
    writeFileSync(join(home, '.config', 'tankobon', 'subscriptions.yaml'), text, { mode: 0o600 });
    for (const shell of ['bash', 'zsh', 'fish'])
      copyFileSync(join(folder, `script.${shell}`), join(home, `script.${shell}`));
  });

  const places = (['bash', 'zsh', 'fish'] as const).flatMap((shell) =>
    // zsh completes no word that a quotation mark is within.
    ['Evil', '"Evil', "'Evil", '"Ev"il', ...(shell === 'bash' ? ["Ev'il"] : [])].map(
      (typed) => [shell, typed] as const,
    ),
  );

  test.each(places)(
    '%s completes %s to one word',
    async (shell, typed) => {
      const env = { PATH: path(), HOME: home };
      const terminal = await TmuxTerminal.start({ shell, columns: 250, cwd: home, env });
      try {
        await terminal.typeAlone(LOAD[shell]);
        await terminal.until((screen) => /\n\$\s*$/.test(screen));
        await terminal.insert(`tankobon sync remove ${typed}\t`);
        await terminal.until((screen) => screen.includes(' end'));
        await terminal.press('Enter');
        await terminal.until((screen) => screen.includes('got:'));
        expect(readFileSync(join(home, 'got'), 'utf8')).toBe(`sync\nremove\n${HOSTILE}\n`);
        expect(existsSync(join(home, 'ran'))).toBe(false);
      } finally {
        await terminal.stop();
      }
    },
    120_000,
  );
});
