/** Completion in the shells themselves: keys typed into bash and zsh at a terminal, and fish's own question. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SETTING_KEYS } from '../../src/cli/setting-table.js';
import { tankobon } from './command.js';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-completion-'));
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout, code } = await tankobon(['completion', shell]);
    expect(code).toBe(0);
    writeFileSync(join(folder, `script.${shell}`), stdout);
  }
  const work = join(folder, 'work');
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
      'completion',
      'config',
      'demo',
      'download',
      'help',
      'limits',
      'login',
      'logout',
      'refresh',
      'report-status',
      'search',
      'whoami',
    ],
  ],
  ['down', ['download']],
  ['download --q', ['--quality', '--quiet']],
  ['download --quality ', ['data', 'data-saver']],
  ['download -q data-', ['data-saver']],
  ['download --json -q data -o sh --no-', ['--no-metadata', '--no-reports']],
  ['report-status --', ['--clear', '--flush', '--help', '--html', '--json', '--yes']],
  ['config ', ['get', 'list', 'path', 'set', 'unset']],
  ['config set ', [...SETTING_KEYS].sort()],
  ['config set quality ', ['data', 'data-saver']],
  ['config set metadata ', ['false', 'true']],
  ['completion ', ['bash', 'fish', 'zsh']],
  ['help rep', ['report-status']],
  ['help exit', ['exit-codes']],
  // A folder's flag takes folders, a file's flag takes files.
  ['download --output m', ['my shelf/']],
  ['config set output m', ['my shelf/']],
];

interface Session {
  readonly command: readonly string[];
  /** Typed before the cases. */
  readonly setUp: readonly string[];
  /** The keys that put all that fits onto the line. */
  readonly insertAll: string;
}

const TELL = String.raw`tankobon() { printf 'go''t:'; printf '<%s>' "$@"; echo; }`;

/** Types each of `lines` after `tankobon ` and has the shell insert what fits; the words that the program then gets. */
function typeInto({ command, setUp, insertAll }: Session, lines: readonly string[]): string[][] {
  const keys = [
    ...[...setUp, TELL, `cd '${join(folder, 'work')}'`].map((line) => `${line}\n`),
    ...lines.map((line) => `tankobon ${line}${insertAll}\n`),
  ];
  const steps = [
    ...keys.map((types, index) => ({
      awaits: index > setUp.length + 2 ? 'got:' : 'ready> ',
      types,
    })),
    { awaits: 'got:', types: 'exit\n' },
  ];
  const told = execFileSync('python3', [resolve('test/auth/terminal.py')], {
    input: JSON.stringify({ command, steps }),
    encoding: 'utf8',
    env: { ...process.env, PS1: 'ready> ', TERM: 'dumb', HOME: folder, HISTFILE: '' },
  });
  const { screen, untyped } = JSON.parse(told) as { screen: string; untyped: number };
  expect({ untyped, screen: untyped === 0 ? '' : screen }).toEqual({ untyped: 0, screen: '' });
  return [...screen.matchAll(/^got:(.*?)\r?$/gm)].map(([, words = '']) =>
    [...words.matchAll(/<(.*?)>/g)].map(([, word = '']) => word),
  );
}

const BASH = (): Session => ({
  command: ['bash', '--norc', '--noprofile', '-i'],
  setUp: [`source '${join(folder, 'script.bash')}'`],
  insertAll: '\u001b*',
});

const ZSH = (): Session => ({
  command: ['zsh', '-f', '-i'],
  setUp: [
    `autoload -Uz compinit; compinit -u -d '${join(folder, 'dump')}'`,
    `source '${join(folder, 'script.zsh')}'`,
    'zle -C insert-all complete-word _generic; bindkey "^Xa" insert-all',
    "zstyle ':completion:insert-all:*' completer _all_matches _complete",
    "zstyle ':completion:insert-all:*' insert yes",
  ],
  insertAll: '\u0018a',
});

/** The words that stay as they were typed: all but the last, which is completed. */
function untouched(typed: string): string[] {
  return typed.split(' ').slice(0, -1);
}

describe.each([
  ['bash', BASH],
  ['zsh', ZSH],
])('%s', (_name, session) => {
  test('commands, flags, values and paths are completed where each may stand', () => {
    const got = typeInto(
      session(),
      CASES.map(([typed]) => typed),
    );
    expect(got.map((words, index) => words.slice(untouched(CASES[index]?.[0] ?? '').length).sort())).toEqual(
      CASES.map(([, offered]) => [...offered].sort()),
    );
  });
});
