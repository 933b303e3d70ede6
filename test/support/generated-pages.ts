/**
 * The pages of the documentation that are made from the program itself: docs/commands.md from the command tree, the
 * settings, the environment and the events, docs/troubleshooting.md from the exit codes and the errors' codes.
 */
import { format } from 'prettier';
import type { Argument, Option } from 'commander';
import { ENVIRONMENT } from '../../src/app/environment.js';
import { commandTree } from '../../src/cli/program.js';
import { ToldCommand } from '../../src/cli/program/told-command.js';
import { settingDefinition, SETTING_KEYS } from '../../src/app/setting-definitions.js';
import { SKIP_REASONS, type DownloadEvent } from '../../src/download/events.js';
import {
  AUTH_CODES,
  CHAPTER_CODES,
  LOAD_CODES,
  RUN_CODES,
  SERVICE_CODES,
  STORAGE_CODES,
  USAGE_CODES,
  type ErrorCodeDefinition,
} from '../../src/core/error-codes.js';
import { EXIT_MEANINGS } from '../../src/core/exit-codes.js';

/** The text of each page, by its file's name below docs/. */
export async function madePages(): Promise<Readonly<Record<string, string>>> {
  return {
    'commands.md': await tidy(commandsPage()),
    'troubleshooting.md': await tidy(troubleshootingPage()),
  };
}

const NOTE = (source: string) =>
  `<!-- Made from ${source} by: npm run docs. A test fails when this page is stale. -->`;

function tidy(text: string): Promise<string> {
  return format(text, { parser: 'markdown', printWidth: 100 });
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Within code a `<` stands for itself; elsewhere it would begin HTML. */
function cell(text: string): string {
  const parts = text.replaceAll('|', '\\|').split('`');
  return parts
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '&lt;')))
    .join('`');
}

const code = (text: string) => `\`${text}\``;

