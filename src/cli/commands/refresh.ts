/** `tankobon refresh`: renews the access token now, whether or not it has expired. */
import type { Command } from 'commander';
import type { CommandContext, CommandRunner } from '../command-context.js';

export function refreshCommand(program: Command, { run }: CommandRunner): Command {
  return program
    .command('refresh')
    .description('renew the access token and print when it expires')
    .action(() => run(refresh));
}

async function refresh(context: CommandContext): Promise<undefined> {
  const { describeAccessToken } = await import('../output/token-expiry.js');
  const tokens = await renew(context);
  context.stdout.write(`Renewed. ${describeAccessToken(tokens, context.clock.wallMs())}\n`);
}

/** `tankobon login --check`: a renewal shows whether the stored login is still valid. */
export async function checkStoredLogin(context: CommandContext): Promise<undefined> {
  const { stdout, clock } = context;
  const tokens = await renew(context);
  const { credentialsOf } = await import('../../service/login.js');
  const { describeAccessToken } = await import('../output/token-expiry.js');
  const stored = await credentialsOf(context).read();
  stdout.write(`The login of ${stored?.login.username} is valid.\n`);
  stdout.write(`${describeAccessToken(tokens, clock.wallMs())}\n`);
}

/** Throws AuthError if there is no login or it is not valid, and the errors of the request. */
async function renew(context: CommandContext) {
  const { sessionOf } = await import('../../service/login.js');
  const { withService } = await import('../with-service.js');
  return withService(context, (service) => sessionOf(context, service).refresh(context.signal));
}
