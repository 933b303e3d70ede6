/** `tankobon logout`: removes every trace of the login from this machine. Nothing is sent. */
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { credentialsOf } from '../../app/login.js';
import type { CommandContext } from '../command-context.js';

export async function logout(run: CommandContext): Promise<ExitCode> {
  const credentials = credentialsOf(run);
  const lock = await credentials.lock(run.signal);
  try {
    const held = await credentials.clear();
    run.stdout.write(
      held.length > 0
        ? `Logged out. The login is removed from the ${held.join(' and the ')}.\n`
        : 'There was nothing to remove: nobody was logged in.\n',
    );
  } finally {
    lock.release();
  }
  return EXIT.done;
}
