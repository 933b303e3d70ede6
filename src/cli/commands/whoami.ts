/** `tankobon whoami`: the login stored on this machine. */
import type { Command } from 'commander';
import type { GivenOptions } from '../../config/options.js';
import { raceWithSignal } from '../../core/abort.js';
import { AuthError } from '../../core/errors.js';
import { isoTime } from '../../core/human-format.js';
import type { CommandContext, CommandRunner } from '../command-context.js';
import { addOptions } from '../command-options.js';
import { jsonLine } from '../output/json-line.js';

export function whoamiCommand(program: Command, { run }: CommandRunner): Command {
  const command = program
    .command('whoami')
    .description('show who is logged in; sends nothing')
    .action((options: GivenOptions) => run((context) => whoami(options, context)));
  return addOptions(command, 'whoami');
}

async function whoami({ json }: GivenOptions, context: CommandContext): Promise<undefined> {
  const { credentialsOf, notLoggedIn, tokenExpiry } = await import('../../service/login.js');
  const { LIVE_SERVICE } = await import('../../config/service-addresses.js');
  const { describeAccessToken, describeRefreshToken } = await import('../output/token-expiry.js');
  const stored = await raceWithSignal(credentialsOf(context).read(), context.signal);
  if (!stored) throw notLoggedIn();
  const { login, store, pendingIn } = stored;
  const { username, clientId, tokens } = login;
  if (!tokens) {
    throw new AuthError('session-ended', `Not logged in: the session of ${username} has ended`, {
      hint: `Run: tankobon login (the client ${clientId} is kept)`,
    });
  }
  const api = login.apiOrigin ?? LIVE_SERVICE.apiUrl;
  if (json) {
    const { accessMs, refreshMs } = tokenExpiry(tokens);
    const [accessExpiresAt, refreshExpiresAt] = [isoTime(accessMs), isoTime(refreshMs)];
    const storage = store.kind;
    const entry = { username, clientId, api, storage, accessExpiresAt, refreshExpiresAt };
    context.stdout.write(jsonLine(entry));
    return;
  }
  const nowMs = context.clock.wallMs();
  const lines = [
    `Account:   ${username}`,
    `Client id: ${clientId}`,
    `API:       ${api}`,
    `Storage:   ${store.kind} (${store.description})`,
    ...(pendingIn === undefined ? [] : [`Kept in:   ${pendingIn}, until the keychain stores it`]),
    describeAccessToken(tokens, nowMs),
    describeRefreshToken(tokens, nowMs),
  ];
  context.stdout.write(`${lines.join('\n')}\n`);
}
