/** `tankobon login --check`: renews the stored login, which shows whether it is still valid. */
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { credentialsOf, sessionOf } from '../../download/stored-login.js';
import type { CommandContext } from '../command-context.js';
import { describeAccessToken } from '../output/token-expiry.js';
import { withService } from '../with-service.js';

/** Throws AuthError if there is no login or it is not valid, and the errors of the request. */
export async function checkStoredLogin(context: CommandContext): Promise<ExitCode> {
  const { signal, stdout, clock } = context;
  const tokens = await withService(context, (service) =>
    sessionOf(context, service).refresh(signal),
  );
  const stored = await credentialsOf(context).read();
  stdout.write(`The login of ${stored?.login.username} is valid.\n`);
  stdout.write(`${describeAccessToken(tokens, clock.wallMs())}\n`);
  return EXIT.done;
}
