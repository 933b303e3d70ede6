/**
 * `tankobon demo`: starts the practice server on this machine and downloads one chapter from it with the real
 * `download` command. Settings, ledger and reports go to a temporary folder that is removed afterwards.
 */
import type { Command } from 'commander';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OPTIONS, type GivenOptions } from '../../config/options.js';
import { pathsFrom } from '../../config/paths.js';
import { UsageError } from '../../core/errors.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { pluralize } from '../../core/human-format.js';
import type { Library, LibraryChapter } from '../../practice-server/records.js';
import type { PracticeService } from '../../practice-server/practice-service.js';
import type { BareCommandContext, CommandRunner } from '../command-context.js';
import { addOptions } from '../command-options.js';
import { addExamples } from '../help-format.js';
import { shellQuoted } from '../../core/shell-quoted.js';

export function demoCommand(program: Command, { runBare }: CommandRunner): Command {
  const command = program
    .command('demo')
    .description('start a practice server on this machine and download a chapter from it')
    .action((options: GivenOptions) => runBare((context) => demo(options, context)));
  return addExamples(addOptions(command, 'demo'), [
    ['tankobon demo', 'nothing leaves this machine'],
    ['tankobon demo --serve', 'to try the other commands'],
  ]);
}

async function demo(options: GivenOptions, context: BareCommandContext): Promise<ExitCode> {
  const { startPracticeService } = await import('../../practice-server/practice-service.js');
  const home = makeTemporaryHome();
  const removeHome = (): void => {
    rmSync(home, { recursive: true, force: true });
  };
  // A second Ctrl-C and a full disk end the process at once.
  process.once('exit', removeHome);
  const service = await startPracticeService();
  try {
    const environment = { ...service.environment, TANKOBON_HOME: home, TANKOBON_LEDGER: '' };
    return options.serve
      ? await serve(service, environment, context)
      : await downloadOne(service, options.demoOutput, environment, context);
  } finally {
    await service.stop();
    process.off('exit', removeHome);
    removeHome();
  }
}

function makeTemporaryHome(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'tankobon-demo-'));
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
    const message = `The folder for temporary files cannot be used (${code}): ${tmpdir()}`;
    const variable = process.platform === 'win32' ? 'TEMP' : 'TMPDIR';
    throw new UsageError('bad-setting', message, {
      cause,
      hint: `Set ${variable} to a folder that you can write to.`,
    });
  }
}

async function downloadOne(
  service: PracticeService,
  output: string = OPTIONS.demoOutput.default,
  environment: Readonly<NodeJS.ProcessEnv>,
  // Not its paths, which need a home folder.
  {
    env: outerEnv,
    stdin,
    stdout,
    stderr,
    signal,
    clock,
    redactor,
    openKeychain,
  }: BareCommandContext,
): Promise<ExitCode> {
  const { loadSettings } = await import('../../config/settings.js');
  const { download } = await import('./download.js');
  const env = { ...outerEnv, ...environment };
  const paths = pathsFrom(env);
  // The user's own settings and variables do not apply: nothing but the saved file stays.
  const settings = await loadSettings(environment, paths.config);
  const { id: chapter } = firstChapter(service.library);
  stderr.write(
    `Practice server running at ${service.addresses.apiUrl}; downloading chapter ${chapter}.\n`,
  );
  const code = await download(
    [chapter],
    { output, force: true },
    { env, paths, settings, stdin, stdout, stderr, signal, clock, redactor, openKeychain },
  );
  if (code !== EXIT.done) return code;
  const received = `${pluralize(service.log.length, 'request')} and ${pluralize(service.reports.length, 'health report')}`;
  stderr.write(
    `The server received ${received}. To try the other commands, run: tankobon demo --serve\n`,
  );
  return EXIT.done;
}

async function serve(
  service: PracticeService,
  environment: Readonly<Record<string, string>>,
  { stdout, stderr, signal }: BareCommandContext,
): Promise<ExitCode> {
  const { PRACTICE_ACCOUNT, PRACTICE_CLIENT } = await import('../../practice-server/accounts.js');
  const account = {
    TANKOBON_USERNAME: PRACTICE_ACCOUNT.username,
    TANKOBON_PASSWORD: PRACTICE_ACCOUNT.password,
    TANKOBON_CLIENT_ID: PRACTICE_CLIENT.id,
    TANKOBON_CLIENT_SECRET: PRACTICE_CLIENT.secret,
  };
  const variables = { ...environment, ...account };
  for (const [name, value] of Object.entries(variables))
    stdout.write(`export ${name}=${shellQuoted(value)}\n`);
  stderr.write(
    'The practice server runs until you press Ctrl-C. In another terminal, paste the lines above, then try:\n' +
      suggestions(service, account.TANKOBON_USERNAME)
        .map((line) => `  ${line}\n`)
        .join('') +
      `Afterwards, to use MangaDex there, paste:\n  unset ${Object.keys(variables).join(' ')}\n`,
  );
  if (!signal.aborted) await once(signal, 'abort');
  return EXIT.done;
}

/** Command lines that work as they are with the exported variables. */
function suggestions({ library }: PracticeService, username: string): string[] {
  const chapter = firstChapter(library);
  const title = library.titles().find(({ id }) => id === chapter.titleId);
  return [
    'tankobon search lighthouse',
    ...(title ? [`tankobon download title:${title.id} --language en`] : []),
    `tankobon download ${chapter.id}`,
    `tankobon login --insecure-storage   (account ${username}; its password is in TANKOBON_PASSWORD)`,
    'tankobon whoami',
  ];
}

/** A chapter of the example library with enough pages to show progress. */
function firstChapter(library: Library): LibraryChapter {
  const chapter = library.chapters().find((candidate) => candidate.pages('data').length >= 12);
  if (!chapter) throw new Error('The example library has no chapter of 12 pages.');
  return chapter;
}
