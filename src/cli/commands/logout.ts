/** `tankobon logout`: removes the login from this machine. Sends nothing. */
import type { Command } from 'commander';
import type { Credentials } from '../../service/login.js';
import { raceWithSignal } from '../../core/abort.js';
import type { CommandContext, CommandRunner } from '../command-context.js';

export function logoutCommand(program: Command, { run }: CommandRunner): Command {
  return program
    .command('logout')
    .description('remove the login from this machine')
    .action(() => run(logout));
}

async function logout(context: CommandContext): Promise<undefined> {
  const { prepareStateFolder } = await import('../../config/state-folder.js');
  prepareStateFolder(context);
  const { credentialsOf } = await import('../../service/login.js');
  const { signal, stdout } = context;
  const stores = await raceWithSignal(clearUnderLock(credentialsOf(context), signal), signal);
  stdout.write(
    stores.length > 0
      ? `Logged out. Login removed from the ${stores.join(' and the ')}.\n`
      : 'Nothing to remove: not logged in.\n',
  );
}

/** After an interruption too, the lock is held for as long as entries are deleted. */
async function clearUnderLock(credentials: Credentials, signal: AbortSignal) {
  const lock = await credentials.lock(signal);
  try {
    return await credentials.clear();
  } finally {
    lock.release();
  }
}
