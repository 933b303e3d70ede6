/** `tankobon refresh`: renews the access token now, whether or not it is due. */
import { EXIT, type ExitCode } from '../../kernel/exit-codes.js';
import { sessionOf, withService } from '../compose-login.js';
import type { Run } from '../run.js';
import { accessTokenLine } from './token-lines.js';

export async function refresh(run: Run): Promise<ExitCode> {
  const tokens = await withService(run, (service) => sessionOf(run, service).refresh(run.signal));
  run.stdout.write(`Renewed. ${accessTokenLine(tokens, run.clock.wallMs())}\n`);
  return EXIT.done;
}
