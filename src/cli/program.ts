/**
 * The command tree: each command is its flags plus one call, imported when it is asked for. What a flag means,
 * its unit and its default stand here; the documentation's reference is made from this tree.
 */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { EXIT, type ExitCode } from '../kernel/exit-codes.js';
import { VERSION } from '../kernel/version.js';
import type { ConfigOptions } from './commands/config.js';
import type { DownloadOptions } from './commands/download.js';
import type { LoginOptions } from './commands/login.js';
import type { ReportStatusOptions } from './commands/report-status.js';
import type { Run } from './run.js';
import { SETTINGS } from './setting-table.js';

type Surroundings = () => Promise<Run>;

/** Runs one command line. Errors of the command itself are thrown; those of the command line are told here. */
export async function runProgram(
  words: readonly string[],
  surroundings: Surroundings,
): Promise<ExitCode> {
  let outcome: ExitCode = EXIT.done;
  const program = commandTree(surroundings, (code) => {
    outcome = code;
  });
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
  return outcome;
}

/** The whole tree, unparsed. `done` is told the exit code of the command that ran. */
export function commandTree(surroundings: Surroundings, done: (code: ExitCode) => void): Command {
  const program = new Command('tankobon')
    .description('Turns chapters of a manga-reading service into CBZ files.')
    .version(VERSION, '-V, --version', 'say which tankobon this is')
    .helpOption('-h, --help', 'say this')
    .showHelpAfterError('Type: tankobon help')
    .configureOutput({
      outputError: (text, write) => {
        write(text.replace(/^error: /, 'tankobon: '));
      },
    })
    .exitOverride();
  addDownload(program, surroundings, done);
  addConfig(program, surroundings, done);
  addLogin(program, surroundings, done);
  addReportStatus(program, surroundings, done);
  addDemo(program, surroundings, done);
  return program;
}

function addDownload(
  program: Command,
  surroundings: Surroundings,
  done: (code: ExitCode) => void,
): void {
  const { range } = SETTINGS.concurrency;
  program
    .command('download')
    .description('fetch chapters and leave a CBZ of each')
    .argument(
      '[target...]',
      'a chapter, title or list: its UUID (title:UUID, list:UUID) or web address',
    )
    .option(
      '-o, --output <dir>',
      `folder that the CBZ files go to (default: ${SETTINGS.output.default})`,
    )
    .addOption(
      new Option(
        '-q, --quality <quality>',
        `quality of the pages (default: ${SETTINGS.quality.default})`,
      ).choices(SETTINGS.quality.words),
    )
    .option(
      '--from-file <file>',
      'read targets from a file, one a line; - is standard input',
      collect,
      [],
    )
    .option(
      '--concurrency <n>',
      `pages in flight, ${range[0]} to ${range[1]} (default: ${SETTINGS.concurrency.default})`,
      wholeNumber(range[0], range[1]),
    )
    .option(
      '--language <codes>',
      'of titles and lists: languages wanted, in order of preference, such as en,pt-br',
    )
    .option(
      '--chapters <ranges>',
      'of titles and lists: only these chapters, such as 1-10,12.5,20-',
    )
    .option('--volumes <ranges>', 'of titles and lists: only these volumes, such as 1-3,none')
    .option(
      '--group <names>',
      'groups preferred, in order; another’s release is taken where none of them has one',
    )
    .option('--all-releases', 'every release of a chapter, not one for each number')
    .option(
      '--latest <n>',
      'of titles and lists: only so many, the last published',
      wholeNumber(1, 100_000),
    )
    .option('--force', 'load again what is there already')
    .option('--update', 'load again what is there in an older version')
    .option('--dry-run', 'only say what would be done, and why')
    .option('--cover', 'save the cover beside the chapters too')
    .option('--mark-read', 'mark saved chapters as read, when logged in')
    .option('--json', 'one JSON object a line on standard output')
    .option('--quiet', 'say nothing but errors')
    .option('--no-reports', 'send no health reports to the edge network')
    .option('--no-metadata', 'leave ComicInfo.xml out')
    .option(
      '--name <template>',
      'template of the file name, such as "{series}/{chapter:03} {title}"',
    )
    .option('--captcha-result <token>', 'the result of a solved captcha')
    .action(async (targets: string[], options: Omit<DownloadOptions, 'targets'>) => {
      const run = await surroundings();
      const { download } = await import('./commands/download.js');
      done(await download({ ...options, targets }, run));
    });
}

