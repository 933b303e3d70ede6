/** `tankobon refresh`: renews the access token now, whether or not it has expired. */
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import type { CommandContext, CommandRunner } from '../command-context.js';

export function refreshCommand(program: Command, { run }: CommandRunner): Command {
  return program
    .command('refresh')
    .description('renew the access token and print when it expires')
    .action(() => run(refresh));
}

async function refresh(context: CommandContext): Promise<ExitCode> {
  const { sessionOf } = await import('../../download/stored-login.js');
  const { withService } = await import('../with-service.js');
  const { describeAccessToken } = await import('../output/token-expiry.js');
  const tokens = await withService(context, (service) =>
    sessionOf(context, service).refresh(context.signal),
  );
  context.stdout.write(`Renewed. ${describeAccessToken(tokens, context.clock.wallMs())}\n`);
  return EXIT.done;
}