function sentence(phrase: string): string {
  const first = phrase.charAt(0).toUpperCase() + phrase.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

function commandsPage(): string {
  const tree = commandTree({
    run: () => Promise.reject(new Error('nothing is run here')),
    bare: () => {
      throw new Error('nothing is run here');
    },
    done: () => undefined,
  });
  return [
    NOTE('the command tree'),
    '# Every command',
    'Flags go before the environment, the environment before the settings file, that before the defaults. Results are written to standard output, messages to standard error.',
    tree.commands.map((command) => `[${command.name()}](#tankobon-${command.name()})`).join(' · '),
    ...tree.commands.flatMap((command) => [command, ...command.commands]).map(commandSection),
    '## Settings',
    'Kept by `tankobon config`, in the file that `tankobon config path` names.',
    table(['setting', 'meaning', 'default', 'flag', 'environment'], SETTING_KEYS.map(settingRow)),
    '## Environment',
    table(
      ['variable', 'meaning', 'default'],
      Object.entries(ENVIRONMENT).map(([name, { meaning, default: usual }]) => [
        code(name),
        meaning,
        usual ?? '',
      ]),
    ),
    eventsSection(),
  ].join('\n\n');
}

function commandSection(command: unknown): string {
  if (!(command instanceof ToldCommand))
    throw new Error('A command of another kind is in the tree.');
  const usage = command.createHelp().commandUsage(command);
  const depth = command.path().includes(' ') ? '###' : '##';
  const byGroup = new Map<string, Option[]>();
  for (const option of command.options) {
    const group = option.helpGroupHeading ?? 'Flags:';
    byGroup.set(group, [...(byGroup.get(group) ?? []), option]);
  }
  return [
    `${depth} tankobon ${command.path()}`,
    sentence(command.description()),
    `\`\`\`sh\n${[usage, ...exampleLines(command)].join('\n')}\n\`\`\``,
    ...(command.registeredArguments.length > 0
      ? [table(['argument', 'meaning'], command.registeredArguments.map(argumentRow))]
      : []),
    ...[...byGroup].map(([group, options]) =>
      table([group.replace(/:$/, ''), ''], options.map(optionRow)),
    ),
    ...(command.variables.length > 0
      ? [`It reads ${command.variables.map(code).join(', ')}.`]
      : []),
  ].join('\n\n');
}

function exampleLines({ examples }: ToldCommand): string[] {
  const widest = Math.max(0, ...examples.map(({ line }) => line.length));
  return examples.map(({ line, what }) => `${line.padEnd(widest)}  # ${what}`);
}

function argumentRow(argument: Argument): string[] {
  const { description, argChoices } = argument;
  return [
    code(argument.name()),
    argChoices ? `${description}: ${argChoices.join(', ')}` : description,
  ];
}

function optionRow({ flags, description }: Option): string[] {
  return [code(flags), description];
}

function settingRow(key: (typeof SETTING_KEYS)[number]): string[] {
  const { meaning, default: usual, flag, env, range, words } = settingDefinition(key);
  const limits = range ? ` ${range[0]} to ${range[1]}.` : words ? ` ${words.join(' or ')}.` : '';
  return [
    code(key),
    meaning + limits,
    usual === '' ? '' : code(String(usual)),
    flag === undefined ? '' : code(flag),
    env === undefined ? '' : code(env),
  ];
}

const CHAPTER = '5f2d0c1e-7a44-4c39-9d10-0b6f6f3a1c01';

/** One of each kind, which the compiler holds to the types that the program tells. */
const EVENTS: {
  readonly [Type in DownloadEvent['type']]: readonly [
    event: Extract<DownloadEvent, { type: Type }>,
    meaning: string,
  ];
} = {
  'chapter-started': [
    { type: 'chapter-started', chapter: CHAPTER, pages: 24, kept: 3 },
    'A chapter is begun; `kept` of its pages are here from an earlier run.',
  ],
  'page-loaded': [
    {
      type: 'page-loaded',
      chapter: CHAPTER,
      page: 4,
      bytes: 412345,
      ms: 310,
      host: 'node.example:443',
      cached: true,
    },
    'A page is here and proven. `page` counts from 1, `ms` is the whole load in milliseconds, `cached` whether the node had it at hand. With `"warning":"bad-digest"` it is kept although its name promises other bytes: two hosts gave the same image.',
  ],
  'page-failed': [
    { type: 'page-failed', chapter: CHAPTER, page: 5, reason: 'idle-timeout', attempt: 1 },
    'A load failed; it is reported and tried again, 5 attempts at most. The reasons are [the codes of loads](troubleshooting.md#one-load-of-one-page).',
  ],
  'chapter-saved': [
    { type: 'chapter-saved', chapter: CHAPTER, file: 'a.cbz', pages: 24, bytes: 9876543 },
    'The CBZ is there, whole, under its name.',
  ],
  'chapter-skipped': [
    { type: 'chapter-skipped', chapter: CHAPTER, reason: 'already-there', file: 'a.cbz' },
    'A chapter is passed over without an error, see the reasons below; `file` where there is one.',
  ],
  'chapter-failed': [
    {
      type: 'chapter-failed',
      chapter: CHAPTER,
      reason: 'chapter-not-found',
      message: 'There is no such chapter.',
    },
    'A chapter cannot be had. The reasons are [the codes of errors](troubleshooting.md#errors-by-code); `message` is for people and may change.',
  ],
  waiting: [
    { type: 'waiting', for: 'quota', until: '2026-11-21T03:30:00.000Z' },
    'Nothing is sent until then: for the general limit (`rate`), an endpoint’s (`quota`), or a pause that the service asked for (`cooldown`). During an `outage` of the service or the network, `until` is when it is tried again, and `reason` is the code of the last failure: `unreachable`, `service-failed` or `bad-answer`. With `lock`, another process (`holder`) holds the rate ledger’s lock, and the wait fails then.',
  ],
  summary: [
    {
      type: 'summary',
      saved: 10,
      skipped: 2,
      failed: 0,
      notStarted: 0,
      reports: { sent: 230, waiting: 0 },
    },
    'The last line. `notStarted` counts the chapters skipped as `not-started`, which `skipped` leaves out; where the run was stopped before its end, `stopped` is the code of what stopped it.',
  ],
};

function eventsSection(): string {
  return [
    '## Events',
    'What `tankobon download --json` writes: one JSON object a line, such as these.',
    ...Object.entries(EVENTS).map(
      ([, [event, meaning]]) => `\`\`\`jsonl\n${JSON.stringify(event)}\n\`\`\`\n\n${meaning}`,
    ),
    'Reasons of `chapter-skipped`:',
    table(
      ['reason', 'meaning'],
      Object.entries(SKIP_REASONS).map(([reason, meaning]) => [code(reason), meaning]),
    ),
  ].join('\n\n');
}

/** Each kind of error with its heading, in the order in which a run meets them. */
const KINDS: readonly (readonly [
  heading: string,
  codes: Readonly<Record<string, ErrorCodeDefinition>>,
])[] = [
  ['Asked wrongly', USAGE_CODES],
  ['The service, or the way to it', SERVICE_CODES],
  ['The login', AUTH_CODES],
  ['A chapter', CHAPTER_CODES],
  ['One load of one page', LOAD_CODES],
  ['The disk', STORAGE_CODES],
  ['The run', RUN_CODES],
];

function troubleshootingPage(): string {
  return [
    NOTE('the errors’ codes'),
    '# When something goes wrong',
    'Every error says what happened, to what, and what to type next. With `DEBUG=tankobon` in the environment it shows its code and its stack trace too; with `--json` the events carry the code.',
    '## Exit codes',
    table(
      ['code', 'meaning'],
      Object.entries(EXIT_MEANINGS).map(([exit, meaning]) => [exit, meaning]),
    ),
    'Where several hold, the code is the one that tells you what to do next: 6, then 5, then 4, then 3.',
    '## Errors by code',
    ...KINDS.map(
      ([heading, codes]) =>
        `### ${heading}\n\n${table(
          ['code', 'exit', 'what happened', 'what to do'],
          Object.entries(codes).map(([name, { exitCode, meaning, hint }]) => [
            code(name),
            String(exitCode),
            meaning,
            hint,
          ]),
        )}`,
    ),
    PROXY,
  ].join('\n\n');
}

const PROXY = `## A proxy that the service refuses

Through \`HTTPS_PROXY\` every connection is a tunnel (CONNECT): the proxy sees which host is called, and nothing of what
is said. A proxy that opens the tunnel, with a certificate authority of its own in \`NODE_EXTRA_CA_CERTS\`, can put a
\`Via\` header into the requests. The service forbids that header, and what it answers then is up to it: most often a
400 or a 403 with a page of HTML, which reads as \`request-refused\` or as \`banned\`, although \`tankobon limits\`
shows hardly anything used. Ask whoever runs the proxy to pass these hosts through unopened, or name them in \`NO_PROXY\`:
\`api.mangadex.org\`, \`auth.mangadex.org\`, \`api.mangadex.network\`, \`uploads.mangadex.org\`, \`mangadex.network\`.`;
