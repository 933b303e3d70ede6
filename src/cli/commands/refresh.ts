/** `tankobon refresh`: renews the access token now, whether or not it is due. */
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { withService } from '../with-service.js';
import { sessionOf } from '../../app/login.js';
import type { CommandContext } from '../command-context.js';
import { accessTokenLine } from './token-lines.js';

export async function refresh(run: CommandContext): Promise<ExitCode> {
  const tokens = await withService(run, (service) => sessionOf(run, service).refresh(run.signal));
  run.stdout.write(`Renewed. ${accessTokenLine(tokens, run.clock.wallMs())}\n`);
  return EXIT.done;
}
