/** `tankobon whoami`: what is known of the login on this machine. Asks nothing of the network. */
import { notLoggedIn } from '../../auth/credentials.js';
import { LIVE_SERVICE } from '../../rate-limit/service-addresses.js';
import { AuthError } from '../../core/errors.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { credentialsOf } from '../../app/login.js';
import type { CommandContext } from '../command-context.js';
import { accessTokenLine, refreshTokenLine } from './token-lines.js';

export async function whoami(run: CommandContext): Promise<ExitCode> {
  const stored = await credentialsOf(run).read();
  if (!stored) throw notLoggedIn();
  const { login, store } = stored;
  if (!login.tokens) {
    throw new AuthError(
      'session-ended',
      `Nobody is logged in: the session of ${login.username} has ended. The client ${login.clientId} is kept.`,
    );
  }
  const nowMs = run.clock.wallMs();
  run.stdout.write(
    [
      `Account:   ${login.username}`,
      `Client id: ${login.clientId}`,
      `API:       ${login.apiOrigin ?? LIVE_SERVICE.apiUrl}`,
      `Storage:   ${store.kind} (${store.description})`,
      accessTokenLine(login.tokens, nowMs),
      refreshTokenLine(login.tokens, nowMs),
      '',
    ].join('\n'),
  );
  return EXIT.done;
}
