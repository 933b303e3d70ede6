/** The commands about the login: login, whoami, refresh, logout. */
import type { LoginOptions } from '../commands/login.js';
import type { ToldCommand } from './told-command.js';
import { COMMAND_GROUPS, type TreeParts } from './tree-parts.js';

export function addLoginCommands(program: ToldCommand, { run, done }: TreeParts): void {
  program.commandsGroup(COMMAND_GROUPS.login);
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
    .example('tankobon login', 'asks for all it needs; secrets are not shown')
    .example('tankobon login --stdin < login.json', 'for a script; no flag takes a secret')
    .reads('TANKOBON_USERNAME', 'TANKOBON_PASSWORD', 'TANKOBON_CLIENT_ID', 'TANKOBON_CLIENT_SECRET')
    .action(async (options: LoginOptions) => {
      const surroundings = await run();
      const { login } = await import('../commands/login.js');
      done(await login(options, surroundings));
    });
  program
    .command('whoami')
    .description('say who is logged in, asking nothing of the network')
    .action(async () => {
      const surroundings = await run();
      const { whoami } = await import('../commands/whoami.js');
      done(await whoami(surroundings));
    });
  program
    .command('refresh')
    .description('renew the access token now, and say until when it holds')
    .action(async () => {
      const surroundings = await run();
      const { refresh } = await import('../commands/refresh.js');
      done(await refresh(surroundings));
    });
  program
    .command('logout')
    .description('remove the login from this machine')
    .action(async () => {
      const surroundings = await run();
      const { logout } = await import('../commands/logout.js');
      done(await logout(surroundings));
    });
}