function addLogin(
  program: Command,
  surroundings: Surroundings,
  done: (code: ExitCode) => void,
): void {
  program
    .command('login')
    .description('log in with your account and its personal client; asks for what is not given')
    .option('--username <name>', 'name of the account (TANKOBON_USERNAME)')
    .option('--client-id <id>', 'id of the personal client, personal-client-… (TANKOBON_CLIENT_ID)')
    .option(
      '--stdin',
      'read a JSON object from standard input: username, password, clientId, clientSecret',
    )
    .option(
      '--insecure-storage',
      'store in a file that only you can read, where there is no keychain',
    )
    .action(async (options: LoginOptions) => {
      const run = await surroundings();
      const { login } = await import('./commands/login.js');
      done(await login(options, run));
    });
  program
    .command('refresh')
    .description('renew the access token now, and say until when it holds')
    .action(async () => {
      const run = await surroundings();
      const { refresh } = await import('./commands/refresh.js');
      done(await refresh(run));
    });
  program
    .command('logout')
    .description('remove the login from this machine')
    .action(async () => {
      const run = await surroundings();
      const { logout } = await import('./commands/logout.js');
      done(await logout(run));
    });
  program
    .command('whoami')
    .description('say who is logged in, asking nothing of the network')
    .action(async () => {
      const run = await surroundings();
      const { whoami } = await import('./commands/whoami.js');
      done(await whoami(run));
    });
}

function addDemo(
  program: Command,
  surroundings: Surroundings,
  done: (code: ExitCode) => void,
): void {
  program
    .command('demo')
    .description('start the practice service on this machine and fetch one chapter from it')
    .option('-o, --output <dir>', 'folder that the CBZ goes to', '.')
    .option(
      '--serve',
      'keep the practice service up, and print the environment that points another terminal at it',
    )
    .action(async (options: { output: string; serve?: boolean }) => {
      const run = await surroundings();
      const { demo } = await import('./commands/demo.js');
      done(await demo(options, run));
    });
}

function addReportStatus(
  program: Command,
  surroundings: Surroundings,
  done: (code: ExitCode) => void,
): void {
  program
    .command('report-status')
    .description('what the edge network was told of its nodes, what waits, and how they fare')
    .option('--flush', 'send what waits now, and say how it went')
    .option('--html <file>', 'write the figures as one page for a browser')
    .option('--clear', 'forget all reports and figures, after a question')
    .option('--yes', 'do not ask')
    .option('--json', 'one JSON object on standard output')
    .action(async (options: ReportStatusOptions) => {
      const run = await surroundings();
      const { reportStatus } = await import('./commands/report-status.js');
      done(await reportStatus(options, run));
    });
}

function addConfig(
  program: Command,
  surroundings: Surroundings,
  done: (code: ExitCode) => void,
): void {
  const run = async (options: ConfigOptions): Promise<void> => {
    const { config } = await import('./commands/config.js');
    done(await config(options, await surroundings()));
  };
  const config = program.command('config').description('see and change the settings that stay');
  config
    .command('list')
    .description('all settings, with the source of each value')
    .option('--json', 'as one JSON object')
    .action((options: { json?: boolean }) => run({ action: 'list', ...options }));
  config
    .command('get')
    .description('the value in force of one setting')
    .argument('<key>')
    .action((key: string) => run({ action: 'get', key }));
  config
    .command('set')
    .description('set one setting')
    .argument('<key>')
    .argument('<value>')
    .action((key: string, value: string) => run({ action: 'set', key, value }));
  config
    .command('unset')
    .description('go back to the default')
    .argument('<key>')
    .action((key: string) => run({ action: 'unset', key }));
  config
    .command('path')
    .description('where the settings file is')
    .action(() => run({ action: 'path' }));
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least || value > most) {
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    }
    return value;
  };
}
