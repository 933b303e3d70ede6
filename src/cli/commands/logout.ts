/** `tankobon logout`: removes the login from this machine. Sends nothing. */
import type { Command } from 'commander';
import { prepareStateFolder } from '../../app/state-folder.js';
import { raceWithSignal } from '../../core/abort.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import type { CommandContext } from '../command-context.js';
import type { CommandRunner } from '../command-runner.js';

export function logoutCommand(program: Command, { run }: CommandRunner): Command {
  return program
    .command('logout')
    .description('remove the login from this machine')
    .action(() => run(logout));
}

async function logout(context: CommandContext): Promise<ExitCode> {
  prepareStateFolder(context);
  const { credentialsOf } = await import('../../app/login.js');
  const credentials = credentialsOf(context);
  const lock = await credentials.lock(context.signal);
  try {
    const stores = await raceWithSignal(credentials.clear(), context.signal);
    context.stdout.write(
      stores.length > 0
        ? `Logged out. Login removed from the ${stores.join(' and the ')}.\n`
        : 'Nothing to remove: not logged in.\n',
    );
  } finally {
    lock.release();
  }
  return EXIT.done;
}
